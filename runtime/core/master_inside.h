/* The state of the master, for its own files alone. */
#ifndef PLB_CORE_MASTER_INSIDE_H
#define PLB_CORE_MASTER_INSIDE_H

#include "core/again/losses.h"
#include "core/again/suspects.h"
#include "core/ledger/totals.h"
#include "core/master_config.h"
#include "core/measure/work_count.h"
#include "core/place/owners.h"
#include "core/place/sets.h"
#include "core/pus/pus.h"

struct plb_master {
    struct plb_master_config config;
    struct plb_pus pus;
    struct plb_pu_totals *totals;
    struct plb_task_limit *limits;
    int pass, phase;
    const struct plb_cost_map *map; /* of the pass; NULL before the first */
    struct plb_work_count work;
    struct plb_ledger *ledger;
    struct plb_broker *broker;
    struct plb_residence *residence; /* NULL: nodes keep nothing */
    struct plb_owners *owners;
    struct plb_sets *sets; /* NULL: reduced arrays go to node 0 at once */
    bool folds;            /* in this pass they stay where they are */
    bool again;            /* it makes units of another pass again */
    struct plb_agenda *agenda;
    struct plb_backups *backups;
    struct plb_audits *audits;
    struct plb_losses losses;
    struct plb_suspects *suspects;
    struct plb_master_counts counts;
    double largest_bytes; /* of a task of one unit */
    double pass_began;
    bool trained; /* the training has ended */
    bool stopped;
};

/* Starts a pass over these units alone, whose results are lost. `begin` goes to every node. */
void plb_master_start_again(struct plb_master *master, int pass, const struct plb_pass *begin,
                            const struct plb_cost_map *map, const struct plb_rangeset *lacking, double now,
                            struct plb_outbox *out);

/* A PU comes, with the next number. usable: its state, where it can be used. */
void plb_master_add(struct plb_master *master, const struct plb_pu_info *info, enum plb_pu_state usable);

/* Makes what the master knows of data: residence, owners, sets. */
void plb_master_know_data(struct plb_master *master);

/* Seconds that the reduced arrays of one more result cost. */
double plb_master_result_seconds(const struct plb_master *master);

/* A pass begins: which node should execute which units. */
void plb_master_find_homes(struct plb_master *master);

/* A DONE of PU p that makes sense, before it is accepted: notes which node has what. */
void plb_master_note(struct plb_master *master, int p, const struct plb_message *done);

/* The same DONE: so many of its units are accepted. */
void plb_master_note_fresh(struct plb_master *master, const struct plb_message *done, int64_t fresh,
                           struct plb_outbox *out);

/* A WINDOW has come. */
void plb_master_metered(struct plb_master *master, const struct plb_message *message, double now,
                        struct plb_outbox *out);

/* A node is lost, and what it has. */
void plb_master_forget(struct plb_master *master, int node, struct plb_outbox *out);

#endif
