/* Events per second through the master: grants and results at 100 PUs in a simulation whose PUs take
 * no real time, and the master alone without the simulation around it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "job/balancer_table.h"
#include "drive/simulate.h"

#define PUS 100
#define BLOCKS 1000000

static const struct plb_balancer *greedy(struct plb_param *params)
{
    struct plb_error err = {.status = PLB_OK};
    const struct plb_balancer *b = plb_balancer_find("greedy", "bench", &err);
    params[0] = (struct plb_param){"pieces", BLOCKS, "1e6"};
    return b;
}

static void report(const char *name, double seconds, double bound)
{
    double rate = BLOCKS / seconds;
    printf("%-34s %10.0f /s   bound %7.0f /s   ratio %.2f\n", name, rate, bound, rate / bound);
}

/* Every block is answered at once, first come first served. */
static void master_alone(const struct plb_cost_map *map)
{
    struct plb_param params[1];
    struct plb_master_config config = {.balancer = greedy(params), .params = params};
    struct plb_pu_info pus[PUS];
    struct plb_outbox out = {0};
    for (int p = 0; p < PUS; p++)
        pus[p] = (struct plb_pu_info){.node = p, .power = 1.0, .memory = INFINITY};
    struct plb_master *m = plb_master_new(&config, pus, PUS);
    double began = plb_now();
    plb_master_begin(m, 1, 0, map, 0.0, &out);
    for (int i = 0; !plb_master_over(m); i++) {
        struct plb_message done = out.at[i];
        done.from = done.to;
        done.tasks = 1;
        done.execute_s = 1e-3;
        plb_master_done(m, &done, 1e-3 * i, &out);
    }
    report("master: grant and done", plb_now() - began, 500000.0);
    plb_master_free(m);
    plb_outbox_fini(&out);
}

static void simulated(const struct plb_cost_map *map)
{
    struct plb_param params[1];
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    struct plb_node_spec nodes[PUS];
    struct plb_pu_spec pus[PUS];
    for (int p = 0; p < PUS; p++) {
        nodes[p] = (struct plb_node_spec){"n", 1e9, 1e-6, p, 1};
        pus[p] = (struct plb_pu_spec){.name = "p", .power = 1.0, .rate = 1e3 * (1 + p % 9), .memory = INFINITY, .copy_bandwidth = INFINITY};
    }
    struct plb_cluster_spec cluster = {PUS, PUS, nodes, pus};
    struct plb_simulation s = {.cluster = &cluster, .maps = map, .seed = 1, .master = {.balancer = greedy(params), .params = params}};
    double began = plb_now();
    plb_simulate(&s, &result, &err);
    report("simulation: grant and done", plb_now() - began, 500000.0);
    plb_master_free(result.master);
}

int main(void)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_cost_map map;
    plb_cost_map_init(&map, BLOCKS, NULL, NULL, &err);
    master_alone(&map);
    simulated(&map);
    return 0;
}
