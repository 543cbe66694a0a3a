/* How large the tasks of a block may be, as the master knows it when it grants the block. A PU cannot give
 * away a task that it has started, so a large block is executed in several. The worker goes on from there
 * with what it sees of its own tasks (core/worker/pu_rate). Pure function; thread-safe. */
#ifndef PLB_CORE_MEASURE_SLICING_H
#define PLB_CORE_MEASURE_SLICING_H

#include "core/measure/history.h"
#include "core/message/message.h"
#include "core/work/cost.h"

struct plb_slicing {
    double most;  /* work in a task; infinite: the block is one task */
    double least; /* work below which the PU's rate suffers; negative: not known */
};

/* A block, and what the PU has to do besides. */
struct plb_promise {
    double work;  /* of the block */
    double held;  /* of all that the PU holds, this block included; infinite: nobody has planned by rates */
    double share; /* what it will probably still execute of the pass, this block included */
};

/* A block is one task where the PU's share makes up for the error of its estimate, so that nobody will have
 * to take of it: where all that the PU holds is half of the share at most. Else a task is a sixteenth of the
 * share, and at least a fiftieth of `task_s` seconds. Tasks last at most `task_s` seconds, but have at least
 * 99 times what a start costs. While the start cost is not known, only a large part of the share is cut. May
 * fit the PU's curve. */
struct plb_slicing plb_slicing(struct plb_history *history, const struct plb_promise *promise, double task_s);

/* The same where PUs are judged by their joules, or where nobody helps with a task that has been started: the
 * first block of a PU is cut, however small a part it is, so that it soon shows what the PU is worth. */
void plb_slicing_judge(struct plb_slicing *slicing, const struct plb_history *history, double share);

/* Whole units for this much work off the front: down where they are unequal, since a heavy unit more could
 * last long. A large block ends where the next one is aligned in its buffers (map->stride). */
int64_t plb_slicing_units(const struct plb_cost_map *map, struct plb_range front, double work);

#endif
