/* The lines of a task that have ended. They are reported while later ones run: rank 0 hears of them soon. And
 * those behind a long one: they are left to other slots. */
#ifndef COMMAND_PROGRESS_H
#define COMMAND_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct plb_task;

/* Seconds that a line which has ended waits for the end of the task. Larger: after a crash more lines run
 * again, and the joblog is behind. Smaller: more reports, each of which takes rank 0 some 50 us. */
#define COMMAND_WAITS 0.25

/* Seconds after which a line is a task of its own, and those behind it are left to others. They hear of it
 * again whenever it has lasted twice as long, since then it is worth more. Larger: slots are idle for longer
 * behind a long line. Smaller: more tasks, as above. */
#define COMMAND_LONG 0.25

/* Zeroed but for the first three. */
struct command_progress {
    const struct plb_task *task;
    int64_t count;           /* of its units, those that are not left to others */
    double since;            /* command_seconds() when the task began, or the last reported line ended */
    int64_t ended, reported; /* units of the task, from its first one on */
    double first, last;      /* when the first and the last one ended that were not reported */
    int64_t begun;           /* units of the task up to those that run */
    double began, is_long;   /* when these began; when they are long, or long enough to say so again */
};

/* The units up to `begun`, of which those that have not ended run together. */
void command_progress_begun(struct command_progress *progress, int64_t begun);

/* The first `count` units of the task have ended, or are not to be run. */
void command_progress_ended(struct command_progress *progress, int64_t count);

/* Whether anybody still wants the results of the task. Called often while lines run: it reports the lines
 * that have waited, and leaves those behind a long one to others. By the thread that runs the task. */
bool command_progress_goes_on(struct command_progress *progress);

#endif
