/* Ten passes of a job whose inputs are large, on unlike nodes behind rank 0's link: how much of its work each
 * node gets again, and which bytes cross the link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "job/balancer_table.h"
#include "params.h"
#include "simulate/simulate.h"

#define NODES 8
#define PUS 2 /* of a node */
#define UNITS 100000
#define PASSES 10
#define UNIT_BYTES 4096.0
#define TASK_BYTES 10000.0

struct run {
    double makespan_s, at_home; /* at_home: the part of the units in grants of passes 2 to 10 */
    int64_t bytes;
};

/* Results that are the inputs of the next pass. */
static struct {
    bool on, stay;
    int passes;
    double rank0_bandwidth;
    const struct plb_fault *fault;
} feeds;

static void make_pus(struct plb_pu_spec *pus)
{
    double rates = 0.0;
    for (int p = 0; p < NODES * PUS; p++)
        rates += 1.0 + (double)(p % 5) / 2.0;
    for (int p = 0; p < NODES * PUS; p++)
        pus[p] = (struct plb_pu_spec){.name = "p",
                                      .power = 1.0 + (double)(p % 5) / 2.0,
                                      .rate = UNITS * (1.0 + (double)(p % 5) / 2.0) / rates,
                                      .overhead = 1e-5,
                                      .noise = 0.05,
                                      .memory = INFINITY,
                                      .copy_bandwidth = INFINITY};
}

static void feed(struct plb_simulation *s, struct plb_node_spec *nodes)
{
    if (!feeds.on)
        return;
    nodes[0].bandwidth = feeds.rank0_bandwidth;
    s->passes = feeds.passes;
    s->feeds = true;
    s->faults = feeds.fault;
    s->n_faults = feeds.fault != NULL;
    s->results = s->staying = (struct plb_sizes){.unit_bytes = UNIT_BYTES};
    s->master.stays = s->master.feeds_stay = feeds.stay;
    s->master.whole_results = false;
    s->migration.on = s->master.migration = s->master.backups = false; /* halos alone move */
}

/* Nodes are up to three times as fast as others. In balance a pass computes for a second, and rank 0's link
 * of 1 GB/s needs 0.36 s for the inputs of the other nodes. */
static struct run simulate(const char *name, bool resident, double bandwidth, int64_t halo)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_node_spec nodes[NODES];
    struct plb_pu_spec pus[NODES * PUS];
    struct plb_cluster_spec cluster = {.n_nodes = NODES, .n_pus = NODES * PUS, .nodes = nodes, .pus = pus};
    struct plb_cost_map map;
    struct plb_sizes sizes = {.unit_bytes = UNIT_BYTES, .task_bytes = TASK_BYTES},
                     inputs = {.unit_bytes = UNIT_BYTES,
                               .before = halo,
                               .after = halo,
                               .halo_bytes = 2.0 * (double)halo * UNIT_BYTES};
    struct plb_param params[MAX_PARAMS];
    struct plb_simulated result;
    for (int n = 0; n < NODES; n++)
        nodes[n] = (struct plb_node_spec){"n", bandwidth, 1e-5, n * PUS, PUS};
    make_pus(pus);
    const struct plb_balancer *balancer = plb_balancer_find(name, "test", &err);
    assert_non_null(balancer);
    default_params(balancer, params);
    assert_int_equal(plb_cost_map_init(&map, UNITS, NULL, NULL, &err), PLB_OK);
    struct plb_simulation s = {.cluster = &cluster,
                               .maps = &map,
                               .inputs = inputs,
                               .results = {.task_bytes = TASK_BYTES},
                               .passes = PASSES,
                               .seed = 1,
                               .migration = {.on = true, .backups = true},
                               .master = {.balancer = balancer,
                                          .params = params,
                                          .sizes = &sizes,
                                          .units = UNITS,
                                          .pulled_bytes = 32e6,
                                          .migration = true,
                                          .backups = true,
                                          .whole_results = true,
                                          .resident = resident}};
    feed(&s, nodes);
    if (plb_simulate(&s, &result, &err) != PLB_OK)
        fail_msg("%s: %s", name, err.text);
    struct run run = {.makespan_s = result.makespan_s, .bytes = result.bytes};
    const struct plb_residence *residence = plb_master_residence(result.master);
    assert_int_equal(residence != NULL, resident);
    if (resident) {
        const struct plb_residence_counts *c = plb_residence_counts(residence);
        run.at_home = (double)c->at_home / (double)(c->at_home + c->away);
    }
    plb_master_free(result.master);
    plb_cost_map_fini(&map);
    return run;
}

/* Nodes that get other units than before pull them again: then the link is the limit in each pass. */
static void nodes_get_what_they_have(void **state)
{
    (void)state;
    static const struct {
        const char *balancer;
        double at_home; /* at least */
    } cases[] = {{"sure", 0.95}, {"greedy", 0.95}, {"static", 0.95}, {"plb-hec", 0.95}, {"factoring", 0.85}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run before = simulate(cases[i].balancer, false, 2e8, 0),
                   after = simulate(cases[i].balancer, true, 2e8, 0);
        print_message("%-9s %5.1f %% at home, %6.3f GB -> %6.3f GB, %7.3f s -> %7.3f s\n", cases[i].balancer,
                      100.0 * after.at_home, 1e-9 * (double)before.bytes, 1e-9 * (double)after.bytes,
                      before.makespan_s, after.makespan_s);
        assert_true(after.at_home >= cases[i].at_home);
        assert_true((double)after.bytes < 0.25 * (double)before.bytes);
        assert_true(after.makespan_s < 0.7 * before.makespan_s);
    }
}

static void a_link_that_is_no_limit_is_spared_too(void **state)
{
    (void)state;
    struct run before = simulate("sure", false, 1e9, 0), after = simulate("sure", true, 1e9, 0);
    assert_true(after.at_home >= 0.95 && (double)after.bytes < 0.25 * (double)before.bytes);
    assert_true(after.makespan_s < before.makespan_s);
}

/* Units of a halo travel with each task; where nodes keep inputs, once to each node that needs them. */
static void a_halo_travels(void **state)
{
    (void)state;
    const int64_t halo = 40;
    double more[2], node = 2.0 * (double)halo * UNIT_BYTES * (NODES - 1);
    for (int resident = 0; resident < 2; resident++)
        more[resident] = (double)simulate("static", resident, 1e9, halo).bytes
                       - (double)simulate("static", resident, 1e9, 0).bytes;
    print_message("%.0f and %.0f bytes more, %.0f for each node once\n", more[0], more[1], node);
    assert_true(more[0] >= PASSES * node);
    assert_true(more[1] >= node / 2.0 && more[1] < more[0] / 10.0);
}

static struct run simulate_fed(bool stay, int passes, double rank0_bandwidth, const struct plb_fault *fault)
{
    feeds.on = true;
    feeds.stay = stay;
    feeds.passes = passes;
    feeds.rank0_bandwidth = rank0_bandwidth;
    feeds.fault = fault;
    struct run run = simulate("static", true, 1e9, 40);
    memset(&feeds, 0, sizeof feeds);
    return run;
}

/* Ten steps of a stencil: results go through rank 0's slow link in each pass, or where they are needed. */
static void results_go_from_node_to_node(void **state)
{
    (void)state;
    double all = UNITS * UNIT_BYTES, halos = (PASSES - 1) * 2.0 * 40.0 * UNIT_BYTES * (NODES - 1);
    struct run runs[2][2];
    for (int stay = 0; stay < 2; stay++)
        for (int i = 0; i < 2; i++)
            runs[stay][i] = simulate_fed(stay, i == 0 ? 1 : PASSES, 2e6, NULL);
    double sent = (double)(runs[0][1].bytes - runs[0][0].bytes),
           stayed = (double)(runs[1][1].bytes - runs[1][0].bytes);
    double sent_s = runs[0][1].makespan_s - runs[0][0].makespan_s,
           stayed_s = runs[1][1].makespan_s - runs[1][0].makespan_s;
    print_message("9 passes: %.3f GB in %.3f s, where results stay %.3f GB in %.3f s; halos %.3f GB\n",
                  1e-9 * sent, sent_s, 1e-9 * stayed, stayed_s, 1e-9 * halos);
    assert_true(sent >= (PASSES - 1) * all * (NODES - 1) / NODES / 2.0);
    assert_true(stayed >= halos && stayed <= 2.0 * halos);
    assert_true(stayed_s <= 13.0 && stayed_s <= 0.1 * sent_s); /* rank 0's link carries its own halo alone */
}

/* A node dies in the sixth pass or so, and its inputs with it. */
static void what_a_lost_node_had_is_made_again(void **state)
{
    (void)state;
    const struct run peaceful = simulate_fed(true, PASSES, 1e9, NULL);
    const struct plb_fault fault = {.kind = PLB_DIES, .node = 3, .pu = -1, .at = 0.6 * peaceful.makespan_s};
    const struct run lost = simulate_fed(true, PASSES, 1e9, &fault);
    print_message("%.3f s, with a loss %.3f s\n", peaceful.makespan_s, lost.makespan_s);
    assert_true(lost.makespan_s > 1.4 * peaceful.makespan_s && lost.makespan_s < 3.0 * peaceful.makespan_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_get_what_they_have),
        cmocka_unit_test(a_link_that_is_no_limit_is_spared_too),
        cmocka_unit_test(a_halo_travels),
        cmocka_unit_test(results_go_from_node_to_node),
        cmocka_unit_test(what_a_lost_node_had_is_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
