/* How far a stream of records came, as the file of its journal remembers it. */
#ifndef PLB_APP_STREAM_MARK_H
#define PLB_APP_STREAM_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rangeset.h"

/* A result in the store's file. */
struct plb_streamed {
    struct plb_range units, result; /* those that count; those of which it has lengths and bytes */
    int64_t at, end;                /* where its bytes begin and end; at below 0: the units have no records */
    int64_t written; /* units that an earlier run has written: so many first ones of `result` */
};

/* The byte of the file where the mark is; that of the journal is before. */
#define PLB_STREAM_MARK 32

/* Writes it, and how often units of the journal had been forgotten by then. False, and errno, where that
 * fails. */
bool plb_stream_mark_write(int fd, int64_t at, uint32_t forgotten);

/* Reads both: 0 where none was written yet. False where it cannot be read or is damaged. */
bool plb_stream_mark_read(int fd, int64_t *at, uint32_t *forgotten);

/* A mark of a stream that is not in order: all results that end at most there are written and, of the one
 * around it, as many units as it lies behind its begin. A result has more bytes than units. Such a mark
 * before `unit` of a result, and how many units of a result are written by it. */
int64_t plb_stream_mark_before(const struct plb_streamed *result, int64_t unit);
int64_t plb_stream_mark_units(const struct plb_streamed *result, int64_t mark);

#endif
