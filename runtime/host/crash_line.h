/* The sentence about a crash. Every function may be called in a signal handler. A text that does not fit is
 * cut. */
#ifndef PLB_HOST_CRASH_LINE_H
#define PLB_HOST_CRASH_LINE_H

#include <stddef.h>

#include "base/crash_call.h"

struct plb_crash_line {
    char at[1000];
    size_t n;
};

void plb_crash_add(struct plb_crash_line *line, const char *text);
void plb_crash_add_number(struct plb_crash_line *line, int64_t number);

/* "kernel spmm", and its phase where that has a name of its own. */
void plb_crash_add_title(struct plb_crash_line *line, const struct plb_crash_call *call);

/* "kernel spmm crashed (SIGSEGV)", and the function that it was in, if that is no entry. signal NULL: it
 * called exit(). */
void plb_crash_add_kernel(struct plb_crash_line *line, const struct plb_crash_call *call, const char *signal);

/* " on its PU 0 in rows 10 to 19". */
void plb_crash_add_range(struct plb_crash_line *line, const struct plb_crash_call *call);

/* Writes it to standard error, with a newline. */
void plb_crash_write(struct plb_crash_line *line);

#endif
