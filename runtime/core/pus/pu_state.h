/* The state of a processing unit in a run: whether it can be used, and for what. The master keeps it in
 * struct plb_pus, and a node's worker for its own PUs (core/worker/own_pus.h), where it lags behind by the
 * messages on their way. The activity tells whether a PU is busy; core/liveness.h, whether its rank lives.
 *
 *                  AWAITED ------------------> REFUSED   it can hold no task, or has no device
 *    at the start   |   |  it joins
 *                   v   |
 *                  NEW  |
 *                   |   |
 *  granted a block  v   v
 *  +-------------> SERVED
 *  |                |
 *  |                |  also from NEW: others work for less, or a meter needs it to be idle
 *  |  it is wanted  v
 *  +-------- LEFT_OUT, RESTING
 *
 *  NEW, SERVED, LEFT_OUT and RESTING --------> LOST      its device has failed, or its rank is lost
 *
 * REFUSED and LOST are final. LEFT_OUT and RESTING may become each other. */
#ifndef PLB_CORE_PUS_PU_STATE_H
#define PLB_CORE_PUS_PU_STATE_H

#include <stdbool.h>

enum plb_pu_state {
    PLB_PU_AWAITED,  /* room for a PU of a node that may join */
    PLB_PU_REFUSED,  /* never used: its memory cannot hold a task, or its device could not be opened */
    PLB_PU_NEW,      /* may be granted blocks, and has had none: it takes no work from others */
    PLB_PU_SERVED,   /* has been granted a block, or has joined: takes work from others */
    PLB_PU_LEFT_OUT, /* gets no work, since the others reach the objective better; may be wanted again */
    PLB_PU_RESTING,  /* gets no work while the watts of others are measured */
    PLB_PU_LOST,     /* used no more */
    PLB_PU_STATES    /* how many there are */
};

/* Whether a PU is busy, as far as it is known. A worker knows HUNGRY, and the master DOUBTED. */
enum plb_pu_activity {
    PLB_PU_BUSY,
    PLB_PU_HUNGRY,  /* found nothing to execute when it last asked */
    PLB_PU_IDLE,    /* the master knows that it has nothing to execute, and nobody to take work from */
    PLB_PU_DOUBTED, /* may hang: others have ended units of its node, or its copy, before it, and it has not
                       said IDLE since */
};

/* Whether it may be granted blocks. */
static inline bool plb_pu_works(enum plb_pu_state state)
{
    return state == PLB_PU_NEW || state == PLB_PU_SERVED;
}

/* Whether it is not used for the time being. */
static inline bool plb_pu_waits(enum plb_pu_state state)
{
    return state == PLB_PU_LEFT_OUT || state == PLB_PU_RESTING;
}

/* Whether it is there, and could execute tasks. */
static inline bool plb_pu_usable(enum plb_pu_state state)
{
    return plb_pu_works(state) || plb_pu_waits(state);
}

#endif
