/* How long points stay. */
#ifndef ESCAPE_H
#define ESCAPE_H

#include "plb/kernel.h"

/* Points of a row that a thread takes at a time. More: a thread is slow to see that a task is cancelled.
 * Fewer: at their end some vectors have no work more often. */
#define POINTS 256

/* The constants of a job. */
struct window {
    double left, top; /* of the first pixel's corner */
    double pixel;     /* its side */
    int64_t width;    /* pixels */
    int64_t depth;    /* steps at most */
    int64_t image;    /* 1: colours are wanted too */
};

/* The steps of n points of a row, 1 to POINTS, from the column on: those of z = z^2 + c, from 0 on, for which
 * |z| is 2 at most; depth where it stays so. Each step is rounded as in the plain loop. */
void escape(const struct window *w, int64_t row, int64_t column, int64_t n, float *steps);

#endif
