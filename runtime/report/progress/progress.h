/* Progress on stderr: a line, or a row for each PU (report/progress/watch.h). A terminal shows what is
 * rewritten in place; else lines are added every few seconds. Or JSON, a line each second. Rows go to the
 * terminal that the process was started from, if there is one, wherever stderr leads. */
#ifndef PLB_REPORT_PROGRESS_PROGRESS_H
#define PLB_REPORT_PROGRESS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/progress/watch.h"

enum plb_progress_style {
    PLB_PROGRESS_OFF,
    PLB_PROGRESS_LINE,
    PLB_PROGRESS_WATCH, /* a row for each PU */
    PLB_PROGRESS_JSON,
};

struct plb_progress {
    enum plb_progress_style style;
    bool terminal;
    FILE *out;  /* stderr; or with WATCH the terminal of the process, since a launcher makes stderr a pipe */
    int rows;   /* of a terminal that the cursor stands below; WATCH */
    bool shown; /* since the start, or since plb_progress_end */
    const char *unit; /* what the application calls its units; borrowed */
    double before;    /* seconds of earlier passes */
    int passes;       /* how many these are */
    double gone;      /* part of all done units that PUs did which are used no more; set by the caller */
    bool again;       /* the pass is repeated after a loss; set by the caller */
    double next;      /* when to show it again: seconds of all passes */
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

void plb_progress_init(struct plb_progress *progress, const char *unit, enum plb_progress_style style);

/* Notes how far a pass is: `done` units are executed, `seconds` after it began. Returns whether it is time to
 * show it; *stalled: nothing has been finished for a while. */
bool plb_progress_is_due(struct plb_progress *progress, int64_t done, double seconds, bool *stalled);

/* Shows what was noted last, of so many units of this pass, counted from 1. awaited: the PU that the pass
 * waits for, or NULL for the time that is left. */
void plb_progress_show(struct plb_progress *progress, int pass, int64_t units,
                       const struct plb_awaited *awaited);

/* The same where the style is WATCH or JSON. Fills in `done`, `seconds` and `left_s`. */
void plb_progress_watch(struct plb_progress *progress, struct plb_watched *watched);

/* Clears the line of a terminal. The rows of PUs stay. */
void plb_progress_end(struct plb_progress *progress);

#endif
