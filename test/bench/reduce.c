/* make bench-reduce: passes with reduced arrays in the simulator. Each node has one PU with a pass of so many
 * seconds, and a link of 1 Gbit/s. Prints the time of the shortest pass as a multiple of the work, the arrays
 * that a node sends in a pass after the first, how long rank 0's link needs for one array of each node, and
 * how long the tree took. Usage: reduce [MOST_NODES [SECONDS [TREE [LOSSES [AT]]]]]. TREE 0: all arrays go to
 * rank 0. So many nodes are lost, at a time in multiples of SECONDS. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/balancer_table.h"
#include "params.h"
#include "simulate/simulate.h"

#define LINK 1.25e8
#define UNITS 2000 /* of a PU */
#define PASSES 3

#define LOSSES 8

static bool tree = true;
static int losses;
static double lost_at = 1.5;

struct counted {
    int64_t arrays;
};

static void sent(void *context, const struct plb_message *m)
{
    struct counted *c = context;
    bool arrays = m->type == PLB_ARRAYS || (m->type == PLB_DONE && !m->done.folds);
    c->arrays += arrays && m->from != 0 && m->pass > 1;
}

static void describe(struct plb_node_spec *node, struct plb_pu_spec *pu, int nodes, double seconds)
{
    for (int n = 0; n < nodes; n++) {
        node[n] = (struct plb_node_spec){"n", LINK, 2e-5, n, 1};
        pu[n] = (struct plb_pu_spec){.name = "p",
                                     .power = 1.0,
                                     .rate = UNITS / seconds,
                                     .overhead = 1e-5,
                                     .noise = 0.03,
                                     .memory = INFINITY,
                                     .copy_bandwidth = INFINITY};
    }
}

static struct plb_simulated simulate(const char *balancer, int nodes, double bytes, double seconds,
                                     struct counted *counted)
{
    static const int phases[PASSES] = {0};
    struct plb_error err = {.status = PLB_OK};
    struct plb_node_spec *node = calloc((size_t)nodes, sizeof *node);
    struct plb_pu_spec *pu = calloc((size_t)nodes, sizeof *pu);
    struct plb_cluster_spec cluster = {.n_nodes = nodes, .n_pus = nodes, .nodes = node, .pus = pu};
    struct plb_sizes sizes = {.task_bytes = bytes};
    struct plb_fault faults[LOSSES] = {{0}};
    struct plb_param params[MAX_PARAMS] = {{0}};
    struct plb_cost_map map;
    struct plb_simulated result;
    const struct plb_balancer *b = plb_balancer_find(balancer, "bench", &err);
    if (node == NULL || pu == NULL || b == NULL)
        exit(1);
    default_params(b, params);
    describe(node, pu, nodes, seconds);
    for (int i = 0; i < losses; i++)
        faults[i] = (struct plb_fault){.kind = PLB_DIES, .node = 3 + i, .pu = -1, .at = seconds * lost_at};
    if (plb_cost_map_init(&map, (int64_t)nodes * UNITS, NULL, NULL, &err) != PLB_OK)
        exit(1);
    struct plb_simulation s = {.cluster = &cluster,
                               .maps = &map,
                               .seed = 1,
                               .passes = PASSES,
                               .phases = phases,
                               .results = sizes,
                               .n_faults = losses,
                               .faults = faults,
                               .master = {.balancer = b,
                                          .params = params,
                                          .n_nodes = nodes,
                                          .sizes = &sizes,
                                          .units = map.units,
                                          .phases = 1,
                                          .migration = true,
                                          .folds = tree,
                                          .whole_results = true},
                               .migration = {.on = true},
                               .watch = {.context = counted, .sent = sent}};
    if (plb_simulate(&s, &result, &err) != PLB_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    plb_cost_map_fini(&map);
    free(node);
    free(pu);
    return result;
}

int main(int argc, char **argv)
{
    static const char *const balancers[] = {"static", "sure"};
    int most = argc > 1 ? atoi(argv[1]) : 1000;
    double seconds = argc > 2 ? atof(argv[2]) : 10.0;
    tree = argc > 3 ? atoi(argv[3]) != 0 : tree;
    losses = argc > 4 && atoi(argv[4]) < LOSSES ? atoi(argv[4]) : losses;
    lost_at = argc > 5 ? atof(argv[5]) : lost_at;
    printf("a pass of %g s of work for each node; one array of each over 1 Gbit/s\n", seconds);
    for (int b = 0; b < 2; b++)
        for (int nodes = 10; nodes <= most; nodes *= 10)
            for (double bytes = 1e3; bytes <= 1e7; bytes *= 100.0) {
                struct counted counted = {0};
                struct plb_simulated r = simulate(balancers[b], nodes, bytes, seconds, &counted);
                printf(
                    "%-7s %5d nodes  %8.0f bytes  shortest pass %8.3f times the work  %6.1f arrays of a node "
                    "and pass  one of each %8.3f s  tree %.3f s\n",
                    balancers[b], nodes, bytes, r.times[0].shortest_s / seconds,
                    (double)counted.arrays / (nodes - 1) / (PASSES - 1), nodes * bytes / LINK,
                    r.stress.folds_s / PASSES);
                fflush(stdout);
                plb_master_free(r.master);
            }
    return 0;
}
