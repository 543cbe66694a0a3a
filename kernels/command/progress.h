/* The lines of a task that have ended. They are reported while later ones run: rank 0 hears of them soon. */
#ifndef COMMAND_PROGRESS_H
#define COMMAND_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct plb_task;

/* Seconds that a line which has ended waits for the end of the task. Larger: after a crash more lines run
 * again, and the joblog is behind. Smaller: more reports, each of which takes rank 0 some 50 us. */
#define COMMAND_WAITS 0.25

/* Zeroed but for the first two. */
struct command_progress {
    const struct plb_task *task;
    double since;            /* command_seconds() when the task began, or the last reported line ended */
    int64_t ended, reported; /* units of the task, from its first one on */
    double first, last;      /* when the first and the last one ended that were not reported */
};

/* The first `count` units of the task have ended, or are not to be run. */
void command_progress_ended(struct command_progress *progress, int64_t count);

/* Whether anybody still wants the results of the task. Called often while lines run: it reports the lines
 * that have waited. By the thread that runs the task. */
bool command_progress_goes_on(struct command_progress *progress);

#endif
