/* The executor over a device that only notes what it is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "node/pu/executor.h"

#define UNITS 1000
#define NOTED 64  /* launches */
#define ON_HOST 1 /* the number of the device that works in host memory */

struct plb_device {
    size_t limit;   /* of one allocation */
    size_t largest; /* that was asked for */
    int copies_in, copies_out, launches, allocs;
    size_t copied_in;      /* bytes */
    int64_t counts[NOTED]; /* units of each launch */
    size_t bytes;          /* of buffer 1 at the last launch */
    bool on_host;
    double reduced; /* what the last launch found in its reduce array */
};

static struct plb_device *last;

static int noted_open(const struct plb_device_config *config, struct plb_device **device,
                      struct plb_error *err)
{
    (void)err;
    last = *device = plb_alloc(sizeof **device);
    last->on_host = config->number == ON_HOST;
    last->limit = SIZE_MAX;
    return PLB_OK;
}

static void noted_close(struct plb_device *d)
{
    free(d);
}
static double noted_memory(const struct plb_device *d)
{
    return (double)d->limit;
}
static bool noted_host_memory(const struct plb_device *d)
{
    return d->on_host;
}
static void *noted_alloc(struct plb_device *d, size_t bytes)
{
    d->allocs++;
    d->largest = bytes > d->largest ? bytes : d->largest;
    return bytes <= d->limit ? malloc(bytes) : NULL;
}
static void noted_free(struct plb_device *d, void *memory)
{
    (void)d;
    free(memory);
}
static int noted_copy_in(struct plb_device *d, int lane, void *to, const void *from, size_t bytes)
{
    (void)lane;
    d->copies_in++;
    d->copied_in += bytes;
    memcpy(to, from, bytes);
    return 0;
}

static int noted_copy_out(struct plb_device *d, int lane, void *to, const void *from, size_t bytes)
{
    (void)lane;
    d->copies_out++;
    memcpy(to, from, bytes);
    return 0;
}

static int noted_launch(struct plb_device *d, int lane, const struct plb_phase *phase,
                        const struct plb_task *task)
{
    (void)lane;
    d->counts[d->launches++ % NOTED] = task->count;
    d->bytes = task->bytes[1];
    d->reduced = *(double *)task->data[2];
    return phase->cpu(task);
}

static int noted_wait(struct plb_device *d, int lane, struct plb_device_times *times)
{
    (void)d;
    (void)lane;
    if (times != NULL)
        *times = (struct plb_device_times){0};
    return 0;
}

static plb_entry_fn noted_entry(const struct plb_phase *phase)
{
    return phase->cpu;
}

static const struct plb_device_driver noted = {.name = "noted",
                                               .entry = noted_entry,
                                               .ops = {.lanes = 2,
                                                       .near = (size_t)64 << 10,
                                                       .open = noted_open,
                                                       .close = noted_close,
                                                       .host_memory = noted_host_memory,
                                                       .memory = noted_memory,
                                                       .alloc = noted_alloc,
                                                       .free = noted_free,
                                                       .copy_in = noted_copy_in,
                                                       .copy_out = noted_copy_out,
                                                       .launch = noted_launch,
                                                       .wait = noted_wait}};

static double factor = 3.0, in[UNITS], out[UNITS], sum;

/* out = factor · in, sum += out */
static int scale(const struct plb_task *task)
{
    const double *f = task->data[0], *from = task->data[1];
    double *s = task->data[2], *to = task->data[3];
    for (int64_t i = 0; i < task->count; i++) {
        to[i] = *f * from[i];
        *s += to[i];
    }
    return 0;
}

static int other(const struct plb_task *task)
{
    return scale(task);
}

static struct plb_dataset dataset(void)
{
    struct plb_dataset set = {.n = 4, .on_rank0 = true, .units = UNITS};
    set.at[0] = (struct plb_data){.name = "factor", .mode = PLB_REPLICATE, .bytes = sizeof factor};
    set.at[1] = (struct plb_data){.name = "in", .mode = PLB_PARTITION, .unit_bytes = sizeof *in};
    set.at[2] = (struct plb_data){
        .name = "sum", .mode = PLB_REDUCE, .bytes = sizeof sum, .op = PLB_SUM, .type = PLB_FLOAT64};
    set.at[3] = (struct plb_data){.name = "out", .mode = PLB_OUTPUT, .unit_bytes = sizeof *out};
    set.host[0] = &factor;
    set.host[1] = in;
    set.host[2] = &sum;
    set.host[3] = out;
    for (int i = 0; i < UNITS; i++)
        in[i] = i;
    memset(out, 0, sizeof out);
    return set;
}

static void start(struct plb_executor *e, struct plb_dataset *set)
{
    struct plb_error err = {.status = PLB_OK};
    *set = dataset();
    const struct plb_device_config config = {.threads = 1};
    assert_int_equal(plb_executor_open(e, &noted, &config, set, &err), PLB_OK);
    assert_int_equal(plb_executor_renew(e, &err), PLB_OK);
}

static void a_task_gets_its_data_and_gives_its_results(void **state)
{
    (void)state;
    struct plb_executor e;
    struct plb_dataset set;
    struct plb_phase phase = {.name = "scale", .cpu = scale};
    struct plb_device_times times;
    start(&e, &set);
    sum = 77.0; /* of before */
    assert_int_equal(plb_executor_submit(&e, 1, &phase, (struct plb_range){100, 50}, NULL), 0);
    assert_int_equal(plb_executor_wait(&e, 1, &times), 0);
    for (int i = 0; i < UNITS; i++)
        assert_true(out[i] == (i >= 100 && i < 150 ? 3.0 * i : 0.0));
    assert_true(sum == 3.0 * (100 + 149) * 25 && last->reduced == 0.0);
    assert_true(last->bytes == 50 * sizeof *in);
    plb_executor_close(&e);
}

/* A replicated buffer is in other memory then, and only parts of it have other contents. */
static void only_changed_parts_are_copied_again(void **state)
{
    (void)state;
    enum { BYTES = 300000 };
    static char table[2][BYTES];
    struct plb_executor e;
    struct plb_dataset set = dataset();
    struct plb_error err = {.status = PLB_OK};
    struct plb_renewal renewal = {.stale = 1};
    set.host[0] = table[0], set.at[0].bytes = BYTES;
    assert_int_equal(plb_executor_open(&e, &noted, &(struct plb_device_config){.threads = 1}, &set, &err),
                     PLB_OK);
    assert_int_equal(plb_executor_renew(&e, &err), PLB_OK);
    set.host[0] = table[1];
    const struct plb_range changed[] = {{0, 10}, {60000, 10}, {200000, 100}, {BYTES - 1, 1}};
    for (int i = 0; i < 4; i++) {
        plb_parts_add(&renewal.parts, 0, changed[i]);
        memset(table[1] + changed[i].first, i + 1, (size_t)changed[i].count);
    }
    plb_executor_follow(&e, &renewal);
    last->copies_in = 0, last->copied_in = 0;
    assert_int_equal(plb_executor_renew(&e, &err), PLB_OK);
    assert_true(last->copies_in == 3 && last->copied_in == 60010 + 100 + 1); /* the first two are one */
    assert_memory_equal(e.places.at[0].memory, table[1], BYTES);
    memset(table[1], 7, BYTES);
    renewal.stale = 1;
    plb_executor_follow(&e, &renewal); /* which has no parts now: all has changed */
    assert_int_equal(plb_executor_renew(&e, &err), PLB_OK);
    assert_memory_equal(e.places.at[0].memory, table[1], BYTES);
    plb_renewal_fini(&renewal);
    plb_executor_close(&e);
}

static int leave_odd_ones(const struct plb_task *task)
{
    double *to = task->data[3];
    for (int64_t i = 0; i < task->count; i += 2)
        to[i] = 1.0;
    return 0;
}

/* In a lane whose memory holds an earlier task's outputs; a kernel that promises to write all is believed. */
static void outputs_that_are_left_out_are_zero(void **state)
{
    (void)state;
    struct plb_executor e;
    struct plb_dataset set;
    struct plb_phase all = {.name = "scale", .cpu = scale}, some = {.name = "some", .cpu = leave_odd_ones};
    struct plb_device_times times;
    start(&e, &set);
    for (int promised = 0; promised < 2; promised++) {
        set.writes_all = promised;
        assert_int_equal(plb_executor_submit(&e, 1, &all, (struct plb_range){100, 50}, NULL), 0);
        assert_int_equal(plb_executor_wait(&e, 1, &times), 0);
        assert_int_equal(plb_executor_submit(&e, 1, &some, (struct plb_range){200, 50}, NULL), 0);
        assert_int_equal(plb_executor_wait(&e, 1, &times), 0);
        for (int i = 0; i < 50; i++)
            assert_true(out[200 + i] == (i % 2 == 0 ? 1.0 : promised ? 3.0 * (100 + i) : 0.0));
    }
    plb_executor_close(&e);
}

static bool all_aligned;

static int look(const struct plb_task *task)
{
    all_aligned &= (uintptr_t)task->data[1] % 64 == 0 && (uintptr_t)task->data[3] % 64 == 0;
    return scale(task);
}

/* On a device that works in host memory, wherever the task begins; and nothing beside its units changes. */
static void parts_are_aligned(void **state)
{
    (void)state;
    static _Alignas(64) double aligned_in[UNITS], aligned_out[UNITS];
    struct plb_executor e;
    struct plb_dataset set = dataset();
    struct plb_error err = {.status = PLB_OK};
    struct plb_phase phase = {.name = "look", .cpu = look};
    struct plb_device_config config = {.number = ON_HOST};
    struct plb_device_driver driver = noted;
    driver.ops.lanes = 1;
    memcpy(aligned_in, in, sizeof in);
    set.host[1] = aligned_in;
    set.host[3] = aligned_out;
    all_aligned = true;
    assert_int_equal(plb_executor_open(&e, &driver, &config, &set, &err), PLB_OK);
    for (int64_t first = 1; first < 50; first += 3)
        assert_int_equal(plb_executor_submit(&e, 0, &phase, (struct plb_range){first, first % 2 + 1}, NULL),
                         0);
    assert_true(all_aligned);
    for (int64_t i = 0; i < UNITS; i++)
        assert_true(aligned_out[i] == (i <= 50 && (i % 3 == 1 || i % 6 == 2) ? 3.0 * (double)i : 0.0));
    plb_executor_close(&e);
}

/* Whoever writes the memory of a task touches its pages first: another zeroing would be for nothing. */
static void memory_of_tasks_is_not_touched(void **state)
{
    enum { BYTES = 64 << 20 };
    static unsigned char there[BYTES / 4096];
    struct plb_executor e = {.shares = false};
    int touched = 0;
    (void)state;
    char *memory = plb_executor_grow(&e, NULL, 0, BYTES);
    assert_int_equal((uintptr_t)memory % 4096, 0);
    assert_int_equal(mincore(memory, BYTES, there), 0);
    for (size_t i = 0; i < sizeof there; i++)
        touched += there[i] & 1;
    assert_in_range(touched, 0, 1); /* malloc's own notes may be in the first one */
    plb_shared_free(memory, BYTES);
}

/* Once per lane and entry, with one unit, and nothing of it comes back. */
static void the_first_call_in_a_lane_is_for_warmth(void **state)
{
    (void)state;
    struct plb_executor e;
    struct plb_dataset set;
    struct plb_phase phase = {.name = "scale", .cpu = scale}, another = {.name = "other", .cpu = other};
    start(&e, &set);
    assert_int_equal(plb_executor_warm_up(&e, &phase, 2), 0);
    assert_true(last->launches == 2 && last->counts[0] == 1 && last->copies_out == 0);
    for (int lane = 0; lane < 2; lane++)
        for (int again = 0; again < 2; again++)
            assert_int_equal(plb_executor_submit(&e, lane, &phase, (struct plb_range){0, 500}, NULL), 0);
    assert_true(last->launches == 6 && last->counts[2] == 500 && last->copies_out == 8);
    assert_int_equal(plb_executor_submit(&e, 0, &another, (struct plb_range){0, 500}, NULL), 0);
    assert_true(last->launches == 8 && last->counts[6] == 1 && last->counts[7] == 500);
    assert_int_equal(plb_executor_submit(&e, 1, &another, (struct plb_range){0, 3}, NULL), 0);
    assert_true(last->launches == 9 && last->counts[8] == 3); /* a unit more is much of three */
    plb_executor_close(&e);
}

/* Tasks of every size, up to the largest that the PU may have. Small ones take a part of the memory alone. */
static void growing_tasks_take_memory_in_a_few_steps(void **state)
{
    (void)state;
    enum { LARGEST = 900, SMALL = 30, WHOLE = 7424 + 256 + 7424 };
    struct plb_executor e;
    struct plb_dataset set;
    struct plb_phase phase = {.name = "scale", .cpu = scale};
    start(&e, &set);
    e.limit = (struct plb_task_limit){INT64_MAX, sizeof sum + LARGEST * (sizeof *in + sizeof *out)};
    e.room = 3.0 * WHOLE;
    last->allocs = 0;
    last->largest = 0;
    for (int64_t count = 1; count <= LARGEST; count++) {
        for (int lane = 0; lane < 2; lane++)
            assert_int_equal(plb_executor_submit(&e, lane, &phase, (struct plb_range){0, count}, NULL), 0);
        assert_true(count > SMALL || last->largest < WHOLE / 5);
    }
    assert_int_equal(last->allocs, 2 * 3);
    assert_int_equal(last->largest, WHOLE);
    plb_executor_close(&e);
}

/* As start, and tasks may be of any size. */
static void start_without_limit(struct plb_executor *e, struct plb_dataset *set)
{
    start(e, set);
    e->limit = (struct plb_task_limit){INT64_MAX, INFINITY};
}

/* Submits a task of the first units, in the first lane. */
static int submit(struct plb_executor *e, int64_t count)
{
    struct plb_phase phase = {.name = "scale", .cpu = scale};
    return plb_executor_submit(e, 0, &phase, (struct plb_range){0, count}, NULL);
}

/* Where there is much memory, it is taken once. */
static void memory_in_plenty_is_taken_once(void **state)
{
    (void)state;
    struct plb_executor e;
    struct plb_dataset set;
    start_without_limit(&e, &set);
    last->allocs = 0;
    for (int64_t count = 1; count <= UNITS; count++)
        assert_int_equal(submit(&e, count), 0);
    assert_int_equal(last->allocs, 1);
    plb_executor_close(&e);
}

/* A task that fits is executed, and one that does not fails with a sentence. */
static void memory_is_used_to_the_end(void **state)
{
    (void)state;
    struct plb_executor e;
    struct plb_dataset set;
    start_without_limit(&e, &set);
    last->limit = 7424 + 256 + 7424;
    assert_int_equal(submit(&e, 900), 0);
    assert_int_equal(submit(&e, 10), 0);
    assert_int_not_equal(submit(&e, 960), 0);
    assert_non_null(strstr(plb_executor_failure(&e), "no device memory for the 15616 bytes of a task"));
    plb_executor_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_gets_its_data_and_gives_its_results),
        cmocka_unit_test(only_changed_parts_are_copied_again),
        cmocka_unit_test(parts_are_aligned),
        cmocka_unit_test(outputs_that_are_left_out_are_zero),
        cmocka_unit_test(memory_of_tasks_is_not_touched),
        cmocka_unit_test(the_first_call_in_a_lane_is_for_warmth),
        cmocka_unit_test(growing_tasks_take_memory_in_a_few_steps),
        cmocka_unit_test(memory_in_plenty_is_taken_once),
        cmocka_unit_test(memory_is_used_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
