/* make bench-short-passes: passes of a few milliseconds on many simulated nodes, with a reduced array of
 * eight bytes; plain, and as a stencil whose rows stay and whose halos move. Nodes have one PU each, of three
 * speeds, and links of 10 Gbit/s and 10 us. Prints a pass after the first ten as a multiple of the bound,
 * which is the work over the sum of all speeds; the part of a core that rank 0's thread is busy, by the costs
 * that the simulator charges and as the master's code took here; and the messages of a node and pass,
 * with the frames in which they went.
 *
 *     short_passes [MOST_NODES [SECONDS [PASSES]]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "job/balancer_table.h"
#include "params.h"
#include "simulate/simulate.h"

#define LINK 1.25e9
#define UNITS 60 /* of a node, on average */
#define ROW 8192.0
#define FIRST 10 /* passes in which shares are found */

struct counted {
    const struct plb_simulated *result;
    int64_t messages, frames; /* frames: before pass FIRST + 1 */
    int pass;
    double began; /* pass FIRST + 1 */
};

static void sent(void *context, const struct plb_message *m)
{
    struct counted *c = context;
    c->pass = m->pass > c->pass ? m->pass : c->pass;
    c->messages += m->pass > FIRST && m->from != m->to;
}

static void stepped(void *context, double now, const struct plb_master *master)
{
    struct counted *c = context;
    (void)master;
    if (c->pass > FIRST)
        return;
    c->began = now;
    c->frames = c->result->frames;
}

static void describe(struct plb_node_spec *node, struct plb_pu_spec *pu, int nodes, double seconds)
{
    for (int n = 0; n < nodes; n++) {
        node[n] = (struct plb_node_spec){"n", LINK, 1e-5, n, 1};
        pu[n] = (struct plb_pu_spec){.name = "p",
                                     .power = 1.0,
                                     .rate = UNITS * (0.5 + 0.5 * (n % 3)) / seconds,
                                     .overhead = 1e-5,
                                     .noise = 0.01,
                                     .memory = INFINITY,
                                     .copy_bandwidth = INFINITY};
    }
}

static void *allocate(int n, size_t size)
{
    void *memory = calloc((size_t)n, size);
    if (memory == NULL)
        exit(1);
    return memory;
}

/* The data of a job: a row of each unit that stays, or nothing; and a reduced array. */
static struct plb_simulation job_of(bool stencil, const struct plb_sizes *rows,
                                    const struct plb_cost_map *map)
{
    struct plb_sizes inputs = *rows;
    inputs.task_bytes = 0.0;
    return (struct plb_simulation){.maps = map,
                                   .seed = 1,
                                   .feeds = stencil,
                                   .inputs = inputs,
                                   .results = {.unit_bytes = rows->unit_bytes, .task_bytes = 8.0},
                                   .staying = {.unit_bytes = rows->unit_bytes},
                                   .master = {.sizes = rows,
                                              .units = map->units,
                                              .phases = 1,
                                              .migration = true,
                                              .backups = true,
                                              .resident = stencil,
                                              .stays = stencil,
                                              .feeds_stay = stencil,
                                              .halos = stencil,
                                              .folds = !stencil,
                                              .whole_results = true},
                                   .migration = {.on = true, .backups = true}};
}

static void print(bool stencil, const struct plb_simulated *r, double bound, const struct counted *c,
                  int nodes, int passes)
{
    double each = (r->makespan_s - c->began) / (passes - FIRST);
    printf("%-8s %5d nodes  bound %6.3f ms  pass %6.3f of it  rank 0 busy %5.1f %%  master here %5.1f %%  "
           "%5.1f messages in %.1f frames  %lld of %d passes stood\n",
           stencil ? "stencil" : "plain", nodes, 1e3 * bound, each / bound,
           100.0 * r->rank0_s / r->makespan_s, 100.0 * r->master_s / r->makespan_s,
           (double)c->messages / nodes / (passes - FIRST),
           (double)(r->frames - c->frames) / nodes / (passes - FIRST),
           (long long)plb_master_standing(r->master)->passes, passes);
    fflush(stdout);
}

/* Runs it, and prints a line. */
static void measure(bool stencil, int nodes, double seconds, int passes)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_node_spec *node = allocate(nodes, sizeof *node);
    struct plb_pu_spec *pu = allocate(nodes, sizeof *pu);
    struct plb_cluster_spec cluster = {.n_nodes = nodes, .n_pus = nodes, .nodes = node, .pus = pu};
    struct plb_sizes rows = {.unit_bytes = stencil ? ROW : 0.0,
                             .task_bytes = 8.0,
                             .halo_bytes = stencil ? 2.0 * ROW : 0.0,
                             .before = stencil,
                             .after = stencil};
    struct plb_param params[MAX_PARAMS] = {{0}};
    struct plb_cost_map map;
    struct plb_simulated result;
    struct counted c = {.result = &result};
    double rate = 0.0;
    describe(node, pu, nodes, seconds);
    for (int n = 0; n < nodes; n++)
        rate += pu[n].rate;
    if (plb_cost_map_init(&map, (int64_t)nodes * UNITS, NULL, NULL, &err) != PLB_OK)
        exit(1);
    map.told = true;
    struct plb_simulation s = job_of(stencil, &rows, &map);
    s.cluster = &cluster;
    s.passes = passes;
    s.master.n_nodes = nodes;
    s.master.balancer = plb_balancer_find("sure", "bench", &err);
    s.master.params = params;
    s.watch = (struct plb_watch){.context = &c, .sent = sent, .stepped = stepped};
    default_params(s.master.balancer, params);
    if (plb_simulate(&s, &result, &err) != PLB_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    print(stencil, &result, (double)map.units / rate, &c, nodes, passes);
    plb_master_free(result.master);
    plb_cost_map_fini(&map);
    free(node);
    free(pu);
}

int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 1000, passes = argc > 3 ? atoi(argv[3]) : 100;
    double seconds = argc > 2 ? atof(argv[2]) : 5e-3;
    for (int stencil = 0; stencil < 2; stencil++)
        for (int nodes = 10; nodes <= most; nodes *= 10)
            measure(stencil, nodes, seconds, passes > FIRST + 1 ? passes : FIRST + 2);
    return 0;
}
