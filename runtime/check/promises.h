/* The promises about functions beside the entry: costs that add up, and folds in any order. */
#ifndef PLB_CHECK_PROMISES_H
#define PLB_CHECK_PROMISES_H

#include "check/state.h"

/* Splits random ranges, and compares the cost of the whole with those of its parts, in each phase. */
void plb_check_costs(struct plb_check *c);

/* Folds the arrays of random tasks of the pass in several orders, and compares them with the array of one
 * task that has all of their units. */
void plb_check_folds(struct plb_check *c, struct plb_error *err);

#endif
