/* Who works, and until when, for least time, least energy or least energy times delay. Pure functions of
 * arrays; thread-safe; nothing is kept between calls.
 *
 * PU i does S_i units of work per second and draws P_i dynamic watts while it works. A node draws its static
 * watts. All begin at 0, and the job lasts T = max x_i / S_i seconds (Stafford et al. 2017, eq. 1). Its
 * energy is E = static watts · seconds + Σ P_i · x_i / S_i (eq. 2, for n PUs).
 *
 * For a given T the cheapest PUs by joules per unit, P_i / S_i, work first, each for up to T. So E(T) is
 * convex and consists of straight lines. Its corners lie at T_k = W / (S_1 + … + S_k), where the k cheapest
 * PUs end together. Least energy is at a corner. So is the least E·T: between two corners E = c·W + B·T,
 * and E·T = c·W·T + B·T² rises or is concave. For two PUs, the paper's α_left and α_right are the stationary
 * points of these parabolas. Where they lie inside their intervals they are maxima, never the answer.
 *
 * Units: work in units, speed in units per second, time in seconds, power in watts, energy in joules. */
#ifndef PLB_MODEL_ENERGY_OBJECTIVE_H
#define PLB_MODEL_ENERGY_OBJECTIVE_H

#include <stdbool.h>

#include "model/energy/power_job.h"

struct plb_aim {
    enum plb_objective objective;
    double deadline_s; /* T is at most this; infinite: none */
    /* Static watts of the nodes that count, and dynamic watts of all PUs that work, are at most this in sum;
     * infinite: none. */
    double power_cap;
};

enum plb_aim_state {
    PLB_AIM_MET,
    PLB_AIM_LATE,  /* no set that was tried meets the deadline: the answer is the shortest found */
    PLB_AIM_OVER,  /* not even one PU may work under the cap: there is no answer */
    PLB_AIM_NO_PU, /* no PU has a speed: there is no answer */
};

struct plb_aim_answer {
    enum plb_aim_state state;
    double seconds; /* T */
    double joules;  /* E */
    double watts;   /* while all work that work at all: their dynamic watts and the static ones that count */
    double bound;   /* no choice has a smaller T, E or E·T; equal to the answer's own where `exact` */
    bool exact;
};

/* Choices of PUs, or of nodes, among which all are tried; above this number a greedy choice is made. Larger:
 * a call takes longer, twice for each. 12 take 2 ms. */
#define PLB_OBJECTIVE_SETS 12

/* The best shares of the job. x: n shares, filled in where the state is MET or LATE; PU i works until
 * x[i] / speed. Returns false, with nothing filled in, where memory is short.
 *
 * Exact, in O(n log n), without a cap. Two kinds of question are knapsacks: who works under a cap, and which
 * nodes are on at a deadline between two corners where idle nodes are off. Up to PLB_OBJECTIVE_SETS PUs (or
 * nodes) all sets are tried. With more PUs, the best of a few greedy sets is taken: PUs by joules per unit,
 * PUs by speed, each that still fits; and the best single PU. `bound` tells how far off it can be: it lets
 * one PU work in part. */
bool plb_objective_lines(const struct plb_power_job *job, const struct plb_aim *aim, double *x,
                         struct plb_aim_answer *answer);

struct plb_front_point {
    double seconds, joules;
    int working; /* PUs that work all the time at this point */
};

/* The front of time and energy: corners from the shortest time to the least energy, each with more time and
 * less energy than the one before. Between two neighbours the front is a straight line (OFF_WHEN_IDLE: the
 * line is a lower bound there). front: room for n points. Returns their number; 0 where no PU has a speed, -1
 * where memory is short. O(n log n). */
int plb_objective_front(const struct plb_power_job *job, struct plb_front_point *front);

#endif
