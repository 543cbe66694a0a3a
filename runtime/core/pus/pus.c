/* Two arrays, and the counts of one. */
#include "core/pus/pus.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

#define TO(state) (1u << PLB_PU_##state)

bool plb_pu_may_become(enum plb_pu_state from, enum plb_pu_state to)
{
    static const unsigned arrows[PLB_PU_STATES] = {
        [PLB_PU_AWAITED] = TO(REFUSED) | TO(NEW) | TO(SERVED),
        [PLB_PU_NEW] = TO(SERVED) | TO(LEFT_OUT) | TO(RESTING) | TO(LOST),
        [PLB_PU_SERVED] = TO(LEFT_OUT) | TO(RESTING) | TO(LOST),
        [PLB_PU_LEFT_OUT] = TO(SERVED) | TO(RESTING) | TO(LOST),
        [PLB_PU_RESTING] = TO(SERVED) | TO(LEFT_OUT) | TO(LOST),
    };
    return (arrows[from] >> to & 1u) != 0;
}

void plb_pus_init(struct plb_pus *s, int room)
{
    *s = (struct plb_pus){.room = room};
    s->infos = plb_alloc((size_t)room * sizeof *s->infos);
    s->states = plb_alloc((size_t)room * sizeof *s->states);
    s->in[PLB_PU_AWAITED] = room;
}

void plb_pus_fini(struct plb_pus *s)
{
    free(s->infos);
    free(s->states);
}

int plb_pus_add(struct plb_pus *s, const struct plb_pu_info *info, enum plb_pu_state state)
{
    s->infos[s->n] = *info;
    plb_pus_become(s, s->n, state);
    return s->n++;
}

void plb_pus_become(struct plb_pus *s, int p, enum plb_pu_state state)
{
    assert(s->states[p] == state || plb_pu_may_become(s->states[p], state));
    s->in[s->states[p]]--;
    s->in[state]++;
    s->states[p] = state;
}

const char *plb_pus_check(const struct plb_pus *s)
{
    int in[PLB_PU_STATES] = {0};
    for (int p = 0; p < s->room; p++) {
        in[s->states[p]]++;
        if ((s->states[p] == PLB_PU_AWAITED) != (p >= s->n))
            return "pus: a PU is awaited that has come, or has come without a state";
    }
    for (int i = 0; i < PLB_PU_STATES; i++)
        if (in[i] != s->in[i])
            return "pus: PUs in a state are miscounted";
    return NULL;
}
