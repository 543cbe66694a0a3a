/* One rule, from the tasks of a PU. */
#include "core/worker/unknown_cost.h"

#include <math.h>

/* A task may last this part of the time that its PU has worked in the pass. If costs rise for good, what was
 * watched of cheap units is short beside the rest. Larger: a rise costs more. Smaller: more starts where
 * units are equal. Set by the random clusters. */
#define WATCHED 0.02

/* A task that was mostly start is followed by one that is larger by the first factor. Where it took less than
 * the second multiple of a start, even that is little: the next one is larger by GROWTH. Larger factors:
 * expensive units may be among those that follow. Smaller: many starts before the right size: with no
 * such growth cluster 181 of bench-random takes 1.36 times as long. */
#define LARGER 2.0
#define ONLY_START 1.2

/* A task has at most so many times the work of the largest one before. Larger: where the first units were far
 * too cheap, a task of many expensive ones has been started, and nobody can help. Smaller: more starts. Of 64
 * random clusters of unknown costs, 4, 16 and 32 took longer by more than 1 % on 9, 0 and 1; cluster 475 took
 * 1.86, 1.85 and 2.20 of its bound, and 7.8 with no such limit. */
#define GROWTH 16.0

/* Work in the next task, if the latest one was mostly a start; else 0. */
static double larger_than_a_start(const struct plb_pu_rate *pu, double start)
{
    double seconds = pu->last.execute_s + pu->last.transfer_s;
    if (seconds >= PLB_MOSTLY_START * start || pu->last.work < pu->least_work)
        return 0.0;
    bool only = pu->last.work > pu->least_work && seconds < ONLY_START * start;
    return (only ? GROWTH : LARGER) * pu->last.work;
}

void plb_unknown_cost_cut(const struct plb_pu_rate *pu, double master_s, struct plb_cut *cut)
{
    if (pu->rate == 0.0 || pu->share == 0.0)
        return;
    double start = pu->least_execute_s + pu->least_transfer_s + master_s;
    double seconds = fmax(sqrt(start * pu->share / pu->rate), WATCHED * pu->busy_s);
    double larger = cut->shared ? 0.0 : larger_than_a_start(pu, start),
           high = fmax(fmin(pu->rate * seconds, GROWTH * pu->most_work), larger);
    cut->high = fmin(cut->high, high);
    cut->low = 0.0;
    if (high < (double)cut->known) /* else it may be more than an integer holds */
        cut->known = (int64_t)high;
    cut->wanted = cut->known;
}
