/* For verify: libm instead of elementary.h, one contract and one path at a time. */
#include "reference.h"

#include <float.h>
#include <math.h>

#include "contracts.h"

/* The error of d1 in units of its last place is that of its numerator, where terms may cancel. A result is as
 * wrong as d1 is, times how steep it is in d1, which is less than 1 + d1^2 times its size. 16: the errors of
 * elementary.h, 5.3 units of 2^-53, and of the steps after them. */
void reference(const double *c, double v[GREEKS], double size[GREEKS])
{
    const double time = c[TIME], sigma = c[VOLATILITY], root = sqrt(time), spread = sigma * root;
    const double sign = c[TYPE] == CALL ? 1.0 : -1.0, drift = c[RATE] - c[DIVIDEND] + sigma * sigma / 2.0;
    const double distance = log(c[SPOT] / c[STRIKE]), d1 = (distance + drift * time) / spread;
    const double d2 = d1 - spread;
    const double worth = c[SPOT] * exp(-c[DIVIDEND] * time), paid = c[STRIKE] * exp(-c[RATE] * time);
    const double n1 = 0.5 * erfc(-sign * d1 / sqrt(2.0)), n2 = 0.5 * erfc(-sign * d2 / sqrt(2.0));
    const double density = exp(-d1 * d1 / 2.0) / sqrt(2.0 * acos(-1.0));
    const double terms = fabs(distance) + (fabs(c[RATE]) + fabs(c[DIVIDEND]) + sigma * sigma) * time + 1.0;
    const double unit = 16.0 * DBL_EPSILON * (1.0 + terms / spread) * (1.0 + d1 * d1 + d2 * d2);
    v[PRICE] = sign * (worth * n1 - paid * n2);
    v[DELTA] = sign * exp(-c[DIVIDEND] * time) * n1;
    v[GAMMA] = worth * density / (c[SPOT] * c[SPOT] * spread);
    v[VEGA] = worth * density * root;
    v[THETA] = -worth * density * sigma / (2.0 * root)
             + sign * (c[DIVIDEND] * worth * n1 - c[RATE] * paid * n2);
    v[RHO] = sign * paid * time * n2;
    /* where the formula has large terms of which little is left, these count */
    const double growth = (fabs(c[RATE]) + fabs(c[DIVIDEND])) * time + 1.0;
    size[PRICE] = unit * growth * (worth + paid);
    size[DELTA] = unit * growth * worth / c[SPOT];
    size[GAMMA] = unit * growth * worth / (c[SPOT] * c[SPOT] * spread);
    size[VEGA] = unit * growth * worth * root;
    size[THETA] = unit * growth * (worth + paid) * (sigma / root + fabs(c[DIVIDEND]) + fabs(c[RATE]));
    size[RHO] = unit * growth * paid * time;
}

/* Philox 4x32-10 as its authors write it. */
static void philox(uint32_t x[4], uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
        uint64_t a = (uint64_t)x[0] * 0xD2511F53u, b = (uint64_t)x[2] * 0xCD9E8D57u;
        uint32_t y0 = (uint32_t)(b >> 32) ^ x[1] ^ key0, y2 = (uint32_t)(a >> 32) ^ x[3] ^ key1;
        x[1] = (uint32_t)b;
        x[3] = (uint32_t)a;
        x[0] = y0;
        x[2] = y2;
    }
}

/* The normal number of a path. */
static double normal_of(uint64_t seed, int64_t unit, int64_t path)
{
    uint64_t pair = (uint64_t)path / 2;
    uint32_t x[4] = {(uint32_t)pair, (uint32_t)(pair >> 32), (uint32_t)unit,
                     (uint32_t)((uint64_t)unit >> 32)};
    philox(x, (uint32_t)seed, (uint32_t)(seed >> 32));
    uint64_t a = (uint64_t)x[1] << 32 | x[0], b = (uint64_t)x[3] << 32 | x[2];
    double u = (double)(a >> 12) * 0x1p-52 + 0x1p-53,
           angle = 2.0 * acos(-1.0) * ((double)(b >> 12) * 0x1p-52);
    return sqrt(-2.0 * log(u)) * (path % 2 == 0 ? cos(angle) : sin(angle));
}

void reference_paths(const struct price_args *args, int64_t unit, const double *c, double v[RESULT_COLUMNS])
{
    const double time = c[TIME], sigma = c[VOLATILITY], root = sqrt(time), discount = exp(-c[RATE] * time);
    const double sign = c[TYPE] == CALL ? 1.0 : -1.0, n = (double)args->paths;
    const double growth = c[RATE] - c[DIVIDEND] - sigma * sigma / 2.0;
    double sum[RESULT_COLUMNS] = {0}; /* of each path's own estimates; in place of ERROR their squares */
    for (int64_t path = 0; path < args->paths; path++) {
        double z = normal_of(args->seed, unit, path), end = c[SPOT] * exp(growth * time + sigma * root * z);
        double payoff = sign * (end - c[STRIKE]);
        if (!(payoff > 0.0))
            continue;
        sum[PRICE] += payoff;
        sum[DELTA] += sign * end / c[SPOT];
        sum[GAMMA] += sign * c[STRIKE] * z / (c[SPOT] * c[SPOT] * sigma * root);
        sum[VEGA] += sign * end * (root * z - sigma * time);
        sum[THETA] += c[RATE] * payoff - sign * end * (growth + sigma * z / (2.0 * root));
        sum[RHO] += sign * time * c[STRIKE];
        sum[ERROR] += payoff * payoff;
    }
    for (int k = PRICE; k < GREEKS; k++)
        v[k] = discount * sum[k] / n;
    double variance = (sum[ERROR] - sum[PRICE] * sum[PRICE] / n) / (n - 1.0);
    v[ERROR] = discount * sqrt(fmax(variance, 0.0) / n);
}
