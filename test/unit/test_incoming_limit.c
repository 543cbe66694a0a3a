/* How much memory results on their way to rank 0 may take: what is beyond waits at its sender. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "rank0/incoming.h"

#define UNITS 40
#define MOST 12 /* units */

/* Transfers that were asked for, in that order; `from` is 0 where one has ended. */
static struct {
    int from;
    int64_t units;
    double *data;
    int *pending;
} wire[8];
static int n_wire;
static double out[UNITS];
static struct plb_rangeset accepted;

static void get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)context;
    (void)tag;
    assert_true(n_wire < 8);
    wire[n_wire].from = from;
    wire[n_wire].units = (int64_t)(bytes / sizeof *out);
    wire[n_wire].data = data;
    wire[n_wire++].pending = pending;
    ++*pending;
}

static enum plb_verdict judge(void *context, const struct plb_message *m)
{
    (void)context;
    return plb_rangeset_overlaps(&accepted, m->done.range) ? PLB_NONE_NEW : PLB_ALL_NEW;
}

static int64_t accept(void *context, const struct plb_message *m)
{
    (void)context;
    return plb_rangeset_add(&accepted, m->done.range);
}

static bool writes(void *context, struct plb_range range, bool done)
{
    (void)context;
    (void)range;
    (void)done;
    return false;
}

static const struct plb_dataset set = {.n = 1,
                                       .on_rank0 = true,
                                       .units = UNITS,
                                       .at = {{.mode = PLB_OUTPUT, .unit_bytes = sizeof *out}},
                                       .host = {out}};

static struct plb_incoming *begin(void)
{
    n_wire = 0;
    memset(out, 0, sizeof out);
    plb_rangeset_fini(&accepted);
    struct plb_incoming_calls calls = {
        .most_bytes = MOST * sizeof *out, .get = get, .judge = judge, .accept = accept, .writes = writes};
    return plb_incoming_new(&set, &calls, NULL);
}

static void add(struct plb_incoming *in, int from, int64_t first, int64_t count)
{
    struct plb_message m = {
        .type = PLB_DONE,
        .from = from,
        .done = {.range = {first, count}, .slot = 7, .tasks = 1, .buffers = PLB_BUFFER(0)}};
    plb_incoming_add(in, &m);
}

/* The transfer that was asked for as the i-th ends: each unit of it is 1. */
static void deliver(struct plb_incoming *in, int i)
{
    for (int64_t u = 0; u < wire[i].units; u++)
        wire[i].data[u] = 1.0;
    --*wire[i].pending;
    assert_true(plb_incoming_collect(in));
}

static void end(struct plb_incoming *in, int64_t units)
{
    assert_false(plb_incoming_any(in));
    assert_int_equal(accepted.units, units);
    for (int64_t u = 0; u < units; u++)
        assert_true(out[u] == 1.0);
    plb_incoming_free(in);
    plb_rangeset_fini(&accepted);
}

/* Each rank may always send one result; further ones come where there is room, and of one rank in order. */
static void results_beyond_the_limit_wait(void **state)
{
    (void)state;
    struct plb_incoming *in = begin();
    add(in, 1, 0, 8);
    add(in, 1, 8, 8);
    add(in, 1, 16, 2); /* there would be room, but the one before comes first */
    add(in, 2, 18, 10);
    add(in, 2, 28, 2);
    assert_int_equal(n_wire, 2);
    assert_true(wire[0].from == 1 && wire[0].units == 8 && wire[1].from == 2 && wire[1].units == 10);
    deliver(in, 0);
    assert_int_equal(n_wire, 3);
    assert_true(wire[2].from == 1 && wire[2].units == 8);
    deliver(in, 1);
    assert_int_equal(n_wire, 5);
    assert_true(wire[3].from == 1 && wire[4].from == 2);
    for (int i = 2; i < 5; i++)
        deliver(in, i);
    end(in, 30);
}

static void a_result_larger_than_the_limit_is_received(void **state)
{
    (void)state;
    struct plb_incoming *in = begin();
    add(in, 1, 0, 2 * MOST);
    add(in, 1, 2 * MOST, 2);
    assert_int_equal(n_wire, 1);
    deliver(in, 0);
    assert_int_equal(n_wire, 2);
    deliver(in, 1);
    end(in, 2 * MOST + 2);
}

/* Nothing that waited at a lost rank is received, and its memory is free for the others. */
static void a_lost_rank_takes_no_memory(void **state)
{
    (void)state;
    struct plb_incoming *in = begin();
    add(in, 1, 0, MOST);
    add(in, 1, MOST, MOST);
    add(in, 2, 0, 4);
    add(in, 2, 4, 4);
    assert_int_equal(n_wire, 2);
    --*wire[0].pending; /* as plb_mpi_abandon does */
    plb_incoming_lose(in, 1);
    assert_true(plb_incoming_collect(in));
    assert_true(n_wire == 3 && wire[2].from == 2);
    deliver(in, 1);
    deliver(in, 2);
    end(in, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_beyond_the_limit_wait),
        cmocka_unit_test(a_result_larger_than_the_limit_is_received),
        cmocka_unit_test(a_lost_rank_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
