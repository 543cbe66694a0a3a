/* Looks at once, then sleeps in proportion. */
#include "every_rank/pace.h"

#include <math.h>
#include <sched.h>

#include "base/clock.h"

/* Looks at once after something has moved. More: a core is taken from the PUs for longer, about 1 us each.
 * Fewer: answers that are almost here wait for a sleep. A round trip between two processes of a host takes
 * ten. */
#define AT_ONCE 64

/* The same where all PUs of the rank wait, and its cores are free. More: a rank that has ended its share uses
 * more of a core. Fewer: the next pass waits for a sleep, after which a core that has slept needs 50 us. */
#define AT_ONCE_IDLE 512

/* Seconds of the shortest sleep. Larger: messages wait longer. Smaller: it costs more than it spares. */
#define SHORTEST 20e-6

/* A sleep lasts this part of the time in which nothing has moved. Larger: messages wait longer. Smaller: the
 * thread wakes up more often before its sleeps are as long as they get. */
#define PART 0.25

/* The same where all PUs of the rank wait, and its cores are free. */
#define PART_IDLE 0.05

/* The same where the rank is alone: its PUs wake the thread. */
#define PART_ALONE 1.0

/* Seconds of its shortest sleep there. Larger: what no PU tells is seen later. Smaller: the thread takes a
 * core from the PUs in each short pass. */
#define SHORTEST_ALONE 500e-6

/* Seconds of the shortest sleep where PUs compute on the cores of the thread. One other rank awaits answers;
 * where more do, it is shorter in proportion. Larger: they wait longer. Smaller: PUs lose more of their
 * cores. A look costs them 20 to 30 us, with what it takes out of the caches. */
#define SHORTEST_BESIDE 350e-6

/* Seconds of the longest sleep. Longer: messages wait longer. Shorter: a rank uses more of a core, 2 % of it
 * where it is idle. A thief waits meanwhile, and MPI moves data only when it is called. */
static const double longest[] = {
    [PLB_PACE_CALM] = 900e-6,   [PLB_PACE_SHARING] = 350e-6, [PLB_PACE_AWAITING] = 50e-6,
    [PLB_PACE_BESIDE] = 900e-6, [PLB_PACE_WORKING] = 900e-6, [PLB_PACE_ALONE] = 50e-3,
};

/* A yield that lasts so many seconds has given the core to a thread with work of its own. A time slice lasts
 * milliseconds; another rank that looks lets the core go after microseconds. */
#define LONG_YIELD 100e-6

/* There is then no yield for so many times as long, and for so many seconds at most. Larger: looks take the
 * core from the PUs. Smaller: a larger part of the time is lost in yields, a third with this one. */
#define CROWDED 2.0
#define MOST_CROWDED 10e-3

/* And where PUs compute, for so many times as long, and for so many seconds at most. Larger: a rank whose
 * tasks have become short answers after sleeps for longer. Smaller: a larger part of the time is lost in
 * yields, a hundredth with this one. */
#define SLICES 100.0
#define MOST_SLICES 1.0

void plb_pace_init(struct plb_pace *pace, int ranks, int cores, int askers)
{
    double beside = fmax(SHORTEST_BESIDE / fmax(askers, 1.0), SHORTEST);
    *pace = (struct plb_pace){.moved = plb_now(), .beside_s = beside, .passes = ranks > cores};
}

void plb_pace_moved(struct plb_pace *pace, double now)
{
    pace->moved = now;
    pace->looks = 0;
}

bool plb_pace_at_once(const struct plb_pace *pace, double now, enum plb_pace_state state,
                      enum plb_pace_cores cores)
{
    if (cores == PLB_PACE_TAKEN && now < pace->slices)
        return false;
    int looks = cores == PLB_PACE_FREE && !pace->passes ? AT_ONCE_IDLE : AT_ONCE;
    return state < PLB_PACE_BESIDE && pace->looks < looks;
}

static double shortest(const struct plb_pace *pace, enum plb_pace_state state)
{
    switch (state) {
    case PLB_PACE_BESIDE: return pace->beside_s;
    case PLB_PACE_WORKING: return longest[state];
    case PLB_PACE_ALONE: return SHORTEST_ALONE;
    default: return SHORTEST;
    }
}

double plb_pace_sleep(const struct plb_pace *pace, double now, enum plb_pace_state state,
                      enum plb_pace_cores cores)
{
    bool alone = state == PLB_PACE_ALONE;
    double part = alone ? PART_ALONE : cores == PLB_PACE_FREE && !pace->passes ? PART_IDLE : PART;
    return fmin(fmax(shortest(pace, state), part * (now - pace->moved)), longest[state]);
}

void plb_pace_yielded(struct plb_pace *pace, double before, double after)
{
    pace->looks++;
    if (pace->passes || after - before < LONG_YIELD)
        return;
    pace->crowded = after + fmin(CROWDED * (after - before), MOST_CROWDED);
    pace->slices = after + fmin(SLICES * (after - before), MOST_SLICES);
}

bool plb_pace_may_yield(const struct plb_pace *pace, double now)
{
    return now >= pace->crowded;
}

void plb_pace_yield(struct plb_pace *pace)
{
    double before = plb_now();
    if (plb_pace_may_yield(pace, before))
        sched_yield();
    plb_pace_yielded(pace, before, plb_now());
}
