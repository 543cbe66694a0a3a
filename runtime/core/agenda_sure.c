/* Work that need not be able to move.
 *
 * A task that has been started cannot move, so blocks are executed in several. Each costs a start, which is
 * wasted where nobody would take the rest. When nothing is left to grant and all PUs that work have
 * reported, the master knows when each of them will end, and when all would end together. It tells each PU
 * how much it does until then: so much need not move, and may be one task. The rest of a late PU's work stays
 * in its queue for others. Cost: O(PUs), once in a pass. Weak where a PU becomes slower right after. */
#include <math.h>

#include "core/agenda.h"
#include "core/agenda_inside.h"

/* Of the time until all end: a PU that is late by less keeps all that it has. Larger: others wait for it.
 * Smaller: noise of one report costs a start. */
#define LATE 0.05

static double held(const struct plb_agenda *a, int p)
{
    return fmax(a->seen.pus[p].granted - a->seen.pus[p].done, 0.0);
}

static bool works(const struct plb_agenda *a, int p)
{
    return !a->seen.pus[p].lost && a->pus[p].served;
}

static double rate_of(struct plb_agenda *a, int p)
{
    return plb_history_rate(plb_balancer_view_history(&a->seen, p));
}

/* Whether all PUs that work have a rate. Goes on where it found one that has none. */
static bool all_known(struct plb_agenda *a)
{
    int n = a->seen.view.n_pus;
    while (a->unknown < n && (!works(a, a->unknown) || rate_of(a, a->unknown) > 0.0))
        a->unknown++;
    return a->unknown == n;
}

/* Work that a PU does until all would end, where all end after so many seconds. */
static double sure_of(struct plb_agenda *a, int p, double seconds)
{
    double rate = rate_of(a, p), late = held(a, p) / rate - seconds;
    if (!(rate > 0.0)) /* it has come to work meanwhile */
        return 0.0;
    const struct plb_history *h = plb_balancer_view_history(&a->seen, p);
    const struct plb_sample *last = &h->at[h->n - 1];
    bool little = late <= fmax(LATE * seconds, last->execute_s + last->transfer_s);
    return little ? a->seen.view.total : rate * seconds;
}

void plb_agenda_trust(struct plb_agenda *a, struct plb_outbox *out)
{
    double work = 0.0, rate = 0.0;
    if (a->trusted || a->chosen != NULL || !a->seen.map->told || !all_known(a))
        return;
    a->trusted = true;
    for (int p = 0; p < a->seen.view.n_pus; p++)
        if (works(a, p)) {
            work += held(a, p);
            rate += rate_of(a, p);
        }
    if (!(rate > 0.0) || !isfinite(rate))
        return;
    for (int p = 0; p < a->seen.view.n_pus; p++)
        a->pus[p].sure = works(a, p) ? sure_of(a, p, work / rate) : 0.0;
    plb_agenda_tell_all(a, out);
}
