#include "meter/series.h"

#include <math.h>

/* Every second point goes; the first one stays. */
static void halve(struct plb_meter_series *s)
{
    for (int i = 0; i < s->n / 2; i++)
        s->points[i] = s->points[2 * i];
    s->n /= 2;
    s->halved++;
}

void plb_meter_series_add(struct plb_meter_series *s, const struct plb_meter_point *point, double refresh)
{
    /* A little less, since readings come a little early or late. */
    double least = 0.9 * ldexp(fmax(PLB_METER_SHORTEST, PLB_METER_REFRESHES * refresh), s->halved);
    s->latest = *point;
    if (s->n > 0 && point->at - s->points[s->n - 1].at < least)
        return;
    s->points[s->n++] = *point;
    if (s->n == PLB_METER_SERIES)
        halve(s);
}

void plb_meter_series_end(struct plb_meter_series *s)
{
    if (s->n > 0 && s->latest.at > s->points[s->n - 1].at)
        s->points[s->n++] = s->latest;
}
