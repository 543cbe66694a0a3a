/* Tasks in a child process, on the devices that can have one: results and times come back, and a task whose
 * child ends leaves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "node/pu/executor.h"

#define UNITS 1000
#define OTHER (-7.0) /* what is in outputs before */

enum { IN, SUM, OUT };

static double in[UNITS], own[UNITS], *shared, *array; /* array: of the tasks of an executor */
static volatile int64_t *begun;                       /* tasks that have; shared */

/* out = in, sum += out. A task of one unit ends its process in the middle, one of two waits for its end. */
static int entry(const struct plb_task *task)
{
    const double *from = task->data[IN];
    double *sum = task->data[SUM], *to = task->data[OUT];
    ++*begun;
    for (int64_t i = 0; i < task->count; i++)
        if (to[i] != 0.0)
            return 5;
    for (int64_t i = 0; i < task->count; i++) {
        to[i] = from[i];
        *sum += to[i];
    }
    if (task->count == 1)
        raise(SIGKILL);
    while (task->count == 2 && !plb_task_cancelled(task))
        usleep(1000);
    return 0;
}

static const struct plb_phase phase = {.name = "test", .cpu = entry};
static struct plb_dataset set;

/* The three devices: a CPU, an emulated one, and one that is emulated with memory of its own. */
enum { DEVICES = 3 };
static const struct plb_device_driver *driver_of(int device, struct plb_device_config *config)
{
    const char *name = device == 0 ? "cpu" : "emulated";
    *config = (struct plb_device_config){.threads = 2, .isolated = true};
    config->spec = (struct plb_pu_spec){.kind = device == 2 ? PLB_GPU : PLB_CPU,
                                        .slowdown = 1.0,
                                        .copy_bandwidth = device == 2 ? 1e12 : INFINITY};
    for (int d = 0; plb_device_drivers[d] != NULL; d++)
        if (strcmp(plb_device_drivers[d]->name, name) == 0)
            return plb_device_drivers[d];
    fail();
    return NULL;
}

static void open_device(struct plb_executor *e, int device, bool is_shared)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_device_config config;
    const struct plb_device_driver *driver = driver_of(device, &config);
    double *out = is_shared ? shared : own;
    set = (struct plb_dataset){.n = 3, .on_rank0 = true, .units = UNITS, .host = {in, NULL, out}};
    set.at[IN] = (struct plb_data){.mode = PLB_PARTITION, .unit_bytes = sizeof *in};
    set.at[SUM] = (struct plb_data){.mode = PLB_REDUCE, .bytes = sizeof *in, .type = PLB_FLOAT64};
    set.at[OUT] = (struct plb_data){.mode = PLB_OUTPUT, .unit_bytes = sizeof *in};
    set.shared[OUT] = is_shared;
    for (int i = 0; i < UNITS; i++) {
        in[i] = i + 1;
        out[i] = OTHER;
    }
    assert_true(driver->isolates);
    assert_int_equal(plb_executor_open(e, driver, &config, &set, &err), PLB_OK);
    e->limit = (struct plb_task_limit){UNITS, INFINITY};
    plb_isolated_enter(&e->isolated, 1);
    array = plb_executor_grow(e, NULL, 0, sizeof *array);
}

static void close_device(struct plb_executor *e)
{
    plb_executor_close(e);
    plb_shared_free(array, sizeof *array);
}

/* Executes a range; the sum of its array. */
static int execute(struct plb_executor *e, int64_t first, int64_t count, double *sum,
                   struct plb_device_times *times)
{
    *array = 0.0;
    void *buffers[PLB_MAX_DATA] = {[SUM] = array};
    int status = plb_executor_submit(e, 0, &phase, (struct plb_range){first, count}, buffers);
    if (status == 0)
        status = plb_executor_wait(e, 0, times);
    *sum = *array;
    return status;
}

static void results_and_times_come_back(void **state)
{
    (void)state;
    for (int device = 0; device < 2 * DEVICES; device++) {
        struct plb_executor e;
        struct plb_device_times times = {0};
        double sum;
        open_device(&e, device / 2, device % 2);
        assert_int_equal(execute(&e, 10, 300, &sum, &times), 0);
        assert_true(sum == 300.0 * 10 + 300.0 * 301 / 2);
        assert_true(times.execute_s > 0.0);
        assert_true(e.isolated.took == 0.0);
        for (int i = 0; i < UNITS; i++)
            assert_true(((double *)set.host[OUT])[i] == (i >= 10 && i < 310 ? in[i] : OTHER));
        close_device(&e);
    }
}

/* In place its outputs are zero, elsewhere they never came. The next task has another child. */
static void a_task_whose_child_ends_leaves_nothing(void **state)
{
    (void)state;
    for (int device = 0; device < 2 * DEVICES; device++) {
        struct plb_executor e;
        struct plb_device_times times;
        double sum;
        open_device(&e, device / 2, device % 2);
        assert_int_not_equal(execute(&e, 8, 1, &sum, &times), 0);
        assert_true(e.isolated.ended);
        assert_int_equal(e.isolated.end.signal, SIGKILL);
        assert_string_equal(plb_executor_failure(&e), "");
        assert_true(e.isolated.took == 0.0);
        bool in_place = device % 2 == 1 && device / 2 < 2;
        assert_true(((double *)set.host[OUT])[8] == (in_place ? 0.0 : OTHER));
        assert_int_equal(execute(&e, 8, 4, &sum, &times), 0);
        assert_false(e.isolated.ended);
        assert_true(((double *)set.host[OUT])[8] == in[8]);
        close_device(&e);
    }
}

static void inputs_are_those_of_the_pass(void **state)
{
    (void)state;
    struct plb_executor e;
    struct plb_device_times times;
    double sum;
    open_device(&e, 0, true);
    assert_int_equal(execute(&e, 0, 8, &sum, &times), 0);
    in[3] = 100.0;
    plb_isolated_enter(&e.isolated, 2);
    assert_int_equal(execute(&e, 0, 8, &sum, &times), 0);
    assert_true(shared[3] == 100.0);
    close_device(&e);
}

static void *cancel(void *executor)
{
    while (__atomic_load_n(begun, __ATOMIC_ACQUIRE) == 0)
        usleep(1000);
    plb_executor_cancel(executor, 0, true);
    return NULL;
}

static void a_task_hears_that_it_is_cancelled(void **state)
{
    (void)state;
    for (int device = 0; device < DEVICES; device++) {
        struct plb_executor e;
        struct plb_device_times times;
        pthread_t thread;
        double sum;
        open_device(&e, device, true);
        *begun = 0;
        assert_int_equal(pthread_create(&thread, NULL, cancel, &e), 0);
        assert_int_equal(execute(&e, 0, 2, &sum, &times), 0);
        pthread_join(thread, NULL);
        close_device(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_and_times_come_back),
        cmocka_unit_test(a_task_whose_child_ends_leaves_nothing),
        cmocka_unit_test(inputs_are_those_of_the_pass),
        cmocka_unit_test(a_task_hears_that_it_is_cancelled),
    };
    begun = plb_shared_alloc(sizeof *begun);
    shared = plb_shared_alloc(UNITS * sizeof *shared);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
