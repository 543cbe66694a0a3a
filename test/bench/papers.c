/* The experiments of PLB-HeC (2015) and PLB-HAC (2019) on virtual clusters: every scenario, application,
 * size and balancer, ten seeds each. Usage: papers FOLDER [filter [seeds [noise [readings|one-gpu]]]]; the
 * filter is a part of a cell's name, such as plb-hac-abc/mm; noise replaces that of the cluster files, unless
 * it is "-". With `readings` the papers' algorithms run as their texts can be read in other ways, with
 * `one-gpu` on PLB-HeC's four machines with one GPU each, as in its Figures 6 and 7. Writes
 * FOLDER/cells.csv and shares.csv, prints tables of makespan over the optimum, and says for each promise in
 * how many cells it is kept.
 *
 * The optimum is that of the same cluster without noise (model/optimum.h). */
#include <math.h>
#include <string.h>

#include "csv.h"
#include "job/balancer_table.h"
#include "simulated.h"

static int seeds = 10;
static double noise = -1.0; /* that of the cluster files */
#define MAX_POLICIES 16
#define SIZES 4
#define MAX_PUS 64

struct policy {
    const char *label;
    char *const settings[3];
};

/* sure comes first: it is the default, and the others are compared with it. oracle comes last: it is the
 * yardstick. */
static const struct policy usual[] = {
    {"sure", {"balance.balancer=sure"}},
    {"plb-hac", {"balance.balancer=plb-hac"}},
    {"plb-hec", {"balance.balancer=plb-hec"}},
    {"hdss", {"balance.balancer=hdss"}},
    {"hdss+sync", {"balance.balancer=hdss", "balance.hdss.sync=yes"}},
    {"acosta", {"balance.balancer=acosta"}},
    {"greedy", {"balance.balancer=greedy"}},
    {"greedy+idle", {"balance.balancer=greedy", "balance.greedy.ahead=0"}},
    {"static", {"balance.balancer=static"}},
    {"gss", {"balance.balancer=gss"}},
    {"factoring", {"balance.balancer=factoring"}},
    {"awf", {"balance.balancer=awf"}},
    {"hac+moves", {"balance.balancer=plb-hac", "balance.migration=on"}},
    {"oracle", {"balance.balancer=oracle"}},
};

/* First blocks of 1,024 elements for all, as in PLB-HAC's section 5.1; gaps by Algorithm 1's ratio, and not
 * by seconds; a least size of all blocks; training blocks of a unit at least; plb-hec's
 * threshold without a look at scatter; all functions of eq. 1 in one sum; times that never fade. */
static const struct policy readings[] = {
    {"plb-hac", {"balance.balancer=plb-hac"}},
    {"hac+1024", {"balance.balancer=plb-hac", "balance.initial_block=1024"}},
    {"hac+ratio", {"balance.balancer=plb-hac", "balance.gap_ratio=0.9"}},
    {"hac+least", {"balance.balancer=plb-hac", "balance.least_block=64"}},
    {"hac+unit", {"balance.balancer=plb-hac", "balance.least_training=1"}},
    {"plb-hec", {"balance.balancer=plb-hec"}},
    {"hec+1024", {"balance.balancer=plb-hec", "balance.initial_block=1024"}},
    {"hec+unit", {"balance.balancer=plb-hec", "balance.least_training=1"}},
    {"hec+plain", {"balance.balancer=plb-hec", "balance.scatter=off"}},
    {"hec+all", {"balance.balancer=plb-hec", "balance.terms=all"}},
    {"hac+all", {"balance.balancer=plb-hac", "balance.terms=all"}},
    {"hac+measured", {"balance.balancer=plb-hac", "balance.samples=measured"}},
    {"hdss+sync", {"balance.balancer=hdss", "balance.hdss.sync=yes"}},
    {"sync+1024", {"balance.balancer=hdss", "balance.hdss.sync=yes", "balance.initial_block=1024"}},
    {"oracle", {"balance.balancer=oracle"}},
};
static const struct policy *policies = usual;
static int n_policies = sizeof usual / sizeof *usual;

struct application {
    const char *name;
    long sizes[SIZES];
    const char *keys[3];
    char *kernel; /* where the conf names it, and this program would look elsewhere */
};

static const struct application applications[] = {
    {"mm",
     {4096, 16384, 32768, 65536},
     {"matmul.rows", "matmul.inner", "matmul.columns"},
     "app.kernel=build/kernels/matmul.so"},
    {"grn", {60000, 80000, 110000, 140000}, {"grn.genes"}, NULL},
    {"black-scholes",
     {10000, 50000, 200000, 500000},
     {"blackscholes.count"},
     "app.kernel=build/kernels/blackscholes.so"},
    {"k-means", {10000, 50000, 200000, 500000}, {"k-means.points"}, NULL},
};

static const char *const families[] = {"plb-hec-a",    "plb-hec-ab",   "plb-hec-abc",
                                       "plb-hec-abcd", "plb-hac-a",    "plb-hac-ab",
                                       "plb-hac-abc",  "plb-hac-abcd", "plb-hac-abcde"};
/* One GPU for each machine, as in PLB-HeC's Figures 6 and 7. */
static const char *const one_gpu[] = {"plb-hec-abcd-1"};
static const char *const *scenarios = families;
static int n_scenarios = sizeof families / sizeof *families;
enum {
    SCENARIOS = sizeof families / sizeof *families,
    APPLICATIONS = sizeof applications / sizeof *applications
};

/* Blocks as they were granted. */
struct grants {
    double left; /* units that are not granted */
    int n;
    struct grant {
        double time, units, left; /* left: before it */
        int pu;
    } at[100000];
};

/* The results of the seeds of one policy in one cell. */
struct outcome {
    double ratio, spread; /* makespan over the optimum: mean and standard deviation */
    double worst;         /* of the seeds */
    double solves;        /* systems solved in a run, on average */
    double training;      /* per cent of the makespan; 0 where there is none */
    double idle[3];       /* per cent, by kind of PU; NaN where there is none */
    double all, early;    /* per cent that PUs idled, and idled in training */
};

struct cell {
    const char *scenario;
    const struct application *app;
    long size;
    double optimum;
    struct outcome outcomes[MAX_POLICIES];
};

static void open_cell(struct plb_job *job, const struct cell *c, const struct policy *policy)
{
    char cluster[200], conf[200], keys[3][64], *settings[MAX_SETTINGS];
    int n = 0;
    snprintf(cluster, sizeof cluster, "hostfiles/%s.cluster", c->scenario);
    snprintf(conf, sizeof conf, "examples/papers/%s.conf", c->app->name);
    for (int k = 0; k < 3 && c->app->keys[k] != NULL; k++) {
        snprintf(keys[k], sizeof keys[k], "%s=%ld", c->app->keys[k], c->size);
        settings[n++] = keys[k];
    }
    if (c->app->kernel != NULL)
        settings[n++] = c->app->kernel;
    settings[n++] = "balance.migration=off"; /* the balancers as they are; a later setting overrides it */
    for (int k = 0; k < 3 && policy->settings[k] != NULL; k++)
        settings[n++] = policy->settings[k];
    open_job(job, cluster, conf, settings, n);
    for (int p = 0; noise >= 0.0 && p < job->cluster.n_pus; p++)
        job->cluster.pus[p].noise = noise;
}

static double optimum(const struct cell *c)
{
    struct plb_job job;
    open_cell(&job, c, &policies[n_policies - 1]);
    struct plb_simulated result = run_job(&job, 1);
    plb_master_free(result.master);
    plb_job_fini(&job);
    return result.optimum_s;
}

/* Sums over the seeds of idle time in per cent: by kind of PU, and of training. */
struct idleness {
    double of[3], early;
    int pus[3], n;
};

/* Adds one run to the sums of idle time and shares. */
static void count_run(const struct plb_simulated *result, double units, struct idleness *idle, double *shares)
{
    for (int p = 0; p < plb_master_pus(result->master); p++) {
        const struct plb_pu_totals *t = plb_master_totals(result->master, p);
        int kind = plb_master_pu(result->master, p)->kind;
        double waited = fmax(result->makespan_s - t->execute_s - t->transfer_s, 0.0);
        idle->of[kind] += 100.0 * waited / result->makespan_s;
        idle->early += 100.0 * t->training_s / result->makespan_s;
        idle->pus[kind]++;
        idle->n++;
        shares[p] += (double)t->units / units / seeds;
    }
}

static void on_grant(void *context, double now, int pu, struct plb_range range)
{
    struct grants *g = context;
    if (g->n < (int)(sizeof g->at / sizeof *g->at))
        g->at[g->n++] = (struct grant){now, (double)range.count, g->left, pu};
    g->left -= (double)range.count;
}

/* Sums over the seeds, by PU: its part of all work, and of one step, with squares. */
struct parts {
    double work[MAX_PUS], step[MAX_PUS], squares[MAX_PUS];
};

/* Each PU's part of a step, as the papers compare them: at the end of training, and of Acosta, which has
 * none, in the last whole iteration. A weighted balancer grants parts of what is left. */
static void find_step(const struct grants *g, double trained, bool weighted, int n_pus, struct parts *parts)
{
    double sum = 0.0, last[MAX_PUS] = {0}, step[MAX_PUS] = {0};
    for (int i = 0; i < g->n; i++) {
        const struct grant *b = &g->at[i];
        if (trained > 0.0 && b->time >= trained && step[b->pu] == 0.0)
            step[b->pu] = weighted ? b->units / b->left : b->units;
        if (trained == 0.0 && i + n_pus < g->n) {
            step[b->pu] = last[b->pu];
            last[b->pu] = b->units;
        }
    }
    for (int p = 0; p < n_pus; p++)
        sum += step[p];
    for (int p = 0; p < n_pus; p++) {
        double part = sum > 0.0 ? step[p] / sum : 0.0;
        parts->step[p] += part;
        parts->squares[p] += part * part;
    }
}

static void run_policy(struct cell *c, int policy, FILE *cells, FILE *shares)
{
    struct plb_job job;
    struct outcome *o = &c->outcomes[policy];
    double sum = 0.0, squares = 0.0;
    struct idleness idle = {0};
    open_cell(&job, c, &policies[policy]);
    struct parts parts = {0};
    bool weighted = strncmp(policies[policy].label, "hdss", 4) == 0;
    for (int seed = 1; seed <= seeds; seed++) {
        static struct grants grants;
        grants.left = (double)job.maps[0].units;
        grants.n = 0;
        struct plb_simulated result = run_watched(
            &job, (uint64_t)seed, &(struct plb_watch){.context = &grants, .granted = on_grant});
        double ratio = result.makespan_s / c->optimum;
        sum += ratio;
        squares += ratio * ratio;
        o->worst = fmax(o->worst, ratio);
        o->solves += (double)plb_master_stats(result.master)->solves / seeds;
        double trained = plb_master_stats(result.master)->profile_end;
        o->training += 100.0 * trained / result.makespan_s / seeds;
        count_run(&result, (double)job.maps[0].units, &idle, parts.work);
        find_step(&grants, trained, weighted, job.cluster.n_pus, &parts);
        plb_master_free(result.master);
    }
    o->ratio = sum / seeds;
    o->spread = sqrt(fmax(squares / seeds - o->ratio * o->ratio, 0.0));
    for (int k = 0; k < 3; k++)
        o->idle[k] = idle.pus[k] > 0 ? idle.of[k] / idle.pus[k] : (double)NAN;
    o->all = (idle.of[0] + idle.of[1] + idle.of[2]) / idle.n;
    o->early = idle.early / idle.n;
    fprintf(cells, "%s,%s,%ld,%s,%.9g,%.6f,%.6f,%.3f,%.3f,%.3f,%.1f,%.2f,%.3f,%.3f\n", c->scenario,
            c->app->name, c->size, policies[policy].label, c->optimum, o->ratio, o->spread, o->idle[0],
            o->idle[1], o->idle[2], o->solves, o->training, o->all, o->early);
    for (int p = 0; p < job.cluster.n_pus; p++) {
        double step = parts.step[p] / seeds;
        fprintf(shares, "%s,%s,%ld,%s,%d,%s,%.6f,%.6f,%.6f\n", c->scenario, c->app->name, c->size,
                policies[policy].label, p, job.cluster.pus[p].name, parts.work[p], step,
                sqrt(fmax(parts.squares[p] / seeds - step * step, 0.0)));
    }
    plb_job_fini(&job);
}

static void print_cell(const struct cell *c)
{
    printf("%-14s %-14s %7ld %9.3f", c->scenario, c->app->name, c->size, c->optimum);
    for (int p = 0; p < n_policies; p++)
        printf(" %11.3f", c->outcomes[p].ratio);
    putchar('\n');
    fflush(stdout);
}

static void run_cell(struct cell *c, FILE *cells, FILE *shares)
{
    c->optimum = optimum(c);
    for (int p = 0; p < n_policies; p++)
        run_policy(c, p, cells, shares);
    print_cell(c);
}

static double best(const struct cell *c)
{
    double least = INFINITY;
    for (int p = 0; p + 1 < n_policies; p++) /* the oracle is the yardstick, not a rival */
        least = fmin(least, c->outcomes[p].ratio);
    return least;
}

/* The promises for the default, counted over all cells; where one is broken, by how much at worst. */
static void judge(const struct cell *cells, int n)
{
    int good[3] = {0}, all[3] = {0};
    double worst[3] = {0};
    const struct cell *where[3] = {0};
    for (int i = 0; i < n; i++) {
        const struct cell *c = &cells[i];
        bool three = strlen(c->scenario) >= strlen("plb-hac-abc"),
             largest = c->size == c->app->sizes[SIZES - 1];
        double value[3] = {c->outcomes[0].ratio / best(c), c->outcomes[0].ratio, c->outcomes[0].ratio};
        double limit[3] = {1.01, 1.01, 1.05};
        bool counts[3] = {true, three && largest, c->optimum >= 1.0};
        for (int k = 0; k < 3; k++) {
            if (!counts[k])
                continue;
            all[k]++;
            good[k] += value[k] <= limit[k];
            if (value[k] > worst[k]) {
                worst[k] = value[k];
                where[k] = c;
            }
        }
    }
    static const char *const promises[3] = {
        "sure within 1 % of the best of all balancers",
        "at most 1.01 of the optimum at the largest size on three machines or more",
        "at most 1.05 of the optimum where that lasts a second or more"};
    for (int k = 0; k < 3; k++)
        if (all[k] > 0)
            printf("%s: %d of %d cells; worst %.3f (%s, %s %ld)\n", promises[k], good[k], all[k], worst[k],
                   where[k]->scenario, where[k]->app->name, where[k]->size);
}

/* The one run of sure that was furthest from the optimum, among those of a second or more. */
static void find_worst(const struct cell *cells, int n)
{
    const struct cell *worst = NULL;
    for (int i = 0; i < n; i++)
        if (cells[i].optimum >= 1.0
            && (worst == NULL || cells[i].outcomes[0].worst > worst->outcomes[0].worst))
            worst = &cells[i];
    if (worst != NULL)
        printf("worst single run of sure where the optimum lasts a second or more: %.3f (%s, %s %ld)\n",
               worst->outcomes[0].worst, worst->scenario, worst->app->name, worst->size);
}

int main(int argc, char **argv)
{
    static struct cell all[SCENARIOS * APPLICATIONS * SIZES];
    int n = 0;
    const char *folder = argc > 1 ? argv[1] : ".", *filter = argc > 2 ? argv[2] : "";
    seeds = argc > 3 ? atoi(argv[3]) : seeds;
    noise = argc > 4 && strcmp(argv[4], "-") != 0 ? atof(argv[4]) : noise;
    if (argc > 5 && strcmp(argv[5], "one-gpu") == 0) {
        scenarios = one_gpu;
        n_scenarios = sizeof one_gpu / sizeof *one_gpu;
    } else if (argc > 5) {
        policies = readings;
        n_policies = sizeof readings / sizeof *readings;
    }
    FILE *cells = create_csv(
        folder, "cells.csv",
        "scenario,application,size,balancer,optimum_s,ratio,spread,idle_cpu,idle_gpu,idle_"
        "accelerator,solves,training,idle,idle_training");
    FILE *shares = create_csv(folder, "shares.csv",
                              "scenario,application,size,balancer,pu,name,share,step,step_spread");
    printf("makespan over the optimum, mean of %d seeds with %s\n%-14s %-14s %7s %9s", seeds,
           noise < 0.0 ? "the noise of the cluster files" : "another noise", "scenario", "application",
           "size", "optimum s");
    for (int p = 0; p < n_policies; p++)
        printf(" %11s", policies[p].label);
    putchar('\n');
    for (int s = 0; s < n_scenarios; s++)
        for (int a = 0; a < APPLICATIONS; a++)
            for (int z = 0; z < SIZES; z++) {
                char name[100];
                snprintf(name, sizeof name, "%s/%s/%ld", scenarios[s], applications[a].name,
                         applications[a].sizes[z]);
                if (strstr(name, filter) == NULL)
                    continue;
                all[n] = (struct cell){
                    .scenario = scenarios[s], .app = &applications[a], .size = applications[a].sizes[z]};
                run_cell(&all[n++], cells, shares);
            }
    fclose(cells);
    fclose(shares);
    if (policies == usual && scenarios == families) {
        judge(all, n);
        find_worst(all, n);
    }
    return 0;
}
