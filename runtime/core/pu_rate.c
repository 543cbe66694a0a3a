/* Smoothed rates. */
#include "core/pu_rate.h"

#include <math.h>

/* Of a PU's best rate. A smaller task that is slower than this asks for larger ones. Larger: noise asks too.
 * Smaller: starts cost more. */
#define EFFICIENT 0.8

/* A task that is larger than the best one before by this factor tells the rate alone: earlier ones told of
 * starts. */
#define LARGER 4.0

/* Weight of the latest task in a PU's rate. Larger: noise moves shares. Smaller: a change of speed shows
 * later. */
#define SMOOTHING 0.3

void plb_pu_rate_learn(struct plb_pu_rate *pu, double work, int64_t units, double seconds)
{
    if (!(seconds > 0.0) || !isfinite(seconds))
        return;
    double rate = work / seconds;
    /* A task that is small beside others tells of start costs, not of what the PU does with a queue. */
    double part = work < pu->best_size ? work / pu->best_size : 1.0;
    double weight = work > LARGER * pu->best_size ? 1.0 : SMOOTHING * part;
    pu->rate = pu->rate > 0.0 ? (1.0 - weight) * pu->rate + weight * rate : rate;
    if (rate > pu->best) {
        pu->best = rate;
        pu->best_size = work;
    } else if (rate < EFFICIENT * pu->best && work < pu->best_size && 2 * units > pu->learned) {
        pu->learned = 2 * units;
    }
}

struct plb_least_task plb_pu_rate_least(const struct plb_pu_rate *pu, int64_t queued)
{
    int64_t learned = pu->learned < queued / 3 ? pu->learned : queued / 3;
    return (struct plb_least_task){pu->least, pu->least > learned ? pu->least : learned};
}
