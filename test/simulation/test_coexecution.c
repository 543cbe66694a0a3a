/* Two promises of the default balancer where a CPU works beside a GPU, in virtual time: the CPU never makes
 * the run slower by more than 1 %, and the split is within 2 % of the best fixed one. Where that cannot be,
 * the rule says why, and the bound is what was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "coexecution.h"

#define SLOWER 1.01
#define FROM_BEST 1.02
#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static const double speeds[] = {1.0, 1.0 / 3, 0.1, 1.0 / 30, 0.01, 1.0 / 300, 1e-3, 1e-4};
static const double halves[] = {1e-6, 1e-3, 1e-2, 0.1};
static const double lengths[] = {0.05, 20.0};
static const double guesses[] = {0.1, 1.0, 10.0};
static const int sizes[] = {200, 10000, 1000000};

struct limit {
    double slower, from_best;
};

/* The largest unit's part of all work. */
static double largest_unit(const struct coexecution *c)
{
    return c->unequal ? 0.24 * pow(0.76, log2(c->units) - 1.0) : 1.0 / c->units;
}

/* The balancer cannot know that a CPU is not ten times slower still than its power says. */
static bool unit_may_last_too_long(const struct coexecution *c)
{
    return largest_unit(c) >= c->speed * fmin(c->guess, 1.0 / c->speed) / 10.0;
}

/* Measured where `sure` does not keep the promises below. A start that lasts a part of the run:
 * `sure` takes some blocks, each larger than the one before, where the GPU alone takes all at once. Few
 * units, of which one is a quarter of the work: a CPU that is slower than its power says gets it. */
static struct limit measured(const struct coexecution *c)
{
    if (c->unequal && c->units <= 200)
        return c->half >= 0.1 ? (struct limit){3.9, 4.7} : (struct limit){3.7, 3.75};
    if (c->half >= 0.1)
        return c->units <= 200 ? (struct limit){1.85, 2.70} : (struct limit){1.59, 2.35};
    if (c->half >= 1e-2)
        return c->units <= 200 ? (struct limit){1.10, 1.52} : (struct limit){1.09, 1.20};
    if (c->half >= 1e-3)
        return c->units <= 10000 ? (struct limit){1.10, 1.12} : (struct limit){1.03, 1.04};
    return (struct limit){1.01, 1.03};
}

/* The promises for a cell. */
static struct limit limit_of(const struct coexecution *c)
{
    struct limit limit = {SLOWER, FROM_BEST};
    /* Every block costs a start, which only blocks can tell: two to learn it, then some to share. */
    if (c->half >= 1e-3)
        limit.from_best = c->half >= 0.1 ? 1.30 : c->half >= 1e-2 ? 1.08 : 1.04;
    if (c->half >= 1e-2)
        limit.slower = c->units <= 200 && c->half >= 0.1
                         ? 1.04
                         : 1.03; /* one start or two more than the GPU alone */
    /* Rows that differ by thousands are not divided as a line would be, and each is whole. */
    if (c->unequal && c->half >= 1e-3)
        limit.slower = fmax(limit.slower, 1.02);
    if (c->unequal && c->units < 1000000)
        limit = (struct limit){c->half >= 1e-2 ? 1.23 : 1.04, limit.from_best * 1.19};
    /* A CPU that may need longer for one unit than the GPU for all of them gets none: its part is lost. */
    if (unit_may_last_too_long(c))
        limit.from_best *= 1.0 + c->speed;
    /* A unit that the CPU has begun stays with it. Where one may last a hundredth of the run, this was
     * measured. */
    if (largest_unit(c) >= 0.01 * c->speed)
        limit = (struct limit){limit.slower + 0.009, limit.from_best + 0.004};
    /* Rank 0 fits a curve for each PU before it knows how to share. */
    double fits = 2.0 * PLB_FIT_SECONDS / c->seconds;
    struct limit least = measured(c);
    return (struct limit){fmax(limit.slower, least.slower) + fits,
                          fmax(limit.from_best, least.from_best) + fits};
}

static void check(const struct coexecution *c, const struct plb_cost_map *map, int seeds, int *bad,
                  double worst[2])
{
    struct coexecution alone = *c, quiet = *c;
    double sum = 0.0, share = 0.0;
    alone.speed = alone.noise = quiet.noise = 0.0;
    for (int seed = 1; seed <= seeds; seed++)
        sum += coexecution_run(c, map, "sure", true, (uint64_t)seed, &share) / seeds;
    double slower = sum / coexecution_run(&alone, map, "sure", true, 1, NULL);
    double from_best = sum / coexecution_best_split(&quiet, map);
    struct limit limit = limit_of(c);
    worst[0] = fmax(worst[0], slower / limit.slower);
    worst[1] = fmax(worst[1], from_best / limit.from_best);
    if (slower <= limit.slower && from_best <= limit.from_best)
        return;
    ++*bad;
    print_message("units %d%s speed %g half %g seconds %g guess %g noise %g: %.3f of the GPU alone (at most "
                  "%.3f), %.3f of "
                  "the best split (at most %.3f); CPU's share %.5f\n",
                  c->units, c->unequal ? " unequal" : "", c->speed, c->half, c->seconds, c->guess, c->noise,
                  slower, limit.slower, from_best, limit.from_best, share);
}

static void a_cpu_beside_a_gpu(void **state)
{
    (void)state;
    int bad = 0, n = 0;
    double worst[2] = {0.0, 0.0};
    for (int z = 0; z < 2 * COUNT(sizes); z++) {
        struct plb_cost_map map = coexecution_map(sizes[z / 2], z & 1);
        for (int i = 0; i < COUNT(speeds) * COUNT(halves) * COUNT(lengths) * COUNT(guesses); i++) {
            struct coexecution c = {.gpus = 1,
                                    .units = sizes[z / 2],
                                    .speed = speeds[i % COUNT(speeds)],
                                    .half = halves[i / COUNT(speeds) % COUNT(halves)],
                                    .seconds = lengths[i / COUNT(speeds) / COUNT(halves) % COUNT(lengths)],
                                    .unequal = z & 1,
                                    .guess = guesses[i / COUNT(speeds) / COUNT(halves) / COUNT(lengths)],
                                    .cpu_first = n++ & 1};
            check(&c, &map, 1, &bad, worst);
        }
        plb_cost_map_fini(&map);
    }
    print_message("%d cells, worst %.3f and %.3f of their bounds\n", n, worst[0], worst[1]);
    assert_int_equal(bad, 0);
}

/* Noise of 3 %, ten seeds; the mean may be off by the noise of few blocks. */
static void with_noise(void **state)
{
    (void)state;
    int bad = 0;
    double worst[2] = {0.0, 0.0};
    struct plb_cost_map map = coexecution_map(1000000, false);
    for (int i = 0; i < COUNT(speeds) * 2; i++) {
        struct coexecution c = {.gpus = 1,
                                .units = 1000000,
                                .speed = speeds[i / 2],
                                .half = 1e-6,
                                .seconds = i & 1 ? 20.0 : 1.0,
                                .noise = 0.03,
                                .guess = 1.0,
                                .cpu_first = true};
        check(&c, &map, 10, &bad, worst);
    }
    plb_cost_map_fini(&map);
    assert_int_equal(bad, 0);
}

/* Two and four equal GPUs, without and with a CPU, against the optimum by the true curves. */
static void several_gpus(void **state)
{
    (void)state;
    struct plb_cost_map map = coexecution_map(1000000, false);
    for (int gpus = 2; gpus <= 4; gpus += 2)
        for (int i = -1; i < COUNT(speeds); i++) {
            struct coexecution c = {.gpus = gpus,
                                    .units = 1000000,
                                    .speed = i < 0 ? 0.0 : speeds[i],
                                    .half = 1e-4,
                                    .seconds = 20.0,
                                    .guess = 1.0,
                                    .cpu_first = true};
            struct coexecution alone = c;
            alone.speed = 0.0;
            double with = coexecution_run(&c, &map, "sure", true, 1, NULL);
            double without = coexecution_run(&alone, &map, "sure", true, 1, NULL);
            double best = coexecution_run(&c, &map, "oracle", true, 1, NULL);
            if (with > SLOWER * without || with > FROM_BEST * best)
                fail_msg("%d GPUs, CPU %g: %g s, without the CPU %g s, at best %g s", gpus, c.speed, with,
                         without, best);
        }
    plb_cost_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cpu_beside_a_gpu),
        cmocka_unit_test(with_noise),
        cmocka_unit_test(several_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
