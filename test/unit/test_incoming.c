/* Results on their way to rank 0: which count, when, and which never. Wire and ledger are stubs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "rank0/incoming.h"

#define UNITS 40
#define PASS 2
#define TRANSFERS 32

/* A transfer that was asked for, and whose data has not arrived. */
struct transfer {
    int from, tag;
    void *data;
    size_t bytes;
    int *pending;
};

static struct {
    struct transfer wire[TRANSFERS]; /* in the order in which they were asked for */
    int n;
    struct plb_rangeset accepted;
    bool whole;                 /* a result counts whole or not at all */
    int old;                    /* results of this pass cannot be right any more */
    int dropped;                /* DONEs that cannot be right */
    struct plb_range written;   /* by a task of rank 0, in place */
    int asked_to_end, released; /* how often it was; results of rank 0's node */
    double out[UNITS], sum;     /* rank 0's buffers */
} world;

static void get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)context;
    assert_true(world.n < TRANSFERS);
    assert_true((char *)data + bytes <= (char *)world.out || (double *)data >= world.out + UNITS);
    world.wire[world.n++] = (struct transfer){from, tag, data, bytes, pending};
    ++*pending;
}

static enum plb_verdict judge(void *context, const struct plb_message *m)
{
    (void)context;
    struct plb_rangeset new = {0};
    if (m->pass != PASS || m->pass == world.old || m->done.range.first + m->done.range.count > UNITS)
        return PLB_NOT_SENSIBLE;
    plb_rangeset_missing(&world.accepted, m->done.range, &new);
    int64_t units = new.units;
    plb_rangeset_fini(&new);
    return units == 0 ? PLB_NONE_NEW : units < m->done.range.count ? PLB_SOME_NEW : PLB_ALL_NEW;
}

static int64_t accept(void *context, const struct plb_message *m)
{
    enum plb_verdict verdict = judge(context, m);
    if (verdict == PLB_NOT_SENSIBLE)
        world.dropped++;
    if (verdict == PLB_NOT_SENSIBLE || (world.whole && verdict != PLB_ALL_NEW))
        return 0;
    return plb_rangeset_add(&world.accepted, m->done.range);
}

/* A task of rank 0 writes these units in place; it ends where they have another result. */
static bool writes(void *context, struct plb_range range, bool done)
{
    (void)context;
    bool any = world.written.first < range.first + range.count
            && range.first < world.written.first + world.written.count;
    world.asked_to_end += any && done;
    return any;
}

static void release(void *context, const struct plb_message *m)
{
    (void)context;
    (void)m;
    world.released++;
}

/* The data of the oldest transfer of this rank arrives; each unit's output and each sum is `value`. */
static void deliver(int from, double value)
{
    int i = 0;
    while (i < world.n && world.wire[i].from != from)
        i++;
    assert_true(i < world.n);
    struct transfer *t = &world.wire[i];
    for (size_t k = 0; k < t->bytes / sizeof value; k++)
        ((double *)t->data)[k] = value;
    --*t->pending;
    memmove(t, t + 1, (size_t)(--world.n - i) * sizeof *t);
}

static struct plb_dataset set;

static struct plb_message done(int from, int64_t first, int64_t count)
{
    return (struct plb_message){
        .type = PLB_DONE,
        .from = from,
        .pass = PASS,
        .done = {.range = {first, count}, .slot = 7, .tasks = 1, .buffers = plb_dataset_results(&set)}};
}

/* Units [first, first + count) have this value, and all others 0. */
static bool only(int64_t first, int64_t count, double value)
{
    for (int64_t u = 0; u < UNITS; u++)
        if (world.out[u] != (u >= first && u < first + count ? value : 0.0))
            return false;
    return true;
}

static struct plb_incoming *begin(bool reduces)
{
    plb_rangeset_fini(&world.accepted);
    memset(&world, 0, sizeof world);
    world.whole = reduces;
    set = (struct plb_dataset){.n = reduces ? 2 : 1, .on_rank0 = true, .units = UNITS};
    set.at[0] = (struct plb_data){.name = "out", .mode = PLB_OUTPUT, .unit_bytes = sizeof *world.out};
    set.at[1] = (struct plb_data){
        .name = "sum", .mode = PLB_REDUCE, .bytes = sizeof world.sum, .op = PLB_SUM, .type = PLB_FLOAT64};
    set.host[0] = world.out;
    set.host[1] = &world.sum;
    return plb_incoming_new(
        &set,
        &(struct plb_incoming_calls){
            .get = get, .judge = judge, .accept = accept, .writes = writes, .release = release},
        NULL);
}

static void end(struct plb_incoming *in)
{
    assert_int_equal(world.n, 0);
    assert_false(plb_incoming_any(in));
    plb_incoming_free(in);
    plb_rangeset_fini(&world.accepted);
}

static void a_new_result_counts_when_all_of_it_is_there(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(false);
    struct plb_message m = done(1, 10, 5);
    plb_incoming_add(in, &m);
    assert_int_equal(world.n, 1);
    assert_int_equal(world.wire[0].bytes, 5 * sizeof *world.out);
    assert_true(world.wire[0].tag == 7 && plb_incoming_any(in));
    assert_false(plb_incoming_collect(in));
    assert_int_equal(world.accepted.units, 0);
    deliver(1, 3.0);
    assert_true(plb_incoming_collect(in));
    assert_int_equal(world.accepted.units, 5);
    assert_true(only(10, 5, 3.0));
    end(in);
}

static void two_that_do_not_meet_arrive_in_any_order(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(false);
    struct plb_message a = done(1, 0, 10), b = done(2, 10, 10);
    plb_incoming_add(in, &a);
    plb_incoming_add(in, &b);
    deliver(2, 1.0);
    assert_true(plb_incoming_collect(in) && only(10, 10, 1.0));
    deliver(1, 1.0);
    assert_true(plb_incoming_collect(in));
    assert_true(only(0, 20, 1.0));
    end(in);
}

static void a_result_of_an_old_pass_touches_nothing(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(true);
    struct plb_message m = done(1, 0, 10), next = done(1, 20, 10);
    m.pass = PASS - 1;
    plb_incoming_add(in, &m);
    assert_int_equal(world.dropped, 1);
    plb_incoming_add(in, &next); /* of the same slot: the first one's data comes before its own */
    assert_int_equal(world.n, 4);
    deliver(1, 9.0);
    deliver(1, 9.0);
    plb_incoming_collect(in);
    assert_true(only(0, 0, 0.0) && world.sum == 0.0 && world.accepted.units == 0);
    deliver(1, 1.0);
    deliver(1, 1.0);
    plb_incoming_collect(in);
    assert_true(only(20, 10, 1.0) && world.sum == 1.0 && world.accepted.units == 10);
    end(in);
}

static void units_that_nobody_has_touch_nothing(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(false);
    struct plb_message beyond = done(1, UNITS - 2, 10), endless = done(1, 0, INT64_MAX - 1);
    plb_incoming_add(in, &beyond);
    assert_int_equal(world.n, 1);
    plb_incoming_add(in, &endless);
    assert_int_equal(world.n, 1);
    deliver(1, 9.0);
    plb_incoming_collect(in);
    assert_true(only(0, 0, 0.0) && world.dropped == 2);
    end(in);
}

static void the_second_result_of_a_unit_is_not_copied(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(false);
    struct plb_message first = done(1, 10, 10), second = done(2, 5, 20);
    plb_incoming_add(in, &first);
    deliver(1, 1.0);
    plb_incoming_collect(in);
    plb_incoming_add(in, &second);
    assert_int_equal(world.n, 1);
    deliver(2, 2.0);
    plb_incoming_collect(in);
    assert_int_equal(world.accepted.units, 20);
    for (int u = 0; u < UNITS; u++)
        assert_true(world.out[u] == (u < 5 || u >= 25 ? 0.0 : u < 10 || u >= 20 ? 2.0 : 1.0));
    end(in);
}

static void of_two_results_of_a_unit_the_first_that_arrives_counts(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(false);
    struct plb_message first = done(1, 0, 10), second = done(2, 5, 10);
    plb_incoming_add(in, &first);
    plb_incoming_add(in, &second);
    deliver(2, 2.0);
    assert_true(plb_incoming_collect(in) && only(5, 10, 2.0));
    deliver(1, 1.0);
    assert_true(plb_incoming_collect(in));
    assert_int_equal(world.accepted.units, 15);
    for (int u = 0; u < UNITS; u++)
        assert_true(world.out[u] == (u < 5 ? 1.0 : u < 15 ? 2.0 : 0.0));
    end(in);
}

static void a_sum_is_folded_once_and_whole(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(true);
    struct plb_message a = done(1, 0, 10), same = done(2, 0, 10);
    struct plb_message part = done(3, 5, 10), rest = done(2, 10, 5);
    const struct plb_message *all[] = {&a, &same, &part, &rest};
    for (int i = 0; i < 4; i++)
        plb_incoming_add(in, all[i]);
    const int order[] = {2, 2, 2, 2, 3, 3, 1, 1};
    for (int i = 0; i < 8; i++) {
        deliver(order[i], 1.0);
        plb_incoming_collect(in);
    }
    assert_true(world.sum == 2.0); /* of `same` and of `rest` */
    assert_true(only(0, 15, 1.0));
    end(in);
}

/* A task of rank 0 that began in place is late: a result of another rank waits until it has ended. */
static void a_result_waits_for_a_task_that_writes_its_units(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(false);
    struct plb_message m = done(1, 2, 3);
    world.written = (struct plb_range){4, 10};
    plb_incoming_add(in, &m);
    assert_int_equal(world.asked_to_end, 0);
    deliver(1, 7.0);
    plb_incoming_collect(in);
    assert_true(plb_incoming_any(in) && only(0, 0, 0.0) && world.asked_to_end > 0);
    world.written = (struct plb_range){0, 0};
    plb_incoming_collect(in);
    assert_true(only(2, 3, 7.0));
    end(in);
}

/* A part of a sum is dropped, so what rank 0 writes meanwhile is still wanted. */
static void a_result_that_will_be_dropped_ends_no_task(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(true);
    struct plb_message all = done(1, 0, 10), half = done(2, 5, 10);
    plb_incoming_add(in, &all);
    deliver(1, 1.0);
    deliver(1, 1.0);
    plb_incoming_collect(in);
    assert_int_equal(world.accepted.units, 10);
    world.written = (struct plb_range){10, 5};
    plb_incoming_add(in, &half);
    deliver(2, 1.0);
    deliver(2, 1.0);
    plb_incoming_collect(in);
    assert_int_equal(world.asked_to_end, 0);
    world.written = (struct plb_range){0, 0};
    plb_incoming_collect(in);
    end(in);
}

/* The pass ends while a second result of some units is on its way. In the next pass rank 0 writes them. */
static void a_result_that_outlives_its_pass_ends_no_task(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(false);
    struct plb_message first = done(1, 0, 10), second = done(2, 0, 10);
    plb_incoming_add(in, &first);
    plb_incoming_add(in, &second);
    deliver(1, 1.0);
    plb_incoming_collect(in);
    world.old = PASS;
    world.written = (struct plb_range){0, 10};
    deliver(2, 2.0);
    plb_incoming_collect(in);
    assert_true(world.asked_to_end == 0 && !plb_incoming_any(in) && only(0, 10, 1.0));
    world.old = 0;
    end(in);
}

/* Rank 0's own result in memory apart is copied where it is new, and the memory is given back once. */
static void rank_0s_own_outputs_are_copied_where_they_are_new(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(false);
    double outputs[10];
    void *arrays[PLB_MAX_DATA] = {outputs}, *in_place_already[PLB_MAX_DATA] = {NULL};
    struct plb_message m = done(0, 0, 10), others = done(1, 0, 4), placed = done(0, 20, 5);
    for (int i = 0; i < 10; i++)
        outputs[i] = 3.0;
    plb_incoming_add(in, &others);
    deliver(1, 7.0);
    plb_incoming_collect(in);
    plb_incoming_own(in, &m, arrays, NULL);
    assert_int_equal(world.released, 1);
    assert_true(world.out[3] == 7.0 && world.out[4] == 3.0 && world.out[9] == 3.0 && world.out[10] == 0.0);
    plb_incoming_own(in, &placed, in_place_already, NULL);
    assert_true(world.released == 2 && world.out[20] == 0.0);
    assert_int_equal(world.accepted.units, 15);
    end(in);
}

static void rank_0s_own_sum_counts_if_it_is_accepted(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(true);
    double partial = 5.0;
    void *arrays[PLB_MAX_DATA] = {NULL, &partial};
    struct plb_message m = done(0, 0, 10), torn = done(0, 5, 10);
    plb_incoming_own(in, &m, arrays, NULL);
    assert_true(world.sum == 5.0);
    plb_incoming_own(in, &m, arrays, NULL);
    plb_incoming_own(in, &torn, arrays, NULL);
    assert_true(world.sum == 5.0);
    end(in);
}

/* A rank is given up in the middle of a message, which MPI may still write to the end. Another PU executes
 * its units again. Whatever comes late, the second result is the one that counts. */
static void what_a_lost_rank_sends_late_touches_nothing(void **state)
{
    (void)state;
    struct plb_incoming *in = begin(false);
    struct plb_message lost = done(1, 10, 5), again = done(2, 8, 10);
    plb_incoming_add(in, &lost);
    struct transfer late = world.wire[0];
    world.n = 0; /* plb_mpi_abandon has lowered its counter */
    --*late.pending;
    plb_incoming_lose(in, 1);
    plb_incoming_add(in, &again);
    deliver(2, 2.0);
    assert_true(plb_incoming_collect(in) && world.accepted.units == 10);
    memset(late.data, 1, late.bytes);
    assert_true(only(8, 10, 2.0));
    end(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_result_counts_when_all_of_it_is_there),
        cmocka_unit_test(two_that_do_not_meet_arrive_in_any_order),
        cmocka_unit_test(a_result_of_an_old_pass_touches_nothing),
        cmocka_unit_test(units_that_nobody_has_touch_nothing),
        cmocka_unit_test(the_second_result_of_a_unit_is_not_copied),
        cmocka_unit_test(of_two_results_of_a_unit_the_first_that_arrives_counts),
        cmocka_unit_test(a_sum_is_folded_once_and_whole),
        cmocka_unit_test(a_result_waits_for_a_task_that_writes_its_units),
        cmocka_unit_test(a_result_that_will_be_dropped_ends_no_task),
        cmocka_unit_test(a_result_that_outlives_its_pass_ends_no_task),
        cmocka_unit_test(rank_0s_own_outputs_are_copied_where_they_are_new),
        cmocka_unit_test(rank_0s_own_sum_counts_if_it_is_accepted),
        cmocka_unit_test(what_a_lost_rank_sends_late_touches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
