/* Questions to the table. */
#include "node/pu/running.h"

#include "base/clock.h"

void plb_busy_begin(struct plb_busy *busy)
{
    if (busy->tasks++ == 0)
        busy->since = plb_now();
}

double plb_busy_seconds(const struct plb_busy *busy, double now)
{
    return busy->seconds + (busy->tasks > 0 && now > busy->since ? now - busy->since : 0.0);
}

void plb_running_end(struct plb_running *running, struct plb_busy *busy)
{
    running->runs = false;
    if (busy->tasks > 0 && --busy->tasks == 0)
        busy->seconds += plb_now() - busy->since;
}

bool plb_running_writes(const struct plb_running running[PLB_MAX_LANES], struct plb_range range,
                        struct plb_range *task)
{
    for (int lane = 0; lane < PLB_MAX_LANES; lane++) {
        *task = running[lane].task.range;
        if (running[lane].runs && running[lane].in_place && plb_range_overlaps(*task, range))
            return true;
    }
    return false;
}

bool plb_running_works(const struct plb_running running[PLB_MAX_LANES], int from, int until, bool hangs)
{
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        if (running[lane].runs && running[lane].task.pass >= from && running[lane].task.pass < until
            && (hangs || !running[lane].lost))
            return true;
    return false;
}

const struct plb_running *plb_running_oldest(const struct plb_running running[PLB_MAX_LANES])
{
    const struct plb_running *oldest = NULL;
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        if (running[lane].runs && (oldest == NULL || running[lane].step < oldest->step))
            oldest = &running[lane];
    return oldest;
}

bool plb_running_only_unwanted(const struct plb_running running[PLB_MAX_LANES], int lanes)
{
    for (int lane = 0; lane < lanes; lane++)
        if (!running[lane].runs || !running[lane].told)
            return false;
    return true;
}
