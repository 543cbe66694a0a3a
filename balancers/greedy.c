/* greedy: blocks of equal size, each to the first idle PU, as in the papers' comparisons.
 *
 * While much work remains, each PU has one block ahead (`greedy.ahead` = 1), so that no PU waits for a
 * round trip. Towards the end only an idle PU gets a block: a block that waits behind a slow one would end
 * late. In the papers a piece goes to an idle PU alone (`greedy.ahead` = 0).
 *
 * Cost: O(1) per question. Weak where a slow PU takes one of the last blocks: the run then
 * lasts a block longer. */
#include <stdlib.h>

#include "plb/balancer.h"

enum { PIECES, AHEAD };

static const struct plb_option options[] = {
    [PIECES] = {"pieces", PLB_INT, "0", 0, 1e12, NULL,
                "greedy: equal pieces to cut the work into; 0 = 32 for each PU"},
    [AHEAD] = {"greedy.ahead", PLB_INT, "1", 0, 1, NULL,
               "greedy: blocks queued behind the one that a PU executes; 0 = none, as in the papers"},
    {0},
};

/* Blocks per PU where the user names no number. More: more messages, and starts that waste time.
 * Fewer: the last block is a larger part of the run, which is what a slow PU can make it longer by.
 * 32 is three percent. */
#define BLOCKS_PER_PU 32.0

/* A block is kept ahead while more than this many blocks per PU remain. More: PUs wait for round
 * trips earlier. Fewer: the last blocks queue behind slow ones. Two is what each PU can have. */
#define PLENTY 2.0

struct state {
    double blocks; /* that all work is cut into */
    bool ahead;
};

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    struct state *s = malloc(sizeof *s);
    if (s == NULL)
        return NULL;
    s->blocks = params[PIECES].value > 0.0 ? params[PIECES].value : BLOCKS_PER_PU * view->n_pus;
    s->ahead = params[AHEAD].value > 0.0;
    return s;
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    const struct state *s = state;
    double block = view->total / s->blocks;
    bool plenty = s->ahead && view->remaining > block * PLENTY * view->n_pus;
    return view->pus[pu].outstanding == 0 || plenty ? block : PLB_WAIT_OWN;
}

const struct plb_balancer plb_balancer_greedy = {
    .name = "greedy",
    PLB_BALANCER_HEAD,
    .summary = "equal pieces, each to the first idle PU",
    .options = options,
    .init = init,
    .grant = grant,
    .fini = free,
};
