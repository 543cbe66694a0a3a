#include "report/summary/costliest.h"

/* Its units take at least so many times the mean of the others of its PU. Larger: only gross differences are
 * named. Smaller: large tasks of units like others pass for expensive ones. */
#define EXPENSIVE 3.0

/* The PU that others waited for longest. */
static int latest_of(const struct plb_report *r)
{
    int late = 0;
    for (int p = 0; p < r->n_pus; p++)
        late = r->pus[p].others_waited_s > r->pus[late].others_waited_s ? p : late;
    return late;
}

/* Units per second of the other tasks of a PU; where it had no other, of the other PUs in the mean. */
static double usual_rate(const struct plb_report *r, int late)
{
    double units = 0.0, seconds = 0.0;
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_report_pu *pu = &r->pus[p];
        double own = (double)(pu->units + pu->in_vain), own_s = pu->busy_s - pu->transfer_s;
        if (p == late && own > (double)pu->longest_units && own_s > pu->longest_s)
            return (own - (double)pu->longest_units) / (own_s - pu->longest_s);
        units += p != late ? own : 0.0;
        seconds += p != late ? own_s : 0.0;
    }
    return seconds > 0.0 ? units / seconds : 0.0;
}

bool plb_costliest_find(const struct plb_report *r, struct plb_costliest *costliest)
{
    double all = 0.0;
    *costliest = (struct plb_costliest){0};
    if (r->costs_given || r->n_pus < 2 || r->n_phases > 1)
        return false;
    int late = latest_of(r);
    const struct plb_report_pu *pu = &r->pus[late];
    double worth = pu->longest_s * usual_rate(r, late); /* of units like the others */
    if (!(worth > 0.0) || worth < EXPENSIVE * (double)pu->longest_units)
        return false;
    for (int p = 0; p < r->n_pus; p++)
        all += (double)r->pus[p].units;
    all += worth - (double)pu->longest_units;
    *costliest = (struct plb_costliest){pu->longest_first, pu->longest_units, worth / all};
    return costliest->part * r->n_pus > 1.0;
}
