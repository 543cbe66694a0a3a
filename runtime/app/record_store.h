/* Rank 0's records (PLB_RECORDS): what it has accepted, and in the end one file per buffer, in the order of
 * the units.
 *
 * Records are appended to a file without a name, as they come, so that they need no memory. Memory knows of
 * a result where its bytes are. A run with a journal has that file beside it, and the next run finds
 * the records there.
 *
 * Of several records of a unit the last one counts: a later pass may make another one. Communication thread
 * only. */
#ifndef PLB_APP_RECORD_STORE_H
#define PLB_APP_RECORD_STORE_H

#include <stdio.h>

#include "app/stream/record_stream.h"
#include "base/rangeset.h"
#include "plb/kernel.h"

struct plb_record_store;

/* For these buffers, of which some have records. beside: the file is in the folder of this one, where that
 * can be; NULL: elsewhere. Opens nothing. */
struct plb_record_store *plb_record_store_new(const struct plb_data *data, int n, const char *beside);
void plb_record_store_free(struct plb_record_store *store); /* NULL: nothing */

/* Appends to the file of a journal, which stays the caller's. Where there are records of an earlier run, they
 * count: all of passes before `pass`, and in that pass those of the units. Units whose records are missing or
 * damaged are removed from `units`. NULL: there are no records, and the file is emptied; else it stays as it
 * is until plb_record_store_go_on. False where it cannot be read, or does not tell how far its stream is. */
bool plb_record_store_adopt(struct plb_record_store *store, int fd, int pass, struct plb_rangeset *units);

/* Before plb_record_store_adopt: n times units were forgotten. Their records until then do not count, of
 * whatever pass. The last entry may be of this run: `records` INT64_MAX, and `mark` below 0; then
 * plb_record_store_adopt fills them in. Borrowed until then. */
void plb_record_store_forget(struct plb_record_store *store, struct plb_forgotten *list, int n);

/* Cuts off what the adopted file has behind its last whole result. False, and errno, where it cannot. */
bool plb_record_store_go_on(struct plb_record_store *store);

/* Bytes of the file up to the end of its last whole result. */
int64_t plb_record_store_bytes(const struct plb_record_store *store);

/* Keeps the records of some units of a result, whose bytes are sound. False where the file cannot be written:
 * then these units have none (plb_record_store_failure). */
bool plb_record_store_keep(struct plb_record_store *store, int pass, struct plb_range range,
                           const void *bytes, size_t n, const struct plb_rangeset *units);

/* Forgets the records of these units: they were set aside. */
void plb_record_store_drop(struct plb_record_store *store, struct plb_range range);

/* Writes the records of buffer i to the descriptor that `path` names, too, as they arrive
 * (app/stream/record_stream.h). Before the first result; the shape is the same in all calls. False: `path`
 * names no descriptor that is open. */
bool plb_record_store_stream(struct plb_record_store *store, int i, const struct plb_stream_shape *shape,
                             const char *path);

/* The same for a file of lines, which grows behind `head` (plb_record_stream_grow). */
void plb_record_store_grow(struct plb_record_store *store, int i, const struct plb_stream_shape *shape,
                           const char *path, const char *head);

/* No result comes any more: waits until all are written so; rest: also those that wait for others. NULL:
 * nothing. Returns as plb_record_store_failure does. */
int plb_record_store_end(struct plb_record_store *store, bool rest, const char **path);

/* The errno with which the file, or the descriptor of *path, could not be written; 0: all is well. */
int plb_record_store_failure(const struct plb_record_store *store, const char **path);

/* Prints the records of buffer i: of `units` units, in this order; NULL: ascending. 16 bytes of memory for
 * each of them. Returns 0, or the errno that says why they cannot be read. */
int plb_record_store_print(const struct plb_record_store *store, int i, int64_t units, const int64_t *order,
                           FILE *out);

#endif
