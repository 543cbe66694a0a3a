/* What the master knows of the nodes for migration: how much each still has to do, and what has moved to it.
 * An estimate: it lags behind by the messages that are on their way. */
#ifndef PLB_CORE_MEMBERS_H
#define PLB_CORE_MEMBERS_H

#include "core/message.h"

struct plb_member {
    int first_pu, n_pus;        /* in the master's order; no PUs: a node that computes nothing */
    double left;                /* work granted or moved to it and not reported yet */
    struct plb_rangeset moved;  /* every unit that ever moved to it in this pass */
    bool lost;
};

struct plb_members {
    struct plb_member *at;      /* by node */
    int n;
};

void plb_members_init(struct plb_members *members, const struct plb_pu_info *pus, int n_pus);
void plb_members_fini(struct plb_members *members);
void plb_members_begin(struct plb_members *members); /* a pass */

/* Names the nodes with most left, but not `except`, in an EMPTY message. Returns how many. */
int plb_members_hint(const struct plb_members *members, int except, struct plb_message *empty);

#endif
