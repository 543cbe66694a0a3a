/* A cluster of a few nodes with one PU each, on which times can be worked out by hand: nothing is drawn, and
 * what a test does not charge for costs nothing. */
#ifndef TEST_SMALL_CLUSTER_H
#define TEST_SMALL_CLUSTER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "job/balancer_table.h"
#include "params.h"
#include "simulate/simulate.h"

#define MAX_NODES 4
#define UNITS 1000
#define PHASES 2

/* A few nodes of one PU each, with 100 units per second, and links and messages that cost nothing. */
struct fixture {
    struct plb_node_spec nodes[MAX_NODES];
    struct plb_pu_spec pus[MAX_NODES];
    struct plb_cluster_spec cluster;
    struct plb_cost_map maps[PHASES], true_maps[PHASES];
    struct plb_sizes sizes;
    struct plb_param params[MAX_PARAMS];
    struct plb_simulation s;
    struct plb_simulated result;
    double costs[PHASES];
    int sent[PLB_MESSAGE_TYPES];
    struct plb_error err;
};

static inline double times_count(const void *context, int64_t first, int64_t count)
{
    (void)first;
    return *(const double *)context * (double)count;
}

static inline void count_sent(void *context, const struct plb_message *m)
{
    struct fixture *f = context;
    f->sent[m->type]++;
}

static inline void set_up(struct fixture *f, int n_nodes, const char *balancer)
{
    memset(f, 0, sizeof *f);
    f->cluster = (struct plb_cluster_spec){
        .n_nodes = n_nodes, .n_pus = n_nodes, .nodes = f->nodes, .pus = f->pus};
    for (int n = 0; n < n_nodes; n++) {
        f->nodes[n] = (struct plb_node_spec){"n", INFINITY, 0.0, n, 1};
        f->pus[n] = (struct plb_pu_spec){
            .name = "p", .power = 1.0, .rate = 100.0, .memory = INFINITY, .copy_bandwidth = INFINITY};
    }
    f->costs[0] = 1.0;
    f->costs[1] = 3.0;
    for (int k = 0; k < PHASES; k++)
        assert_int_equal(plb_cost_map_init(&f->maps[k], UNITS, times_count, &f->costs[k], &f->err), PLB_OK);
    const struct plb_balancer *b = plb_balancer_find(balancer, "test", &f->err);
    assert_non_null(b);
    default_params(b, f->params);
    f->s = (struct plb_simulation){.cluster = &f->cluster,
                                   .maps = f->maps,
                                   .seed = 1,
                                   .message_s = -1.0,
                                   .frame_s = -1.0,
                                   .solve_s = -1.0,
                                   .fit_s = -1.0,
                                   .master = {.balancer = b,
                                              .params = f->params,
                                              .n_nodes = n_nodes,
                                              .sizes = &f->sizes,
                                              .units = UNITS,
                                              .phases = PHASES},
                                   .watch = {.context = f, .sent = count_sent}};
}

static inline void set_param(struct fixture *f, const char *name, double value)
{
    for (int i = 0; i < MAX_PARAMS && f->params[i].name != NULL; i++)
        if (strcmp(f->params[i].name, name) == 0) {
            f->params[i].value = value;
            return;
        }
    fail_msg("no parameter %s", name);
}

static inline void run(struct fixture *f)
{
    if (plb_simulate(&f->s, &f->result, &f->err) != PLB_OK)
        fail_msg("%s", f->err.text);
}

static inline void tear_down(struct fixture *f)
{
    plb_master_free(f->result.master);
    for (int k = 0; k < PHASES; k++) {
        plb_cost_map_fini(&f->maps[k]);
        plb_cost_map_fini(&f->true_maps[k]);
    }
}

static inline void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("got %.12g, expected %.12g", got, expected);
}

/* A moment that silence decides: the last BEAT was up to one earlier, and looks come one by one. */
static inline void assert_in_beats(double got, double expected)
{
    if (!(got >= expected - 0.101 && got <= expected + 0.201))
        fail_msg("got %.12g, expected about %.12g", got, expected);
}

/* Inputs and results of these bytes per unit. */
static inline void travel(struct fixture *f, double input, double result)
{
    f->s.inputs.unit_bytes = input;
    f->s.results.unit_bytes = result;
    f->sizes.unit_bytes = input + result;
}

#endif
