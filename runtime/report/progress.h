/* The progress line on stderr: rewritten in place on a terminal, else a line every few seconds. */
#ifndef PLB_REPORT_PROGRESS_H
#define PLB_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct plb_progress {
    bool off, terminal, shown;
    const char *unit;
    double next;                /* when to show again, on the run's clock */
};

/* off: show nothing, ever. */
void plb_progress_init(struct plb_progress *progress, const char *unit, bool off);

/* Shows how far the pass is, if it is time to. Seconds since the pass began. */
void plb_progress_update(struct plb_progress *progress, int64_t done, int64_t units, double seconds);

/* Clears what a terminal shows. */
void plb_progress_end(struct plb_progress *progress);

#endif
