/* The executor over a device that only notes what it is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "node/executor.h"

#define UNITS 1000

struct plb_device {
    size_t limit; /* of one allocation */
    int copies_out, launches;
    int64_t counts[64]; /* units of each launch */
    size_t bytes;       /* of buffer 1 at the last launch */
    double reduced;     /* what the last launch found in its reduce array */
};

static struct plb_device *last;

static int noted_open(const struct plb_device_config *config, struct plb_device **device,
                      struct plb_error *err)
{
    (void)config;
    (void)err;
    last = *device = plb_alloc(sizeof **device);
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
    (void)d;
    return false;
}
static void *noted_alloc(struct plb_device *d, size_t bytes)
{
    return bytes <= d->limit ? malloc(bytes) : NULL;
}
static void noted_free(struct plb_device *d, void *memory)
{
    (void)d;
    free(memory);
}

static int noted_copy_in(struct plb_device *d, int lane, void *to, const void *from, size_t bytes)
{
    (void)d;
    (void)lane;
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
    d->counts[d->launches++] = task->count;
    d->bytes = task->bytes[1];
    d->reduced = *(double *)task->data[2];
    return phase->cpu(task);
}

static int noted_wait(struct plb_device *d, int lane, struct plb_device_times *times)
{
    (void)d;
    (void)lane;
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
    struct plb_dataset set = {.n = 4, .owner = true, .units = UNITS};
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
    assert_int_equal(plb_executor_open(e, &noted, &(struct plb_device_config){.threads = 1}, set, &err),
                     PLB_OK);
    assert_int_equal(plb_executor_update(e, -1, "noted", &err), PLB_OK);
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

/* Once per lane and entry, with few units, and nothing of it comes back. */
static void the_first_call_in_a_lane_is_for_warmth(void **state)
{
    (void)state;
    struct plb_executor e;
    struct plb_dataset set;
    struct plb_phase phase = {.name = "scale", .cpu = scale}, another = {.name = "other", .cpu = other};
    struct plb_range range = {0, UNITS};
    start(&e, &set);
    assert_int_equal(plb_executor_warm_up(&e, &phase, &range), 0);
    assert_true(last->launches == 2 && range.count < 100 && last->counts[0] == range.count
                && last->copies_out == 0);
    for (int lane = 0; lane < 2; lane++)
        for (int again = 0; again < 2; again++)
            assert_int_equal(plb_executor_submit(&e, lane, &phase, (struct plb_range){0, 500}, NULL), 0);
    assert_true(last->launches == 6 && last->counts[2] == 500 && last->copies_out == 8);
    assert_int_equal(plb_executor_submit(&e, 0, &another, (struct plb_range){0, 500}, NULL), 0);
    assert_true(last->launches == 8 && last->counts[6] < 100 && last->counts[7] == 500);
    plb_executor_close(&e);
}

/* Room is made with some to spare, or exactly where there is no more, or the task fails with a sentence. */
static void memory_is_used_to_the_end(void **state)
{
    (void)state;
    struct plb_executor e;
    struct plb_dataset set;
    struct plb_phase phase = {.name = "scale", .cpu = scale};
    start(&e, &set);
    last->limit = 900 * sizeof *in;
    assert_int_equal(plb_executor_submit(&e, 0, &phase, (struct plb_range){0, 900}, NULL), 0);
    assert_int_equal(plb_executor_submit(&e, 0, &phase, (struct plb_range){0, 10}, NULL), 0);
    assert_int_not_equal(plb_executor_submit(&e, 0, &phase, (struct plb_range){0, 901}, NULL), 0);
    assert_non_null(strstr(plb_executor_failure(&e), "no device memory for the 7208 bytes"));
    plb_executor_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_gets_its_data_and_gives_its_results),
        cmocka_unit_test(the_first_call_in_a_lane_is_for_warmth),
        cmocka_unit_test(memory_is_used_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
