/* How all bodies pull at some of them. */
#ifndef PULL_H
#define PULL_H

#include "plb/kernel.h"

/* Bodies that are pulled at in one call: a few vectors of any instruction set. More: fewer calls, and less
 * work for a second thread where a task is small. */
#define BLOCK 64

/* The bodies of a tile are added up by themselves, and then their sum to the total, so that sums of many
 * bodies lose few digits. A tile begins at a multiple of this. nbody.cu has the same. */
#define TILE 256

/* The constants of a job. */
struct space {
    int64_t n;
    double gravity;   /* the constant */
    double unit;      /* of the masses that pull_block gets: a power of 2 that makes the largest 1 or less */
    double softening; /* squared, and NOTHING or more */
    int32_t narrow;   /* 1: positions, velocities and masses are float32, else float64 */
};

/* A square of a distance that is as good as 0: added to all, it keeps 1 / distance^3 finite. */
#define NOTHING 1e-180
#define NOTHING_NARROW 1e-24

/* Sums over all bodies but one, of m d / s^3 and of m / s: d is the way to a body, m its mass, and s^2 is
 * d^2 + softening. */
struct pull {
    double x, y, z, depth;
};

/* Of bodies first to first + count - 1, at most BLOCK. masses and positions, three numbers each, are those of
 * all bodies, float32 if s->narrow. Sums are in the order of the bodies, so that they have the same bits
 * however bodies are cut into blocks, with every instruction set. Thread-safe. */
void pull_block(const struct space *s, const void *masses, const void *positions, int64_t first,
                int64_t count, struct pull *to);

/* Number i of an array of s's numbers. */
static inline double number(const struct space *s, const void *array, int64_t i)
{
    return s->narrow ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

/* Makes it `value`, rounded. */
static inline void set_number(const struct space *s, void *array, int64_t i, double value)
{
    if (s->narrow)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

#endif
