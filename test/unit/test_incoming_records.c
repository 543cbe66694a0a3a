/* Records on their way to rank 0: each unit keeps those of the first result that was accepted, and of no
 * other. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/record_store.h"
#include "app/records.h"
#include "rank0/incoming.h"

enum { UNITS = 10, TRANSFERS = 4 };

static struct {
    void *data[TRANSFERS];
    int *pending[TRANSFERS], n, damaged, released;
    struct plb_rangeset accepted;
} world;

static struct plb_dataset set;

static void get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)context;
    (void)tag;
    (void)bytes;
    world.data[from] = data;
    world.pending[from] = pending;
    world.n++;
    ++*pending;
}

static enum plb_verdict judge(void *context, const struct plb_message *m)
{
    struct plb_rangeset new = {0};
    (void)context;
    plb_rangeset_missing(&world.accepted, m->done.range, &new);
    int64_t units = new.units;
    plb_rangeset_fini(&new);
    return units == 0 ? PLB_NONE_NEW : units < m->done.range.count ? PLB_SOME_NEW : PLB_ALL_NEW;
}

static int64_t accept(void *context, const struct plb_message *m)
{
    (void)context;
    return plb_rangeset_add(&world.accepted, m->done.range);
}

static bool writes(void *context, struct plb_range range, bool done)
{
    (void)context;
    (void)range;
    (void)done;
    return false;
}

static void release(void *context, const struct plb_message *m)
{
    (void)context;
    (void)m;
    world.released++;
}

static void damaged(void *context, const struct plb_message *m)
{
    (void)context;
    (void)m;
    world.damaged++;
}

static struct plb_incoming *begin(void)
{
    plb_rangeset_fini(&world.accepted);
    memset(&world, 0, sizeof world);
    set = (struct plb_dataset){.n = 1, .on_rank0 = true, .units = UNITS, .at = {{.mode = PLB_RECORDS}}};
    set.store = plb_record_store_new(set.at, set.n, NULL);
    const struct plb_incoming_calls calls = {.get = get,
                                             .judge = judge,
                                             .accept = accept,
                                             .writes = writes,
                                             .release = release,
                                             .damaged = damaged};
    return plb_incoming_new(&set, &calls, NULL);
}

static void end(struct plb_incoming *in, const char *right)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(plb_record_store_print(set.store, 0, UNITS, NULL, out), 0);
    fclose(out);
    assert_string_equal(text, right);
    free(text);
    plb_incoming_free(in);
    plb_record_store_free(set.store);
}

/* A task's records: this letter for each unit. */
static struct plb_records *make(int64_t first, int64_t count, char letter)
{
    struct plb_records *records = plb_records_new(&set);
    void *data[1] = {plb_records_part(records, 0)};
    struct plb_task task = {.first = first, .count = count, .data = data};
    for (int64_t u = first; u < first + count; u++)
        plb_task_record(&task, 0, u, &letter, 1);
    plb_records_seal(records, (struct plb_range){first, count});
    return records;
}

static struct plb_message done(int from, int64_t first, int64_t count)
{
    int64_t bytes = count * (int64_t)(sizeof(int64_t) + 1);
    return (struct plb_message){.type = PLB_DONE,
                                .from = from,
                                .done = {.range = {first, count}, .slot = 1, .tasks = 1, .records = bytes}};
}

/* The records that were announced arrive. */
static void deliver(int from, int64_t first, int64_t count, char letter)
{
    size_t n;
    struct plb_records *records = make(first, count, letter);
    const void *bytes = plb_records_bytes(records, &n);
    assert_int_equal(n, done(from, first, count).done.records);
    memcpy(world.data[from], bytes, n);
    --*world.pending[from];
    plb_records_free(records);
}

static void only_units_that_are_new_count(void **state)
{
    struct plb_incoming *in = begin();
    struct plb_message a = done(1, 0, 6), b = done(2, 4, 6), c = done(3, 2, 3);
    (void)state;
    plb_incoming_add(in, &a);
    plb_incoming_add(in, &b);
    deliver(2, 4, 6, 'b');
    assert_true(plb_incoming_collect(in));
    deliver(1, 0, 6, 'a');
    while (plb_incoming_any(in))
        plb_incoming_collect(in);
    plb_incoming_add(in, &c);
    deliver(3, 2, 3, 'c');
    plb_incoming_collect(in);
    end(in, "aaaabbbbbb");
}

static void those_of_a_lost_rank_do_not(void **state)
{
    struct plb_incoming *in = begin();
    struct plb_message a = done(1, 0, 6), b = done(2, 0, 10);
    (void)state;
    int nobodys = 1;
    plb_incoming_add(in, &a);
    --*world.pending[1];
    plb_incoming_lose(in, 1);
    world.pending[1] = &nobodys;
    deliver(1, 0, 6, 'a');
    plb_incoming_add(in, &b);
    deliver(2, 0, 10, 'b');
    plb_incoming_collect(in);
    end(in, "bbbbbbbbbb");
}

static void damaged_ones_are_dropped(void **state)
{
    struct plb_incoming *in = begin();
    struct plb_message a = done(1, 0, 6), without = done(2, 0, 6);
    (void)state;
    plb_incoming_add(in, &a);
    deliver(1, 0, 6, 'a');
    ((int64_t *)world.data[1])[2] = 1 << 20;
    plb_incoming_collect(in);
    assert_int_equal(world.damaged, 1);
    assert_int_equal(world.accepted.units, 0);
    without.done.records = 0; /* no node sends such a DONE */
    plb_incoming_add(in, &without);
    assert_false(plb_incoming_any(in));
    assert_int_equal(world.n, 1);
    end(in, "");
}

static void rank_0s_own_are_kept_before_its_slot_is_free(void **state)
{
    size_t n;
    struct plb_incoming *in = begin();
    struct plb_message a = done(0, 3, 2);
    struct plb_records *records = make(3, 2, 'o');
    void *arrays[1] = {NULL};
    (void)state;
    plb_incoming_own(in, &a, arrays, plb_records_bytes(records, &n));
    assert_int_equal(world.released, 1);
    plb_records_free(records);
    end(in, "oo");
}

/* The journal hears of a unit when it is accepted: its record is in the file by then. */
static void a_unit_whose_record_cannot_be_kept_is_not_accepted(void **state)
{
    const char *path;
    struct plb_incoming *in = begin();
    struct plb_message a = done(1, 0, 6), own = done(0, 6, 2);
    struct plb_records *records = make(6, 2, 'o');
    void *arrays[1] = {NULL};
    size_t n;
    int full = open("/dev/full", O_RDWR | O_CLOEXEC);
    (void)state;
    assert_true(plb_record_store_adopt(set.store, full, 1, &world.accepted));
    plb_incoming_add(in, &a);
    deliver(1, 0, 6, 'a');
    plb_incoming_collect(in);
    plb_incoming_own(in, &own, arrays, plb_records_bytes(records, &n));
    assert_int_equal(world.accepted.units, 0);
    assert_int_equal(world.released, 1);
    assert_false(plb_incoming_any(in));
    assert_int_equal(plb_record_store_failure(set.store, &path), ENOSPC);
    plb_records_free(records);
    end(in, "");
    close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_units_that_are_new_count),
        cmocka_unit_test(those_of_a_lost_rank_do_not),
        cmocka_unit_test(damaged_ones_are_dropped),
        cmocka_unit_test(rank_0s_own_are_kept_before_its_slot_is_free),
        cmocka_unit_test(a_unit_whose_record_cannot_be_kept_is_not_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
