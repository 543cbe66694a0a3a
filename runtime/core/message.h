/* Every message of the protocol, on one screen.
 *
 *   HELLO  node → master   one per PU: what it is
 *   BLOCK  master → node   units granted to one PU: a descriptor, never data
 *   DONE   node → master   units finished, with times; outputs follow as data under `slot`
 *   FAIL   node → master   a kernel returned an error: the run ends with status 1
 *   PULL   node → master   the inputs of these units are wanted, as data under `slot`
 *   PASS   master → node   a pass begins: its replaced buffers are broadcast next
 *   EMPTY  master → node   nothing is left to grant: whoever is idle may take from others, and from whom
 *   STEAL  node → node     an idle node asks another for queued units
 *   GIFT   node → node     its answer: units that it gives away, or none; descriptors, never data
 *   MOVED  node → master   what it has just given, and to whom
 *   STOP   master → node   the run is over, with this status
 *   BYE    node → master   nothing of mine is on its way any more
 *
 * A message is a plain struct of fixed size and travels as bytes between machines of one
 * architecture. The core needs no order between messages of different kinds, and tolerates any
 * delay; what arrives from a lost node or for a pass that is over is dropped. */
#ifndef PLB_CORE_MESSAGE_H
#define PLB_CORE_MESSAGE_H

#include <stdint.h>

#include "base/rangeset.h"
#include "plb/balancer.h"

enum plb_message_type {
    PLB_HELLO = 1,
    PLB_BLOCK,
    PLB_DONE,
    PLB_FAIL,
    PLB_PULL,
    PLB_PASS,
    PLB_EMPTY,
    PLB_STEAL,
    PLB_GIFT,
    PLB_MOVED,
    PLB_STOP,
    PLB_BYE,
};

#define PLB_NO_SLOT (-1)

/* What a node tells of one of its PUs. */
struct plb_pu_info {
    int32_t node, local;        /* rank, and number on that node */
    enum plb_pu_kind kind;
    double power;               /* as given, or a guess from the hardware; only ratios matter */
    double memory;              /* bytes it can hold; infinite where it is the host's */
    double task_bytes;          /* of inputs and results in one task, so that its copies hide behind other tasks;
                                   0 where it has no wish */
    char name[32], host[32];
    char cores[24];             /* cores it may use, as a list; "" where that means nothing */
    int32_t threads;
    char model[44];             /* of the hardware; "" in a simulation */
    char id[60];                /* a GPU's PCI bus id and UUID, else "" */
};

/* Units that change hands, still part of the block that they were granted in. */
struct plb_gift {
    struct plb_range range;
    int64_t block, grain;
};

#define PLB_GIFTS 4         /* in one message at most */
#define PLB_VICTIMS 6       /* nodes named by a hint at most */
#define PLB_LEAST 8         /* PUs of a node whose least task a hint tells at most */

struct plb_message {
    int32_t type;               /* enum plb_message_type */
    int32_t from, to;           /* ranks; filled in by whoever sends */
    int32_t pu;                 /* number on its node */
    int32_t pass;
    int32_t slot;               /* PULL, DONE: tag of the data that goes with it; or PLB_NO_SLOT */
    union {
        struct plb_pu_info hello;
        struct {                    /* EMPTY */
            int32_t n_victims, victims[PLB_VICTIMS]; /* nodes that have most left, most first */
            double amounts[PLB_VICTIMS]; /* work that they have left, as far as the master knows */
            int64_t least[PLB_LEAST]; /* per PU: units below which its rate suffers; 0 = not known */
        };
        struct {                    /* STEAL */
            double rate, power;     /* of the asking node's PUs together: measured, 0 = not yet; as given */
        };
        struct {                    /* GIFT, MOVED */
            struct plb_gift gifts[PLB_GIFTS];
            int32_t n_gifts, thief;
            double left;            /* work still queued at the giver */
        };
        struct {
            struct plb_range range; /* BLOCK, DONE, PULL, FAIL */
            int64_t block;          /* BLOCK, DONE: its number, from the master */
            int64_t grain;          /* BLOCK: units per task at most */
            int64_t tasks;          /* DONE: tasks that the range was executed in */
            double execute_s;       /* DONE: sums over the tasks */
            double transfer_s;
            int64_t phase;          /* PASS: which of the kernel's phases it runs */
            int64_t status;         /* FAIL: what the kernel returned; STOP: of the run; PASS: bit i set
                                       where buffer i was replaced */
            char text[80];          /* FAIL: what the device said, "" where the kernel itself returned the status */
        };
    };
};

/* Messages waiting to be sent; grows as needed. A zeroed struct is empty. */
struct plb_outbox {
    struct plb_message *at;
    int n, capacity;
};

/* Room for one more message at the end, zeroed, with type and destination set. */
struct plb_message *plb_outbox_add(struct plb_outbox *box, enum plb_message_type type, int to);
void plb_outbox_fini(struct plb_outbox *box);

#endif
