/* Inputs that are fed in turns and together, on clusters drawn from seeds: runs of many passes and two
 * phases, whose results stay at their nodes or go to rank 0, with halos, results that find no room, steals,
 * backups, audits, nodes that die, stop and join, under every balancer. Whatever happens, each task reads of
 * each input the results that counted in the pass before it was fed (versions.h). PLB_SEEDS: how many
 * (default 1000), from PLB_FIRST_SEED on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "job/balancer_table.h"
#include "params.h"
#include "versions.h"

enum { SEEDS = 1000, MOST_NODES = 6, MOST_UNITS = 900, MOST_PASSES = 24, PHASES = 2, UNIT_BYTES = 800 };

struct job {
    uint64_t seed;
    struct plb_cluster_spec cluster;
    struct plb_node_spec nodes[MOST_NODES];
    struct plb_pu_spec pus[2 * MOST_NODES];
    struct plb_sizes sizes, results;
    struct plb_cost_map maps[PHASES];
    double costs[MOST_UNITS];
    int phases[MOST_PASSES + 1];
    int64_t fed[MOST_PASSES];
    struct plb_fault faults[2];
    double join_at[1];
    struct plb_param params[MAX_PARAMS];
    struct plb_simulation in;
};

/* Runs of all seeds that have met it. */
static struct {
    int64_t stayed, halos, lent, old, steals, backups, audits, joins, losses, again, several;
} met;

static struct versions seen;
static uint64_t seed_of;
static int64_t again, steals, backups;

static void sent(void *context, const struct plb_message *m)
{
    (void)context;
    assert_null(plb_message_check(m, m->size, seen.in->cluster->n_nodes));
    versions_sent(&seen, m);
    steals += m->type == PLB_MOVED;
    backups += m->type == PLB_BACKUP;
}

static void executed(void *context, int pu, const struct plb_slice *task)
{
    const struct plb_cluster_spec *c = seen.in->cluster;
    int node = 0;
    (void)context;
    while (node + 1 < c->n_nodes && c->nodes[node + 1].first_pu <= pu)
        node++;
    int input = versions_wrong(&seen, node, task);
    if (input >= 0)
        fail_msg("seed %llu: PU %d of node %d executes units %lld + %lld of pass %d with an old input %d",
                 (unsigned long long)seed_of, pu, node, (long long)task->range.first,
                 (long long)task->range.count, task->pass, input);
}

static void reported(void *context, const struct plb_message *done, bool given_up, enum plb_verdict verdict,
                     int64_t fresh)
{
    (void)context;
    (void)verdict;
    assert_true(!given_up || fresh == 0);
    versions_reported(&seen, done, fresh);
}

static void begun(void *context, int pass, int number, int64_t fed)
{
    (void)context;
    again += number > pass;
    versions_begun(&seen, pass, number, fed);
}

static void lent(void *context, int from, int to, int64_t inputs, struct plb_range range)
{
    (void)context;
    versions_lent(&seen, from, to, inputs, range);
}

static int int_in(struct dice *d, int low, int high) /* inclusive */
{
    return (int)whole(d, low, high);
}

static double spread(struct dice *d, double low, double high) /* evenly in the logarithm */
{
    return exp(real(d, log(low), log(high)));
}

static void draw_cluster(struct job *j, struct dice *d)
{
    j->cluster = (struct plb_cluster_spec){
        .n_nodes = int_in(d, 1, MOST_NODES), .nodes = j->nodes, .pus = j->pus};
    for (int n = 0; n < j->cluster.n_nodes; n++) {
        int pus = int_in(d, 1, 2);
        j->nodes[n] = (struct plb_node_spec){"n", spread(d, 1e7, 1e10), spread(d, 1e-6, 1e-3),
                                             j->cluster.n_pus, pus};
        for (int p = 0; p < pus; p++)
            j->pus[j->cluster.n_pus++] = (struct plb_pu_spec){.name = "p",
                                                              .power = 1.0,
                                                              .rate = spread(d, 1e5, 1e6),
                                                              .overhead = spread(d, 1e-7, 1e-4),
                                                              .noise = one_in(d, 2) ? real(d, 0.0, 0.3) : 0.0,
                                                              .memory = INFINITY,
                                                              .copy_bandwidth = INFINITY};
    }
}

static double cost_of(const void *context, int64_t first, int64_t count)
{
    double sum = 0.0;
    for (int64_t u = first; u < first + count; u++)
        sum += ((const double *)context)[u];
    return sum;
}

/* Some jobs have passes that are like each other, so that shares stand. */
static bool draw_passes(struct job *j, struct dice *d, int inputs)
{
    struct plb_error err = {.status = PLB_OK};
    const int units = int_in(d, 20, MOST_UNITS), kind = int_in(d, 0, 2), all = (1 << inputs) - 1;
    for (int u = 0; u < units; u++)
        j->costs[u] = spread(d, 0.1, 10.0);
    assert_int_equal(plb_cost_map_init(&j->maps[0], units, NULL, NULL, &err), PLB_OK);
    assert_int_equal(plb_cost_map_init(&j->maps[1], units, cost_of, j->costs, &err), PLB_OK);
    j->in.passes = int_in(d, 3, MOST_PASSES);
    for (int pass = 0; pass < j->in.passes; pass++) {
        j->phases[pass] = kind == 0 ? pass % PHASES : kind == 1 ? 0 : int_in(d, 0, PHASES - 1);
        j->fed[pass] = kind == 0 ? 1 << pass % inputs : kind == 1 || one_in(d, 3) ? all : int_in(d, 0, all);
    }
    j->phases[j->in.passes] = j->phases[j->in.passes - 1]; /* lost results are computed again */
    j->maps[0].told = kind == 1;
    return kind == 1;
}

static void draw_sizes(struct job *j, struct dice *d)
{
    j->sizes = (struct plb_sizes){.unit_bytes = UNIT_BYTES};
    j->results = (struct plb_sizes){.unit_bytes = UNIT_BYTES};
    if (one_in(d, 2))
        return;
    j->sizes.before = int_in(d, 0, 3);
    j->sizes.after = int_in(d, 1, 3);
    j->sizes.halo_bytes = (double)(j->sizes.before + j->sizes.after) * UNIT_BYTES;
}

/* Nodes that die or stop, PUs that slow down, nodes that join where rank 0 has all. */
static void draw_faults(struct job *j, struct dice *d)
{
    struct plb_simulation *in = &j->in;
    double about = in->passes * (double)j->maps[0].units / (5e5 * j->cluster.n_pus);
    struct plb_pu_spec *late = &j->pus[int_in(d, 0, j->cluster.n_pus - 1)];
    late->n_slow = one_in(d, 2);
    late->slow_at[0] = about * real(d, 0.0, 1.0);
    late->slow_by[0] = spread(d, 1.5, 30.0);
    in->delay = one_in(d, 2) ? spread(d, 1e-6, 1e-2) : 0.0;
    in->no_room = one_in(d, 2) ? real(d, 0.0, 1.0) : 0.0;
    in->lost_after = 0.05;
    in->beat_s = 0.01;
    in->join_at = j->join_at;
    if (j->cluster.n_nodes > 2 && !in->master.feeds_stay && one_in(d, 3)) {
        in->n_joiners = 1;
        j->join_at[0] = about * real(d, 0.0, 1.0);
    }
    in->faults = j->faults;
    in->n_faults = one_in(d, 2) ? int_in(d, 0, 2) : 0;
    in->n_faults = j->cluster.n_nodes - in->n_joiners > 2 ? in->n_faults : 0;
    for (int i = 0; i < in->n_faults; i++)
        j->faults[i] = (struct plb_fault){.kind = one_in(d, 3) ? PLB_DIES : PLB_STOPS,
                                          .node = int_in(d, 1, j->cluster.n_nodes - in->n_joiners - 1),
                                          .pu = -1,
                                          .at = about * real(d, 0.0, 2.0),
                                          .lasts = spread(d, 1e-3, 0.3)};
}

static void draw(struct job *j, uint64_t seed)
{
    struct dice dice = {seed, 0}, *d = &dice;
    const int inputs = int_in(d, 1, VERSIONS_OF);
    const bool stay = !one_in(d, 4), helps = !one_in(d, 4);
    int n = 0;
    memset(j, 0, sizeof *j);
    j->seed = seed;
    draw_cluster(j, d);
    const bool steady = draw_passes(j, d, inputs);
    draw_sizes(j, d);
    while (plb_balancers[n] != NULL)
        n++;
    const struct plb_balancer *balancer = plb_balancers[int_in(d, 0, n - 1)];
    for (int b = 0; steady && b < n; b++)
        balancer = plb_balancers[b]->stands ? plb_balancers[b] : balancer;
    default_params(balancer, j->params);
    j->in = (struct plb_simulation){
        .cluster = &j->cluster,
        .maps = j->maps,
        .inputs = j->sizes,
        .results = j->results,
        .staying = j->results,
        .feeds = inputs,
        .fed = j->fed,
        .passes = j->in.passes,
        .phases = j->phases,
        .seed = seed,
        .cost_error = !steady && one_in(d, 2) ? 0.3 : 0.0,
        .max_events = 5000000,
        .migration = {helps, .victim = (enum plb_victim)int_in(d, 0, 3), .backups = helps, .seed = seed},
        .watch = {NULL, NULL, sent, executed, reported, NULL, NULL, begun, lent},
        .master = {.balancer = balancer,
                   .params = j->params,
                   .phases = PHASES,
                   .sizes = &j->sizes,
                   .units = j->maps[0].units,
                   .pulled_bytes = 32e6,
                   .migration = helps,
                   .backups = helps,
                   .learn_costs = !steady && one_in(d, 2),
                   .stays = stay,
                   .feeds_stay = stay,
                   .halos = stay && (steady || one_in(d, 2)) ? (1 << inputs) - 1 : 0,
                   .audit = !stay && one_in(d, 3) ? 0.2 : 0.0,
                   .resident = true}};
    j->in.master.victim = j->in.migration.victim;
    draw_faults(j, d);
}

static void run(struct job *j)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    versions_init(&seen, &j->in);
    seed_of = j->seed;
    again = steals = backups = 0;
    if (plb_simulate(&j->in, &result, &err) != PLB_OK)
        fail_msg("seed %llu: %s", (unsigned long long)j->seed, err.text);
    met.stayed += plb_master_owners(result.master)->kept > 0;
    met.halos += result.stress.halos > 0;
    met.lent += result.stress.lent > 0;
    met.old += seen.old > 0;
    met.several += j->in.feeds > 1;
    met.steals += steals > 0;
    met.backups += backups > 0;
    met.audits += plb_audits_counts(plb_master_audits(result.master))->audited > 0;
    met.joins += plb_master_counts(result.master)->joined > 0;
    met.losses += plb_master_counts(result.master)->losses > 0;
    met.again += again > 0;
    plb_master_free(result.master);
    for (int k = 0; k < PHASES; k++)
        plb_cost_map_fini(&j->maps[k]);
}

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *value = getenv(variable);
    return value != NULL ? strtoull(value, NULL, 10) : otherwise;
}

static void tasks_read_what_was_fed_last(void **state)
{
    static struct job job;
    (void)state;
    const uint64_t first = number_of("PLB_FIRST_SEED", 1), seeds = number_of("PLB_SEEDS", SEEDS);
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        draw(&job, seed);
        run(&job);
    }
    print_message(
        "runs with several inputs %lld, results that stay %lld, halos that come unasked %lld, inputs "
        "from other nodes %lld, inputs of before the last pass %lld, steals %lld, backups %lld, "
        "audits %lld, joins %lld, losses %lld, passes again %lld\n",
        (long long)met.several, (long long)met.stayed, (long long)met.halos, (long long)met.lent,
        (long long)met.old, (long long)met.steals, (long long)met.backups, (long long)met.audits,
        (long long)met.joins, (long long)met.losses, (long long)met.again);
    if (seeds >= SEEDS)
        assert_true(met.halos > 10 && met.lent > 100 && met.old > 100 && met.steals > 100 && met.backups > 10
                    && met.audits > 10 && met.joins > 10 && met.again > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tasks_read_what_was_fed_last)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
