/* The formula of Black and Scholes (1973), with Merton's dividend. All loops run over AT_ONCE contracts, one
 * column after the other, so that they are vectorised; a row that is left over is priced several times. */
#include "contracts.h"
#include "elementary.h"
#include "prices.h"

struct block {
    double in[CONTRACT_COLUMNS][AT_ONCE], out[GREEKS][AT_ONCE];
};

PLB_CLONES static void price_block(struct block *b)
{
    for (int i = 0; i < AT_ONCE; i++) {
        const double spot = b->in[SPOT][i], strike = b->in[STRIKE][i], rate = b->in[RATE][i];
        const double dividend = b->in[DIVIDEND][i], sigma = b->in[VOLATILITY][i], time = b->in[TIME][i];
        const double sign = 1.0 - 2.0 * b->in[TYPE][i], root = sqrt(time), spread = sigma * root;
        const double d1 = (fast_log(spot / strike) + (rate - dividend + 0.5 * sigma * sigma) * time) / spread;
        const double d2 = d1 - spread, carry = fast_exp(-dividend * time);
        const double paid = strike * fast_exp(-rate * time), worth = spot * carry;
        double bell, other;
        const double n1 = normal_below(sign * d1, &bell), n2 = normal_below(sign * d2, &other);
        const double density = bell * 0.39894228040143267794; /* 1 / sqrt(2 pi) */
        b->out[PRICE][i] = sign * (worth * n1 - paid * n2);
        b->out[DELTA][i] = sign * carry * n1;
        b->out[GAMMA][i] = carry * density / (spot * spread);
        b->out[VEGA][i] = worth * density * root;
        b->out[THETA][i] = sign * (dividend * worth * n1 - rate * paid * n2)
                         - worth * density * sigma / (2.0 * root);
        b->out[RHO][i] = sign * paid * time * n2;
    }
}

void price_closed(const double *contracts, int64_t n, double *results)
{
    struct block b;
    for (int64_t i = 0; i < AT_ONCE; i++)
        for (int k = 0; k < CONTRACT_COLUMNS; k++)
            b.in[k][i] = contracts[(i < n ? i : n - 1) * CONTRACT_COLUMNS + k];
    price_block(&b);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < GREEKS; k++)
            results[i * GREEKS + k] = b.out[k][i];
}
