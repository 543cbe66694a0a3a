/* PUs that wait are asked again where others are silent.
 *
 * A balancer that tells a PU to wait expects that others end what is left sooner. They may be late: a unit
 * may be a thousand times as long as those before, and nobody tells. Then nothing would be heard, and so
 * nobody asked, while PUs are idle and units are free. Cost: O(n) each time. */
#include <math.h>

#include "core/grant/agenda.h"
#include "core/grant/agenda_inside.h"
#include "core/work/migration.h"

/* Seconds without a report after which they are asked, for each PU of the run. Larger: PUs are idle for
 * longer. Smaller: a master of many PUs looks at them for nothing. */
#define AGAIN 100e-6

void plb_agenda_put_off(struct plb_agenda *a)
{
    a->again_s = fmax(PLB_AGAIN_SECONDS, AGAIN * a->seen.view.n_pus);
    a->again_at = a->seen.view.now + a->again_s;
}

/* Whether a PU waits without work, though there is some. */
static bool waits(const struct plb_agenda *a)
{
    return a->config.balancer->beliefs && a->waiting.n > 0 && a->seen.view.idle > 0
        && plb_ledger_free_units(a->ledger) > 0;
}

double plb_agenda_due(const struct plb_agenda *a)
{
    return waits(a) ? fmin(a->standing_until, a->again_at) : a->standing_until;
}

/* Of a PU that has reported nothing, what was believed of it may be over. */
static bool overruns(const struct plb_agenda *a, int p)
{
    const struct plb_pu *pu = &a->seen.pus[p];
    bool unknown = pu->outstanding > 0 && pu->n_samples == 0 && a->seen.view.now > pu->end;
    return !pu->lost && (unknown || plb_balancer_view_overruns(&a->seen, p));
}

static bool any_overruns(const struct plb_agenda *a)
{
    for (int p = 0; p < a->seen.view.n_pus; p++)
        if (overruns(a, p))
            return true;
    return false;
}

bool plb_agenda_asks_again(struct plb_agenda *a)
{
    a->again_s *= PLB_AGAIN_GROWS;
    a->again_at = a->seen.view.now + a->again_s;
    return any_overruns(a);
}
