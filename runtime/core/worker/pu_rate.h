/* A PU as its tasks show it to the node: how fast it is, and which tasks are too small for it. It decides
 * how idle PUs and nodes share what is queued. Pure functions of the struct; not thread-safe. */
#ifndef PLB_CORE_WORKER_PU_RATE_H
#define PLB_CORE_WORKER_PU_RATE_H

#include "core/worker/queue.h"

/* A task of less than so many starts is little else. Larger: short tasks tell nothing of their units, and
 * expensive units may be among those that follow. Smaller: a start looks like expensive units, and many
 * starts come before the right size. */
#define PLB_MOSTLY_START 2.0

struct plb_pu_task {
    double work, execute_s, transfer_s;
};

/* A zeroed struct knows nothing. */
struct plb_pu_rate {
    double rate;            /* work per second, smoothed; 0 = not measured */
    double most;            /* by the task that runs, which lasts long, it is no faster; 0: not known */
    double best, best_size; /* its best rate, and the work of the task that had it */
    double good;            /* work of the smallest task that is known to be as good as larger ones; or 0 */
    double unit_s;          /* seconds of a unit in the latest task; 0: none yet */
    double busy_s;          /* seconds of all its tasks in this pass */
    double least_execute_s, least_work; /* of the shortest task */
    double least_transfer_s;            /* in the mean of two tasks in a row */
    double lowest, highest; /* rates of tasks in this pass that were more than starts; 0: none yet */
    struct plb_pu_task last;
    double share; /* work that it will probably still do, as the master says; 0: not known */
    double sure;  /* work that it still ends before all do, as the master says */
    bool heard;   /* the master has said so */
    double first_s, first_work, larger_s,
        larger_work;  /* of the smallest task, and of the latest larger one */
    int64_t least;    /* units below which its rate suffers, as the master says; 0: not known */
    int64_t largest;  /* units of its largest task */
    double most_work; /* the same in work, of one whose time counts */
    int64_t tasks,
        first;   /* that it has executed; units of the first one where it is a part of its block, else 0 */
    bool part;   /* its first task was a part of a block */
    bool shrunk; /* the second one was smaller: plb_pu_rate_shrink */
    int64_t learned; /* the same, as its tasks suggest; their units may also just be expensive */
};

/* Work per second, or 0 where nothing is known. */
static inline double plb_pu_rate(const struct plb_pu_rate *pu)
{
    return pu->most > 0.0 && (pu->rate == 0.0 || pu->most < pu->rate) ? pu->most : pu->rate;
}

/* A task of this much work has taken these seconds, and of them `transfer_s` for its inputs and outputs;
 * times that cannot be are ignored. */
void plb_pu_rate_learn(struct plb_pu_rate *pu, double work, int64_t units, double seconds, double transfer_s);

/* Whether its units differ so much that its rate tells of the units, and not of the PU. */
bool plb_pu_rate_varies(const struct plb_pu_rate *pu);

/* For nodes without backups, where nobody helps with a task that has been started. The second task of a block
 * is smaller than a first one that has lasted for more than `task_s` seconds: it tells as well what a start
 * costs. */
void plb_pu_rate_shrink(struct plb_pu_rate *pu, double task_s, struct plb_cut *cut);

/* How many more tasks of so many units it takes along with one: a few, where they are very short. */
int64_t plb_pu_rate_burst(const struct plb_pu_rate *pu, int64_t units);

/* How to cut tasks off a queue of so many units. A task lasts at most `task_s` seconds, or longer where
 * starts cost much. shared: other PUs may take from the queue; what was learned of small tasks then gives way
 * near its end, so that every PU gets one. */
struct plb_cut plb_pu_rate_cut(const struct plb_pu_rate *pu, int64_t queued, double task_s, bool shared);

/* Work of a shared queue that need not be able to move, and may be one task. The master has said how much the
 * PU ends before all others end. The part of that by which it may be late stays in the queue, unless moving
 * could win less than another start costs. Before that word a task is larger than those before, as long as
 * nobody asks for work. spread: relative error of the PU's rate; queued: work in the queue. */
double plb_pu_rate_sure(const struct plb_pu_rate *pu, double spread, double queued, double task_s,
                        bool asked);

#endif
