#include "model/speed.h"

#include <math.h>

double plb_speed_death(const struct plb_pu_spec *pu)
{
    for (int i = 0; i < pu->n_slow; i++)
        if (pu->slow_by[i] == 0.0)
            return pu->slow_at[i];
    return INFINITY;
}

double plb_speed_next(const struct plb_pu_spec *pu, double from, double *speed)
{
    *speed = 1.0;
    for (int i = 0; i < pu->n_slow; i++) {
        if (pu->slow_at[i] > from)
            return pu->slow_at[i];
        *speed = pu->slow_by[i] > 0.0 ? 1.0 / pu->slow_by[i] : 0.0;
        if (*speed == 0.0)
            break;
    }
    return INFINITY;
}

double plb_speed_end(const struct plb_pu_spec *pu, double from, double seconds)
{
    double speed, next;
    for (; (next = plb_speed_next(pu, from, &speed)) < INFINITY; from = next) {
        if (seconds <= (next - from) * speed)
            return from + seconds / speed;
        seconds -= (next - from) * speed;
    }
    return speed > 0.0 ? from + seconds / speed : INFINITY;
}
