/* Comparing results, on rank 0. */
#ifndef CHECK_H
#define CHECK_H

#include "pull.h"

/* A task adds up the energies of its bodies, and their momentum in x, y and z. */
enum { KINETIC, POTENTIAL, MOMENTUM, ALL_SUMS = MOMENTUM + 3 };

/* The last pass: its inputs and results. */
struct last_pass {
    const void *masses, *positions, *velocities, *new_positions, *new_velocities;
    const double *sums;
    double kick; /* the time for which forces have changed the velocities */
};

/* Computes the pass by a plain loop in float64. PLB_OK; or PLB_EVERIFY, after plb_app_error has said where
 * they differ. */
int check_last_pass(struct plb_app *app, const struct space *s, const struct last_pass *pass);

/* plb_kernel.agree of positions and velocities, or of the sums. */
int64_t agree_vectors(const struct space *s, const struct plb_twice *results);
int64_t agree_sums(const struct space *s, const struct plb_twice *results);

#endif
