/* Suspects: units that were in a task whose executor has died. Part of the master.
 *
 * A kernel that crashes in a unit kills its executor: the rank or, where tasks run in child processes, the
 * child. The last words of a rank, or the rank of the child, name the units of the task (CRASH). These units
 * are suspect, and are free again, but stand apart (core/ledger/ledger.h):
 *
 * - They are granted last, when nothing else is left to grant, to a PU that has nothing else.
 * - After the death of a rank each of their tasks has one unit. Their rank executes nothing beside, so that
 * its death costs nothing else, and its last words leave no doubt. A child costs little: tasks have an eighth
 * of the units of the one that died.
 * - They do not move to other nodes, and nobody gets a copy of them. They go to another PU than that in which
 *   their executor died, where there is one.
 * - A PU that may hang gets none before it is heard (core/again/backup.h).
 * - A PU that is left out, or rests, comes back for them if no other one may execute them.
 * - Rank 0 may not die. So its PUs execute no suspect units, but CPUs whose tasks run in child processes do.
 *
 * A unit is set aside when its executor has died twice and it was alone in its task the second time, or when
 * nobody is left who may try it. It counts as accepted, without a result, and is not executed any more in
 * this pass or a later one of the same phase. In a run with chunks (core/work/cost.h) all this is said of a
 * chunk.
 *
 * A rank that dies without last words, by SIGKILL or for lack of memory, makes no unit suspect.
 *
 * Cost: nothing while nothing crashes. A crash costs O(held parts); while units stand apart and nothing else
 * is left to grant, an event costs O(PUs). Not thread-safe. */
#ifndef PLB_CORE_AGAIN_SUSPECTS_H
#define PLB_CORE_AGAIN_SUSPECTS_H

#include "core/again/backup.h"
#include "core/grant/agenda.h"
#include "core/grant/broker.h"

struct plb_suspects;

struct plb_suspects_config {
    const struct plb_pus *pus; /* borrowed, as the next ones */
    struct plb_ledger *ledger;
    const struct plb_broker *broker; /* which PUs a node has */
    struct plb_agenda *agenda;
    const struct plb_backups *backups; /* which PUs may hang */
    int n_phases;
    int64_t chunk; /* units that are executed and set aside together; 0 or 1: each by itself */
    bool moves; /* nodes take work from each other, or get copies: the ledger may not know who has a unit */
    bool isolated; /* tasks of CPUs run in child processes, on rank 0 as elsewhere */
};

/* Units that were set aside together. */
struct plb_set_aside {
    struct plb_range range;
    int pass, phase;
    int signal;  /* that ended the latest executor */
    int deaths;  /* executors that died with them, in that pass */
    int pus[2];  /* the PUs of the latest two; negative: there was only one */
    bool nobody; /* one executor died, and nobody else was left who may try them */
};

struct plb_suspects *plb_suspects_new(const struct plb_suspects_config *config);
void plb_suspects_free(struct plb_suspects *suspects);

/* The units that are set aside from the beginning of a pass of this phase; NULL: none. */
const struct plb_rangeset *plb_suspects_known(const struct plb_suspects *suspects, int phase);

/* A pass begins, whose ledger has begun. */
void plb_suspects_begin(struct plb_suspects *suspects, int pass, int phase);

/* A PU has executed units of this pass, and its executor died: to be called before the ledger frees what else
 * it held. Units that are accepted already are above suspicion. Whoever else has them, or a copy, is told to
 * forget them. */
void plb_suspects_crashed(struct plb_suspects *suspects, int pu, const struct plb_crashed *crash,
                          double pass_s, struct plb_outbox *out);

/* After each event, when the ledger has freed what died and others were asked: sets aside what is to be set
 * aside, and grants units that stand apart. pass_s: seconds since the pass began. */
void plb_suspects_step(struct plb_suspects *suspects, double pass_s, struct plb_outbox *out);

/* All that was set aside in all passes, n of them, in the order in which it was. */
const struct plb_set_aside *plb_suspects_list(const struct plb_suspects *suspects, int *n);

/* How many units that is. Later passes that leave them out do not count them again. */
int64_t plb_suspects_units(const struct plb_suspects *suspects);

#endif
