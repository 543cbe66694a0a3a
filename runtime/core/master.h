/* The master: the balancer's side of the protocol as a state machine. No I/O, no threads, no clock: events go
 * in with the time at which they happened, messages to send come out.
 *
 * Its parts: ledger (who has which unit), agenda (which PU is asked next, and what it is told), residence
 * (which node should get which units), owners (which node has which results and inputs), broker (which node
 * may take work from which), history (what was measured of a PU), backups (which late units are executed a
 * second time), suspects (which units kill their executors). Calls never overlap. */
#ifndef PLB_CORE_MASTER_H
#define PLB_CORE_MASTER_H

#include "core/again/audit.h"
#include "core/again/backup.h"
#include "core/again/suspects.h"
#include "core/ledger/totals.h"
#include "core/master_config.h"
#include "core/measure/watts.h"
#include "core/measure/work_count.h"
#include "core/message/message.h"
#include "core/place/owners.h"
#include "core/place/sets.h"
#include "core/pus/pu_state.h"

struct plb_master;

/* For these PUs, in the order that their numbers will have: by node, then by number on the node. The array is
 * copied. A PU is refused, and never used, where its memory cannot hold the replicated data and three tasks
 * of the largest unit. */
struct plb_master *plb_master_new(const struct plb_master_config *config, const struct plb_pu_info *infos,
                                  int n_pus);
void plb_master_free(struct plb_master *master);

/* Before the first pass: what an earlier run measured of a phase on a PU. Copied. */
void plb_master_load(struct plb_master *master, int phase, int pu, const struct plb_sample *samples, int n);

/* Before a pass of a simulation: the optimum, one part per PU; borrowed until the end. */
void plb_master_ideal(struct plb_master *master, const struct plb_ideal *ideals);

/* Before a pass: which results of the last one are inputs of it, or may be of a later one. Copied. */
void plb_master_feed(struct plb_master *master, const struct plb_feed *feeds, int n);

/* Starts a pass of a phase over all units of the map, which is borrowed until the end. A phase has the same
 * map in all its passes. Pass numbers
 * grow. PASS goes to every node, rank 0 last, and the first BLOCKs after it. `replaced`: see struct plb_pass.
 */
void plb_master_begin(struct plb_master *master, int pass, int phase, int64_t replaced,
                      const struct plb_cost_map *map, double now, struct plb_outbox *out);

/* Whether a DONE can be one, and whether its results are wanted: looked at before they are received. */
enum plb_verdict {
    PLB_NOT_SENSIBLE, /* no such PU, range or pass, or from a lost node: its data goes nowhere */
    PLB_ALL_NEW,      /* no unit of it is accepted yet */
    PLB_SOME_NEW,
    PLB_NONE_NEW,
};
enum plb_verdict plb_master_judge(const struct plb_master *master, const struct plb_message *message);

/* The one receiver of messages to the master: DONE (whose results are there, and which brings no result of an
 * audit: that goes to plb_audits_compared), FROM, MOVED, IDLE, FAIL of a device, whose PU is used no more,
 * and CRASH: where the rank itself has ended, its node is lost, as by plb_master_lost.
 * Returns how many units a DONE made accepted for the first time; with whole_results that is all of them or
 * 0. Reduced arrays may be folded only where it is all. */
int64_t plb_master_receive(struct plb_master *master, const struct plb_message *message, double now,
                           struct plb_outbox *out);

/* When plb_master_tick is to be called, on the clock of `now`; infinite: not before another event. */
double plb_master_due(const struct plb_master *master);

/* Does what is due by now. */
void plb_master_tick(struct plb_master *master, double now, struct plb_outbox *out);

/* The data of a DONE cannot be used, for this reason: its units become free, so that they are executed again;
 * those of an audit by the same PU. */
void plb_master_spoiled(struct plb_master *master, const struct plb_message *message,
                        enum plb_regrant_reason reason, double now, struct plb_outbox *out);

/* A node that was not there at the start comes, with its PUs, which get the next numbers of the run. The
 * infos are copied. Where a pass runs, PASS goes to it, with `replaced`, and work, or it hears who has some.
 * False where it cannot be one: no such node is awaited, it has come before, the run is over, or there is no
 * room for so many PUs. A node that comes and is lost does not come again. */
bool plb_master_join(struct plb_master *master, int node, const struct plb_pu_info *infos, int n_pus,
                     int64_t replaced, double now, struct plb_outbox *out);

/* A node is gone, perhaps before the first pass. Others get what it had; its later messages are dropped. */
void plb_master_lost(struct plb_master *master, int node, double now, struct plb_outbox *out);

/* Asks nodes for the results that stayed. last: no further pass follows. False: none did, or all are
 * lacking. */
bool plb_master_gather(struct plb_master *master, bool last, struct plb_outbox *out);

/* Whether a FROM is awaited: looked at before its results are received. When they are there, it goes to
 * plb_master_receive; without parts where they have arrived damaged. */
bool plb_master_awaits(const struct plb_master *master, const struct plb_message *from);

/* Whether results may stay at nodes. */
bool plb_master_stays(const struct plb_master *master);

/* Whether results are on their way still, or asked for. */
bool plb_master_gathers(const struct plb_master *master);

/* Units of the last pass whose results are lost. They are executed again, in a pass of the same phase over
 * these units alone; the inputs must be as they were, and reduced arrays have all units already. */
int64_t plb_master_lacking(const struct plb_master *master);
void plb_master_repair(struct plb_master *master, int pass, const struct plb_cost_map *map, double now,
                       struct plb_outbox *out);

/* Whether reduced arrays of this pass stay at their nodes (core/place/sets.h). Then, when all units are
 * accepted, they go along a tree: begins that unless it has begun; and whether it is over. */
bool plb_master_folds(const struct plb_master *master);
void plb_master_fold(struct plb_master *master, struct plb_outbox *out);
bool plb_master_folded(const struct plb_master *master);

/* Units whose arrays are lost then. They are executed again, in a pass of the same phase over these units
 * alone, before anything of this pass is used: the inputs and what stays at nodes are as they were. Its
 * arrays go along a tree, too. */
int64_t plb_master_unfolded(const struct plb_master *master);
void plb_master_fold_again(struct plb_master *master, int pass, const struct plb_cost_map *map, double now,
                           struct plb_outbox *out);

/* Of inputs that results feed, a mask: those that the same nodes have as the first one; and the node that has
 * them of the first units of a range, and these units; 0: rank 0 has them. */
int64_t plb_master_together(const struct plb_master *master, int64_t inputs);
int plb_master_owner(const struct plb_master *master, int64_t inputs, struct plb_range range,
                     struct plb_range *part);

/* The units whose result, which feeds an input, came from a PU of a node; NULL: none. */
const struct plb_rangeset *plb_master_counted(const struct plb_master *master, int node, int pu);

/* Whether inputs that results feed are lost with their node, or such results. Then the pass is given up: all
 * that is said of it from now on counts for nothing. The next one begins with inputs that rank 0 has. */
bool plb_master_broken(const struct plb_master *master);
void plb_master_break(struct plb_master *master);

/* Sends STOP to every node, rank 0 last; once. */
void plb_master_stop(struct plb_master *master, int status, struct plb_outbox *out);

/* Whether all units were granted when the pass began, and nobody is late (core/grant/agenda_standing.c). */
bool plb_master_stands(const struct plb_master *master);

/* All units of the pass are accepted or set aside, and its audits are over. */
bool plb_master_over(const struct plb_master *master);
const char *plb_master_failure(const struct plb_master *master); /* why no end is in sight, or NULL */
int64_t plb_master_accepted(const struct plb_master *master);    /* units, of this pass */

/* For the report. */
int plb_master_pus(const struct plb_master *master);
const struct plb_pu_info *plb_master_pu(const struct plb_master *master, int pu);
const struct plb_pu_totals *plb_master_totals(const struct plb_master *master, int pu);
const struct plb_master_counts *plb_master_counts(const struct plb_master *master);
const struct plb_regrants *plb_master_regrants(const struct plb_master *master);
struct plb_backups *plb_master_backups(const struct plb_master *master);
struct plb_audits *plb_master_audits(const struct plb_master *master);
const struct plb_suspects *plb_master_suspects(const struct plb_master *master);
const struct plb_sets_counts *plb_master_set_counts(const struct plb_master *master); /* NULL: none stay */
const struct plb_owners_counts *plb_master_owners(const struct plb_master *master);
const struct plb_standing_counts *plb_master_standing(const struct plb_master *master);
const struct plb_residence *
plb_master_residence(const struct plb_master *master); /* NULL: nodes keep nothing */
enum plb_pu_state plb_master_state(const struct plb_master *master, int pu);
int plb_master_pus_in(const struct plb_master *master, enum plb_pu_state state); /* PUs in a state */
struct plb_history *plb_master_history(const struct plb_master *master, int phase, int pu);
struct plb_work_count *plb_master_work(struct plb_master *master);
const struct plb_watts *plb_master_watts(const struct plb_master *master); /* NULL: none are learned */
const struct plb_balancer_stats *plb_master_stats(const struct plb_master *master);

/* The goal of the run, and what came of it. */
const struct plb_goal *plb_master_goal(const struct plb_master *master);
struct plb_goal_account plb_master_goal_account(const struct plb_master *master);

/* NULL, or the invariant of the ledger or of the agenda that does not hold. For tests and debug builds. */
const char *plb_master_check(const struct plb_master *master);

#endif
