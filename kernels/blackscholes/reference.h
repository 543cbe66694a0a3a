/* The formula once more, with the functions of libm, and by how much results may differ from it. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "prices.h"

/* Price and greeks of a contract, and in size[] what their rounding errors are relative to. */
void reference(const double *contract, double value[GREEKS], double size[GREEKS]);

/* Monte Carlo's estimates by a direct loop over the same paths. */
void reference_paths(const struct price_args *args, int64_t unit, const double *contract,
                     double value[RESULT_COLUMNS]);

#endif
