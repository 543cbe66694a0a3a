/* How far a stream of records came, as the file of its journal remembers it. */
#ifndef PLB_APP_STREAM_MARK_H
#define PLB_APP_STREAM_MARK_H

#include <stdbool.h>
#include <stdint.h>

/* The byte of the file where the mark is; that of the journal is before. */
#define PLB_STREAM_MARK 32

/* Writes it, and how often units of the journal had been forgotten by then. False, and errno, where that
 * fails. */
bool plb_stream_mark_write(int fd, int64_t at, uint32_t forgotten);

/* Reads both: 0 where none was written yet. False where it cannot be read or is damaged. */
bool plb_stream_mark_read(int fd, int64_t *at, uint32_t *forgotten);

#endif
