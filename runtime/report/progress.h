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
    double seconds;   /* of the latest call; a smaller number is another pass */
    int64_t done;     /* at the latest call */
    double changed;   /* when that was another number: seconds since the pass began */
};

/* The PU that a pass waits for. */
struct plb_awaited {
    int pu;              /* number in the run */
    int64_t first, last; /* units */
    double seconds;      /* that it has been at them */
    double expected;     /* seconds for them; 0: not known */
};

/* off: show nothing, ever. */
void plb_progress_init(struct plb_progress *progress, const char *unit, bool off);

/* Notes how far a pass is: `done` units are executed, `seconds` after it began. Returns whether it is time to
 * show it; *stalled: nothing has been finished for a while. */
bool plb_progress_is_due(struct plb_progress *progress, int64_t done, double seconds, bool *stalled);

/* Shows what was noted last, of so many units. awaited: the PU that the pass waits for, or NULL for the time
 * that is left. */
void plb_progress_show(struct plb_progress *progress, int64_t units, const struct plb_awaited *awaited);

/* Clears the line of a terminal. */
void plb_progress_end(struct plb_progress *progress);

#endif
