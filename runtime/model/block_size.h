/* How large a PU's next block is where all PUs are to end together at a time T. Used by plb-hac. Pure;
 * thread-safe. */
#ifndef PLB_MODEL_BLOCK_SIZE_H
#define PLB_MODEL_BLOCK_SIZE_H

#include "model/estimate.h"

struct plb_block_question {
    const struct plb_model *model;
    const struct plb_estimate *estimate;
    bool measured;                 /* the model is not from a profile alone */
    double step_s;                 /* seconds of a block by the user's number of steps */
    double longest_s;              /* and at most: plb_longest_block */
    double left_s;                 /* seconds from the end of what the PU has to T */
    double rest;                   /* work that it can finish in these */
    double others;                 /* part of all PUs' speed that is not its own: 0 to 1 */
    double extra;                  /* work that it may have on top: it finished early */
    bool tail;                     /* blocks shrink */
    double tail_factor;            /* smallest block of the tail, as a part of a regular one */
    double total, remaining, next; /* as in the view */
};

/* The block's work: at least `next`, at most all that remains. O(1). */
double plb_next_block(const struct plb_block_question *question);

/* The same for a PU that has nobody to share with. Its first two blocks have two sizes, which tell
 * what starting one costs. Later ones last `longest_s`, and the last one is all that remains. */
double plb_first_block_alone(double total, bool has_one);
double plb_next_block_alone(const struct plb_model *model, double longest_s, double total, double remaining);

/* Seconds that a regular block lasts at most: `wanted`, but more where starting takes too much of that, or
 * where the blocks of so many PUs keep the master busy. */
double plb_longest_block(const struct plb_estimate *estimate, double wanted, int pus);

#endif
