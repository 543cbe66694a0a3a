/* Trees of Cox, Ross and Rubinstein (1979) and of Leisen and Reimer (1996), backwards from the end.
 *
 * A step takes node i and i + 1 to node i. It is done in place, for LANES contracts at a time. So that values
 * stay in the first-level cache, a part of NODES nodes is taken back STEPS steps before the next part. From
 * step to step the part moves one node to the left, because its last node would need the next part. */
#include "tree.h"

#include <math.h>
#include <string.h>

#include "contracts.h"

/* Nodes and steps of a part: 128 * 64 bytes of values and as much of prices, 16 KB of at least 32 KB. More
 * nodes: they leave the cache. More steps: parts at the edge are incomplete. Fewer: values are loaded into
 * the cache more often. */
#define NODES 128
#define STEPS 64

#define INLINE static inline __attribute__((always_inline))

typedef double lanes[LANES]; /* one number of each contract */

/* Peizer and Pratt's inversion (method 2): the probability whose binomial distribution has z above. */
static double inversion(double z, double n)
{
    double x = z / (n + 1.0 / 3.0 + 0.1 / (n + 1.0));
    return 0.5 + copysign(0.5, z) * sqrt(1.0 - exp(-x * x * (n + 1.0 / 6.0)));
}

struct branch tree_branch(const struct tree_args *args, const double *c)
{
    const double n = (double)args->steps, step = c[TIME] / n, sigma = c[VOLATILITY];
    const double growth = (c[RATE] - c[DIVIDEND]) * step, spread = sigma * sqrt(c[TIME]);
    struct branch b = {.up = exp(sigma * sqrt(step)), .down = exp(-sigma * sqrt(step))};
    b.chance = (exp(growth) - b.down) / (b.up - b.down);
    if (args->kind == LEISEN_REIMER) {
        double d2 = (log(c[SPOT] / c[STRIKE]) + growth * n) / spread - 0.5 * spread;
        double with_spot = inversion(d2 + spread, n);
        b.chance = inversion(d2, n);
        b.up = exp(growth) * with_spot / b.chance;
        b.down = (exp(growth) - b.chance * b.up) / (1.0 - b.chance);
    }
    b.rise = b.chance * exp(-c[RATE] * step);
    b.fall = (1.0 - b.chance) * exp(-c[RATE] * step);
    b.growth = log(b.up / b.down);
    b.base = log(b.down);
    return b;
}

int64_t tree_room(const struct tree_args *args)
{
    return 2 * (args->steps + 1) * LANES;
}

/* A group of contracts. */
struct group {
    lanes rise, fall, sign, strike; /* strike: with its sign */
    lanes scale[STEPS];             /* sign * down^t of the steps that come, the last one first */
    lanes *value, *price;           /* of each node; price: spot * (up / down)^i */
    int64_t steps;                  /* of the tree */
};

/* One step of nodes first to end - 1. The factors are copied: from then on they stay in registers. */
INLINE void step_back(const struct group *g, const double *factor, int64_t first, int64_t end, bool american)
{
    lanes rise, fall, strike, scale, *restrict value = g->value;
    const lanes *restrict price = (const lanes *)g->price;
    memcpy(rise, g->rise, sizeof rise);
    memcpy(fall, g->fall, sizeof fall);
    memcpy(strike, g->strike, sizeof strike);
    memcpy(scale, factor, sizeof scale);
    for (int64_t i = first; i < end; i++)
        for (int l = 0; l < LANES; l++) {
            double v = fma(rise[l], value[i + 1][l], fall[l] * value[i][l]);
            double now = american ? fma(price[i][l], scale[l], -strike[l]) : v;
            value[i][l] = v > now ? v : now;
        }
}

/* Takes all nodes of step `from` back n steps, part by part. */
INLINE void parts_back(const struct group *g, int64_t from, int64_t n, bool american)
{
    for (int64_t low = 0; low < from + n; low += NODES)
        for (int64_t s = 0; s < n; s++) {
            int64_t first = low - s, end = low + NODES - s,
                    most = from - s; /* step from - s - 1 has so many */
            first = first < 0 ? 0 : first;
            end = end < most ? end : most;
            if (first < end)
                step_back(g, g->scale[s], first, end, american);
        }
}

PLB_CLONES static void parts_european(const struct group *g, int64_t from, int64_t n)
{
    parts_back(g, from, n, false);
}

PLB_CLONES static void parts_american(const struct group *g, int64_t from, int64_t n)
{
    parts_back(g, from, n, true);
}

/* The prices of the nodes, and the payoffs at the end. */
static void plant(struct group *g, const struct branch b[LANES], const double spot[LANES])
{
    for (int64_t i = 0; i <= g->steps; i++)
        for (int l = 0; l < LANES; l++) {
            double price = spot[l] * exp((double)i * b[l].growth);
            double payoff = price * g->sign[l] * exp((double)g->steps * b[l].base) - g->strike[l];
            g->price[i][l] = price;
            g->value[i][l] = payoff > 0.0 ? payoff : 0.0;
        }
}

void tree_price(const struct plb_task *task, const double *contracts, int64_t n, void *room, double *prices)
{
    const struct tree_args *args = task->args;
    struct branch b[LANES];
    struct group g = {.steps = args->steps, .value = room};
    double spot[LANES];
    g.price = g.value + args->steps + 1;
    for (int l = 0; l < LANES; l++) {
        const double *c = contracts + (l < n ? l : n - 1) * CONTRACT_COLUMNS; /* the last lanes repeat */
        b[l] = tree_branch(args, c);
        spot[l] = c[SPOT];
        g.rise[l] = b[l].rise;
        g.fall[l] = b[l].fall;
        g.sign[l] = c[TYPE] == CALL ? 1.0 : -1.0;
        g.strike[l] = g.sign[l] * c[STRIKE];
    }
    plant(&g, b, spot);
    for (int64_t from = args->steps, taken; from > 0; from -= taken) {
        if (plb_task_cancelled(task))
            return;
        taken = from < STEPS ? from : STEPS;
        for (int64_t s = 0; args->american && s < taken; s++)
            for (int l = 0; l < LANES; l++)
                g.scale[s][l] = g.sign[l] * exp((double)(from - s - 1) * b[l].base);
        if (args->american)
            parts_american(&g, from, taken);
        else
            parts_european(&g, from, taken);
    }
    for (int64_t l = 0; l < n; l++)
        prices[l] = g.value[0][l];
}
