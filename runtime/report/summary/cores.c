/* By the time that the threads of a PU waited for a core. */
#include "report/summary/cores.h"

#include <math.h>

/* Others have a PU's cores where it had less than this part of them, and waited more than that part of the
 * makespan. Larger and smaller: other programs of a usual machine, which take a few percent, are named.
 * Otherwise: a PU that was too slow by a tenth goes unexplained. */
#define MOST_SHARE 0.9
#define LEAST_WAIT 0.05
/* A PU lacks its cores where its threads wanted them for more than this part of its time. Larger: a kernel
 * with a serial part goes unexplained. Smaller: a thread that sleeps while its program runs is named. */
#define LEAST_WANTED 0.5

bool plb_shares_cores(const struct plb_report *r, const struct plb_report_pu *pu)
{
    return plb_core_share(pu) < MOST_SHARE
        && pu->waited_s / fmax(pu->threads, 1) > LEAST_WAIT * r->makespan_s;
}

bool plb_lacks_cores(const struct plb_report *r, const struct plb_report_pu *pu)
{
    double wanted = (pu->cpu_s + pu->waited_s) / fmax(pu->threads, 1);
    return plb_shares_cores(r, pu) && wanted > LEAST_WANTED * pu->busy_s;
}

void plb_cores_say(const struct plb_report *r, const char *before, const char *after, FILE *out)
{
    const struct plb_report_pu *least = NULL;
    double most = 0.0;
    int n = 0;
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_report_pu *pu = &r->pus[p];
        if (!plb_lacks_cores(r, pu))
            continue;
        n++;
        most = fmax(most, plb_core_share(pu));
        least = least == NULL || plb_core_share(pu) < plb_core_share(least) ? pu : least;
    }
    if (n == 0)
        return;
    fputs(before, out);
    if (n == 1)
        fprintf(out, "PU %d had %.0f %% of its core%s", least->id, 100.0 * plb_core_share(least),
                least->threads > 1 ? "s" : "");
    else
        fprintf(out, "%d PUs had %.0f to %.0f %% of their cores, PU %d the least", n,
                100.0 * plb_core_share(least), 100.0 * most, least->id);
    fprintf(out, ", and other programs or threads had the rest%s%s",
            r->emulated ? ", so that emulated PUs were slower than the .cluster file says" : "", after);
}
