/* Monte Carlo: the price at the end of each path, whose number alone decides its random numbers. They are
 * from Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011), a function of a counter: no state goes from
 * one path to the next, so results depend on no split of the work. Box and Muller's method makes two normal
 * numbers, and so two paths, of one counter.
 *
 * The greeks are estimated on the same paths: gamma by the likelihood ratio of the delta, the others by the
 * derivative of each path (Glasserman, Monte Carlo Methods in Financial Engineering, 2003, chapter 7). They
 * need four sums over the paths that pay.
 *
 * A path belongs to a lane, the lanes are added in one order, so the sums have the same bits with every
 * instruction set. */
#include "contracts.h"
#include "elementary.h"
#include "prices.h"

#include <string.h>

#define LANES 16 /* counters side by side; two vectors of AVX-512. Fewer: steps wait for each other */

enum sum { PRICES, PRICES_NORMAL, ONES, NORMALS, SQUARES, SUMS }; /* over the paths that pay */

/* The terms of a contract that all its paths share. */
struct terms {
    double drift, spread, spot, strike, sign;
    uint32_t key[2], unit[2];
    int64_t paths;
};

/* One round for all lanes. Numbers of 32 bits are in 64, as their products are: so the loop is vectorised. */
ELEMENTARY void philox_round(uint64_t c[4][LANES], uint32_t key0, uint32_t key1)
{
    const uint64_t low = 0xffffffffu;
    for (int l = 0; l < LANES; l++) {
        uint64_t a = (c[0][l] & low) * 0xD2511F53u, b = (c[2][l] & low) * 0xCD9E8D57u;
        uint64_t next0 = b >> 32 ^ c[1][l] ^ key0, next2 = a >> 32 ^ c[3][l] ^ key1;
        c[1][l] = b & low;
        c[3][l] = a & low;
        c[0][l] = next0;
        c[2][l] = next2;
    }
}

/* The counters of a contract's paths 2 first to 2 first + 2 LANES - 1, as random bits. */
ELEMENTARY void draw(const struct terms *t, int64_t first, uint64_t c[4][LANES])
{
    for (int l = 0; l < LANES; l++) {
        c[0][l] = (uint32_t)first + (uint32_t)l;
        c[1][l] = (uint32_t)((uint64_t)first >> 32); /* `first` is a multiple of LANES: no carry */
        c[2][l] = t->unit[0];
        c[3][l] = t->unit[1];
    }
    for (uint32_t round = 0; round < 10; round++)
        philox_round(c, t->key[0] + round * 0x9E3779B9u, t->key[1] + round * 0xBB67AE85u);
}

/* Adds a path of each lane, unless it is beyond the last one: number `first` + 2 l. */
ELEMENTARY void add_some(const struct terms *t, const double normals[LANES], double first,
                         double sums[SUMS][LANES])
{
    const double drift = t->drift, spread = t->spread, spot = t->spot, strike = t->strike, sign = t->sign;
    const double end = (double)t->paths;
    for (int l = 0; l < LANES; l++) {
        double price = spot * fast_exp(fma(spread, normals[l], drift));
        double payoff = sign * (price - strike);
        double in = first + 2.0 * l < end ? 1.0 : 0.0, pays = payoff > 0.0 ? in : 0.0;
        sums[PRICES][l] += pays * price;
        sums[PRICES_NORMAL][l] += pays * (price * normals[l]);
        sums[ONES][l] += pays;
        sums[NORMALS][l] += pays * normals[l];
        sums[SQUARES][l] += pays * (payoff * payoff);
    }
}

PLB_CLONES static void add_paths(const struct terms *t, double result[SUMS][LANES])
{
    double sums[SUMS][LANES] = {{0}}, cosines[LANES], sines[LANES];
    uint64_t c[4][LANES];
    for (int64_t first = 0; 2 * first < t->paths; first += LANES) {
        draw(t, first, c);
        for (int l = 0; l < LANES; l++) {
            uint64_t a = c[1][l] << 32 | c[0][l], b = c[3][l] << 32 | c[2][l];
            double u = real_of(a >> 12 | 0x3ff0000000000000) - (1.0 - 0x1p-53), sine, cosine;
            double v = real_of(b >> 12 | 0x3ff0000000000000) - 1.0;
            double radius = sqrt(-2.0 * fast_log(u));
            fast_sincos_turns(v, &sine, &cosine);
            cosines[l] = radius * cosine;
            sines[l] = radius * sine;
        }
        add_some(t, cosines, 2.0 * (double)first, sums);
        add_some(t, sines, 2.0 * (double)first + 1.0, sums);
    }
    memcpy(result, sums, sizeof sums);
}

void price_paths(const struct price_args *args, int64_t unit, const double *c, double *result)
{
    const double rate = c[RATE], growth = rate - c[DIVIDEND] - 0.5 * c[VOLATILITY] * c[VOLATILITY];
    const double time = c[TIME], root = sqrt(time), sigma = c[VOLATILITY],
                 sign = c[TYPE] == CALL ? 1.0 : -1.0;
    const struct terms t = {growth * time,
                            sigma * root,
                            c[SPOT],
                            c[STRIKE],
                            sign,
                            {(uint32_t)args->seed, (uint32_t)(args->seed >> 32)},
                            {(uint32_t)unit, (uint32_t)((uint64_t)unit >> 32)},
                            args->paths};
    double lanes[SUMS][LANES] = {{0}}, sum[SUMS] = {0}, n = (double)args->paths;
    add_paths(&t, lanes);
    for (int k = 0; k < SUMS; k++)
        for (int l = 0; l < LANES; l++)
            sum[k] += lanes[k][l];
    const double each = fast_exp(-rate * time) / n, mean = sign * (sum[PRICES] - c[STRIKE] * sum[ONES]) / n;
    const double variance = (sum[SQUARES] / n - mean * mean) * n / (n - 1.0);
    result[PRICE] = each * n * mean;
    result[DELTA] = each * sign * sum[PRICES] / c[SPOT];
    result[GAMMA] = each * sign * c[STRIKE] * sum[NORMALS] / (c[SPOT] * c[SPOT] * t.spread);
    result[VEGA] = each * sign * (root * sum[PRICES_NORMAL] - sigma * time * sum[PRICES]);
    result[THETA] = rate * result[PRICE]
                  - each * sign * (growth * sum[PRICES] + sigma / (2.0 * root) * sum[PRICES_NORMAL]);
    result[RHO] = each * sign * c[STRIKE] * time * sum[ONES];
    result[ERROR] = each * n * sqrt((variance > 0.0 ? variance : 0.0) / n);
}
