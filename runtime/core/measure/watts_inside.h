/* The inside of struct plb_watts, for its own files alone. */
#ifndef PLB_CORE_MEASURE_WATTS_INSIDE_H
#define PLB_CORE_MEASURE_WATTS_INSIDE_H

#include <math.h>

#include "core/message/message.h"
#include "core/pus/pus.h"

struct plb_watts_domain {
    int kinds;        /* of PUs */
    int pus;          /* that it measures */
    int parts, heard; /* WINDOWs for each window of time; those of the latest one */
    int64_t number;   /* of that window */
    bool torn;        /* of an earlier one some are missing */
    double *now, *x;  /* seconds, and those of each kind: of this window, and since joules were told */
    double joules;    /* told in this window, or NAN */
    double latest_w;  /* mean of the latest time of which joules were told */
    double *sums, *watts, *apart_s;
    double shortest; /* seconds of its shortest window with joules; infinite: there was none */
    int turn;        /* the kind that works; 0: none; one more than there are: the last turn */
    bool alone;      /* all PUs are of this domain: somebody must work in the last turn */
    double since;    /* when the turn began */
    bool settled;    /* no more turns */
    bool dead;       /* its meter counts nothing */
};

struct plb_watts {
    const struct plb_pus *pus;
    const struct plb_pu_info *infos; /* of these */
    int n;                           /* that have their domains */
    bool turns;
    int unsettled;         /* domains */
    bool began;            /* the first pass has */
    double before, latest; /* seconds of the passes before; of this one, until the latest call */
    struct plb_watts_domain *at;
    int n_domains, starter; /* starter: the domain that begins at once; -1: PUs without a domain do */
    int *own, *host; /* by PU: the domain that measures it, that of the processors of its host; -1: none */
    int *kind;       /* by PU: of its domain, from 1 */
    bool *second;    /* by PU: every second one of its domain */
};

/* Whether a PU's watts are told. */
static inline bool plb_watts_told(const struct plb_pu_info *pu)
{
    return isfinite(pu->static_watts + pu->dynamic_watts);
}

/* A window of a domain has ended, and tells joules: its turn is perhaps over. */
void plb_watts_turn(struct plb_watts *watts, int domain, double now);

/* PUs that have come get their domains. */
void plb_watts_grow(struct plb_watts *watts);

/* The turns of a domain are over. */
void plb_watts_settle(struct plb_watts *watts, struct plb_watts_domain *domain);

#endif
