/* The formula of Black and Scholes (1973), with Merton's dividend. The loops run over AT_ONCE contracts,
 * so that they are vectorised; a row that is left over is priced several times. Rows become columns, and
 * columns rows, in vectors: number by number that would take as long as the formula. */
#include <string.h>

#include "contracts.h"
#include "elementary.h"
#include "prices.h"
#include "transpose.h"

struct block {
    double in[CONTRACT_COLUMNS][AT_ONCE], out[GREEKS][AT_ONCE];
};

/* The last of WIDE numbers of a row is the next row's. So the last row is read from one number before. */
ELEMENTARY void read_block(const double *contracts, struct block *b)
{
    for (int64_t i = 0; i < AT_ONCE; i += WIDE) {
        reals v[WIDE];
        for (int64_t r = 0; r < WIDE; r++)
            memcpy(&v[r], contracts + (i + r) * CONTRACT_COLUMNS - (r == WIDE - 1), sizeof v[r]);
        v[WIDE - 1] = PICK(v[WIDE - 1], v[WIDE - 1], 1, 2, 3, 4, 5, 6, 7, 7);
        transpose(v);
        for (int k = 0; k < CONTRACT_COLUMNS; k++)
            memcpy(&b->in[k][i], &v[k], sizeof v[k]);
    }
}

/* Each row is written over what the one before has left behind its end. */
ELEMENTARY void write_block(const struct block *b, double *results)
{
    for (int64_t i = 0; i < AT_ONCE; i += WIDE) {
        reals v[WIDE];
        for (int k = 0; k < WIDE; k++)
            memcpy(&v[k], &b->out[k < GREEKS ? k : 0][i], sizeof v[k]);
        transpose(v);
        for (int64_t r = 0; r < WIDE - 1; r++)
            memcpy(results + (i + r) * GREEKS, &v[r], sizeof v[r]);
        memcpy(results + (i + WIDE - 1) * GREEKS, &v[WIDE - 1], GREEKS * sizeof(double));
    }
}

/* Several short loops: a processor overlaps rounds of a loop as far as its list of waiting instructions goes.
 */
ELEMENTARY void price_columns(struct block *b)
{
    double d1[AT_ONCE], d2[AT_ONCE], per_spread[AT_ONCE], carry[AT_ONCE], discount[AT_ONCE];
    double n1[AT_ONCE], n2[AT_ONCE], bell[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        const double sigma = b->in[VOLATILITY][i], time = b->in[TIME][i], spread = sigma * sqrt(time);
        const double drift = b->in[RATE][i] - b->in[DIVIDEND][i] + 0.5 * sigma * sigma;
        per_spread[i] = 1.0 / spread;
        d1[i] = (fast_log(b->in[SPOT][i] / b->in[STRIKE][i]) + drift * time) * per_spread[i];
        d2[i] = d1[i] - spread;
    }
    for (int i = 0; i < AT_ONCE; i++) {
        carry[i] = fast_exp(-b->in[DIVIDEND][i] * b->in[TIME][i]);
        discount[i] = fast_exp(-b->in[RATE][i] * b->in[TIME][i]);
    }
    for (int i = 0; i < AT_ONCE; i++)
        n1[i] = normal_below((1.0 - 2.0 * b->in[TYPE][i]) * d1[i], &bell[i]);
    for (int i = 0; i < AT_ONCE; i++) {
        double unused;
        n2[i] = normal_below((1.0 - 2.0 * b->in[TYPE][i]) * d2[i], &unused);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        const double sigma = b->in[VOLATILITY][i], time = b->in[TIME][i], sign = 1.0 - 2.0 * b->in[TYPE][i];
        const double density = bell[i] * 0.39894228040143267794; /* 1 / sqrt(2 pi) */
        const double worth = b->in[SPOT][i] * carry[i], paid = b->in[STRIKE][i] * discount[i];
        b->out[PRICE][i] = sign * (worth * n1[i] - paid * n2[i]);
        b->out[DELTA][i] = sign * carry[i] * n1[i];
        b->out[GAMMA][i] = carry[i] * density * per_spread[i] / b->in[SPOT][i];
        b->out[VEGA][i] = worth * density * sqrt(time);
        b->out[THETA][i] = sign * (b->in[DIVIDEND][i] * worth * n1[i] - b->in[RATE][i] * paid * n2[i])
                         - worth * density * (0.5 * sigma * sigma) * per_spread[i];
        b->out[RHO][i] = sign * paid * time * n2[i];
    }
}

PLB_CLONES static void price_block(const double *contracts, double *results)
{
    struct block b;
    read_block(contracts, &b);
    price_columns(&b);
    write_block(&b, results);
}

void price_closed(const double *contracts, int64_t n, double *results)
{
    double in[AT_ONCE * CONTRACT_COLUMNS], out[AT_ONCE * GREEKS];
    if (n == AT_ONCE) {
        price_block(contracts, results);
        return;
    }
    for (int64_t i = 0; i < AT_ONCE; i++)
        memcpy(in + i * CONTRACT_COLUMNS, contracts + (i < n ? i : n - 1) * CONTRACT_COLUMNS,
               CONTRACT_COLUMNS * sizeof *in);
    price_block(in, out);
    memcpy(results, out, (size_t)n * GREEKS * sizeof *out);
}
