/* The broker: brings idle nodes together with nodes that have work left. Part of the master.
 *
 * It names the nodes with most left; under a2ws those that would end last, by their PUs' estimates. What
 * a thief will probably take is promised, so that the next thief hears of another victim: a thousand idle
 * nodes do not all ask the same six. The broker's knowledge lags behind by the messages on their way. Cost:
 * O(nodes), under a2ws O(PUs), for a list of candidates, which serves one hint where nodes are few, and 32
 * where they are many. Not thread-safe. */
#ifndef PLB_CORE_GRANT_BROKER_H
#define PLB_CORE_GRANT_BROKER_H

#include "core/ledger/ledger.h"
#include "core/measure/work_count.h"
#include "core/work/migration.h"

struct plb_broker_node {
    int first_pu, n_pus;
    double promised; /* work that thieves will probably take from it */
    double rate;     /* work per second when the list was made; 0: not known, or not wanted */
};

#define PLB_CANDIDATES 64 /* nodes in the list. Larger: a hint costs more. Smaller: thieves share victims. */

/* To be read through the functions below. */
struct plb_broker {
    const struct plb_ledger *ledger;
    const struct plb_work_count *work; /* knows the rates; NULL: they are not wanted */
    struct plb_broker_node *at;        /* by node */
    int n;
    int candidates[PLB_CANDIDATES], n_candidates;
    int hints; /* that the list has served */
};

/* PUs in the order of the run: by node. The ledger and the count are borrowed. */
struct plb_broker *plb_broker_new(const struct plb_ledger *ledger, const struct plb_work_count *work,
                                  enum plb_victim victim, const struct plb_pu_info *pus, int n_pus,
                                  int n_nodes);
void plb_broker_free(struct plb_broker *broker);

/* A node comes that had no PUs: these are its. */
void plb_broker_join(struct plb_broker *broker, int node, int first_pu, int n_pus);

/* A pass begins, or much has changed: promises are forgotten. */
void plb_broker_begin(struct plb_broker *broker);

/* A node has reported or given something: what was promised of it is settled. */
static inline void plb_broker_heard(struct plb_broker *broker, int node)
{
    broker->at[node].promised = 0.0;
}

/* Names the victims of an idle node, the one that should be asked first, and promises it a part of what that
 * has. Returns how many. */
int plb_broker_hint(struct plb_broker *broker, int thief, struct plb_empty *empty);

/* For all nodes at once, while all are busy: plb_broker_survey looks who has most left or ends last; then
 * each node gets another few of those, O(1), and nothing is promised. */
void plb_broker_survey(struct plb_broker *broker);
int plb_broker_name_some(const struct plb_broker *broker, int node, struct plb_empty *empty);

/* A node's PUs: the number of the first one in the run, and how many there are. */
static inline int plb_broker_first_pu(const struct plb_broker *broker, int node)
{
    return broker->at[node].first_pu;
}

static inline int plb_broker_pus(const struct plb_broker *broker, int node)
{
    return broker->at[node].n_pus;
}

/* One more than the number of the last one. */
static inline int plb_broker_end_pu(const struct plb_broker *broker, int node)
{
    return broker->at[node].first_pu + broker->at[node].n_pus;
}

/* The number in the run of PU `local` of a node; -1: the node has no such PU. */
static inline int plb_broker_pu(const struct plb_broker *broker, int node, int local)
{
    return local < broker->at[node].n_pus ? broker->at[node].first_pu + local : -1;
}

#endif
