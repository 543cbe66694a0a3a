/* The sum of a domain's readings. A counter begins again after its range. It may stand still, as
 * on a virtual machine, and it may be the mirror of another one, as on some processors of AMD. Power is
 * integrated, too: where a domain has both, they are compared. Pure functions of the readings. */
#ifndef PLB_METER_ACCOUNT_H
#define PLB_METER_ACCOUNT_H

#include "meter/meter.h"

/* Seconds after which a counter that has not moved is taken for one that does not work. Every counter known
 * is refreshed ten times as often. Larger: a broken one is noticed in long runs alone. */
#define PLB_METER_STILL 2.0

/* Counter and integral differ by more than this part of the larger one: the report says so. */
#define PLB_METER_AGREES 0.05

/* Zeroed: no reading yet. */
struct plb_meter_account {
    int readings;
    uint64_t start, count; /* of the first and last reading */
    double since, at;      /* times of these two */
    double watts;          /* of the last reading */
    double joules;         /* that were counted */
    double integral;       /* of the power, in joules */
    double moved;          /* when the counter last had another value than before */
    double still;          /* seconds for which it once had the same one, at most */
    double most;           /* watts: the highest mean between two readings */
    double lost;           /* seconds in which it may have begun again more than once, or did so too early */
};

/* Whether it is to be believed. */
enum plb_meter_state {
    PLB_METER_GOOD,
    PLB_METER_NO_TIME,  /* there are no two readings, or they are too near for a counter to move */
    PLB_METER_STANDS,   /* the counter has not moved */
    PLB_METER_GAPS,     /* for a while nobody has read it: the joules are fewer than were used */
    PLB_METER_DISAGREES /* counter and integral differ */
};

/* A reading at `now`, in seconds of plb_now(). */
void plb_meter_account_add(struct plb_meter_account *account, const struct plb_meter_domain *domain,
                           double now, uint64_t count, double watts);

enum plb_meter_state plb_meter_account_state(const struct plb_meter_account *account,
                                             const struct plb_meter_domain *domain);

/* Joules since the first reading: the counter's, or the integral where it has none or where it stands. */
double plb_meter_account_joules(const struct plb_meter_account *account,
                                const struct plb_meter_domain *domain);

/* Whether two domains show the same counter, by their first and last readings: then their joules are counted
 * once. Two counters of their own differ by chance in far more than a joule. */
bool plb_meter_mirrors(const struct plb_meter_account *a, const struct plb_meter_account *b,
                       const struct plb_meter_domain *domain);

#endif
