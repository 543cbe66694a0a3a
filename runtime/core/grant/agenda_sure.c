/* Work that need not be able to move.
 *
 * A task that has been started cannot move, so blocks are executed in several. Each costs a start, which is
 * wasted where nobody would take the rest. When nothing is left to grant and all PUs that work have an
 * estimate, the master knows when each of them will end, and when all would end together. It tells each PU
 * how much it does until then: so much need not move. The rest of a late PU's work stays in its queue for
 * others. Cost: O(PUs), once in a pass. Weak where a PU becomes slower right after. */
#include <math.h>

#include "core/grant/agenda.h"
#include "core/grant/agenda_inside.h"

static double held(const struct plb_agenda *a, int p)
{
    return fmax(a->seen.pus[p].granted - a->seen.pus[p].done, 0.0);
}

static bool works(const struct plb_agenda *a, int p)
{
    return a->config.pus->states[p] == PLB_PU_SERVED;
}

static bool is_known(const struct plb_agenda *a, int p)
{
    return plb_estimate_reported(a->seen.pus[p].estimate);
}

bool plb_agenda_all_known(struct plb_agenda *a)
{
    int n = a->seen.view.n_pus;
    while (a->unknown < n && (!works(a, a->unknown) || is_known(a, a->unknown)))
        a->unknown++;
    return a->unknown == n;
}

/* Work that a PU does until all would end, where all end after so many seconds. It keeps all that it holds
 * where it is late by no more than its estimate may be wrong, and a start. */
static double sure_of(const struct plb_agenda *a, int p, double seconds)
{
    const struct plb_estimate *e = a->seen.pus[p].estimate;
    double late = held(a, p) / e->rate - seconds;
    if (!is_known(a, p)) /* it has come to work meanwhile */
        return 0.0;
    return late <= e->spread * seconds + e->start_s ? held(a, p) : e->rate * seconds;
}

bool plb_agenda_trust(struct plb_agenda *a)
{
    double work = 0.0, rate = 0.0;
    if (a->trusted || a->selection != NULL || !a->seen.map->told || !plb_agenda_all_known(a))
        return false;
    a->trusted = true;
    for (int p = 0; p < a->seen.view.n_pus; p++)
        if (works(a, p)) {
            work += held(a, p);
            rate += a->seen.pus[p].estimate->rate;
        }
    if (!(rate > 0.0) || !isfinite(rate))
        return false;
    for (int p = 0; p < a->seen.view.n_pus; p++)
        a->pus[p].sure = works(a, p) ? sure_of(a, p, work / rate) : 0.0;
    return true;
}
