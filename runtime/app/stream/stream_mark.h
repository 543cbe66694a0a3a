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

/* Seconds that a mark waits, twice that at most, if the reader of the stream is not a file: mpirun, or the
 * other end of a pipe. It may end with the run, before it has passed on what it has read. Larger: more
 * outputs are printed twice after a kill. Smaller: some are never printed; with 0.25, 24 lines of 1,200 where
 * mpirun got SIGINT twice. */
#define PLB_STREAM_LAG 1.0

/* How far the stream came: bytes, and those of them that have been read, as far as the system tells. */
struct plb_stream_place {
    double now; /* plb_now() */
    int64_t written, read;
};

/* Marks on their way to the file, by one thread. Zeroed, with the file and whether they lag: none. */
struct plb_stream_marks {
    int file; /* -1: nothing is remembered */
    bool lags;
    uint32_t forgotten;
    int64_t aging, latest; /* the oldest mark that waits, and the newest; aging 0: none does */
    struct plb_stream_place aging_at, latest_at;
};

/* The stream came to this mark: written at once, or when it is due. False, and errno, where that fails. */
bool plb_stream_marks_move(struct plb_stream_marks *marks, int64_t mark, uint32_t forgotten,
                           const struct plb_stream_place *place);

/* Writes a mark that is due: it has waited, and what was written by then has been read. */
bool plb_stream_marks_look(struct plb_stream_marks *marks, const struct plb_stream_place *place);

/* Who reads the stream goes on to read it: all marks are written. */
bool plb_stream_marks_end(struct plb_stream_marks *marks);

/* A mark of a stream that is not in order: all results that end at most there are written and, of the one
 * around it, as many units as it lies behind its begin. A result has more bytes than units. Such a mark
 * before `unit` of a result, and how many units of a result are written by it. */
int64_t plb_stream_mark_before(const struct plb_streamed *result, int64_t unit);
int64_t plb_stream_mark_units(const struct plb_streamed *result, int64_t mark);

#endif
