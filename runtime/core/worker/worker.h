/* The worker: the node's side of the protocol as a state machine. No I/O, no threads, no clock.
 *
 * It has a queue per PU. A PU takes its next task itself and says when it has finished it; the worker turns
 * that into DONE messages, and merges neighbours that were finished before the last report was collected.
 *
 * Once the master has nothing more to grant (EMPTY), work migrates, virtually: descriptors move, data does
 * not. A PU whose queue is empty takes from the back of another PU's on its node. A node that has nothing
 * queued asks other nodes, one at a time (core/worker/thief). The node's lock guards every call. */
#ifndef PLB_CORE_WORKER_WORKER_H
#define PLB_CORE_WORKER_WORKER_H

#include "core/message/message.h"
#include "core/work/migration.h"
#include "core/worker/own_pus.h"
#include "core/worker/reports.h"

/* Seconds that a report may wait for the next ones, where the master does not need it soon. Larger: balancers
 * hear later. Smaller: two threads take the lock from each other, and each report costs a message. As long as
 * the shortest task of a large block. */
#define PLB_REPORT_DELAY (PLB_SHORTEST * PLB_TASK_SECONDS)

struct plb_worker;

struct plb_worker_config {
    int node, n_nodes, n_pus;
    const struct plb_worker_pu *pus; /* n_pus of them; copied */
    const struct plb_sizes *sizes;   /* borrowed; may be NULL */
    const struct plb_cost_map *maps; /* one per phase; borrowed */
    int n_phases;
    struct plb_migration migration;
};

struct plb_worker *plb_worker_new(const struct plb_worker_config *config);
void plb_worker_free(struct plb_worker *worker);

/* The one receiver of messages to a node: PASS, BLOCK, BACKUP, AUDIT, CANCEL, EMPTY, RECALL, STEAL, GIFT and
 * STOP. A STEAL is answered into the outbox, with a GIFT to the asker and, where it gives, MOVED to the
 * master. A message of an older pass is dropped. One of a pass that has not begun here is kept until its
 * PASS arrives. Returns false where the message was dropped: it is of another type, of an older
 * pass, or makes no sense. */
bool plb_worker_receive(struct plb_worker *worker, const struct plb_message *message, struct plb_outbox *out);

int plb_worker_pass(const struct plb_worker *worker); /* that runs; 0 before the first */
int plb_worker_phase(const struct plb_worker *worker);
bool plb_worker_shares(
    const struct plb_worker *worker); /* other nodes may ask for work: nothing is left to grant */
double plb_worker_queued(const struct plb_worker *worker); /* work that waits in the queues of the node */

/* The next task of a PU: an audit, or from its own queue or another one of the node; false: there is none.
 * For each there is one call of plb_worker_done, _fail, _crash or _forget. */
bool plb_worker_take(struct plb_worker *worker, int pu, struct plb_slice *task);

/* Whether nobody wants the results of a task any more: its pass is over here, or another node has them. */
bool plb_worker_obsolete(const struct plb_worker *worker, const struct plb_slice *task);

/* Whether a task that has not begun may not begin, since units of it are suspect or set aside (CANCEL). Its
 * other units are queued again. plb_worker_forget is to be called, too. */
bool plb_worker_revoke(struct plb_worker *worker, int pu, const struct plb_slice *task);

/* A task of the PU has run for so many seconds, and lasts long: the PU takes nothing more until one ends, and
 * others hear that it is no faster. */
void plb_worker_lasts(struct plb_worker *worker, int pu, const struct plb_slice *task, double seconds);

/* Units of a task that a PU has taken, and that have not begun, are at the front of its queue again: whoever
 * has nothing to do may take them. They are no units of the task any more; where none is left,
 * plb_worker_forget is to be called, too. False: they stay, since no other PU may have them. */
bool plb_worker_put_back(struct plb_worker *worker, int pu, const struct plb_slice *units);

/* Seconds that a task of this PU is expected to last at most; 0: not known, or its pass is over. */
double plb_worker_expect(const struct plb_worker *worker, int pu, const struct plb_slice *task);

/* The units of a task that runs will be accepted from another PU, so that the task is obsolete. Should they
 * be granted again after all, they are wanted again. */
void plb_worker_drop(struct plb_worker *worker, struct plb_range range);

/* A PU will not finish an obsolete task that it has taken. */
void plb_worker_forget(struct plb_worker *worker, int pu);

/* A PU has finished a task in these seconds. slot: where its outputs wait, or PLB_NO_SLOT; a task with a slot
 * is reported by a message of its own. True where the report should not wait: it has results, or the PU's
 * queue holds no more of the block. An obsolete task is forgotten. */
bool plb_worker_done(struct plb_worker *worker, int pu, const struct plb_slice *task, double execute_s,
                     double transfer_s, int slot);

/* A PU has finished the first units of a task that it goes on with. */
bool plb_worker_part(struct plb_worker *worker, int pu, const struct plb_slice *units, double seconds,
                     int slot);

/* The threads of a PU were so long on cores, and waited so long for some: its next reports say so. */
void plb_worker_cores(struct plb_worker *worker, int pu, double cpu_s, double waited_s);

/* So many bytes were copied to the PU's own memory until now, and from there; and its thread locked pages
 * for that so long. */
void plb_worker_copied(struct plb_worker *worker, int pu, int64_t in, int64_t out, double locking_s);

/* The parts of plb_worker_done, for a PU that makes one result of several tasks. It has executed a task whose
 * report is held back; false: the task is obsolete, and is forgotten. */
bool plb_worker_executed(struct plb_worker *worker, int pu, const struct plb_slice *task, double execute_s,
                         double transfer_s);

/* Such a report: consecutive tasks of one block of a PU, which are one result. Zeroed: there is none. */
struct plb_held_report {
    bool any;
    int slot;               /* that has the result */
    struct plb_slice units; /* `more` counts their tasks but for one */
    double execute_s, transfer_s;
};

/* Whether a task begins where the held units end, so that their results can be one. */
bool plb_held_continues(const struct plb_held_report *held, const struct plb_slice *task);

/* Adds a task that continues it, or makes the report of a task, where there is none. */
void plb_held_add(struct plb_held_report *held, const struct plb_slice *task, int slot, double execute_s,
                  double transfer_s);

/* Whether a PU may hold a report back until a further task has ended, as long as its latest one, of so many
 * seconds. It has taken `next`, and tasks up to `last`, after it, or NULL: these continue it, and much of the
 * same block comes behind them. The larger the reduced arrays are and the more nodes send them, the longer it
 * may. */
bool plb_worker_may_hold(const struct plb_worker *worker, int pu, const struct plb_held_report *held,
                         const struct plb_slice *next, const struct plb_slice *last, double seconds);

/* Adds a held report to those that are sent; there is none any more. False: its units are obsolete, and
 * nothing is reported. */
bool plb_worker_report(struct plb_worker *worker, int pu, struct plb_held_report *held);

/* The result of a held report, if there is any, is lost, since the PU's device has failed. */
void plb_worker_give_back(struct plb_worker *worker, int pu, struct plb_held_report *held, const char *why);

/* A kernel has failed on a task: the run ends. */
void plb_worker_fail(struct plb_worker *worker, int pu, const struct plb_slice *task,
                     const struct plb_device_failure *failure);

/* A task has crashed in a child process, by this signal (0: exit). The PU goes on, and the master decides who
 * executes the units. */
void plb_worker_crash(struct plb_worker *worker, int pu, const struct plb_slice *task, int signal);

/* The device of a PU has failed on a task, or hangs in it, and is used no more. The task and all that the PU
 * has queued go back to the master, and so does what is still on its way to the PU. May be called again, for
 * each further task that the device had in hand. Each task counts as forgotten. */
void plb_worker_leave(struct plb_worker *worker, int pu, const struct plb_slice *task,
                      const struct plb_device_failure *failure);

/* The same of a device that has failed without a task. */
void plb_worker_end(struct plb_worker *worker, int pu, const struct plb_device_failure *failure);

/* The state of a PU of this node, as far as its worker knows. */
enum plb_pu_state plb_worker_state(const struct plb_worker *worker, int pu);

/* A PU was never opened: it is sent nothing, and takes nothing from others. */
void plb_worker_leave_out(struct plb_worker *worker, int pu);

/* The driver takes no more tasks before the next pass: no report waits for another one. NULL: nothing. */
void plb_worker_rest(struct plb_worker *worker);

/* Moves reports into the outbox, and a STEAL where the node is idle and somebody can be asked. Where nobody
 * can, IDLE goes out for each PU that waits. With more than a thousand PUs in the run, the report of a PU
 * that goes on with its block stays here for a while, and grows: 50 ms with 10,000 PUs. now: seconds on any
 * clock that does not go back. A node that has not answered after PLB_PATIENCE is given up, and the next one
 * asked. True while an answer is awaited: the driver comes back within PLB_PATIENCE. */
bool plb_worker_collect(struct plb_worker *worker, double now, struct plb_outbox *out);

/* When the driver has to collect where nothing happens before: a node that everybody has refused asks again.
 * On the clock of plb_worker_collect; infinite: never. */
double plb_worker_due(const struct plb_worker *worker);

#endif
