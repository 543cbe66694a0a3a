/* One age for each PU. */
#include "core/overdue.h"

#include <math.h>

#include "core/liveness.h"

double plb_overdue_beat(double *looked, double now)
{
    double gap = now - *looked;
    if (gap < PLB_BEAT_SECONDS)
        return 0.0;
    *looked = now;
    return gap > PLB_LATE_BEATS * PLB_BEAT_SECONDS ? PLB_BEAT_SECONDS : gap;
}

void plb_overdue_begin(struct plb_overdue *o, int64_t step, double expected)
{
    *o = (struct plb_overdue){.step = step, .expected = expected};
}

static double late_after(double after, double expected)
{
    return fmax(after, PLB_LATE_TIMES * expected);
}

double plb_overdue_limit(double after, double expected)
{
    return expected > 0.0 ? PLB_HUNG_TIMES * late_after(after, expected) : INFINITY;
}

enum plb_overdue_state plb_overdue_look(struct plb_overdue *o, double after, double seconds)
{
    o->age += seconds;
    if (o->age > plb_overdue_limit(after, o->expected))
        return PLB_HUNG;
    if (o->said || !(o->age > late_after(after, o->expected)))
        return PLB_IN_TIME;
    o->said = true;
    return PLB_LATE;
}
