/* The PUs of a run, as the master knows them: what each is, and its state. The parts of the master borrow
 * this; plb_pus_become alone changes a state, and counts. Not thread-safe. */
#ifndef PLB_CORE_PUS_PUS_H
#define PLB_CORE_PUS_PUS_H

#include "core/message/hello.h"
#include "core/pus/pu_state.h"

#define PLB_NO_PU (-1) /* in place of a number of one */

struct plb_pus {
    struct plb_pu_info *infos; /* by PU, as the next one; `room` of them, and `n` PUs are there */
    enum plb_pu_state *states;
    int n, room;
    int in[PLB_PU_STATES]; /* PUs in each state */
};

/* No PU is there; all are awaited. */
void plb_pus_init(struct plb_pus *pus, int room);
void plb_pus_fini(struct plb_pus *pus);

/* The next PU has come, with this state, and there is room for it. The info is copied. Returns its number. */
int plb_pus_add(struct plb_pus *pus, const struct plb_pu_info *info, enum plb_pu_state state);

/* A PU takes another state, by an arrow of core/pus/pu_state.h, or the same. */
void plb_pus_become(struct plb_pus *pus, int pu, enum plb_pu_state state);

/* Whether there is such an arrow. */
bool plb_pu_may_become(enum plb_pu_state from, enum plb_pu_state to);

static inline bool plb_pus_works(const struct plb_pus *pus, int pu)
{
    return plb_pu_works(pus->states[pu]);
}

static inline bool plb_pus_usable(const struct plb_pus *pus, int pu)
{
    return plb_pu_usable(pus->states[pu]);
}

/* NULL, or what does not hold. O(PUs). */
const char *plb_pus_check(const struct plb_pus *pus);

#endif
