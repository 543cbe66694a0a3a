/* Which units of a scenario kill their executors. */
#ifndef TEST_DEADLY_H
#define TEST_DEADLY_H

#include "scenario.h"

/* Whether a unit kills its executors. */
static inline bool is_deadly(const struct scenario *s, int phase, int64_t unit)
{
    for (int i = 0; i < s->simulation.n_deadly; i++)
        if (s->deadly[i].phase == phase && s->deadly[i].unit == unit)
            return true;
    return false;
}

/* Whether a unit may be set aside: it kills or, in a run with chunks, another one of its chunk does. */
static inline bool may_be_aside(const struct scenario *s, int phase, int64_t unit)
{
    int64_t chunk = s->sizes.chunk > 1 ? s->sizes.chunk : 1, first = unit / chunk * chunk;
    for (int64_t u = first; u < first + chunk; u++)
        if (is_deadly(s, phase, u))
            return true;
    return false;
}

#endif
