/* A node that is told of a new pass while tasks of the old one are fetched, wait, run or are finished:
 * nothing of them is reported, and their slots serve the new pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "node/daemon.h"
#include "node/pu/slot.h"
#include "stub_device.h"

#define UNITS 100
#define DEADLOCK 30         /* seconds after which a test that hangs is ended */
#define OLD (PLB_SLOTS + 1) /* passes that leave something behind: more than there are slots */
#define TRANSFERS 16

/* The wire: transfers of inputs end when the test says so. */
static struct {
    struct plb_node *node;
    int *pending[TRANSFERS]; /* transfers that have not ended */
    int n;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool holds;            /* tasks do not end */
    int started, released; /* tasks */
    int status;            /* of every task */
    int failures;          /* FAILs of the node */
} world = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void late_get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)from, (void)context;
    (void)tag;
    memset(data, 0, bytes);
    ++*pending;
    assert_true(world.n < TRANSFERS);
    world.pending[world.n++] = pending;
}

static void quick_put(void *context, int to, int tag, const void *data, size_t bytes, int *pending)
{
    (void)to, (void)context;
    (void)tag;
    (void)data;
    (void)bytes;
    (void)pending;
}

static void deliver(void)
{
    for (; world.n > 0; world.n--)
        --*world.pending[world.n - 1];
}

static void await_release(const struct plb_task *task)
{
    (void)task;
    pthread_mutex_lock(&world.lock);
    world.started++;
    pthread_cond_broadcast(&world.changed);
    while (world.holds)
        pthread_cond_wait(&world.changed, &world.lock);
    world.released++;
    pthread_cond_broadcast(&world.changed);
    pthread_mutex_unlock(&world.lock);
}

/* Holds the tasks that start from now on, or releases all: returns when they go on. */
static void hold(bool holds)
{
    pthread_mutex_lock(&world.lock);
    world.holds = holds;
    pthread_cond_broadcast(&world.changed);
    while (!holds && world.released < world.started)
        pthread_cond_wait(&world.changed, &world.lock);
    pthread_mutex_unlock(&world.lock);
}

static void await_start(int tasks)
{
    pthread_mutex_lock(&world.lock);
    while (world.started < tasks)
        pthread_cond_wait(&world.changed, &world.lock);
    pthread_mutex_unlock(&world.lock);
}

static int nothing(const struct plb_task *task)
{
    (void)task;
    return world.status;
}

static const struct plb_device_driver driver = {.name = "stub", .entry = stub_entry, .ops = {STUB_OPS}};
static const struct plb_kernel kernel = {.name = "k", PLB_KERNEL_HEAD, .unit = "units", .cpu = nothing};
static const struct plb_dataset set = {.n = 2,
                                       .units = UNITS,
                                       .at = {{.name = "in", .mode = PLB_PARTITION, .unit_bytes = 8},
                                              {.name = "out", .mode = PLB_OUTPUT, .unit_bytes = 8}}};
static const struct plb_cost_map map = {.units = UNITS, .bucket = 1, .n = UNITS, .per_work = 1.0};

/* The shares of the pass stand for so many seconds; 0: they do not. */
static void begin_standing(int pass, double seconds)
{
    struct plb_outbox box = {0};
    plb_outbox_add(&box, PLB_PASS, 0, 1, pass)->begin.stands_s = seconds;
    assert_true(plb_node_receive(world.node, &box.at[0], &box));
    plb_outbox_fini(&box);
}

static void begin(int pass)
{
    begin_standing(pass, 0.0);
}

static void grant(int pass, int64_t first, int64_t count)
{
    struct plb_outbox box = {0};
    plb_outbox_add(&box, PLB_BLOCK, 0, 1, pass)->block = (struct plb_block){
        {first, count}, pass, count, 0, 0.0, 0};
    plb_node_receive(world.node, &box.at[0], &box);
    plb_outbox_fini(&box);
}

/* Other nodes have done these units. */
static void cancel(int pass, int64_t first, int64_t count)
{
    struct plb_outbox box = {0};
    plb_outbox_add(&box, PLB_CANCEL, 0, 1, pass)->cancel.range = (struct plb_range){first, count};
    assert_true(plb_node_receive(world.node, &box.at[0], &box));
    plb_outbox_fini(&box);
}

static void start(void)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_node_pu pu = {.driver = &driver, .device.config.threads = 1};
    struct plb_node_config config = {.rank = 1,
                                     .n_nodes = 2,
                                     .kernel = &kernel,
                                     .data = &set,
                                     .maps = &map,
                                     .wire = {.get = late_get, .put = quick_put}};
    pu.info = (struct plb_pu_info){.node = 1, .power = 1.0, .memory = 1e9};
    world.n = world.started = world.released = world.status = world.failures = 0;
    hold(false);
    stub_device.before = await_release;
    alarm(DEADLOCK);
    assert_int_equal(plb_node_start(&config, &pu, 1, &world.node, &err), PLB_OK);
    begin(1);
}

static void stop(void)
{
    plb_node_stop(world.node);
    plb_node_free(world.node);
    alarm(0);
}

/* One step; returns the units that are reported, all of them of this pass. */
static int64_t step(int pass)
{
    struct plb_outbox out = {0};
    int64_t units = 0;
    plb_node_step(world.node, &out);
    for (int i = 0; i < out.n; i++) {
        world.failures += out.at[i].type == PLB_FAIL;
        if (out.at[i].type == PLB_DONE) {
            assert_int_equal(out.at[i].pass, pass);
            units += out.at[i].done.range.count;
        }
    }
    plb_outbox_fini(&out);
    plb_node_wait(world.node, 1e-3);
    return units;
}

/* The last pass is worked off, although each one before it has left something behind. */
static void the_last_pass_is_worked_off(void)
{
    int64_t units = 0;
    for (int64_t first = 0; first < UNITS; first += 5)
        grant(OLD + 1, first, 5);
    while (units < UNITS) {
        units += step(OLD + 1);
        deliver();
    }
    assert_int_equal(units, UNITS);
}

/* The inputs of all old passes arrive in the last one. */
static void what_is_being_fetched_is_forgotten(void **state)
{
    (void)state;
    start();
    for (int pass = 1; pass <= OLD; pass++) {
        grant(pass, 0, 10);
        grant(pass, 10, 10);
        assert_int_equal(step(pass), 0);
        begin(pass + 1);
    }
    assert_int_equal(world.n, PLB_SLOTS);
    deliver();
    assert_int_equal(step(OLD + 1), 0);
    assert_int_equal(world.started, 0);
    the_last_pass_is_worked_off();
    assert_int_equal(world.started, UNITS / 5);
    stop();
}

/* One task of each pass is held while it runs, and another one waits for it. */
static void what_runs_and_what_waits_is_forgotten(void **state)
{
    (void)state;
    start();
    for (int pass = 1; pass <= OLD; pass++) {
        hold(true);
        grant(pass, 0, 10);
        grant(pass, 10, 10);
        for (int i = 0; i < 3; i++) {
            step(pass);
            deliver();
        }
        await_start(pass);
        begin(pass + 1);
        hold(false);
        while (plb_node_works(world.node, pass, pass + 1))
            plb_node_wait(world.node, 1e-3);
        assert_int_equal(step(pass + 1), 0);
    }
    the_last_pass_is_worked_off();
    assert_int_equal(world.started, OLD + UNITS / 5);
    stop();
}

static void what_is_finished_is_forgotten(void **state)
{
    (void)state;
    start();
    for (int pass = 1; pass <= OLD; pass++) {
        grant(pass, 0, 10);
        step(pass);
        deliver();
        step(pass); /* it is ready */
        await_start(pass);
        plb_node_wait(world.node, 1.0); /* it is finished, and nobody has asked */
        begin(pass + 1);
        assert_int_equal(step(pass + 1), 0);
    }
    the_last_pass_is_worked_off();
    stop();
}

/* Units that this node was to execute, then was not, and is again; the inputs of both times arrive last. */
static void what_was_forgotten_once_is_executed_once(void **state)
{
    (void)state;
    start();
    for (int i = 0; i < OLD; i++) {
        int64_t units = 0;
        grant(1, 0, 10);
        assert_int_equal(step(1), 0);
        cancel(1, 0, 10);
        grant(1, 0, 10);
        assert_int_equal(step(1), 0);
        while (units < 10) {
            deliver();
            units += step(1);
        }
        assert_int_equal(units, 10);
    }
    assert_int_equal(world.started, OLD);
    stop();
}

/* While its PU executes a share that stands, nobody wants anything of a node. */
static void one_that_executes_its_share_is_left_alone(void **state)
{
    (void)state;
    static const double stands_s[] = {0.0, 1000.0};
    start();
    for (int pass = 2; pass < 4; pass++) {
        int64_t units = 0;
        hold(true);
        begin_standing(pass, stands_s[pass - 2]);
        grant(pass, 0, 10);
        step(pass);
        struct plb_node_outlook look = plb_node_outlook(world.node); /* its inputs are on their way */
        assert_true(look.idle && !look.computes && look.until == 0.0);
        deliver();
        step(pass);
        await_start(pass - 1);
        look = plb_node_outlook(world.node);
        assert_true(!look.idle && look.computes);
        assert_true(pass == 2 ? look.until == 0.0 : look.until > plb_now() + 500.0);
        hold(false);
        while (units < 10)
            units += step(pass);
        look = plb_node_outlook(world.node);
        assert_true(look.idle && !look.computes && look.until == 0.0);
    }
    stop();
}

/* A PU that executes what nobody wants may hang: what it was granted stays where others can take it. */
static void a_pu_that_may_hang_takes_nothing(void **state)
{
    (void)state;
    int64_t units = 0;
    start();
    hold(true);
    grant(1, 0, 10);
    while (world.n == 0)
        step(1);
    deliver();
    step(1);
    await_start(1);
    grant(1, 10, 10);
    step(1);
    assert_int_equal(world.n, 1); /* the inputs of the next task */
    deliver();
    begin(2);
    grant(2, 0, 10);
    step(2);
    step(2);
    assert_int_equal(world.n, 0);
    hold(false);
    while (units < 10) {
        units += step(2);
        deliver();
    }
    stop();
}

/* The run goes on where somebody else has executed the units: the slot serves the next task of this pass. */
static void a_task_that_fails_gives_its_slot_back(void **state)
{
    (void)state;
    start();
    world.status = 7;
    for (int i = 0; i <= PLB_SLOTS; i++)
        grant(1, i, 1);
    while (world.failures <= PLB_SLOTS) {
        assert_int_equal(step(1), 0);
        deliver();
    }
    stop();
}

static void a_pass_that_is_not_new_changes_nothing(void **state)
{
    (void)state;
    struct plb_outbox box = {0};
    start();
    plb_outbox_add(&box, PLB_PASS, 0, 1, 1);
    assert_false(plb_node_receive(world.node, &box.at[0], &box));
    plb_outbox_fini(&box);
    grant(1, 0, 10);
    int64_t units = 0;
    while (units < 10) {
        units += step(1);
        deliver();
    }
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_being_fetched_is_forgotten),
        cmocka_unit_test(what_runs_and_what_waits_is_forgotten),
        cmocka_unit_test(what_is_finished_is_forgotten),
        cmocka_unit_test(what_was_forgotten_once_is_executed_once),
        cmocka_unit_test(a_pu_that_may_hang_takes_nothing),
        cmocka_unit_test(a_task_that_fails_gives_its_slot_back),
        cmocka_unit_test(a_pass_that_is_not_new_changes_nothing),
        cmocka_unit_test(one_that_executes_its_share_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
