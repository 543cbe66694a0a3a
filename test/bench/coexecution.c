/* The effect of a CPU added to a GPU under the default balancer, over a wide grid in virtual time: the worst
 * cells, by makespan over the GPU's alone and over the best fixed split. Usage: coexecution [worst [off
 * [balancer]]]: how many cells to print; off = without migration. */
#include "coexecution.h"

static const double speeds[] = {1.0, 1.0 / 3, 0.1, 1.0 / 30, 0.01, 1.0 / 300, 1e-3, 1e-4};
static const double halves[] = {1e-6, 1e-3, 1e-2, 0.1};
static const double lengths[] = {0.05, 1.0, 20.0, 200.0};
static const double guesses[] = {0.1, 1.0, 10.0};
static const int sizes[] = {200, 10000, 1000000};

struct cell {
    struct coexecution c;
    double alone, best, share; /* makespans over the GPU's alone and the best split's; the CPU's share */
};

static int by_alone(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    return x->alone > y->alone ? -1 : x->alone < y->alone;
}

static int by_best(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    return x->best > y->best ? -1 : x->best < y->best;
}

static const char *policy = "sure";

static void run_cell(struct cell *cell, const struct plb_cost_map *map, bool migration)
{
    struct coexecution alone = cell->c;
    int seeds = cell->c.noise > 0.0 ? 10 : 1;
    double sum = 0.0, reference = 0.0;
    alone.speed = 0.0;
    for (int seed = 1; seed <= seeds; seed++) {
        sum += coexecution_run(&cell->c, map, policy, migration, (uint64_t)seed, &cell->share) / seeds;
        reference += coexecution_run(&alone, map, policy, migration, (uint64_t)seed, NULL) / seeds;
    }
    cell->alone = sum / reference;
    cell->best = sum / coexecution_best_split(&cell->c, map);
}

static void print(const char *title, const struct cell *cells, int n)
{
    printf("%s\n%8s %3s %9s %7s %7s %9s %5s %5s %5s %9s %9s %9s\n", title, "units", "", "speed", "half",
           "seconds", "guess", "first", "noise", "", "/alone", "/best", "CPU share");
    for (int i = 0; i < n; i++) {
        const struct coexecution *c = &cells[i].c;
        printf("%8d %3s %9.2g %7.0e %7.3g %9.2g %5s %5.2f %5s %9.3f %9.3f %9.4f\n", c->units,
               c->unequal ? "law" : "", c->speed, c->half, c->seconds, c->guess, c->cpu_first ? "cpu" : "gpu",
               c->noise, "", cells[i].alone, cells[i].best, cells[i].share);
    }
}

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static int fill(struct cell *cells, const struct plb_cost_map *map, int units, bool unequal, bool migration)
{
    int n = 0;
    for (int s = 0; s < COUNT(speeds); s++)
        for (int h = 0; h < COUNT(halves); h++)
            for (int l = 0; l < COUNT(lengths); l++)
                for (int k = 0; k < 2 * 2 * COUNT(guesses); k++) {
                    struct cell *cell = &cells[n++];
                    cell->c = (struct coexecution){1,          units,   speeds[s],          halves[h],
                                                   lengths[l], unequal, k & 1 ? 0.03 : 0.0, guesses[k / 4],
                                                   k & 2};
                    run_cell(cell, map, migration);
                }
    return n;
}

/* The worst ratio of each speed and half, over everything else. */
static void pivot(const struct cell *cells, int n, bool noise)
{
    for (int s = 0; s < COUNT(speeds); s++) {
        printf("%9.2g", speeds[s]);
        for (int what = 0; what < 2; what++)
            for (int h = 0; h < COUNT(halves); h++) {
                double worst = 0.0;
                for (int i = 0; i < n; i++)
                    if (cells[i].c.speed == speeds[s] && cells[i].c.half == halves[h]
                        && (cells[i].c.noise > 0.0) == noise)
                        worst = fmax(worst, what == 0 ? cells[i].alone : cells[i].best);
                printf(" %8.3f", worst);
            }
        printf("\n");
    }
}

/* All cells of one map; what they gave, in a table per noise. */
static int run_map(struct cell *cells, int units, bool unequal, bool migration)
{
    struct plb_cost_map map = coexecution_map(units, unequal);
    int n = fill(cells, &map, units, unequal, migration), slower = 0, far = 0;
    plb_cost_map_fini(&map);
    for (int i = 0; i < n; i++) {
        slower += cells[i].alone > 1.01;
        far += cells[i].best > 1.02;
    }
    printf("%d units%s: %d of %d cells are over 1.01 of the GPU alone, %d over 1.02 of the best split\n",
           units, unequal ? ", unequal" : "", slower, n, far);
    for (int noise = 0; noise < 2; noise++) {
        printf("noise %s: worst over alone, then over the best split, by half 1e-6 1e-3 1e-2 1e-1\n",
               noise ? "3 %" : "0");
        pivot(cells, n, noise);
    }
    fflush(stdout);
    return n;
}

int main(int argc, char **argv)
{
    static struct cell
        cells[2 * COUNT(sizes) * COUNT(speeds) * COUNT(halves) * COUNT(lengths) * 4 * COUNT(guesses)];
    policy = argc > 3 ? argv[3] : policy;
    int n = 0, worst = argc > 1 ? atoi(argv[1]) : 10;
    for (int z = 0; z < 2 * COUNT(sizes); z++)
        n += run_map(cells + n, sizes[z / 2], z & 1, argc <= 2);
    qsort(cells, (size_t)n, sizeof *cells, by_alone);
    print("worst over the GPU alone", cells, worst);
    qsort(cells, (size_t)n, sizeof *cells, by_best);
    print("worst over the best split", cells, worst);
    return 0;
}
