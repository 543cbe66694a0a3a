/* A node's PUs as its communication thread sees them: which are late, and which it gives up. No thread runs:
 * the runners' tables are filled by hand, and time is a number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "node/pu/hung.h"

#define PUS 2
#define UNITS 1000
#define AFTER 1.0

struct node {
    struct plb_cost_map map;
    struct plb_kernel kernel;
    struct plb_node_shared shared;
    struct plb_runner runners[PUS];
    struct plb_hung_watch watch;
    struct plb_outbox out;
    double now;
};

static double equal(const void *context, int64_t first, int64_t count)
{
    (void)context;
    (void)first;
    return (double)count;
}

static void receive(struct node *n, enum plb_message_type type, int64_t first, int64_t count)
{
    struct plb_message *m = plb_outbox_add(&n->out, type, 0, 0, 1), message;
    if (type == PLB_BLOCK)
        m->block = (struct plb_block){.range = {first, count}, .id = first, .grain = 10};
    message = *m;
    n->out.n = 0;
    assert_true(plb_worker_receive(n->shared.worker, &message, &n->out));
}

static bool is_lost(const struct node *n, int pu)
{
    return plb_worker_state(n->shared.worker, pu) == PLB_PU_LOST;
}

/* Takes the PU's next task, which runs from now on in a lane. */
static void begin_task(struct node *n, int lane)
{
    struct plb_runner *r = &n->runners[0];
    r->running[lane] = (struct plb_running){.runs = true, .step = ++r->steps};
    assert_true(plb_worker_take(n->shared.worker, 0, &r->running[lane].task));
}

static void end_task(struct node *n)
{
    struct plb_runner *r = &n->runners[0];
    plb_worker_done(n->shared.worker, 0, &r->running[0].task, 0.01, 0.0, PLB_NO_SLOT);
    r->running[0].runs = false;
    r->steps++;
}

/* A node with so many PUs, in a run of so many nodes. The first PU has ended a task, and executes another one
 * in a slot of its own, while a third waits in a slot. */
static void start(struct node *n, int pus, int nodes, bool told)
{
    static const struct plb_worker_pu are[PUS] = {{1.0, {INT64_MAX, INFINITY}, false},
                                                  {1.0, {INT64_MAX, INFINITY}, false}};
    struct plb_error err = {.status = PLB_OK};
    *n = (struct node){.kernel = {.name = "k", .unit = "rows"}};
    assert_int_equal(plb_cost_map_init(&n->map, UNITS, told ? equal : NULL, NULL, &err), PLB_OK);
    n->shared.config = (struct plb_node_config){.n_nodes = nodes, .kernel = &n->kernel, .hung_after = AFTER};
    pthread_mutex_init(&n->shared.lock, NULL);
    pthread_cond_init(&n->shared.wake, NULL);
    n->shared.worker = plb_worker_new(&(struct plb_worker_config){
        .n_nodes = nodes, .n_pus = pus, .pus = are, .maps = &n->map, .n_phases = 1});
    n->shared.results = plb_device_results_new(pus);
    for (int p = 0; p < pus; p++)
        n->runners[p] = (struct plb_runner){.shared = &n->shared, .number = p};
    n->watch = (struct plb_hung_watch){n->runners, pus, 0.0};
    receive(n, PLB_PASS, 0, 0);
    receive(n, PLB_BLOCK, 0, 100);
    begin_task(n, 0);
    end_task(n);
    begin_task(n, 0);
    n->runners[0].slots[0].state = PLB_SLOT_RUNNING;
    n->runners[0].slots[1].state = PLB_SLOT_READY;
    assert_true(plb_worker_take(n->shared.worker, 0, &n->runners[0].slots[1].task));
    n->runners[0].line[n->runners[0].n_line++] = 1;
}

static void stop(struct node *n)
{
    plb_worker_free(n->shared.worker);
    plb_device_results_free(&n->shared.results);
    plb_cost_map_fini(&n->map);
    plb_outbox_fini(&n->out);
    pthread_cond_destroy(&n->shared.wake);
    pthread_mutex_destroy(&n->shared.lock);
}

/* Ten looks a second, for so many seconds. */
static void look(struct node *n, double seconds)
{
    for (double end = n->now + seconds; n->now < end; n->now += 0.1)
        plb_hung_look(&n->watch, n->now);
}

/* Units that FAIL messages give back. */
static int64_t given_back(struct node *n)
{
    int64_t units = 0;
    plb_worker_collect(n->shared.worker, n->now, &n->out);
    for (int i = 0; i < n->out.n; i++)
        units += n->out.at[i].type == PLB_FAIL ? n->out.at[i].fail.range.count : 0;
    return units;
}

static void all_that_a_pu_has_goes_back_when_it_hangs(void **state)
{
    (void)state;
    struct node n;
    start(&n, PUS, 1, true);
    look(&n, 1.8);
    assert_true(n.runners[0].overdue.said);
    assert_int_equal(given_back(&n), 0);
    look(&n, 1.0);
    assert_int_equal(given_back(&n), 90);
    const struct plb_running *hung = &n.runners[0].running[0];
    assert_true(is_lost(&n, 0) && hung->runs && hung->lost && hung->told);
    assert_true(plb_running_works(n.runners[0].running, 1, 2, true));
    assert_false(plb_running_works(n.runners[0].running, 1, 2, false));
    assert_int_equal(n.runners[0].slots[0].state, PLB_SLOT_RUNNING); /* its memory is not used again */
    assert_int_equal(n.runners[0].slots[1].state, PLB_SLOT_FREE);
    assert_int_equal(n.runners[0].n_line, 0);
    assert_false(is_lost(&n, 1));
    n.out.n = 0;
    look(&n, 5.0); /* once */
    assert_int_equal(given_back(&n), 0);
    stop(&n);
}

/* The steps of a PU with several lanes count together, and its oldest task is the one that is late. */
static void all_lanes_of_a_device_are_lost_together(void **state)
{
    (void)state;
    struct node n;
    start(&n, PUS, 1, true);
    look(&n, 1.5);
    begin_task(&n, 1);
    assert_ptr_equal(plb_running_oldest(n.runners[0].running), &n.runners[0].running[0]);
    look(&n, 1.8);
    assert_false(is_lost(&n, 0));
    look(&n, 1.0);
    assert_true(n.runners[0].running[0].lost && n.runners[0].running[1].lost);
    assert_int_equal(given_back(&n), 90);
    stop(&n);
}

/* No process is there that could be killed: the child has ended. */
static void an_isolated_task_is_killed_and_its_pu_stays(void **state)
{
    (void)state;
    struct node n;
    start(&n, 1, 1, true);
    n.runners[0].executor.shares = true;
    n.runners[0].running[0].in_place = true;
    look(&n, 1.8);
    assert_false(n.runners[0].running[0].killed);
    look(&n, 1.0);
    assert_true(n.runners[0].running[0].killed);
    assert_false(is_lost(&n, 0) || n.runners[0].running[0].told);
    assert_int_equal(given_back(&n), 0);
    stop(&n);
}

/* The system keeps its process, and another PU is there. */
static void a_pu_whose_child_does_not_die_is_given_up(void **state)
{
    (void)state;
    struct node n;
    start(&n, PUS, 1, true);
    n.runners[0].executor.shares = true;
    n.runners[0].running[0].in_place = true;
    look(&n, 2.8);
    assert_true(n.runners[0].running[0].killed);
    look(&n, 9.0);
    assert_false(is_lost(&n, 0));
    assert_int_equal(given_back(&n), 0);
    look(&n, 3.0);
    assert_true(is_lost(&n, 0) && n.runners[0].running[0].lost && n.runners[0].running[0].told);
    assert_int_equal(given_back(&n), 90);
    stop(&n);
}

static void a_pu_that_is_alone_waits_for_its_child(void **state)
{
    (void)state;
    struct node n;
    start(&n, 1, 1, true);
    n.runners[0].executor.shares = true;
    look(&n, 100.0);
    assert_true(n.runners[0].running[0].killed && !is_lost(&n, 0));
    stop(&n);
}

/* Who is only spoken of. */
static void is_kept(int pus, int nodes, bool told, bool in_place)
{
    struct node n;
    start(&n, pus, nodes, told);
    n.runners[0].running[0].in_place = in_place;
    look(&n, 100.0);
    assert_true(n.runners[0].overdue.said);
    assert_false(is_lost(&n, 0));
    assert_int_equal(given_back(&n), 0);
    stop(&n);
}

static void a_pu_is_kept_whose_costs_are_unknown(void **state)
{
    (void)state;
    is_kept(PUS, 2, false, false);
}

static void a_pu_is_kept_that_writes_results_in_place(void **state)
{
    (void)state;
    is_kept(PUS, 2, true, true);
}

static void a_pu_is_kept_that_is_alone(void **state)
{
    (void)state;
    struct node n;
    is_kept(1, 1, true, false);
    start(&n, PUS, 1, true);
    plb_worker_leave_out(n.shared.worker, 1);
    look(&n, 100.0);
    assert_false(is_lost(&n, 0));
    stop(&n);
    start(&n, 1, 2, true); /* other nodes have PUs */
    look(&n, 100.0);
    assert_true(is_lost(&n, 0));
    stop(&n);
}

static void nothing_is_late_where_nobody_looks(void **state)
{
    (void)state;
    struct node n;
    start(&n, PUS, 2, true);
    n.shared.config.hung_after = 0.0;
    look(&n, 100.0);
    assert_false(n.runners[0].overdue.said || is_lost(&n, 0));
    n.shared.config.hung_after = AFTER;
    n.shared.stopping = true; /* plb_node_stop looks after those that run */
    look(&n, 100.0);
    assert_false(n.runners[0].overdue.said || is_lost(&n, 0));
    stop(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_a_pu_has_goes_back_when_it_hangs),
        cmocka_unit_test(all_lanes_of_a_device_are_lost_together),
        cmocka_unit_test(an_isolated_task_is_killed_and_its_pu_stays),
        cmocka_unit_test(a_pu_whose_child_does_not_die_is_given_up),
        cmocka_unit_test(a_pu_that_is_alone_waits_for_its_child),
        cmocka_unit_test(a_pu_is_kept_whose_costs_are_unknown),
        cmocka_unit_test(a_pu_is_kept_that_writes_results_in_place),
        cmocka_unit_test(a_pu_is_kept_that_is_alone),
        cmocka_unit_test(nothing_is_late_where_nobody_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
