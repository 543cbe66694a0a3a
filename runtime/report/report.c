/* What follows from times and units, and the end of a report. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

void plb_report_derive(struct plb_report *r)
{
    if (r->bound_s > r->makespan_s)
        r->bound_s = r->makespan_s; /* clocks of several nodes differ a little */
    double longest = 0.0, shortest = INFINITY, idle = 0.0;
    for (int p = 0; p < r->n_pus; p++) {
        struct plb_report_pu *pu = &r->pus[p];
        pu->idle_s = fmax(r->makespan_s - pu->busy_s, 0.0);
        idle += pu->idle_s;
        double executing = pu->busy_s - pu->transfer_s;
        pu->rate = executing > 0.0 ? (double)pu->units / executing : 0.0;
        if (pu->units > 0) {
            longest = fmax(longest, pu->busy_s);
            shortest = fmin(shortest, pu->busy_s);
        }
    }
    r->balancing_ratio = shortest > 0.0 && isfinite(shortest) ? longest / shortest : 1.0;
    r->idle_pct = r->makespan_s > 0.0 && r->n_pus > 0 ? 100.0 * idle / (r->n_pus * r->makespan_s) : 0.0;
}

void plb_report_fini(struct plb_report *report)
{
    free(report->pus);
    free(report->curves);
    free(report->costs);
    *report = (struct plb_report){0};
}
