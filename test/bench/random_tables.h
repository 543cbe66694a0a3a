/* The findings of the bench of random clusters, as tables. */
#ifndef BENCH_RANDOM_TABLES_H
#define BENCH_RANDOM_TABLES_H

#include <stdio.h>

#include "csv.h"
#include "job/balancer_table.h"
#include "params.h"
#include "random_notes.h"

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
    char what[200]; /* one line for people */
    char csv[200];  /* one line for programs */
    unsigned notes;
    double fluid[SEEDS], bound[SEEDS];
    struct outcome outcomes[MAX_BALANCERS][SEEDS];
};

struct results {
    int n_clusters, n_balancers;
    const struct plb_balancer *balancers[MAX_BALANCERS];
    struct cluster_result clusters[MAX_CLUSTERS];
};

/* One line for people, and one of clusters.csv. */
static inline void random_describe(const struct random_cluster *r, struct cluster_result *c)
{
    char costs[40] = "", powers[40] = "true";
    const char *costs_are = r->law.kind == LAW_EQUAL ? ""
                          : !r->told                 ? "unknown"
                          : r->cost_error > 0.0      ? "wrong"
                                                     : "given";
    if (r->law.kind != LAW_EQUAL)
        snprintf(costs, sizeof costs, " %s", costs_are);
    if (r->power_error != 1.0)
        snprintf(powers, sizeof powers, r->power_error > 0.0 ? "/%.0f" : "1", r->power_error);
    snprintf(
        c->what, sizeof c->what,
        "%d PUs on %d nodes 1:%.0f, %lld %s%s, %.3g s, start %.0e, noise %.0f%%, load %.0e, latency %.0e, "
        "powers %s%s%s%s",
        r->cluster.n_pus, r->cluster.n_nodes, r->speeds, (long long)r->law.units, law_names[r->law.kind],
        costs, r->seconds, r->start / r->seconds, 100.0 * r->noise, r->load, r->latency, powers,
        r->small_memory ? ", small memory" : "", r->change != NO_CHANGE ? ", " : "", change_names[r->change]);
    snprintf(c->csv, sizeof c->csv, "%d,%d,%d,%g,%lld,%s,%s,%g,%g,%g,%g,%g,%g,%d,%s", r->number,
             r->cluster.n_pus, r->cluster.n_nodes, r->speeds, (long long)r->law.units, law_names[r->law.kind],
             costs_are, r->seconds, r->start, r->noise, r->load, r->latency, r->power_error, r->small_memory,
             change_names[r->change]);
}

/* The notes' names, by commas. */
static inline const char *notes_text(unsigned notes)
{
    static char text[100];
    text[0] = '\0';
    for (int i = 0; i < NOTES; i++)
        if (notes & 1u << i)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? " " : "",
                     note_names[i]);
    return text;
}

/* Whether it knows nothing but what it measures and what all are told. */
static inline bool no_knowledge(const struct plb_balancer *b)
{
    struct plb_param params[MAX_PARAMS];
    default_params(b, params);
    return !b->simulation_only && (b->basis == NULL || b->basis(params) == PLB_BY_MEASUREMENT);
}

/* The makespan over the bound, mean of the seeds; infinite where one failed. `fluid`: the fluid bound. */
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
        if (other != b && no_knowledge(r->balancers[other]))
            best = fmin(best, ratio(c, other, false));
    return best;
}

/* Whether one rival is better with each of the seeds, so that luck is hardly why. */
static inline bool loses_always(const struct results *r, const struct cluster_result *c, int b)
{
    for (int other = 0; other < r->n_balancers; other++) {
        bool always = other != b && no_knowledge(r->balancers[other])
                   && ratio(c, b, false) > LOSES * ratio(c, other, false);
        for (int s = 0; s < SEEDS; s++)
            always = always && c->outcomes[b][s].makespan_s > LOSES * c->outcomes[other][s].makespan_s;
        if (always)
            return true;
    }
    return false;
}

static inline int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The results of a balancer on some clusters. */
struct summary {
    int n, failed, loses, always, above, slow;
    double logs, fluid_logs, wall_s; /* sums; logs of those that did not fail */
    double sorted[MAX_CLUSTERS];
};

static inline void count(const struct results *r, const struct cluster_result *c, int b, struct summary *s)
{
    double value = s->sorted[s->n++] = ratio(c, b, false);
    s->loses += value > LOSES * best_rival(r, c, b);
    s->always += loses_always(r, c, b);
    s->above += value > 1.0 + NOTE;
    for (int seed = 0; seed < SEEDS; seed++) {
        s->wall_s += c->outcomes[b][seed].wall_s;
        s->slow += c->outcomes[b][seed].wall_s > SLOW;
    }
    s->failed += !isfinite(value);
    s->logs += isfinite(value) ? log(value) : 0.0;
    s->fluid_logs += isfinite(value) ? log(ratio(c, b, true)) : 0.0;
}

/* One line per balancer; of all clusters, or of those without a note. */
static inline void print_table(const struct results *r, bool noted)
{
    static struct summary s;
    printf("%-10s %8s %8s %8s %9s %9s %10s %10s %8s %7s %7s %5s\n", "balancer", "geomean", "median", "90 %",
           "worst", "loses 1 %", "every seed", "above 1.05", "/fluid", "failed", "real s", "slow");
    for (int b = 0; b < r->n_balancers; b++) {
        memset(&s, 0, sizeof s);
        for (int i = 0; i < r->n_clusters; i++)
            if (noted || r->clusters[i].notes == 0)
                count(r, &r->clusters[i], b, &s);
        if (s.n == 0)
            return;
        qsort(s.sorted, (size_t)s.n, sizeof *s.sorted, by_value);
        printf("%-10s %8.3f %8.3f %8.3f %9.2f %9d %10d %10d %8.3f %7d %7.1f %5d\n", r->balancers[b]->name,
               exp(s.logs / (s.n - s.failed)), s.sorted[s.n / 2], s.sorted[s.n * 9 / 10], s.sorted[s.n - 1],
               s.loses, s.always, s.above, exp(s.fluid_logs / (s.n - s.failed)), s.failed, s.wall_s, s.slow);
    }
}

/* The clusters where a balancer was furthest from the bound; with notes, or without. */
static inline void print_worst(const struct results *r, int b, bool noted)
{
    static bool shown[MAX_CLUSTERS];
    memset(shown, 0, sizeof shown);
    printf("\n%s's worst clusters with%s a note, and the best of the others that are told nothing\n",
           r->balancers[b]->name, noted ? "" : "out");
    for (int k = 0; k < WORST; k++) {
        int worst = -1;
        for (int i = 0; i < r->n_clusters; i++)
            if (!shown[i] && (r->clusters[i].notes != 0) == noted
                && (worst < 0 || ratio(&r->clusters[i], b, false) > ratio(&r->clusters[worst], b, false)))
                worst = i;
        if (worst < 0)
            return;
        const struct cluster_result *c = &r->clusters[worst];
        shown[worst] = true;
        printf("%5d %9.3f %9.3f  %s; %s\n", c->number, ratio(c, b, false), best_rival(r, c, b), c->what,
               notes_text(c->notes));
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
    int without = 0, notes[NOTES] = {0};
    for (int i = 0; i < r->n_clusters; i++) {
        without += r->clusters[i].notes == 0;
        for (int k = 0; k < NOTES; k++)
            notes[k] += (r->clusters[i].notes & 1u << k) != 0;
    }
    printf("makespan over the bound, mean of %d seeds, on %d clusters\n", SEEDS, r->n_clusters);
    print_table(r, true);
    printf("\non those %d that have no note why nobody could come near the bound; notes:", without);
    for (int k = 0; k < NOTES; k++)
        printf(" %s %d", note_names[k], notes[k]);
    putchar('\n');
    print_table(r, false);
    static const char *const watched[] = {"sure", "plb-hac"};
    for (int i = 0; i < 2; i++)
        for (int noted = 0; noted < 2; noted++)
            if (balancer_called(r, watched[i]) >= 0)
                print_worst(r, balancer_called(r, watched[i]), noted);
    print_slow(r);
}

/* random.csv has a line for each simulation, clusters.csv for each cluster, ratios.csv for each balancer on
 * each cluster. */
static inline void write_csv(const struct results *r, const char *folder)
{
    FILE *f = create_csv(folder, "random.csv",
                         "cluster,balancer,seed,makespan_s,bound_s,fluid_s,real_s,events");
    FILE *ratios = create_csv(folder, "ratios.csv", "cluster,balancer,ratio,noted");
    FILE *clusters = create_csv(folder, "clusters.csv",
                                "cluster,pus,nodes,speeds,units,law,told,seconds,start_s,noise,load,"
                                "latency_s,power_error,small_memory,change,notes");
    for (int i = 0; i < r->n_clusters; i++) {
        const struct cluster_result *c = &r->clusters[i];
        fprintf(clusters, "%s,%s\n", c->csv, notes_text(c->notes));
        for (int b = 0; b < r->n_balancers; b++)
            fprintf(ratios, "%d,%s,%.6f,%d\n", c->number, r->balancers[b]->name, ratio(c, b, false),
                    c->notes != 0);
        for (int b = 0; b < r->n_balancers; b++)
            for (int s = 0; s < SEEDS; s++) {
                const struct outcome *o = &c->outcomes[b][s];
                fprintf(f, "%d,%s,%d,%.9g,%.9g,%.9g,%.3f,%lld\n", c->number, r->balancers[b]->name, s + 1,
                        o->state == ENDED ? o->makespan_s : (double)INFINITY, c->bound[s], c->fluid[s],
                        o->wall_s, (long long)o->events);
            }
    }
    fclose(f);
    fclose(clusters);
    fclose(ratios);
}

#endif
