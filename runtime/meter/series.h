/* The joules of a domain over time, in few windows: where there are too many, two neighbours become one. So
 * a run of any length takes the same memory. Pure functions of the readings. */
#ifndef PLB_METER_SERIES_H
#define PLB_METER_SERIES_H

/* Readings that are kept at most; even. More: larger traces of long runs. Fewer: coarser curves of power. */
#define PLB_METER_SERIES 1024

/* Seconds of the shortest window, and of one in times the domain's `refresh`, as in core/message/window.h.
 * Shorter: counters, which are refreshed after a millisecond or more, are too coarse. */
#define PLB_METER_SHORTEST 0.1
#define PLB_METER_REFRESHES 10.0

/* Joules since the start: those that were counted, and the integral of the power. */
struct plb_meter_point {
    double at, counted, integral;
};

/* Zeroed: there was no reading. */
struct plb_meter_series {
    struct plb_meter_point points[PLB_METER_SERIES], latest;
    int n, halved; /* halved: how often two windows became one */
};

/* A reading; `refresh` is that of the domain, in seconds. */
void plb_meter_series_add(struct plb_meter_series *series, const struct plb_meter_point *point,
                          double refresh);

/* There are no more readings: the last one counts, too. */
void plb_meter_series_end(struct plb_meter_series *series);

#endif
