#include "meter/account.h"

#include <math.h>

/* A gap between readings is harmless while the counter cannot have gone round twice, at twice the power that
 * was seen, and at this one in watts at least. */
#define LEAST_MOST 200.0

/* Mirrors show the same count but for what is used between two reads. */
#define MIRROR_DIFFERS 1.0 /* joules */
#define MIRROR_MOVED 10.0  /* joules that both must have counted, before anything is said */

/* Joules between two counts. *lost: the counter went back without being at its end. */
static double counted(const struct plb_meter_domain *domain, uint64_t before, uint64_t now, bool *lost)
{
    *lost = false;
    if (now >= before)
        return (double)(now - before) * domain->joules;
    if (domain->range > 0.0 && (double)before < domain->range)
        return (domain->range - (double)before + (double)now) * domain->joules;
    *lost = true;
    return 0.0;
}

static void add_count(struct plb_meter_account *a, const struct plb_meter_domain *domain, double now,
                      uint64_t count)
{
    bool lost;
    double seconds = now - a->at, joules = counted(domain, a->count, count, &lost);
    if (count != a->count) {
        a->still = fmax(a->still, a->at - a->moved);
        a->moved = now;
        if (seconds > 0.0)
            a->most = fmax(a->most, joules / seconds);
    }
    double round = domain->range * domain->joules / (2.0 * fmax(a->most, LEAST_MOST));
    if (lost || (domain->range > 0.0 && seconds > round))
        a->lost += seconds;
    a->joules += joules;
}

void plb_meter_account_add(struct plb_meter_account *a, const struct plb_meter_domain *domain, double now,
                           uint64_t count, double watts)
{
    if (a->readings++ == 0) {
        *a = (struct plb_meter_account){.readings = 1,
                                        .start = count,
                                        .count = count,
                                        .since = now,
                                        .at = now,
                                        .watts = watts,
                                        .moved = now};
        return;
    }
    if (domain->joules > 0.0)
        add_count(a, domain, now, count);
    if (domain->watts)
        a->integral += 0.5 * (a->watts + watts) * (now - a->at);
    a->count = count;
    a->watts = watts;
    a->at = now;
}

enum plb_meter_state plb_meter_account_state(const struct plb_meter_account *a,
                                             const struct plb_meter_domain *domain)
{
    double seconds = a->at - a->since;
    if (a->readings < 2 || seconds <= 0.0)
        return PLB_METER_NO_TIME;
    if (domain->joules <= 0.0)
        return PLB_METER_GOOD;
    if (fmax(a->still, a->at - a->moved) >= PLB_METER_STILL)
        return PLB_METER_STANDS;
    if (a->count == a->start && a->joules <= 0.0)
        return a->integral > 0.0 ? PLB_METER_STANDS : PLB_METER_NO_TIME;
    if (a->lost > 0.0)
        return PLB_METER_GAPS;
    double apart = fabs(a->joules - a->integral);
    /* An integral of few readings is none. */
    bool both = domain->watts && a->readings >= 20;
    return both && apart > PLB_METER_AGREES * fmax(a->joules, a->integral) ? PLB_METER_DISAGREES
                                                                           : PLB_METER_GOOD;
}

double plb_meter_account_joules(const struct plb_meter_account *a, const struct plb_meter_domain *domain)
{
    bool counts = domain->joules > 0.0;
    bool stands = counts && plb_meter_account_state(a, domain) == PLB_METER_STANDS;
    return counts && !(stands && domain->watts) ? a->joules : a->integral;
}

bool plb_meter_mirrors(const struct plb_meter_account *a, const struct plb_meter_account *b,
                       const struct plb_meter_domain *domain)
{
    double start = fabs((double)a->start - (double)b->start) * domain->joules;
    double end = fabs((double)a->count - (double)b->count) * domain->joules;
    return a->readings > 1 && b->readings > 1 && a->joules > MIRROR_MOVED && b->joules > MIRROR_MOVED
        && start < MIRROR_DIFFERS && end < MIRROR_DIFFERS;
}
