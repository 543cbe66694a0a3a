/* Short passes that are like each other: what each of them takes of messages, tasks and solves, and what
 * becomes of a PU that slows down, of noise, and of lost nodes. */
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

#define NODES 3
#define UNITS 2600
#define PASSES 200
#define SEEDS 10
#define RATE 2e4 /* units per second of the slowest PU; the others are 3 and 9 times as fast */
#define PASS_S (UNITS / (13.0 * RATE))

/* Messages, grants and tasks of each pass. */
struct taken {
    int messages[PASSES + 2], grants[PASSES + 2], tasks[PASSES + 2];
    int64_t moved; /* units that came to another node than in the pass before */
    int64_t came;  /* in the pass that was begun last */
    int64_t later; /* units that did after pass 10 */
    int32_t home[UNITS];
    double least_s, most_s; /* that PASSes from pass 6 on say that it takes, where they say it */
    int told;               /* PASSes that do */
    double solved_at;
    int64_t solves;
    int pass;
};

static void sent(void *context, const struct plb_message *m)
{
    struct taken *t = context;
    if (m->pass > t->pass) {
        t->pass = m->pass;
        t->later += t->pass > 10 ? t->came : 0;
        t->came = 0;
    }
    if (m->type == PLB_PASS && m->pass > 5 && m->begin.stands_s > 0.0) {
        t->told++;
        t->least_s = fmin(t->least_s, m->begin.stands_s);
        t->most_s = fmax(t->most_s, m->begin.stands_s);
    }
    if (m->from != m->to && m->pass <= PASSES)
        t->messages[m->pass]++;
}

static void granted(void *context, double now, int pu, struct plb_range range)
{
    struct taken *t = context;
    (void)now;
    t->grants[t->pass]++;
    for (int64_t u = range.first; u < range.first + range.count; u++) {
        t->moved += t->home[u] != pu;
        t->came += t->home[u] != pu;
        t->home[u] = pu;
    }
}

static void executed(void *context, int pu, const struct plb_slice *task)
{
    struct taken *t = context;
    (void)pu;
    t->tasks[task->pass]++;
}

static void stepped(void *context, double now, const struct plb_master *master)
{
    struct taken *t = context;
    (void)now;
    if (t->pass <= 5)
        t->solves = plb_master_stats(master)->solves;
}

struct steady {
    uint64_t seed;
    bool quick; /* passes last a tenth of PASS_S */
    double noise, slow_at, start_s;
    double delay;            /* of messages and halos, at most: results are the inputs of the next pass */
    double back_at, slow_by; /* 0: it stays slow; 3 */
    const int *phases;       /* of the passes, 0 or 1; NULL: all are of one */
    const struct plb_fault *fault;
    const char *balancer;
};

static void make_nodes(const struct steady *how, struct plb_node_spec *nodes, struct plb_pu_spec *pus)
{
    for (int n = 0; n < NODES; n++) {
        nodes[n] = (struct plb_node_spec){"n", 1e9, 1e-5, n, 1};
        pus[n] = (struct plb_pu_spec){.name = "p",
                                      .power = 1.0,
                                      .rate = RATE * pow(3.0, n) * (how->quick ? 10.0 : 1.0),
                                      .overhead = how->start_s,
                                      .noise = how->noise,
                                      .memory = INFINITY,
                                      .copy_bandwidth = INFINITY};
    }
    pus[2].n_slow = (how->slow_at > 0.0) + (how->back_at > 0.0);
    pus[2].slow_at[0] = how->slow_at;
    pus[2].slow_by[0] = how->slow_by > 0.0 ? how->slow_by : 3.0;
    pus[2].slow_at[1] = how->back_at;
    pus[2].slow_by[1] = 1.0;
}

static struct plb_simulation job_of(const struct steady *how, const struct plb_cost_map *maps,
                                    const struct plb_sizes *sizes)
{
    const bool stencil = how->delay > 0.0;
    const double row = stencil ? sizes->unit_bytes : 0.0;
    struct plb_sizes inputs = *sizes;
    inputs.task_bytes = 0.0;
    return (struct plb_simulation){.maps = maps,
                                   .inputs = inputs,
                                   .results = {.unit_bytes = row, .task_bytes = 8.0},
                                   .staying = {.unit_bytes = row},
                                   .feeds = stencil,
                                   .delay = how->delay,
                                   .passes = PASSES,
                                   .phases = how->phases,
                                   .seed = how->seed + 1,
                                   .faults = how->fault,
                                   .n_faults = how->fault != NULL,
                                   .lost_after = 0.05,
                                   .migration = {.on = true, .backups = true},
                                   .master = {.sizes = sizes,
                                              .units = UNITS,
                                              .phases = how->phases != NULL ? 2 : 1,
                                              .migration = true,
                                              .backups = true,
                                              .whole_results = true,
                                              .stays = stencil,
                                              .feeds_stay = stencil,
                                              .halos = stencil,
                                              .resident = true}};
}

/* Returns the makespan. after: solves from pass 6 on. */
static double run(const struct steady *how, struct taken *t, struct plb_standing_counts *counts,
                  int64_t *after)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_node_spec nodes[NODES];
    struct plb_pu_spec pus[NODES];
    struct plb_cluster_spec cluster = {.n_nodes = NODES, .n_pus = NODES, .nodes = nodes, .pus = pus};
    struct plb_cost_map map;
    struct plb_param params[MAX_PARAMS];
    struct plb_simulated result;
    const int halo = how->delay > 0.0;
    struct plb_sizes sizes = {.unit_bytes = 800.0, .task_bytes = 8.0, .before = halo, .after = halo};
    memset(t, 0, sizeof *t);
    t->least_s = INFINITY;
    make_nodes(how, nodes, pus);
    assert_int_equal(plb_cost_map_init(&map, UNITS, NULL, NULL, &err), PLB_OK);
    map.told = true;
    const struct plb_cost_map maps[] = {map, map};
    struct plb_simulation s = job_of(how, maps, &sizes);
    s.cluster = &cluster;
    s.watch = (struct plb_watch){
        .context = t, .granted = granted, .sent = sent, .executed = executed, .stepped = stepped};
    s.master.balancer = plb_balancer_find(how->balancer, "test", &err);
    s.master.params = params;
    default_params(s.master.balancer, params);
    if (plb_simulate(&s, &result, &err) != PLB_OK)
        fail_msg("%s: %s", how->balancer, err.text);
    *counts = *plb_master_standing(result.master);
    *after = plb_master_stats(result.master)->solves - t->solves;
    plb_master_free(result.master);
    plb_cost_map_fini(&map);
    return result.makespan_s;
}

/* PASS and a block to each of the other nodes, and its report: nobody asks for anything. */
static void a_pass_is_a_message_each_way(void **state)
{
    (void)state;
    struct taken t;
    struct plb_standing_counts counts;
    int64_t solves;
    int messages = 0;
    double seconds = run(&(struct steady){.balancer = "sure"}, &t, &counts, &solves);
    print_message("%.4f of the bound, %d messages in pass 10\n", seconds / (PASSES * PASS_S), t.messages[10]);
    assert_true(counts.passes >= PASSES - 3 && counts.late == 0 && counts.freed == 0);
    assert_int_equal(solves, 0);
    for (int pass = 6; pass <= PASSES; pass++) {
        assert_int_equal(t.grants[pass], NODES);
        assert_int_equal(t.tasks[pass], NODES);
        messages += t.messages[pass];
    }
    assert_true(messages <= 3 * (NODES - 1) * (PASSES - 5) + 10); /* shares have moved a little */
    assert_true(seconds < 1.05 * PASSES * PASS_S);
    assert_true(t.moved < 2 * UNITS);
    assert_true(t.told > 0.9 * NODES * (PASSES - 5));
    assert_true(t.least_s > 0.9 * PASS_S && t.most_s < 1.2 * PASS_S);
}

/* Noise moves no data from pass to pass. */
static void noise_moves_little(void **state)
{
    (void)state;
    struct taken t;
    struct plb_standing_counts counts;
    int64_t solves, later = 0;
    double seconds = 0.0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        seconds += run(&(struct steady){.balancer = "sure", .noise = 0.05, .seed = seed}, &t, &counts,
                       &solves)
                 / SEEDS;
        assert_true(counts.passes >= PASSES - 5);
        assert_true((double)t.moved < 0.02 * UNITS * PASSES);
        later += t.later;
    }
    print_message("%.4f of the bound, %.3f of the units change hands after pass 10\n",
                  seconds / (PASSES * PASS_S), (double)later / UNITS / SEEDS);
    assert_true(seconds < 1.12 * PASSES * PASS_S);
    assert_true((double)later < 0.15 * UNITS * SEEDS);
}

/* Halos are late by up to half a pass. A PU that waits for them is no slower by that: its share stays. */
static void waits_move_little(void **state)
{
    (void)state;
    struct taken t;
    struct plb_standing_counts counts;
    int64_t solves, later = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run(
            &(struct steady){
                .balancer = "sure", .noise = 0.02, .delay = 0.05 * PASS_S, .quick = true, .seed = seed},
            &t, &counts, &solves);
        assert_true(counts.passes >= PASSES - 5);
        later += t.later;
    }
    print_message("%.3f of the units change hands after pass 10\n", (double)later / UNITS / SEEDS);
    assert_true((double)later < 0.15 * UNITS * SEEDS);
}

/* A PU becomes three times as slow in the middle: the shares follow, also where nobody is late enough to be
 * helped. */
static void a_slower_pu_gets_less(void **state)
{
    (void)state;
    struct taken t;
    struct plb_standing_counts counts;
    int64_t solves;
    for (int quick = 0; quick < 2; quick++) {
        double pass = quick ? 0.1 * PASS_S : PASS_S, at = 50 * pass;
        double bound = at + (PASSES - 50) * pass * 13.0 / 7.0;
        double seconds = run(&(struct steady){.balancer = "sure", .quick = quick, .slow_at = at}, &t, &counts,
                             &solves);
        print_message("%.4f of the bound, %lld passes stood, %lld of them until somebody was late\n",
                      seconds / bound, (long long)counts.passes, (long long)counts.late);
        assert_true(seconds < (quick ? 1.1 : 1.05) * bound);
        assert_true(quick || counts.late >= 1); /* others helped it before its pass was over */
    }
}

/* A PU becomes so slow that others do all of its share, and it reports nothing: shares do not stand on. */
static void one_that_reports_nothing_is_asked(void **state)
{
    (void)state;
    struct taken t;
    struct plb_standing_counts counts;
    int64_t solves;
    double at = 50 * PASS_S, bound = at + (PASSES - 50) * PASS_S * 13.0 / 4.0;
    double seconds = run(&(struct steady){.balancer = "sure", .slow_at = at, .slow_by = 100.0}, &t, &counts,
                         &solves);
    print_message("%.4f of the bound, %lld passes stood, %lld of them until somebody was late\n",
                  seconds / bound, (long long)counts.passes, (long long)counts.late);
    assert_true(seconds < 1.15 * bound);
}

/* A node dies: its units are executed by others, and the passes after it stand again. */
static void a_loss_ends_few(void **state)
{
    (void)state;
    struct taken t;
    struct plb_standing_counts counts;
    int64_t solves;
    struct plb_fault dies = {.kind = PLB_DIES, .node = 1, .pu = -1, .at = 100.5 * PASS_S};
    double bound = PASSES * PASS_S * (0.5 + 0.5 * 13.0 / 10.0) + 0.05;
    double seconds = run(&(struct steady){.balancer = "sure", .fault = &dies}, &t, &counts, &solves);
    print_message("%.4f of the bound, %lld passes stood, all but %lld until their end\n", seconds / bound,
                  (long long)counts.passes, (long long)(counts.late + counts.freed));
    assert_true(counts.late + counts.freed >= 1 && counts.late + counts.freed <= 5);
    assert_true(counts.passes >= PASSES - 5);
    assert_true(seconds < 1.10 * bound);
}

/* A PU whose first tasks are as slow as a long start is tried again, also where phases take turns. */
static void one_left_out_comes_back(void **state)
{
    (void)state;
    struct taken t;
    struct plb_standing_counts counts;
    int64_t solves;
    int turns[PASSES + 1];
    for (int i = 0; i <= PASSES; i++)
        turns[i] = i % 2;
    struct steady how = {
        .balancer = "sure", .start_s = 2e-3, .slow_at = 1e-9, .slow_by = 20.0, .back_at = 6.0 * PASS_S};
    double one = run(&how, &t, &counts, &solves);
    how.phases = turns;
    double two = run(&how, &t, &counts, &solves);
    print_message("%.3f s where all passes are of one phase, %.3f s where two take turns\n", one, two);
    assert_int_equal(t.grants[PASSES - 1], NODES);
    assert_int_equal(t.grants[PASSES], NODES);
    assert_true(two < 1.1 * one);
}

/* Other balancers are asked in each pass. */
static void others_are_asked(void **state)
{
    (void)state;
    struct taken t;
    struct plb_standing_counts counts;
    int64_t solves;
    for (const char *const *b = (const char *const[]){"static", "greedy", "plb-hec", NULL}; *b != NULL; b++) {
        run(&(struct steady){.balancer = *b}, &t, &counts, &solves);
        assert_int_equal(counts.passes, 0);
        assert_int_equal(t.told, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_is_a_message_each_way),
        cmocka_unit_test(noise_moves_little),
        cmocka_unit_test(waits_move_little),
        cmocka_unit_test(a_slower_pu_gets_less),
        cmocka_unit_test(one_that_reports_nothing_is_asked),
        cmocka_unit_test(a_loss_ends_few),
        cmocka_unit_test(one_left_out_comes_back),
        cmocka_unit_test(others_are_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
