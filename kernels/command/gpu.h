/* How many programs share a GPU, where that is found out (command.per_gpu = auto).
 *
 * A GPU begins with one program at a time. When some lines have ended, two are tried, and then four, as long
 * as more lines end in a second than before. Slots that wait have no program; when it is decided how many do
 * best, the others leave the run. A line that fails while more are tried may have found no memory: then fewer
 * it is, and the line is run again. */
#ifndef COMMAND_GPU_H
#define COMMAND_GPU_H

#include <stdbool.h>

#define COMMAND_MOST_PER_GPU 4

/* The knowledge of a GPU. Zeroed: there is none. Pure functions. */
struct command_level {
    int allowed; /* programs at a time; 0: 1 */
    bool settled;
    int n;         /* lines that have ended since */
    double work;   /* their costs */
    double since;  /* when the first of them began */
    double before; /* the rate with half as many programs */
};

/* A line of this cost, during which `allowed` did not change, ran from one time to another one, by one clock.
 * The rate is by that clock: programs that wait for each other, or for lines, do less. */
void command_level_add(struct command_level *level, double cost, double began, double ended, bool failed);

struct command_progress;
struct plb_task;

/* Waits until this slot may start a program on the GPU. Returns whether it may; else the task was cancelled,
 * or *leaves: the slot is not needed, which counts where *leaves is true before. */
bool command_gpu_enter(struct command_progress *progress, bool *leaves);

/* The program has ended. Returns whether it failed for too many programs, so that the line is run again. */
bool command_gpu_leave(const struct plb_task *task, double cost, double seconds, bool failed);

#endif
