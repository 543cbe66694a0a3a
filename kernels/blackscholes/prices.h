/* Two ways from a contract to its price and greeks. */
#ifndef PRICES_H
#define PRICES_H

#include <stdint.h>

/* The columns of the result. Vega and rho are for a change of 1, theta for a year. ERROR is the standard
 * error of the price, by Monte Carlo alone. */
enum result_column { PRICE, DELTA, GAMMA, VEGA, THETA, RHO, GREEKS, ERROR = GREEKS, RESULT_COLUMNS };

/* Contracts that are priced together. Larger: more of the first-level cache. Smaller: the ends of the loops
 * cost more. */
#define AT_ONCE 64

/* The constants of a job. */
struct price_args {
    int64_t paths; /* 0: by the formula */
    uint64_t seed;
};

/* The formula of Black, Scholes and Merton for n contracts, 1 to AT_ONCE: 7 numbers each in, 6 out. */
void price_closed(const double *contracts, int64_t n, double *results);

/* Monte Carlo for contract number `unit`: 7 numbers in, 7 out. The paths depend on seed and unit alone. */
void price_paths(const struct price_args *args, int64_t unit, const double *contract, double *result);

#endif
