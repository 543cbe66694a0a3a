#include "report/dearest.h"

/* Its units take at least so many times the mean of the others of its PU. Larger: only gross differences are
 * named. Smaller: large tasks of units like others pass for dear ones. */
#define DEAR 3.0

bool plb_dearest_find(const struct plb_report *r, struct plb_dearest *dearest)
{
    double all = 0.0, longest_s = 0.0;
    *dearest = (struct plb_dearest){0};
    if (r->costs_told || r->n_pus < 2 || r->n_phases > 1)
        return false;
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_report_pu *pu = &r->pus[p];
        double others = (double)(pu->units + pu->in_vain - pu->longest_units);
        double seconds = pu->busy_s - pu->transfer_s - pu->longest_s;
        all += (double)pu->units;
        if (!(others > 0.0 && seconds > 0.0 && pu->longest_s > longest_s))
            continue;
        double worth = pu->longest_s * others / seconds; /* of units like the others */
        if (worth < DEAR * (double)pu->longest_units)
            continue;
        longest_s = pu->longest_s;
        *dearest = (struct plb_dearest){pu->longest_first, pu->longest_units, worth};
    }
    all += dearest->part - (double)dearest->count;
    dearest->part = all > 0.0 ? dearest->part / all : 0.0;
    return dearest->part * r->n_pus > 1.0;
}
