/* Every balancer on random clusters (random_cluster.h has the distribution), three seeds each.
 * Usage: random FOLDER. Writes FOLDER/random.csv and prints tables. Set in the environment:
 *
 *   N=60               the clusters 1 to 60; 1000 by default
 *   PART=tune|report   the even numbers, which balancers may be tuned on, or the odd ones; both by default
 *   PART=fresh         200 others, to be looked at only once a change is finished
 *   BALANCERS=sure,..  these alone
 *   BENCH_RANDOM=1234  this cluster alone, with all that is known of it
 *   JOBS=2             processes; one for each core by default */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "fluid_bound.h"
#include "random_dump.h"
#include "random_run.h"
#include "random_tables.h"

/* Seconds of CPU time after which a simulation is killed, as a call that never returns must be. */
#define MOST_SECONDS 120

static void kill_after(int seconds)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = seconds}}, NULL);
}

/* Data that all processes see. */
struct shared {
    atomic_int next; /* the place of the next cluster in the list */
    struct results results;
};

static void run(const struct random_cluster *r, const struct plb_balancer *b,
                const struct plb_cost_map *costs, uint64_t seed, struct outcome *o)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    o->state = STARTED;
    double began = plb_now();
    kill_after(MOST_SECONDS);
    bool fine = random_run(r, b, costs, seed, &result, &err) == PLB_OK;
    kill_after(0);
    o->wall_s = plb_now() - began;
    o->makespan_s = result.makespan_s;
    o->events = result.events;
    o->state = fine ? ENDED : FAILED;
    if (!fine)
        fprintf(stderr, "cluster %d, %s, seed %d: %s\n", r->number, b->name, (int)seed, err.text);
    plb_master_free(result.master);
}

/* All balancers and seeds on one cluster, but for those that an earlier process has tried. */
static void run_cluster(struct results *results, int at)
{
    static struct random_cluster r;
    struct cluster_result *c = &results->clusters[at];
    make_random_cluster(&r, c->number);
    random_describe(&r, c);
    for (int seed = 0; seed < SEEDS; seed++) {
        struct plb_cost_map costs = random_true_map(&r, (uint64_t)seed + 1);
        double all = costs.per_work * (double)costs.units;
        c->fluid[seed] = fluid_bound(&r.cluster, all, 0.0, false);
        c->bound[seed] = random_bound(&r, &costs);
        c->notes |= random_notes(&r, &costs, c->bound[seed]);
        for (int b = 0; b < results->n_balancers; b++)
            if (c->outcomes[b][seed].state == NOT_RUN)
                run(&r, results->balancers[b], &costs, (uint64_t)seed + 1, &c->outcomes[b][seed]);
        plb_cost_map_fini(&costs);
    }
    free_random_cluster(&r);
    c->complete = true;
}

static void work(struct shared *s)
{
    for (int at; (at = atomic_fetch_add(&s->next, 1)) < s->results.n_clusters;)
        if (!s->results.clusters[at].complete)
            run_cluster(&s->results, at);
}

/* A process died within this simulation: it counts as failed, and what is left of its cluster is run. */
static void mark_dead(struct shared *s)
{
    struct results *r = &s->results;
    for (int at = 0; at < r->n_clusters; at++)
        for (int i = 0; i < r->n_balancers * SEEDS; i++) {
            struct outcome *o = &r->clusters[at].outcomes[i / SEEDS][i % SEEDS];
            if (o->state != STARTED || r->clusters[at].complete)
                continue;
            fprintf(stderr, "cluster %d, %s, seed %d: the simulation crashed, or took longer than %d s\n",
                    r->clusters[at].number, r->balancers[i / SEEDS]->name, i % SEEDS + 1, MOST_SECONDS);
            o->state = FAILED;
        }
}

/* Until no process dies: the next ones go on where it was. */
static void run_all(struct shared *s, int jobs)
{
    bool crashed = true;
    fflush(stdout);
    while (crashed) {
        int alive = 0, status;
        crashed = false;
        atomic_store(&s->next, 0);
        for (; alive < jobs; alive++)
            if (fork() == 0) {
                work(s);
                _exit(0);
            }
        for (; alive > 0 && wait(&status) > 0; alive--)
            crashed |= status != 0;
        if (crashed)
            mark_dead(s);
    }
}

static const char *setting(const char *name, const char *otherwise)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? text : otherwise;
}

/* Whether a comma-separated list has this name. */
static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
        if ((at == list || at[-1] == ',') && (at[n] == '\0' || at[n] == ','))
            return true;
    return false;
}

static void choose(struct results *r)
{
    const char *part = setting("PART", "both"), *names = setting("BALANCERS", "");
    bool fresh = strcmp(part, "fresh") == 0;
    if (!listed("both,tune,report,fresh", part)) {
        fprintf(stderr, "random: PART is tune, report or fresh, not %s\n", part);
        exit(2);
    }
    int n = atoi(setting("N", fresh ? "200" : "1000")), only = atoi(setting("BENCH_RANDOM", "0"));
    int first = only > 0 ? only : fresh ? FRESH_CLUSTERS : 1, end = only > 0 ? only + 1 : first + n;
    bool all = only > 0 || fresh || strcmp(part, "both") == 0;
    for (int b = 0; plb_balancers[b] != NULL && r->n_balancers < MAX_BALANCERS; b++)
        if (names[0] == '\0' || listed(names, plb_balancers[b]->name))
            r->balancers[r->n_balancers++] = plb_balancers[b];
    for (int i = first; i < end && r->n_clusters < MAX_CLUSTERS; i++)
        if (all || (i % 2 == 0) == (strcmp(part, "tune") == 0))
            r->clusters[r->n_clusters++].number = i;
}

/* All that is known of one cluster, and the files with which plbrun simulates it. */
static int show(const struct results *results, const char *folder)
{
    static struct random_cluster r;
    const struct cluster_result *c = &results->clusters[0];
    char path[2][1000];
    const char *build = setting("BUILD", "build");
    char *kernels = realpath(build, NULL), kernel[1000];
    make_random_cluster(&r, c->number);
    snprintf(kernel, sizeof kernel, "%s/test/kernels/random.so", kernels != NULL ? kernels : build);
    snprintf(path[0], sizeof path[0], "%s/%d.cluster", folder, c->number);
    snprintf(path[1], sizeof path[1], "%s/%d.conf", folder, c->number);
    if (random_dump_cluster(&r, path[0]) != 0 || random_dump_conf(&r, kernel, path[1]) != 0) {
        perror(folder);
        return 1;
    }
    printf("cluster %d: %s\nnotes: %s\nbound %.6g s, fluid bound %.6g s (of seed 1)\n", c->number, c->what,
           notes_text(c->notes), c->bound[0], c->fluid[0]);
    printf("%-10s %12s %12s %12s   over the bound, seeds 1 to 3; events, real seconds of seed 1\n",
           "balancer", "1", "2", "3");
    for (int b = 0; b < results->n_balancers; b++) {
        const struct outcome *o = c->outcomes[b];
        printf("%-10s", results->balancers[b]->name);
        for (int s = 0; s < SEEDS; s++)
            printf(" %12.4f", o[s].state == ENDED ? o[s].makespan_s / c->bound[s] : (double)INFINITY);
        printf("   %lld, %.2f\n", (long long)o[0].events, o[0].wall_s);
    }
    printf("./plbrun --simulate %s %s --balancer NAME --seed 1\n", path[0], path[1]);
    free(kernels);
    free_random_cluster(&r);
    return 0;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    choose(&s->results);
    double began = plb_now();
    int jobs = atoi(setting("JOBS", "0"));
    run_all(s, jobs > 0 ? jobs : (int)sysconf(_SC_NPROCESSORS_ONLN));
    if (getenv("BENCH_RANDOM") != NULL)
        return show(&s->results, folder);
    write_csv(&s->results, folder);
    print_results(&s->results);
    printf("\n%d clusters in %.0f s\n", s->results.n_clusters, plb_now() - began);
    return 0;
}
