/* Tasks of a scenario that need more than their units, or begin at certain ones: a halo, large reduced
 * arrays, multiples and strides. */
#ifndef TEST_SHAPES_H
#define TEST_SHAPES_H

#include "scenario.h"

#define SHAPING 3000000019 /* from a seed to that of its halo */

/* To be called after make_scenario: tasks of some runs read units around their own, have large arrays or
 * whole multiples. */
static inline void draw_shapes(struct scenario *s)
{
    struct dice dice = {s->simulation.seed + SHAPING, 0}, *d = &dice;
    struct plb_sizes *inputs = &s->simulation.inputs;
    if (one_in(d, 2) && inputs->unit_bytes > 0.0) {
        inputs->before = s->sizes.before = int_in(d, 0, 3);
        inputs->after = s->sizes.after = int_in(d, 0, 20);
        inputs->halo_bytes = s->sizes.halo_bytes = (double)(inputs->before + inputs->after)
                                                 * inputs->unit_bytes;
    }
    if (one_in(d, 2) && s->sizes.task_bytes > 0.0) { /* its results are held for longer */
        s->sizes.task_bytes *= spread(d, 1.0, 1e4);
        s->simulation.results.task_bytes = s->sizes.task_bytes;
    }
    if (one_in(d, 4))
        inputs->multiple = s->sizes.multiple = int_in(d, 2, 40);
    if (one_in(d, 4))
        inputs->stride = s->sizes.stride = int_in(d, 2, 40);
}

#endif
