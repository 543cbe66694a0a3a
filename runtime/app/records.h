/* The records that a task appends (PLB_RECORDS), until rank 0 has them.
 *
 * While the task runs they are a log, in the order of the calls. When it has ended they become bytes that
 * travel in one piece behind the results of its DONE. For each buffer with records, in the order of the
 * handles: the length of each unit's record as an int64_t, PLB_NO_RECORD where nothing was appended, and then
 * the records one after the other. So the bytes say themselves where each record is.
 *
 * Cost: a copy of all bytes when the task has ended. Appending is thread-safe; the rest belongs to who has
 * the task. */
#ifndef PLB_APP_RECORDS_H
#define PLB_APP_RECORDS_H

#include "app/dataset.h"

#define PLB_NO_RECORD (-1)

struct plb_records;

struct plb_records *plb_records_new(const struct plb_dataset *set);
void plb_records_free(struct plb_records *records); /* NULL: nothing */

/* A task begins: forgets what the last one has appended. */
void plb_records_begin(struct plb_records *records);

/* The entry gets this as the data of buffer i. */
void *plb_records_part(struct plb_records *records, int i);

/* Moves what was appended for units before `end` to others, which have begun. From now on these units take
 * nothing more here. */
void plb_records_move(struct plb_records *records, int64_t end, struct plb_records *to);

/* The task of this range has ended: makes the bytes that travel. They last until the next one begins. */
void plb_records_seal(struct plb_records *records, struct plb_range range);
void *plb_records_bytes(const struct plb_records *records, size_t *n);

/* Whether bytes that have arrived can be those of a range. */
bool plb_records_are_sound(const struct plb_dataset *set, struct plb_range range, const void *bytes,
                           size_t n);

#endif
