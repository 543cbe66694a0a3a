/* Every message of the protocol, on one screen.
 *
 *   HELLO  node → master   one per PU: what it is
 *   BLOCK  master → node   units granted to one PU: a descriptor, never data
 *   DONE   node → master   units finished, with times; outputs follow as data under `slot`
 *   FAIL   node → master   a kernel returned an error: the run ends with status 1
 *   PULL   node → master   the inputs of these units are wanted, as data under `slot`
 *   PASS   master → node   a pass begins: its replaced buffers are broadcast next
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
    PLB_STOP,
    PLB_BYE,
};

#define PLB_NO_SLOT (-1)

/* What a node tells of one of its PUs. */
struct plb_pu_info {
    int32_t node, local;        /* rank, and number on that node */
    enum plb_pu_kind kind;
    int32_t last;               /* of its node */
    double power;               /* as given, or a guess from the hardware; only ratios matter */
    double memory;              /* bytes it can hold; infinite where it is the host's */
    char name[32], host[32];
    char cores[24];             /* cores it may use, as a list; "" where that means nothing */
    int32_t threads;
    char model[44];             /* of the hardware; "" in a simulation */
};

struct plb_message {
    int32_t type;               /* enum plb_message_type */
    int32_t from, to;           /* ranks; filled in by whoever sends */
    int32_t pu;                 /* number on its node */
    int32_t pass;
    int32_t slot;               /* PULL, DONE: tag of the data that goes with it; or PLB_NO_SLOT */
    union {
        struct plb_pu_info hello;
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
