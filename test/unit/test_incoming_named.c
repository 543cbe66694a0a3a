/* A DONE names the results that follow. The others are where they belong, as outputs in a file are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "rank0/incoming.h"

#define UNITS 40

static int awaited, told_to_end, overwritten;
static int64_t accepted;
static bool written; /* by a task of rank 0, in place */

/* Data of another rank is there at once; each sum is 2. */
static void get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    const double two = 2.0;
    (void)context;
    (void)pending;
    assert_true(from == 1 && tag == 7 && bytes == sizeof two);
    memcpy(data, &two, sizeof two);
    awaited++;
}

static enum plb_verdict judge(void *context, const struct plb_message *m)
{
    (void)context;
    (void)m;
    return accepted == 0 ? PLB_ALL_NEW : PLB_NONE_NEW;
}

static int64_t accept(void *context, const struct plb_message *m)
{
    int64_t fresh = judge(context, m) == PLB_ALL_NEW ? m->done.range.count : 0;
    accepted += fresh;
    return fresh;
}

static bool writes(void *context, struct plb_range range, bool done)
{
    (void)context;
    (void)range;
    told_to_end += done && written;
    return written;
}

static void on_overwritten(void *context, const struct plb_message *m)
{
    (void)context;
    overwritten += m->done.range.count == 5;
}

static const struct plb_incoming_calls calls = {
    .get = get, .judge = judge, .accept = accept, .writes = writes, .overwritten = on_overwritten};

static void only_what_a_result_names_is_awaited(void **state)
{
    (void)state;
    static double out[UNITS], sum;
    const struct plb_dataset set = {
        .n = 3,
        .on_rank0 = true,
        .units = UNITS,
        .at = {{.mode = PLB_OUTPUT, .unit_bytes = sizeof *out},
               {.mode = PLB_REDUCE, .bytes = sizeof sum, .op = PLB_SUM, .type = PLB_FLOAT64},
               {.mode = PLB_PARTITION, .unit_bytes = sizeof *out}},
        .host = {out, &sum, out},
    };
    struct plb_incoming *in = plb_incoming_new(&set, &calls, NULL);
    struct plb_message m = {.type = PLB_DONE, .from = 1, .pass = 1};
    m.done = (struct plb_done){.range = {10, 5}, .slot = 7, .tasks = 1};
    const int64_t senseless[] = {PLB_BUFFER(0), PLB_BUFFER(1) | PLB_BUFFER(2), PLB_BUFFER(1) | PLB_BUFFER(9)};
    for (int i = 0; i < 3; i++) { /* nobody else has the sums; inputs are no results */
        m.done.buffers = senseless[i];
        plb_incoming_add(in, &m);
        assert_false(plb_incoming_any(in));
    }
    m.done.buffers = PLB_BUFFER(1);
    plb_incoming_add(in, &m);
    assert_true(plb_incoming_collect(in));
    assert_true(awaited == 1 && accepted == 5 && sum == 2.0 && out[10] == 0.0);
    plb_incoming_free(in);
}

/* Rank 1 has stored its outputs while a task of rank 0 wrote the same units: nobody knows which are there. */
static void stored_outputs_that_may_be_overwritten_do_not_count(void **state)
{
    (void)state;
    static double out[UNITS];
    const struct plb_dataset set = {.n = 1,
                                    .on_rank0 = true,
                                    .units = UNITS,
                                    .at = {{.mode = PLB_OUTPUT, .unit_bytes = sizeof *out}},
                                    .host = {out}};
    struct plb_incoming *in = plb_incoming_new(&set, &calls, NULL);
    struct plb_message m = {.type = PLB_DONE, .from = 1, .pass = 1};
    m.done = (struct plb_done){.range = {10, 5}, .slot = 7, .tasks = 1};
    accepted = 0;
    written = true;
    plb_incoming_add(in, &m);
    plb_incoming_collect(in);
    assert_true(plb_incoming_any(in) && told_to_end == 0 && overwritten == 0);
    written = false;
    assert_true(plb_incoming_collect(in));
    assert_true(overwritten == 1 && accepted == 0);
    plb_incoming_add(in, &m);
    assert_true(plb_incoming_collect(in));
    assert_true(overwritten == 1 && accepted == 5);
    plb_incoming_free(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_a_result_names_is_awaited),
        cmocka_unit_test(stored_outputs_that_may_be_overwritten_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
