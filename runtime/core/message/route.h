/* The routing table: for each message who may send it, which part of the addressed rank receives it, and when
 * it counts. The rows are in message.c. The transport's frames have checked that sender and addressee are who
 * they say; here is what they may say to each other. */
#ifndef PLB_CORE_MESSAGE_ROUTE_H
#define PLB_CORE_MESSAGE_ROUTE_H

#include <stdbool.h>

struct plb_message;

enum plb_way {
    PLB_DOWN = 1, /* rank 0 to any rank, itself included */
    PLB_UP,       /* any rank to rank 0 */
    PLB_UP_DOWN,  /* either of these */
    PLB_ACROSS    /* any rank to any other */
};

/* The one receiver at the rank to which a message goes. membership/life hears every message before. */
enum plb_receiver {
    PLB_TO_LIFE = 1,  /* that is all */
    PLB_TO_RANK,      /* run/: the rank as a whole */
    PLB_TO_WORKER,    /* core/worker: units */
    PLB_TO_TRANSFERS, /* node/transfers: the bytes of units */
    PLB_TO_FETCH,     /* the same: node/transfers, and on rank 0 rank0/fetch */
    PLB_TO_RANK0      /* rank0/rank0, which hands on to core/master */
};

/* The phases of a run. */
enum plb_when {
    PLB_ANY_TIME = 1, /* from the start to the end */
    PLB_IN_RUN,       /* once rank 0 has all HELLOs, and so has a master; dropped before */
    PLB_IN_PASS /* in its own pass: a node keeps one that is early until PASS, and drops one that is late */
};

struct plb_route {
    enum plb_way way;
    enum plb_receiver receiver;
    enum plb_when when;
};

/* All 0 for a type that does not exist. */
const struct plb_route *plb_message_route(int type);

/* Whether a message may come from its sender, and go to where it goes. */
bool plb_message_allowed(const struct plb_message *message);

#endif
