/* Records that are written as they arrive: to standard output, say, for people and programs who wait.
 *
 * A thread of its own writes, so that a slow reader keeps nobody from working. It reads the bytes from the
 * store's file (app/record_store.h), which has them anyway: nothing waits in memory but where they are. The
 * records of a unit stand together, in the order of the streams. Each unit's are written once; where several
 * passes make one, it is the first. In order, a unit waits for all before it.
 *
 * A journal's file remembers how far the stream came, in its begin. So a run that goes on writes the rest
 * alone, and once more what came after the last mark (app/stream/stream_mark.h). Records that are computed
 * again, because the file was cut before that point, are written again, since better twice than never. Cost:
 * 4 bytes of memory for each unit. The functions belong to the communication thread. */
#ifndef PLB_APP_RECORD_STREAM_H
#define PLB_APP_RECORD_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "app/stream/forgotten.h"
#include "app/stream/stream_mark.h"

struct plb_record_stream;

/* The units of a stream. */
struct plb_stream_shape {
    int64_t units;
    const int64_t *order; /* the units in their order; NULL: ascending; borrowed */
    bool in_order;        /* each waits for those before */
};

/* For units with n_parts records each. */
struct plb_record_stream *plb_record_stream_new(const struct plb_stream_shape *shape, int n_parts);
void plb_record_stream_free(struct plb_record_stream *stream); /* NULL: nothing; writes nothing more */

/* Part `part` of the records goes to the descriptor that `path` names (/dev/stdout). False: it names none
 * that is open. */
bool plb_record_stream_add(struct plb_record_stream *stream, int part, const char *path);

/* The same for a file, which grows behind `head`. It is opened for its first record, so that a run that never
 * begins leaves it alone. A run that goes on begins it anew, with the records of the earlier run. */
void plb_record_stream_grow(struct plb_record_stream *stream, int part, const char *path, const char *head);

/* The file that has the bytes; remembers: it is a journal's. Where it remembers how far an earlier run came,
 * the stream goes on from there. False where that is damaged. */
bool plb_record_stream_begin(struct plb_record_stream *stream, int fd, bool remembers);

/* After plb_record_stream_begin, and before a result is given: n times units were forgotten. In the last
 * entry, which may be of this run, a mark that is not known yet is filled in. Writes nothing before
 * plb_record_stream_cut. */
void plb_record_stream_forget(struct plb_record_stream *stream, struct plb_forgotten *list, int n);

bool plb_record_stream_in_order(const struct plb_record_stream *stream);

/* How many units of a result an earlier run has written out of order: so many first ones. */
int64_t plb_record_stream_written(const struct plb_record_stream *stream, const struct plb_streamed *result);

/* The file of a journal ends at this byte now: no result behind it has been written. Before a result of this
 * run is given. False, and errno, where the file cannot be written, or no thread begins. */
bool plb_record_stream_cut(struct plb_record_stream *stream, int64_t end);

/* A result is in the file. */
void plb_record_stream_give(struct plb_record_stream *stream, const struct plb_streamed *result);

/* Waits until everything is written; rest: also what waits for units that will not come. Nothing may be given
 * any more. */
void plb_record_stream_end(struct plb_record_stream *stream, bool rest);

/* The errno with which one of the streams could not be written, and its path; 0: all is well. */
int plb_record_stream_failure(struct plb_record_stream *stream, const char **path);

#endif
