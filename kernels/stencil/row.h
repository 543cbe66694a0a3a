/* A step of heat in the rows of a plate: what the kernel and its twin in plain MPI (test/bench/stencil_mpi.c)
 * both execute. */
#ifndef STENCIL_ROW_H
#define STENCIL_ROW_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "plb/kernel.h"

/* Points side by side, so that the greatest change is found by vectors. */
#define LANES 16

/* The temperature of a point after a step, from those of the point and of its four neighbours. Always in this
 * order, so that each split has the same bits. */
static inline double stencil_point(const double *at, int64_t columns, double rate)
{
    return at[0] + rate * ((at[-columns] + at[columns]) + (at[-1] + at[1]) - 4.0 * at[0]);
}

/* The temperature that point i of a row without a border begins a run with, where no file is given: a plate
 * at 0 with a disc at 1, and a hot upper edge. */
static inline double stencil_start(int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    double y = ((double)row + 0.5) / (double)rows - 0.6, x = ((double)column + 0.5) / (double)columns - 0.4;
    return row == 0 || x * x + y * y < 0.04 ? 1.0 : 0.0;
}

/* Writes a row after a step; its first and last points keep their temperatures. The rows before and behind it
 * are in memory, too. Returns the greatest change of a point. */
PLB_CLONES static double stencil_row(const double *in, double *out, int64_t columns, double rate)
{
    double most[LANES] = {0.0}, all = 0.0;
    int64_t i = 1;
    out[0] = in[0];
    for (; i + LANES < columns; i += LANES)
        for (int l = 0; l < LANES; l++) {
            double then = stencil_point(in + i + l, columns, rate), change = fabs(then - in[i + l]);
            out[i + l] = then;
            most[l] = change > most[l] ? change : most[l];
        }
    for (; i < columns - 1; i++) {
        out[i] = stencil_point(in + i, columns, rate);
        all = fmax(all, fabs(out[i] - in[i]));
    }
    out[columns - 1] = in[columns - 1];
    for (int l = 0; l < LANES; l++)
        all = most[l] > all ? most[l] : all;
    return all;
}

/* A row at the border of the plate keeps its temperatures. */
static inline void stencil_border(const double *in, double *out, int64_t columns)
{
    memcpy(out, in, (size_t)columns * sizeof *out);
}

#endif
