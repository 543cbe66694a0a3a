/* The inside of struct plb_agenda, for its own files alone. */
#ifndef PLB_CORE_GRANT_AGENDA_INSIDE_H
#define PLB_CORE_GRANT_AGENDA_INSIDE_H

#include "core/grant/agenda_config.h"
#include "core/grant/selection.h"
#include "core/grant/least.h"
#include "core/grant/recall.h"
#include "core/grant/waiting_list.h"
#include "model/standing.h"

struct agenda_pu {
    int64_t blocks;
    double sure; /* work that it does before all end; 0: not known */
    bool rests;  /* its node was told that it gets no work */
    bool silent; /* it has reported nothing since shares stood that gave it one */
    double did;  /* work that it has reported in this pass, of whatever block */
};

struct plb_agenda {
    struct plb_agenda_config config;
    struct plb_ledger *ledger;
    struct plb_broker *broker;
    struct plb_balancer_view seen;
    struct agenda_pu *pus;
    struct plb_least least;
    void *policy; /* the balancer's state in this pass; NULL before the first */
    struct plb_waiting_list waiting;
    struct plb_recalls recalls;
    double again_at, again_s; /* when those that wait are asked again where somebody is late: seconds since
                                 the  pass began; and how long after that once more */
    struct plb_selection *selection; /* NULL: all PUs work */
    int *ended;                      /* PUs with blocks that a report ended; room for all open blocks */
    int *removed, n_removed;         /* PUs of whose loss the balancer is to hear */
    int pass;
    bool turned;               /* a node is to hear of PUs that are left out, or have come back */
    int unknown;               /* PUs before this one that work have a rate */
    bool trusted;              /* PUs know how much of what they hold need not move */
    bool announced;            /* nodes know that nothing is left to grant */
    bool stands;               /* all units were granted at once, and nobody is late yet */
    double standing_until;     /* seconds since the pass began; infinite where it does not stand */
    struct plb_shares *shares; /* by phase */
    int64_t *begun;            /* passes of each phase that have begun */
    struct plb_standing_counts stood;
    char failure[200];
};

/* In the tail the least tasks are kept young, a PU at a time, so that on many PUs nothing is left to fit when
 * all nodes are told. */
void plb_agenda_keep_young(struct plb_agenda *agenda, int pu);

/* Whether all PUs that work have reported in this phase. Goes on where it found one that has not. */
bool plb_agenda_all_known(struct plb_agenda *agenda);

/* When nothing is left to grant and all PUs have reported in this phase: finds how much of what each holds
 * need not move, once a pass. True where all are to be told. */
bool plb_agenda_trust(struct plb_agenda *agenda);

/* Before a pass: nobody is left out any more. */
void plb_agenda_readmit(struct plb_agenda *agenda);

/* At the start of a pass, before the balancer begins: who works, by what is known already. */
void plb_agenda_choose_first(struct plb_agenda *agenda);

/* Decides anew who works, where it is time to. Returns whether that has changed, so that all are to be asked.
 */
bool plb_agenda_choose(struct plb_agenda *agenda, struct plb_outbox *out);

/* Begins with the balancer anew, with what is not finished of the pass. */
void plb_agenda_restart(struct plb_agenda *agenda);

/* Makes the blocks that the outbox has from `from` on several tasks, so that others find something to
 * take. */
void plb_agenda_cut(struct plb_agenda *agenda, struct plb_outbox *out, int from);

/* Grants a PU a block of about so much work. Units are free. */
void plb_agenda_grant(struct plb_agenda *agenda, int pu, double work, struct plb_outbox *out);

/* The same with units that hang together, in one task if it may be so large. */
void plb_agenda_grant_range(struct plb_agenda *agenda, int pu, struct plb_range range,
                            struct plb_outbox *out);

/* The shares of the pass stand no longer, if they did; counts why. */
void plb_agenda_stand_no_more(struct plb_agenda *agenda, int64_t *why);

/* Something was heard, or a pass begins: nobody is asked again for a while. */
void plb_agenda_put_off(struct plb_agenda *agenda);

/* They may be asked again now. Returns whether they are to be, since another PU is late. */
bool plb_agenda_asks_again(struct plb_agenda *agenda);

/* Shares of all phases that have not stood yet. The view is there. */
void plb_agenda_make_shares(struct plb_agenda *agenda);

/* The pass has ended: what became of its shares, if they stood. */
void plb_agenda_stood(struct plb_agenda *agenda);

/* A pass begins. Where its shares stand, grants all of it, and returns true. */
bool plb_agenda_stand(struct plb_agenda *agenda, struct plb_outbox *out);

#endif
