/* The view: the balancer sees nothing else. It is made from the ledger and from the histories of the PUs.
 * Part of the agenda. Cost: O(blocks that changed) per event. Not thread-safe. */
#ifndef PLB_CORE_GRANT_BALANCER_VIEW_H
#define PLB_CORE_GRANT_BALANCER_VIEW_H

#include "core/ledger/ledger.h"
#include "core/measure/history.h"
#include "core/pus/pus.h"
#include "core/work/sizes.h"

/* Facts about the PUs, and about their tasks. */
struct plb_view_facts {
    const struct plb_pus *pus;           /* borrowed */
    const struct plb_task_limit *limits; /* by PU; borrowed */
    double mean_bytes, task_bytes;       /* of a unit in the mean, and of a task beside its units */
    double result_s;                     /* see plb_view */
};

struct plb_balancer_view {
    struct plb_view view;
    struct plb_balancer_stats stats;
    struct plb_pu *pus;            /* of the view, to be written */
    struct plb_ledger *ledger;     /* borrowed */
    struct plb_history *histories; /* borrowed: n_phases of each PU, PU by PU */
    int n_phases, phase;
    struct plb_view_facts facts;
    int room;                       /* PUs that there may be, with those that may join */
    const struct plb_cost_map *map; /* of the pass; NULL before the first */
    int64_t free_units;             /* that `remaining` tells of */

    bool beliefs;  /* the balancer asks for them */
    double *shown; /* work per second that each PU has shown in this phase; 0 before its first report */
    double rate_sum, power_sum; /* of the PUs that have shown one */
    double prior_rate;          /* for a power of 1, in the priors */
    double done;                /* work finished in the pass */
    int64_t before;             /* units that an earlier run has finished; the view leaves them out */
};

void plb_balancer_view_init(struct plb_balancer_view *view, const struct plb_view_facts *facts,
                            struct plb_ledger *ledger, struct plb_history *histories, int n_phases);
void plb_balancer_view_fini(struct plb_balancer_view *view);

/* A pass begins, whose ledger has begun. */
void plb_balancer_view_begin(struct plb_balancer_view *view, int phase, const struct plb_cost_map *map);

/* The ledger has changed other than by a grant. Returns whether a block that was granted to `pu` ended. */
bool plb_balancer_view_follow(struct plb_balancer_view *view, int pu);

/* The numbers of the pass's map have changed, and the ledger has counted again. */
void plb_balancer_view_recount(struct plb_balancer_view *view, double cost_spread);

/* The ledger has granted `work` to a PU. */
void plb_balancer_view_granted(struct plb_balancer_view *view, int pu, double work);

/* A PU has a new sample. */
void plb_balancer_view_sampled(struct plb_balancer_view *view, int pu);

/* Whether what a PU executes lasts longer than it should by the PU's estimate. */
bool plb_balancer_view_overruns(const struct plb_balancer_view *view, int pu);

/* A PU works no more, or works again: it is in another state. Before the ledger's changes are followed. */
void plb_balancer_view_turn(struct plb_balancer_view *view, int pu);

/* The PU with the next number has come; between passes, or before plb_balancer_view_restart. */
void plb_balancer_view_add(struct plb_balancer_view *view);

/* The pass looks as if it began now, with what is not finished: blocks that are open stay open. */
void plb_balancer_view_restart(struct plb_balancer_view *view);

/* Work that a PU will probably still execute: as large a part as it has of what is done, or an equal one. */
double plb_balancer_view_share(const struct plb_balancer_view *view, int pu);

/* The PU's history in the phase that runs. */
static inline struct plb_history *plb_balancer_view_history(const struct plb_balancer_view *view, int pu)
{
    return &view->histories[pu * view->n_phases + view->phase];
}

/* NULL, or what does not hold between view and ledger. O(PUs). */
const char *plb_balancer_view_check(const struct plb_balancer_view *view);

#endif
