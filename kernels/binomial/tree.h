/* Prices on a binomial tree. */
#ifndef TREE_H
#define TREE_H

#include "plb/kernel.h"

/* Contracts that are priced side by side, one in each lane of a vector of AVX-512. */
#define LANES 8

enum tree_kind { CRR, LEISEN_REIMER }; /* the option `tree` */

/* The constants of a job. */
struct tree_args {
    int64_t steps;
    int32_t kind, american;
};

/* A contract's tree. The price at node i of step t is spot * down^t * (up / down)^i. */
struct branch {
    double up, down;     /* factors of the price in one step */
    double rise, fall;   /* discounted probabilities of the two */
    double chance;       /* probability of the rise */
    double growth, base; /* logarithms of up / down and of down */
};

/* The tree of a contract (contracts.h). Its probability is outside of 0 to 1, or no number, where a step is
 * too long for the contract's drift. */
struct branch tree_branch(const struct tree_args *args, const double *contract);

/* Doubles of room for a group of contracts. */
int64_t tree_room(const struct tree_args *args);

/* Prices n contracts, 1 to LANES. `room` has tree_room doubles, aligned to 64 bytes. Returns early, without
 * prices, where nobody wants them any more. */
void tree_price(const struct plb_task *task, const double *contracts, int64_t n, void *room, double *prices);

#endif
