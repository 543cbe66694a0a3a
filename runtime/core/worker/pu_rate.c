/* Smoothed rates. */
#include "core/worker/pu_rate.h"

#include <math.h>

#include "core/work/migration.h"
#include "model/fit.h"

/* A task that is larger than the best one before by this factor tells the rate alone: earlier ones told of
 * starts. */
#define LARGER 4.0

/* A larger task whose rate is better by this factor asks for larger ones still. Larger: starts waste time for
 * longer. Smaller: noise asks too. */
#define GAIN 1.05

/* A rate that is lower than another by less than this factor is as good. Larger: starts may take more of the
 * time. Smaller: noise hides that a short task is good. */
#define AS_GOOD 1.02

/* A task is so many times as large as the largest one before, at most, while nothing tells starts from
 * expensive units. Larger: a slow PU holds more than it ends in time. Smaller: more starts until tasks are
 * large. */
#define GROWTH 4.0

/* Weight of the latest task in a PU's rate. Larger: noise moves shares. Smaller: a change of speed shows
 * later. */
#define SMOOTHING 0.3

/* A burst has at most so many tasks beside the first, and lasts at most these seconds, by the PU's latest
 * task. Larger: if costs rise suddenly, more units wait behind expensive ones. Smaller: locks, reports and
 * clocks cost each task more (bench-overhead). */
#define BURST_TASKS 7.0
#define BURST_SECONDS 20e-6

/* Of the first task's seconds, or of a PU's best rate: a smaller difference may be noise. Larger: starts are
 * paid too often. Smaller: noise makes tasks long, and a change of speed is answered late. */
#define NOISE 0.2

/* A steady PU pays at most this part of its time for being ready to give work away: its tasks last so many
 * starts. Larger: starts cost more. Smaller: a change of speed is answered later. */
#define READY 0.002

/* The part of an error, in seconds, or of a queue's time, that a further task wins for each start that it
 * costs: two like PUs that share the work end half of it earlier, and both start one task more. Larger: more
 * starts. Smaller: PUs wait for one that is late. */
#define WON 0.08

/* Two tasks of unlike sizes tell whether a start costs anything. */
static void learn_of_starts(struct plb_pu_rate *pu, double work, int64_t units, double rate)
{
    bool larger = pu->best_size > 0.0 && work > PLB_LINE_RANGE * pu->best_size;
    bool smaller = work * PLB_LINE_RANGE < pu->best_size;
    if (larger && rate > GAIN * pu->best && 2 * units > pu->learned)
        pu->learned = 2 * units; /* as long as larger tasks are better */
    if (larger && rate < AS_GOOD * pu->best)
        pu->good = pu->best_size;
    if (smaller && rate * AS_GOOD > pu->best)
        pu->good = work;
}

/* The longest task: one of `task_s` where tasks that short are known to be good, else half of what is. Where
 * that is not known, a task that lasted as long may have been a start or expensive units, and the next one of
 * twice its size tells. */
static double longest(const struct plb_pu_rate *pu, double task_s)
{
    double work = pu->rate * task_s;
    if (pu->least > 0 && pu->rate > 0.0)
        return work;
    if (pu->good > 0.0)
        return fmax(work, 0.5 * pu->good);
    return pu->tasks > 0 ? fmax(work, GROWTH * pu->most_work) : INFINITY;
}

/* The most that a start can cost: the least that a task took. A task whose inputs came while another was
 * executed waits for nothing, so two tasks tell what inputs cost. */
static void learn_least(struct plb_pu_rate *pu, double work, double execute_s, double transfer_s)
{
    bool first = pu->tasks == 1;
    double two = first ? transfer_s : 0.5 * (transfer_s + pu->last.transfer_s);
    if (first || execute_s < pu->least_execute_s) {
        pu->least_execute_s = execute_s;
        pu->least_work = work;
    }
    pu->least_transfer_s = first ? two : fmin(pu->least_transfer_s, two);
    pu->last = (struct plb_pu_task){work, execute_s, transfer_s};
    pu->busy_s += execute_s + transfer_s;
}

/* Seconds of a start: what two tasks of unlike sizes have in common. A smaller one that took clearly longer
 * had another reason, such as code that was loaded. */
static double perhaps_start(const struct plb_pu_rate *pu)
{
    double more = pu->larger_work - pu->first_work;
    return more > 0.0 && pu->larger_s > (1.0 - NOISE) * pu->first_s
             ? fmax((pu->first_s * pu->larger_work - pu->larger_s * pu->first_work) / more, 0.0)
             : 0.0;
}

/* The same, as far as it is no noise. */
static double start_of(const struct plb_pu_rate *pu)
{
    return fmax(perhaps_start(pu) - NOISE * pu->first_s, 0.0);
}

/* The first task, or the smallest one, and the latest one that is larger. */
static void learn_sizes(struct plb_pu_rate *pu, double work, double seconds)
{
    if (pu->tasks == 1 || work * PLB_LINE_RANGE < pu->first_work) {
        pu->first_s = seconds;
        pu->first_work = work;
        pu->larger_work = 0.0;
    } else if (work >= PLB_LINE_RANGE * pu->first_work) {
        pu->larger_s = seconds;
        pu->larger_work = work;
    }
}

static void learn_spread(struct plb_pu_rate *pu, double seconds, double rate)
{
    if (seconds < PLB_MOSTLY_START * (pu->least_execute_s + pu->least_transfer_s))
        return;
    pu->lowest = pu->lowest > 0.0 ? fmin(pu->lowest, rate) : rate;
    pu->highest = fmax(pu->highest, rate);
}

bool plb_pu_rate_varies(const struct plb_pu_rate *pu)
{
    return pu->highest > PLB_UNLIKE_UNITS * pu->lowest;
}

void plb_pu_rate_learn(struct plb_pu_rate *pu, double work, int64_t units, double seconds, double transfer_s)
{
    if (!(seconds > 0.0) || !isfinite(seconds) || !(work > 0.0))
        return;
    double rate = work / seconds;
    pu->tasks++;
    pu->largest = units > pu->largest ? units : pu->largest;
    pu->most_work = fmax(pu->most_work, work);
    learn_least(pu, work, seconds - transfer_s, transfer_s);
    learn_sizes(pu, work, seconds);
    learn_spread(pu, seconds, rate);
    /* A task that is small beside others tells of start costs, not of what the PU does with a queue. */
    double part = work < pu->best_size ? work / pu->best_size : 1.0;
    double weight = work > LARGER * pu->best_size ? 1.0 : SMOOTHING * part;
    pu->rate = pu->rate > 0.0 ? 1.0 / ((1.0 - weight) / pu->rate + weight / rate) : rate;
    bool slowed = pu->good > 0.0 && PLB_LINE_RANGE * work >= pu->good && rate < (1.0 - NOISE) * pu->best;
    learn_of_starts(pu, work, units, rate);
    if (slowed) /* such tasks were good: the PU is slower now, whatever their size */
        pu->learned = 0;
    if (slowed || rate > pu->best) {
        pu->best = rate;
        pu->best_size = work;
    } else if (rate < (1.0 - NOISE) * pu->best && work < pu->best_size && 2 * units > pu->learned) {
        pu->learned = 2 * (pu->shrunk ? pu->largest : units);
    }
}

struct plb_cut plb_pu_rate_cut(const struct plb_pu_rate *pu, int64_t queued, double task_s, bool shared)
{
    /* The second task is larger than the first: it tells what a start costs. */
    bool second = pu->tasks == 1 && pu->least == 0 && pu->first > 0;
    int64_t wish = second ? 2 * pu->first : pu->learned;
    int64_t learned = wish < queued / 3 ? wish : queued / 3;
    struct plb_cut cut = {.known = pu->least,
                          .wanted = pu->least > 0 ? pu->least : learned,
                          .low = pu->rate * PLB_SHORTEST * task_s,
                          .high = longest(pu, task_s),
                          .shared = shared};
    if (!shared)
        cut.high = fmax(cut.high, pu->rate * start_of(pu) / READY);
    return cut;
}

/* Seconds of so much work, start included. */
static double expected_s(const struct plb_pu_rate *pu, double work)
{
    double more = fmax(pu->larger_s - pu->first_s, 0.0), start = perhaps_start(pu);
    return start_of(pu) > 0.0 ? start + work * more / (pu->larger_work - pu->first_work) : work / pu->rate;
}

double plb_pu_rate_sure(const struct plb_pu_rate *pu, double spread, double queued, double task_s, bool asked)
{
    if (!(pu->rate > 0.0))
        return 0.0;
    double start = start_of(pu),
           slower = (pu->last.execute_s + pu->last.transfer_s) / expected_s(pu, pu->last.work);
    double longest = fmax(task_s, start / READY) / fmax(slower, 1.0);
    if (WON * expected_s(pu, queued) <= start) /* one of two tasks may have been slow for another reason */
        return asked ? fmin(GROWTH * GROWTH * pu->most_work, queued) : queued;
    if (!pu->heard)
        return asked ? 0.0 : fmin(fmin(GROWTH * pu->most_work, queued / PLB_QUEUE_PARTS), pu->rate * longest);
    double sure = fmin(pu->sure / fmax(slower, 1.0), queued), seconds = expected_s(pu, sure);
    if (seconds <= longest && WON * spread * seconds <= start)
        return sure;
    return sure * fmin(1.0 / (1.0 + spread), longest / seconds);
}

void plb_pu_rate_shrink(struct plb_pu_rate *pu, double task_s, struct plb_cut *cut)
{
    if (pu->tasks != 1 || !pu->part || pu->busy_s <= task_s || pu->least > 0)
        return;
    cut->known = cut->wanted = 0;
    cut->low = cut->sure = 0.0;
    cut->high = fmax(pu->first_work / GROWTH, pu->rate * task_s);
    pu->first = 0;
    pu->shrunk = true;
}

int64_t plb_pu_rate_burst(const struct plb_pu_rate *pu, int64_t units)
{
    double seconds = pu->unit_s * (double)units;
    if (!(seconds > 0.0 && seconds < BURST_SECONDS))
        return 0;
    return (int64_t)fmin(BURST_SECONDS / seconds - 1.0, BURST_TASKS);
}
