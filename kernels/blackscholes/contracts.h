/* European or American options to be priced: seven numbers each. blackscholes and binomial read them. */
#ifndef CONTRACTS_H
#define CONTRACTS_H

#include "plb/kernel.h"

/* The columns, in the order of an .npy file and of memory. Rates are continuous and a year's, time is in
 * years, volatility is that of a year. */
enum contract_column { SPOT, STRIKE, RATE, DIVIDEND, VOLATILITY, TIME, TYPE, CONTRACT_COLUMNS };
enum contract_type { CALL, PUT }; /* in the column TYPE */

/* The options that a kernel needs for contracts_read, as rows of its table. */
#define CONTRACT_OPTIONS \
    {"contracts", \
     PLB_INPUT_FILE, \
     NULL, \
     0, \
     0, \
     NULL, \
     "the options: .csv with the columns spot, strike, rate, dividend, volatility, time and type (call or " \
     "put), or .npy, n x 7, with 0 for a call and 1 for a put; synthetic where not given"}, \
        {"count", PLB_INT, "100000", 1, 1e12, NULL, "synthetic options: how many"}, \
    { \
        "seed", PLB_INT, "1", 0, 9007199254740992.0, NULL, "seed of random numbers" \
    }

/* Reads the contracts, or makes them, and checks each one. In a simulation an .npy file gives its size alone,
 * and a->data is NULL. PLB_OK, or PLB_EINPUT after plb_app_error. */
int contracts_read(struct plb_app *app, struct plb_array *a);

#endif
