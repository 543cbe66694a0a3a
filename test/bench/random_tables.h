/* What the bench of random clusters found, as tables. */
#ifndef BENCH_RANDOM_TABLES_H
#define BENCH_RANDOM_TABLES_H

#include <stdio.h>

#include "job/balancer_table.h"
#include "params.h"
#include "random_bound.h"

#define SEEDS 3
#define MAX_CLUSTERS 10000
#define MAX_BALANCERS 16
#define WORST 10

/* A balancer loses a cluster where its makespan is more than this times a rival's. */
#define LOSES 1.01

/* Seconds of this machine after which a simulation is called slow. */
#define SLOW 3.0

enum state { NOT_RUN, STARTED, ENDED, FAILED };

struct outcome {
    enum state state;
    double makespan_s, wall_s; /* virtual; of this machine */
    int64_t events;
};

struct cluster_result {
    int number;
    bool complete;
    char what[200];
    double fluid[SEEDS], bound[SEEDS];
    struct outcome outcomes[MAX_BALANCERS][SEEDS];
};

struct results {
    int n_clusters, n_balancers;
    const struct plb_balancer *balancers[MAX_BALANCERS];
    struct cluster_result clusters[MAX_CLUSTERS];
};

/* One line for people. */
static inline void random_describe(const struct random_cluster *r, char *text, size_t size)
{
    static const char *const laws[] = {"equal", "ramp", "scatter", "power", "hump", "few"};
    char costs[40] = "", powers[40] = "true";
    if (r->law.kind != LAW_EQUAL)
        snprintf(costs, sizeof costs, " %s",
                 !r->told              ? "untold"
                 : r->cost_error > 0.0 ? "told wrong"
                                       : "told");
    if (r->power_error != 1.0)
        snprintf(powers, sizeof powers, r->power_error > 0.0 ? "/%.0f" : "1", r->power_error);
    snprintf(
        text, size,
        "%3d PUs %3d nodes 1:%-5.0f %7lld %s%s, %.3g s, start %.0e, noise %2.0f%%, load %.0e, latency %.0e, "
        "powers %s%s%s%s",
        r->cluster.n_pus, r->cluster.n_nodes, r->speeds, (long long)r->law.units, laws[r->law.kind], costs,
        r->seconds, r->start / r->seconds, 100.0 * r->noise, r->load, r->latency, powers,
        r->small_memory ? ", small memory" : "", r->change != NO_CHANGE ? ", " : "", change_names[r->change]);
}

/* Whether it knows nothing but what it measures and what all are told. */
static inline bool told_nothing(const struct plb_balancer *b)
{
    struct plb_param params[MAX_PARAMS];
    default_params(b, params);
    return !b->simulation_only && (b->basis == NULL || b->basis(params) == PLB_BY_MEASUREMENT);
}

/* The makespan over the bound, mean of the seeds; infinite where one failed. `fluid`: over the fluid bound. */
static inline double ratio(const struct cluster_result *c, int b, bool fluid)
{
    double sum = 0.0;
    for (int s = 0; s < SEEDS; s++) {
        if (c->outcomes[b][s].state != ENDED)
            return INFINITY;
        sum += c->outcomes[b][s].makespan_s / (fluid ? c->fluid[s] : c->bound[s]) / SEEDS;
    }
    return sum;
}

/* The least ratio of all others that are told nothing. */
static inline double best_rival(const struct results *r, const struct cluster_result *c, int b)
{
    double best = INFINITY;
    for (int other = 0; other < r->n_balancers; other++)
        if (other != b && told_nothing(r->balancers[other]))
            best = fmin(best, ratio(c, other, false));
    return best;
}

static inline int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* What a balancer did on all clusters. */
static inline void print_balancer(const struct results *r, int b)
{
    static double sorted[MAX_CLUSTERS];
    double logs = 0.0, fluid = 0.0, wall = 0.0;
    int n = r->n_clusters, ended = 0, loses = 0, above = 0, slow = 0;
    for (int i = 0; i < n; i++) {
        const struct cluster_result *c = &r->clusters[i];
        sorted[i] = ratio(c, b, false);
        loses += sorted[i] > LOSES * best_rival(r, c, b);
        above += sorted[i] > 1.05;
        for (int s = 0; s < SEEDS; s++) {
            wall += c->outcomes[b][s].wall_s;
            slow += c->outcomes[b][s].wall_s > SLOW;
        }
        if (!isfinite(sorted[i]))
            continue;
        logs += log(sorted[i]);
        fluid += log(ratio(c, b, true));
        ended++;
    }
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    printf("%-10s %7.3f %7.3f %7.3f %9.2f %9d %9d %9.3f %7d %7.1f %5d\n", r->balancers[b]->name,
           exp(logs / ended), sorted[n / 2], sorted[n * 9 / 10], sorted[n - 1], loses, above,
           exp(fluid / ended), n - ended, wall, slow);
}

/* The clusters where a balancer was furthest from the bound. */
static inline void print_worst(const struct results *r, int b)
{
    static bool shown[MAX_CLUSTERS];
    memset(shown, 0, sizeof shown);
    printf("\n%s's worst clusters, with the best of the others that are told nothing\n",
           r->balancers[b]->name);
    for (int k = 0; k < WORST && k < r->n_clusters; k++) {
        int worst = -1;
        for (int i = 0; i < r->n_clusters; i++)
            if (!shown[i]
                && (worst < 0 || ratio(&r->clusters[i], b, false) > ratio(&r->clusters[worst], b, false)))
                worst = i;
        const struct cluster_result *c = &r->clusters[worst];
        shown[worst] = true;
        printf("%5d %9.3f %9.3f  %s\n", c->number, ratio(c, b, false), best_rival(r, c, b), c->what);
    }
}

/* Slow simulations are findings. */
static inline void print_slow(const struct results *r)
{
    for (int i = 0; i < r->n_clusters; i++)
        for (int b = 0; b < r->n_balancers; b++) {
            const struct outcome *worst = &r->clusters[i].outcomes[b][0];
            for (int s = 1; s < SEEDS; s++)
                if (r->clusters[i].outcomes[b][s].wall_s > worst->wall_s)
                    worst = &r->clusters[i].outcomes[b][s];
            if (worst->wall_s > SLOW)
                printf("slow: cluster %d with %s took %.1f s, %lld events\n", r->clusters[i].number,
                       r->balancers[b]->name, worst->wall_s, (long long)worst->events);
        }
}

static inline int balancer_called(const struct results *r, const char *name)
{
    for (int b = 0; b < r->n_balancers; b++)
        if (strcmp(r->balancers[b]->name, name) == 0)
            return b;
    return -1;
}

static inline void print_results(const struct results *r)
{
    printf("makespan over the bound, mean of %d seeds, on %d clusters\n", SEEDS, r->n_clusters);
    printf("%-10s %7s %7s %7s %9s %9s %9s %9s %7s %7s %5s\n", "balancer", "geomean", "median", "90 %",
           "worst", "loses 1 %", "over 1.05", "/fluid", "failed", "real s", "slow");
    for (int b = 0; b < r->n_balancers; b++)
        print_balancer(r, b);
    static const char *const watched[] = {"sure", "plb-hac"};
    for (int i = 0; i < 2; i++)
        if (balancer_called(r, watched[i]) >= 0)
            print_worst(r, balancer_called(r, watched[i]));
    print_slow(r);
}

/* One line per simulation. */
static inline void write_csv(const struct results *r, const char *folder)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/random.csv", folder);
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    fprintf(f, "cluster,balancer,seed,makespan_s,bound_s,fluid_s,real_s,events\n");
    for (int i = 0; i < r->n_clusters; i++)
        for (int b = 0; b < r->n_balancers; b++)
            for (int s = 0; s < SEEDS; s++) {
                const struct cluster_result *c = &r->clusters[i];
                const struct outcome *o = &c->outcomes[b][s];
                fprintf(f, "%d,%s,%d,%.9g,%.9g,%.9g,%.3f,%lld\n", c->number, r->balancers[b]->name, s + 1,
                        o->state == ENDED ? o->makespan_s : (double)INFINITY, c->bound[s], c->fluid[s],
                        o->wall_s, (long long)o->events);
            }
    fclose(f);
}

#endif
