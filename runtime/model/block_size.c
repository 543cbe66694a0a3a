/* Block sizes: a part of the run, half of the rest in the tail, and all at once where a start costs
 * more than others could gain. Weak where T is wrong: then the last blocks are. */
#include "model/block_size.h"

#include <math.h>

#include "model/solve.h"

/* A regular block lasts at least this many start costs. Smaller: starts waste time. Larger: the PU
 * reports late. 200: half a percent is lost. */
#define MANY_STARTS 200.0

/* Seconds that a regular block lasts at least for each PU. A block costs the master a fit and two messages,
 * 25 µs in all, so all PUs together keep it busy for 1 % of the time. Larger: PUs report late; with 2 s
 * wished it counts from 800 PUs on. Smaller: on 10,000 PUs behind one link the master's blocks are its limit.
 */
#define SECONDS_PER_PU 2.5e-3

/* Part of a regular block that a PU known by a profile alone gets. Larger: a wrong profile costs more.
 * Smaller: a right one costs a start more. */
#define BY_PROFILE 0.25

/* Relative error of what is predicted for the rest of a run. Larger: more and smaller blocks at the
 * end, which waste starts. Smaller: PUs end further apart. */
#define UNSURE 0.4

/* Parts of the work in the first two blocks of a PU that is alone, and in all of them where nothing
 * could be measured. More: starts waste time. Fewer: progress shows late. */
#define FIRST_ALONE 64.0
#define SECOND_ALONE 128.0

/* What remains is granted at once where it is less than this many blocks. More: the last block is
 * long. Fewer: it is tiny, and costs a start. */
#define LAST_BLOCKS 2.5

#define ROUNDING 1e-9 /* relative: larger than rounding errors, smaller than any unit */

double plb_longest_block(const struct plb_estimate *estimate, double wanted, int pus)
{
    return fmax(fmax(wanted, MANY_STARTS * estimate->start_s), pus * SECONDS_PER_PU);
}

double plb_next_block(const struct plb_block_question *q)
{
    /* Another block costs a start. It may win half of the error, as far as others could take that over. */
    bool halves = q->estimate->start_s <= 0.5 * UNSURE * q->left_s * q->others;
    double seconds = halves ? fmin(q->step_s, q->longest_s) : q->longest_s;
    double regular = plb_model_work(q->model, seconds, q->total);
    if (!q->measured)
        return fmax(q->next, fmin(BY_PROFILE * regular, floor(q->rest)));
    double block = regular + fmin(q->extra, regular);
    if ((q->tail || block > 0.5 * q->rest) && halves)
        block = fmin(block, fmax(0.5 * q->rest, fmax(q->tail_factor * regular, q->estimate->least)));
    block = fmin(fmax(block, q->next), fmax(floor(q->rest), q->next));
    return q->remaining - block < q->next * (1.0 - ROUNDING) ? q->remaining : block;
}

double plb_first_block_alone(double total, bool has_one)
{
    return total / (has_one ? SECOND_ALONE : FIRST_ALONE);
}

double plb_next_block_alone(const struct plb_model *model, double longest_s, double total, double remaining)
{
    if (!plb_model_known(model))
        return fmax(total / FIRST_ALONE, 1.0);
    double work = fmax(plb_model_work(model, longest_s, remaining), 1.0);
    return remaining < LAST_BLOCKS * work ? remaining : work;
}
