/* The PUs of a node: a queue for each, how fast it is, and how they share what is queued. Part of the worker.
 * Not thread-safe. */
#ifndef PLB_CORE_WORKER_OWN_PUS_H
#define PLB_CORE_WORKER_OWN_PUS_H

#include "core/pus/pu_state.h"
#include "core/work/migration.h"
#include "core/worker/pu_rate.h"
#include "model/estimate.h"

/* The worker's description of a PU. */
struct plb_worker_pu {
    double power;                /* as given */
    struct plb_task_limit limit; /* of the tasks that this PU executes, whoever was granted their units */
    bool bursts;                 /* it may be given several short tasks at once */
};

/* All that a PU has shown in one phase, in all passes. */
struct plb_own_past {
    struct plb_estimate estimate;
    struct plb_pu_rate rate;       /* at the end of the latest pass */
    double work, seconds, longest; /* longest: seconds of one task, or burst */
};

struct plb_own_pu {
    struct plb_queue queue;
    struct plb_pu_rate rate;
    struct plb_own_past *past; /* by phase */
    struct plb_worker_pu is;
    int in_hand;    /* tasks that it has taken and not finished, in all passes */
    int64_t latest; /* units of the task that it took last */
    double latest_work;
    enum plb_pu_state state; /* NEW, SERVED, LEFT_OUT or LOST, as the master's messages and its device say */
    enum plb_pu_activity activity; /* BUSY, HUNGRY or IDLE */
};

struct plb_own_pus {
    struct plb_own_pu *at;
    int n;
    bool asked;      /* another node wants work, in this pass: tasks do not grow to tell what a start costs */
    bool helps;      /* others may help with a task that has been started, or with none at all */
    bool by_power;   /* shares follow the given powers, though rates are measured */
    double task_s;   /* of the longest task */
    double master_s; /* that the master needs for each task of this node, as long as all others ask it too */
    const struct plb_sizes *sizes;
    const struct plb_cost_map *map; /* of the phase that runs; NULL before the first pass */
    int phase;
};

/* The descriptions are copied; sizes are borrowed, and may be NULL. */
void plb_own_pus_init(struct plb_own_pus *pus, const struct plb_worker_pu *are, int n,
                      const struct plb_sizes *sizes, const struct plb_migration *migration, int n_nodes,
                      int n_phases);
void plb_own_pus_fini(struct plb_own_pus *pus);

/* A pass begins: queues are empty, and rates are those of the latest pass of its phase. serves: of PASS. */
void plb_own_pus_begin(struct plb_own_pus *pus, const struct plb_cost_map *map, int phase, int64_t serves);

double plb_own_pus_queued(const struct plb_own_pus *pus); /* work; 0 before the first pass */

/* How fast all PUs that are served are together, as measured: 0 where one of them has done nothing yet, its
 * time cannot be, or powers are wanted. */
double plb_own_pus_rate(const struct plb_own_pus *pus);

/* The words of a thief: it speaks for its PUs that wait; by powers, as Li's nodes share, for all that are
 * served. */
struct plb_steal plb_own_pus_thief(const struct plb_own_pus *pus);

/* The next task, or burst, of a PU from its own queue; false where that is empty. shared: others may take
 * from the queue. */
bool plb_own_pus_take(const struct plb_own_pus *pus, struct plb_own_pu *own, bool shared,
                      struct plb_slice *task);

/* Whether a PU takes nothing ahead of the task that it has in hand. That is larger than all before it, nobody
 * has told what units cost, and its time will say how large the next one may be. */
bool plb_own_pus_waits(const struct plb_own_pus *pus, const struct plb_own_pu *own);

/* The next task of copies that it was given. */
bool plb_own_pus_take_copy(const struct plb_own_pus *pus, struct plb_own_pu *own, struct plb_queue *copies,
                           struct plb_slice *task);

/* Moves work from the fullest queue of the node to that of a PU which has none; false: there is nothing to
 * move. */
bool plb_own_pus_share(const struct plb_own_pus *pus, struct plb_own_pu *own);

/* A PU has executed a task in these seconds, transfers included. rate: its rate follows, too. */
void plb_own_pus_learn(const struct plb_own_pus *pus, struct plb_own_pu *own, const struct plb_slice *task,
                       double seconds, double transfer_s, bool rate);

/* Seconds that a task of the pass will last at most, as far as one can tell: three times those of its work,
 * as the PU has needed them in this phase, and those of the PU's longest task, since tasks are unlike. 0:
 * costs are unknown, or it has ended none. */
double plb_own_pus_expect(const struct plb_own_pus *pus, const struct plb_own_pu *own,
                          const struct plb_slice *task);

/* Cuts what a thief of this rate and power gets off the fullest queues; nothing where that is less work than
 * `threshold`. Returns the number of entries. */
int plb_own_pus_give(const struct plb_own_pus *pus, const struct plb_steal *steal, double threshold,
                     struct plb_queue_entry taken[PLB_GIFTS]);

/* Entries that were cut off the back of a queue, last first, go to the end of a PU's queue. */
void plb_own_pu_push(struct plb_own_pu *pu, const struct plb_queue_entry *entries, int n);

/* Another node wants work. */
void plb_own_pus_asked(struct plb_own_pus *pus);

/* A PU ends so much work before all others end, that included which it has in hand. */
void plb_own_pu_trust(struct plb_own_pu *own, double work);

/* Whether a PU has found nothing to execute, and may take work from others. */
static inline bool plb_own_pu_wants(const struct plb_own_pu *own)
{
    return own->state == PLB_PU_SERVED && own->activity != PLB_PU_BUSY;
}

/* Removes these units from all queues. */
void plb_own_pus_remove(struct plb_own_pus *pus, struct plb_range range);

#endif
