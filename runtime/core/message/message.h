/* Every message of the protocol, on one screen. Larger bodies have headers of their own in this folder.
 *
 *   HELLO  node → master   one per PU: what it is, and which kernel the node has loaded
 *   PASS   master → node   a pass begins; its replaced buffers come next; how long shares that stand take
 *   HERE   node → master   they have come
 *   LACK   node → master   the rank from which they should come is lost: rank 0 sends what is missing
 *   BLOCK  master → node   units granted to one PU: a descriptor, never data
 *   DONE   node → master   units finished, with times; their outputs follow as data under `slot`
 *   FAIL   node → master   a kernel returned an error: the run ends with status 1; or a PU's device
 *                          has failed, or hangs, and executes nothing more: others get these units
 *   CRASH  node → master   a task has crashed: it killed its rank, whose last words these are, or a
 *                          child process
 *   EMPTY  master → node   nothing is left to grant: idle nodes may take work from others, from these
 *   STEAL  node → node     an idle node asks another one for queued units
 *   GIFT   node → node     the answer: units that change hands, or none; descriptors, never data
 *   MOVED  node → master   what the giver has just given, and to whom
 *   IDLE   node → master   a PU has nothing to execute, and nobody has work for it
 *   BACKUP master → node   units that are late elsewhere, to be executed a second time by one PU
 *   AUDIT  master → node   units that another PU has executed, to be executed again and compared
 *   CANCEL master → node   units whose result was accepted from another node, or which are suspect or set
 *                          aside: copies of them and what is left of their blocks are forgotten
 *   RECALL master → node   units that one of its PUs has queued shall go to a PU that waits
 *   REST   master → node   no new task starts; those that run may end
 *   RESTED node → master   none runs any more, and their reports have been sent
 *   BEAT   node → node     the sender lives; about a silent rank of its host: whether that one's process runs
 *   LOST   node → master   the process of another rank has ended
 *          master → node   a rank is lost: nothing goes to it or is awaited from it
 *   STOP   master → node   the run is over, with this status
 *   JOULES node → master   between STOP and BYE: what a domain of the node's meters has counted
 *   WINDOW node → master   joules of a window of time, and how long each PU worked in it
 *   BYE    node → master   nothing of this node is on its way any more; its counts, and its trace follows
 *   LEAVE  master → node   all outputs are written: the rank may end
 *   FETCH, FROM, COUNTED: see core/message/data_message.h
 *   TAKEN, HAND, ARRAYS, DROP, FOLDED: see core/message/fold_message.h
 *
 * Who may send each, who receives it and when: core/message/route.h. To add one: here, its row and its check
 * in message.c, where it is sent, and its receiver.
 *
 * A message is a header and the body of its type. It travels as bytes between machines of one architecture,
 * no more of them than its type needs. The core needs no order between messages and tolerates any delay.
 * Nothing in a message is trusted: plb_message_check looks at its form, and the one receiver of the worker or
 * of the master at what it says. */
#ifndef PLB_CORE_MESSAGE_MESSAGE_H
#define PLB_CORE_MESSAGE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rangeset.h"
#include "core/message/data_message.h"
#include "core/message/fold_message.h"
#include "core/message/hello.h"
#include "core/message/route.h"
#include "core/message/window.h"
#include "plb/balancer.h"

#define PLB_PROTOCOL 28u /* grows with every change of a message */

enum plb_message_type {
    PLB_HELLO = 1,
    PLB_PASS,
    PLB_HERE,
    PLB_LACK,
    PLB_BLOCK,
    PLB_FETCH,
    PLB_FROM,
    PLB_COUNTED,
    PLB_DONE,
    PLB_FAIL,
    PLB_CRASH,
    PLB_EMPTY,
    PLB_STEAL,
    PLB_GIFT,
    PLB_MOVED,
    PLB_IDLE,
    PLB_BACKUP,
    PLB_AUDIT,
    PLB_CANCEL,
    PLB_RECALL,
    PLB_REST,
    PLB_RESTED,
    PLB_BEAT,
    PLB_LOST,
    PLB_STOP,
    PLB_JOULES,
    PLB_WINDOW,
    PLB_BYE,
    PLB_LEAVE,
    PLB_TAKEN,
    PLB_HAND,
    PLB_ARRAYS,
    PLB_DROP,
    PLB_FOLDED,
    PLB_MESSAGE_TYPES /* one more than the last */
};

#define PLB_NO_SLOT (-1)
#define PLB_HOPS 32767 /* a unit moves at most so often; nothing that ends moves more than a few times */
#define PLB_GIFTS 4    /* ranges in one GIFT at most; more would outgrow the eager limit of shared memory */
#define PLB_VICTIMS 6  /* nodes that a hint names at most */
#define PLB_FEEDS 8    /* inputs that results of passes become, at most */
#define PLB_LEAST 8    /* PUs of a node whose least task a hint tells at most */

/* Results of a pass are an input of a later one. */
struct plb_feed {
    int16_t output, input; /* buffers */
    int32_t now; /* 1: the input of this pass is what the output of the one before was; 0: it may become so */
};

struct plb_pass {
    int64_t phase;    /* of the kernel */
    int64_t replaced; /* bit i: the replicated buffer i has changed */
    int64_t parts;    /* bit i: only parts of it, which come in a packet (app/parts.h) */
    int64_t packet;   /* its bytes; 0: there is none */
    int64_t serves; /* bit i: PU i of the node may take from others, though no block was granted to it yet: it
                       has joined when little was left */
    int64_t stays;  /* mask of the outputs that may stay at the node until the last pass has ended */
    double
        stands_s;  /* its shares stand as before: seconds until all PUs should have ended theirs; 0: not so */
    int32_t along; /* 1: the replaced buffers go from rank to rank; 0: they come from rank 0 */
    int32_t before; /* from this rank */
    int32_t after;  /* to this one; 0: to none */
    int32_t n_feeds;
    struct plb_feed feeds[PLB_FEEDS]; /* partitioned inputs, each one once */
    int32_t folds;                    /* 1: reduced arrays stay at the node */
    int32_t again;   /* 1: it makes some units of the last pass again; what stays at the node does so still */
    int64_t gathers; /* 1: rank 0 wants all results when the pass has ended */
};

struct plb_lack {
    int64_t piece; /* the first one that has not come */
};

struct plb_block {
    struct plb_range range;
    int64_t id;    /* from the master; id % (PUs of the run) is the PU that it was granted to. AUDIT: the
                      number of the audit */
    int64_t grain; /* units per task at most, as the master wants it; at least 1 */
    int64_t least; /* units below which the PU's rate suffers, at least 1; 0 = not known */
    double share;  /* work that the PU will still do in this pass, by what is known; 0 = not known */
    int64_t alone; /* not 0: the units are suspect. No task has more than `grain`, and they move to no node */
};

/* Why units are cancelled. */
enum plb_cancel_why {
    PLB_ACCEPTED_ELSEWHERE,
    PLB_UNDER_SUSPICION, /* from now on the pass has them only in blocks that are `alone` */
    PLB_PUT_ASIDE        /* nobody executes them any more in this pass */
};

struct plb_cancel {
    struct plb_range range;
    int64_t why; /* enum plb_cancel_why */
};

/* A PU's part in the run, beside what is recalled of it. */
enum plb_turn {
    PLB_AS_BEFORE,
    PLB_RESTS, /* it is left out: all that it has queued is recalled, and it takes nothing from others */
    PLB_WORKS  /* it takes from others again */
};

struct plb_recall {
    double work;             /* about so much, off the back of the PU's queue */
    int32_t thief, thief_pu; /* rank that gets it, and its PU */
    int32_t turn;            /* enum plb_turn */
};

/* Of a PU, in the run so far. */
struct plb_pu_so_far {
    double cpu_s;                  /* of its threads on cores; 0: not known */
    double waited_s;               /* of these threads, for a core that others had */
    int64_t copied_in, copied_out; /* bytes to and from its own memory */
    double locking_s;              /* that its thread locked pages for these copies */
};

struct plb_done {
    struct plb_range range; /* units, of one block; of a copy perhaps of several */
    int64_t block;          /* that the first of them was granted in, whoever executed them; of an audit: its
                               number */
    int64_t slot;           /* tag of the outputs, or PLB_NO_SLOT */
    int64_t tasks;          /* that the range was executed in */
    double execute_s;       /* sums over the tasks */
    double transfer_s;
    int16_t audit;   /* not 0: the result is to be compared, and not to be accepted */
    int16_t copy;    /* not 0: it is of a copy, and others have the units, too */
    uint32_t sum;    /* CRC32C of the outputs, buffer by buffer, where checksums are wanted */
    int64_t buffers; /* mask of the results that follow as data; the others are where they belong */
    int64_t records; /* bytes of records that follow behind them (app/records.h) */
    int64_t folds;   /* 1: the reduced arrays stay at the node, and wait for TAKEN */
    struct plb_pu_so_far so_far;
};

struct plb_failure {
    struct plb_range range; /* that the PU will not execute */
    int64_t block;          /* of these units */
    int64_t status;         /* what the kernel returned */
    int32_t audit;          /* not 0: the units were those of an audit, and `block` is its number */
    int32_t copy;           /* not 0: they were those of a copy, and others have them, too */
    int64_t lost;           /* not 0: results that feed the next pass were in the device's memory alone */
    struct plb_range among; /* units of all tasks that the device had then: it cannot say which one failed */
    char text[80];          /* what the device said, which has failed for good; "" where the kernel itself
                               returned the status */
    char why[240];          /* what the kernel itself said (plb_task_error), or "" */
};

/* The PU of the message has executed these units, and a signal has ended it. */
struct plb_crashed {
    struct plb_range range; /* units of the task */
    int64_t block;          /* of these units */
    int64_t audit;          /* not 0: the units were those of an audit, and `block` is its number */
    int32_t signal;         /* its number; 0: a child process has called exit */
    int32_t alive;          /* 1: only a child process has ended, and the PU goes on; 0: the rank ends now */
    int32_t others;         /* tasks of the rank that may have crashed instead, and whose CRASHs follow: it
                               ends after the last one */
};

struct plb_empty {
    int32_t n_victims, victims[PLB_VICTIMS]; /* nodes to ask: who has most left, or ends last, comes first */
    double amounts[PLB_VICTIMS];             /* work that they have left, as far as the master knows */
    double rates[PLB_VICTIMS];               /* their work per second; 0 = not known, or not wanted */
    int64_t least[PLB_LEAST];                /* per PU: units below which its rate suffers; 0 = not known */
    double sure[PLB_LEAST]; /* per PU: work that it ends before all do, which need not move; 0 = not known */
};

struct plb_steal {
    double rate, power; /* of the asking node's PUs that wait, together: measured, 0 = not yet; as given */
    double best;        /* the rate of the quickest of them; 0 = not known */
};

/* Units that change hands; they stay part of the block that they were granted in. */
struct plb_gift {
    struct plb_range range;
    int64_t block;
    int64_t hop; /* how often these units have changed nodes, this time included */
};

struct plb_gifts { /* GIFT and MOVED */
    struct plb_gift at[PLB_GIFTS];
    int32_t n, thief;
    double left, rate; /* work still queued at the giver; its work per second, 0 = not measured */
};

struct plb_beat {
    int32_t about; /* from rank 0: does the process of this rank run? from another: it does. 0: no such
                      question */
    int32_t quiet; /* 1: the sender may say nothing for long now */
};

struct plb_lost {
    int32_t rank;
    int32_t ends; /* 1: its kernel has crashed, and it is ending by itself */
};

struct plb_stop {
    int64_t status; /* of the run */
};

/* A domain of the rank's meters (meter/meter.h), or why there is none. */
struct plb_joules {
    char domain[32], meter[12]; /* domain "": there is none, and `why` says why */
    char why[200];              /* a sentence */
    int32_t of, state;          /* enum plb_meter_of, enum plb_meter_state */
    int32_t mirrors;            /* 1: it shows the counter of another domain of this rank */
    int32_t number;             /* of the domain, on this rank: its windows in the trace have it */
    double resolution;          /* joules of one count; 0: it tells watts alone */
    double joules, seconds;     /* since the rank started, and how long ago that is */
    double integral;            /* of the power, in joules; 0: it tells none */
};

struct plb_bye {
    int64_t messages, bytes;       /* that the rank has sent */
    int64_t received;              /* bytes of data; rank 0's count has those of traces, too */
    int64_t trace_bytes;           /* that follow as data */
    double slowest_answer_s;       /* of its longest wait for a GIFT */
    int64_t copied_out[PLB_LEAST]; /* by PU: bytes from its own memory, also after its DONE */
};

struct plb_leave {
    int32_t in_order; /* 0: a rank was lost, so that MPI cannot be left in order */
};

struct plb_message {
    int32_t type;      /* enum plb_message_type */
    uint16_t protocol; /* PLB_PROTOCOL */
    uint16_t size;     /* bytes, header and body */
    int32_t from, to;  /* ranks */
    int32_t pu; /* BLOCK, BACKUP, AUDIT, RECALL, IDLE, FETCH, COUNTED, DONE, FAIL, CRASH, BEAT: its number on
                   its node; GIFT: that of the taker */
    int32_t pass;
    union {
        struct plb_hello hello;
        struct plb_pass begin;
        struct plb_lack lack;
        struct plb_block block; /* BLOCK, BACKUP and AUDIT */
        struct plb_cancel cancel;
        struct plb_recall recall;
        struct plb_fetch fetch;
        struct plb_sources sources;
        struct plb_counted counted;
        struct plb_done done;
        struct plb_failure fail;
        struct plb_crashed crash;
        struct plb_empty empty;
        struct plb_steal steal;
        struct plb_gifts gifts;
        struct plb_beat beat;
        struct plb_lost lost;
        struct plb_stop stop;
        struct plb_joules joules;
        struct plb_window window;
        struct plb_bye bye;
        struct plb_leave leave;
        struct plb_fold fold;
    };
};

/* Header and body of a message of this type, in bytes; 0 for a type that does not exist. */
size_t plb_message_size(int type);

/* "HELLO", "PASS" …; "?" for a type that does not exist. */
const char *plb_message_name(int type);

/* Whether `bytes` bytes that arrived in a run of n nodes have the form of a message: NULL, or what is wrong
 * with them in a few words. Ranges are not empty and do not overflow; ranks, counts and times are possible
 * ones. */
const char *plb_message_check(const struct plb_message *message, size_t bytes, int n_nodes);

/* Whether all units that change hands are among the first `units`. */
bool plb_gifts_within(const struct plb_gifts *gifts, int64_t units);

/* Messages to be sent. Grows as needed; a zeroed struct is empty. */
struct plb_outbox {
    struct plb_message *at;
    int n, capacity;
};

/* Room for one more message at the end, zeroed, its header filled in. */
struct plb_message *plb_outbox_add(struct plb_outbox *box, enum plb_message_type type, int from, int to,
                                   int pass);

/* Room for a copy of a message at the end. */
struct plb_message *plb_outbox_copy(struct plb_outbox *box, const struct plb_message *message);
void plb_outbox_fini(struct plb_outbox *box);

#endif
