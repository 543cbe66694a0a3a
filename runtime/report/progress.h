/* The progress line on stderr. A terminal shows one line that is rewritten; else a line is added every few
 * seconds. */
#ifndef PLB_REPORT_PROGRESS_H
#define PLB_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct plb_progress {
    bool off, terminal;
    bool shown;       /* since the start, or since plb_progress_end */
    const char *unit; /* what the application calls its units; borrowed */
    double next;      /* when to show it again: seconds since the pass began */
};

/* off: show nothing, ever. */
void plb_progress_init(struct plb_progress *progress, const char *unit, bool off);

/* Shows how far a pass is, if it is time to. `done` of `units` units are executed, `seconds` after it
 * began. */
void plb_progress_update(struct plb_progress *progress, int64_t done, int64_t units, double seconds);

/* Clears the line of a terminal. */
void plb_progress_end(struct plb_progress *progress);

#endif
