/* Inputs that a rank keeps: what is pulled, where it stays, and what is dropped where room is short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>

#include "node/pu/slot.h"
#include "stub_device.h"

#define UNITS 100
#define UNIT_BYTES 4096 /* a page, so that all of a dropped unit is given back */

static const struct plb_device_driver driver = {.name = "stub", .entry = stub_entry, .ops = {STUB_OPS}};
static const int64_t offsets[UNITS + 1] = {5, 5, 25};

/* One input by unit, one by offsets, and an output. */
static const struct plb_dataset set = {
    .n = 4,
    .units = 2,
    .at = {{.mode = PLB_PARTITION, .unit_bytes = 3 * UNIT_BYTES},
           {.mode = PLB_REPLICATE, .bytes = sizeof offsets},
           {.mode = PLB_PARTITION_INDEXED, .element_bytes = 8, .offsets = 1},
           {.mode = PLB_OUTPUT, .unit_bytes = 8}},
    .host = {[1] = (void *)offsets}};

static const struct plb_dataset plain = {
    .n = 2,
    .units = UNITS,
    .at = {{.mode = PLB_PARTITION, .unit_bytes = UNIT_BYTES}, {.mode = PLB_OUTPUT, .unit_bytes = 8}}};

static size_t pulled; /* bytes */
static char filler;

static void get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)from, (void)context;
    (void)tag;
    (void)pending;
    memset(data, filler, bytes);
    pulled += bytes;
}

static const struct plb_wire wire = {.get = get};

/* A task gets its inputs, and they arrive. Returns the bytes that it has pulled. */
static size_t fetch(struct plb_mirror *m, const struct plb_dataset *data, struct plb_slot *slot,
                    int64_t first, int64_t count)
{
    struct plb_executor e = {.ops = &driver.ops, .limit = {INT64_MAX, 1e9}};
    pulled = 0;
    slot->task.range = (struct plb_range){first, count};
    plb_slot_bind(slot, data, &e, m);
    bool pulls = plb_slot_pull(slot, data, &wire, false);
    assert_int_equal(pulls, pulled > 0);
    if (slot->mirrored)
        plb_mirror_arrived(m, slot->pulled, true);
    return pulled;
}

static void release(struct plb_mirror *m, struct plb_slot *slot)
{
    struct plb_executor e = {.ops = &driver.ops};
    plb_slot_fini(slot, &e);
    plb_mirror_free(m);
}

static void begin(struct plb_mirror *m, int64_t first, int64_t count)
{
    struct plb_rangeset busy = {0};
    plb_rangeset_add(&busy, (struct plb_range){first, count});
    plb_mirror_begin_pass(m, &busy);
    plb_rangeset_fini(&busy);
}

static void what_is_here_is_not_pulled_again(void **state)
{
    (void)state;
    struct plb_slot slot = {.state = PLB_SLOT_FREE};
    struct plb_mirror *m = plb_mirror_new(&plain, 1e9, false, NULL);
    filler = 1;
    assert_int_equal(fetch(m, &plain, &slot, 10, 20), 20 * UNIT_BYTES);
    assert_int_equal(slot.pulled.first, 10);
    assert_true(slot.mirrored && slot.buffer[0] == plb_mirror_place(m, 0, 10));
    assert_true(slot.bytes < UNIT_BYTES); /* outputs alone */
    filler = 2;
    assert_int_equal(fetch(m, &plain, &slot, 12, 10), 0);
    assert_true(slot.buffer[0] == plb_mirror_place(m, 0, 12));
    begin(m, 0, 0);
    assert_int_equal(fetch(m, &plain, &slot, 10, 20), 0); /* though the last pass used some alone */
    assert_int_equal(fetch(m, &plain, &slot, 25, 10), 5 * UNIT_BYTES);
    assert_int_equal(slot.pulled.first, 30);
    assert_int_equal(slot.pulled.count, 5);
    for (int64_t u = 25; u < 35; u++)
        assert_int_equal(*(char *)plb_slot_buffer(&slot, &plain, 0, u), u < 30 ? 1 : 2);
    release(m, &slot);
}

/* A transfer that nobody waits for, or that was damaged, brings nothing; until it ends no other one has its
 * place.
 */
static void inputs_that_have_not_arrived_are_pulled(void **state)
{
    (void)state;
    struct plb_range range, task = {0, 10};
    struct plb_mirror *m = plb_mirror_new(&plain, 1e9, false, NULL);
    for (int i = 0; i < 2; i++) {
        assert_true(plb_mirror_take(m, task, &range));
        assert_int_equal(range.count, 10);
        assert_false(plb_mirror_take(m, (struct plb_range){9, 5}, &range));
        plb_mirror_arrived(m, task, i > 0);
    }
    assert_true(plb_mirror_take(m, (struct plb_range){9, 5}, &range));
    assert_int_equal(range.first, 10);
    assert_int_equal(range.count, 4);
    plb_mirror_free(m);
}

static void units_of_unequal_size_have_their_place(void **state)
{
    (void)state;
    struct plb_slot slot = {.state = PLB_SLOT_FREE};
    struct plb_mirror *m = plb_mirror_new(&set, 1e9, true, NULL);
    assert_int_equal(plb_mirror_buffers(m), PLB_BUFFER(0) | PLB_BUFFER(2));
    assert_int_equal(fetch(m, &set, &slot, 1, 1), 3 * UNIT_BYTES + 20 * 8);
    assert_int_equal(fetch(m, &set, &slot, 1, 1), 0);
    assert_int_equal(fetch(m, &set, &slot, 0, 2), 3 * UNIT_BYTES);
    assert_int_equal(fetch(m, &set, &slot, 0, 2), 0);
    release(m, &slot);
}

/* There is room for 30 units. Those that came first stay; the next pass drops what this one has not used. */
static void short_of_room_unused_inputs_are_dropped(void **state)
{
    (void)state;
    struct plb_slot slot = {.state = PLB_SLOT_FREE};
    for (int shared = 0; shared < 2; shared++) {
        struct plb_mirror *m = plb_mirror_new(&plain, 30.0 * UNIT_BYTES, shared, NULL);
        filler = 3;
        fetch(m, &plain, &slot, 0, 30);
        assert_int_equal(fetch(m, &plain, &slot, 40, 10), 10 * UNIT_BYTES);
        assert_false(slot.mirrored);
        assert_int_equal(fetch(m, &plain, &slot, 40, 10), 10 * UNIT_BYTES);
        assert_int_equal(fetch(m, &plain, &slot, 5, 25), 0);
        begin(m, 0, 0); /* the pass has used all that is here */
        assert_int_equal(fetch(m, &plain, &slot, 5, 5), 0);
        assert_int_equal(fetch(m, &plain, &slot, 40, 10), 10 * UNIT_BYTES);
        begin(m, 20, 5);
        assert_int_equal(fetch(m, &plain, &slot, 5, 5), 0);
        assert_int_equal(fetch(m, &plain, &slot, 20, 5), 0);
        assert_int_equal(*(char *)plb_mirror_place(m, 0, 15), 0); /* its memory was given back */
        assert_int_equal(*(char *)plb_mirror_place(m, 0, 24), 3);
        assert_int_equal(fetch(m, &plain, &slot, 40, 20), 20 * UNIT_BYTES);
        assert_true(slot.mirrored);
        assert_int_equal(fetch(m, &plain, &slot, 40, 20), 0);
        assert_int_equal(fetch(m, &plain, &slot, 15, 1), UNIT_BYTES);
        assert_false(slot.mirrored);
        plb_mirror_free(m);
    }
    release(NULL, &slot);
}

static void nothing_is_kept_where_nothing_is_pulled(void **state)
{
    (void)state;
    struct plb_dataset on_rank0 = plain, outputs = {.n = 1, .units = 1, .at = {{.mode = PLB_OUTPUT}}};
    on_rank0.on_rank0 = true;
    assert_null(plb_mirror_new(&on_rank0, 1e9, false, NULL));
    assert_null(plb_mirror_new(&outputs, 1e9, false, NULL));
    assert_null(plb_mirror_new(&plain, 0.0, false, NULL));
    assert_int_equal(plb_mirror_buffers(NULL), 0);
}

/* ------------------------------------------------------- results that feed an input */

/* An input that output 1 may feed, and another input. */
static const struct plb_dataset fed = {.n = 3,
                                       .units = UNITS,
                                       .at = {{.mode = PLB_PARTITION, .unit_bytes = UNIT_BYTES},
                                              {.mode = PLB_OUTPUT, .unit_bytes = UNIT_BYTES},
                                              {.mode = PLB_PARTITION, .unit_bytes = 8}}};

static const struct plb_pass feeds = {.n_feeds = 1, .feeds = {{1, 0, 1}}},
                             named = {.n_feeds = 1, .feeds = {{1, 0, 0}}};

static void begin_fed(struct plb_mirror *m, int pass, const struct plb_pass *pass_begin,
                      const struct plb_mirror_tasks *tasks)
{
    static const struct plb_mirror_tasks none;
    plb_mirror_feed(m, pass, pass_begin, tasks != NULL ? tasks : &none);
    begin(m, 0, 0);
}

/* A task is executed: its results have this value, and it is reported. Returns the bytes that it has
 * pulled. */
static size_t execute(struct plb_mirror *m, struct plb_slot *slot, int pass, int64_t first, int64_t count,
                      char value)
{
    slot->anew = true;
    slot->task.pass = pass;
    size_t bytes = fetch(m, &fed, slot, first, count);
    memset(slot->buffer[1], value, (size_t)count * UNIT_BYTES);
    if (slot->gives != NULL)
        plb_mirror_reported(m, pass, slot->task.range);
    return bytes;
}

static void count(struct plb_mirror *m, int pass, struct plb_range a, struct plb_range b)
{
    struct plb_message message = {.type = PLB_COUNTED, .pass = pass, .counted = {{a, b}, 2}};
    plb_mirror_counted(m, &message);
}

/* The bytes of a unit, which is pulled where it is not here. */
static char unit_of(struct plb_mirror *m, struct plb_slot *slot, int64_t unit)
{
    slot->anew = true;
    fetch(m, &fed, slot, unit, 1);
    return *(char *)slot->buffer[0];
}

static void own_results_that_counted_are_inputs(void **state)
{
    (void)state;
    struct plb_slot slot = {.state = PLB_SLOT_FREE};
    for (int shared = 0; shared < 2; shared++) {
        struct plb_mirror *m = plb_mirror_new(&fed, 1e9, shared, NULL);
        begin_fed(m, 1, &named, NULL);
        filler = 1;
        assert_int_equal(execute(m, &slot, 1, 10, 30, 11), 30 * (UNIT_BYTES + 8));
        assert_true(slot.gives == m && slot.bytes < UNIT_BYTES);
        for (int pass = 2; pass < 5; pass++) {
            begin_fed(m, pass, &feeds, NULL);
            assert_int_equal(plb_mirror_since(m), pass);
            count(m, pass - 1, (struct plb_range){0, 5}, (struct plb_range){10, 30}); /* of another pass */
            assert_false(plb_mirror_has(m, (struct plb_range){10, 1}));
            count(m, pass, (struct plb_range){0, 15}, (struct plb_range){20, UNITS}); /* to far too large */
            count(m, pass, (struct plb_range){20, 10}, (struct plb_range){35, 60});
            filler = (char)pass;
            assert_int_equal(unit_of(m, &slot, 9), pass); /* nobody has executed it here */
            assert_int_equal(execute(m, &slot, pass, 10, 5, (char)(pass + 10)), 0);
            assert_int_equal(*(char *)slot.buffer[0], pass + 9);
            assert_int_equal(execute(m, &slot, pass, 15, 5, (char)(pass + 10)), 5 * (UNIT_BYTES + 8));
            assert_int_equal(*(char *)slot.buffer[0], pass); /* another one's result counted */
            assert_int_equal(execute(m, &slot, pass, 20, 10, (char)(pass + 10)), 0);
            assert_int_equal(execute(m, &slot, pass, 30, 5, (char)(pass + 10)), 5 * (UNIT_BYTES + 8));
            assert_int_equal(execute(m, &slot, pass, 35, 5, (char)(pass + 10)), 0);
        }
        begin_fed(m, 5, &named, NULL); /* the inputs stay what they are */
        assert_int_equal(plb_mirror_since(m), 4);
        assert_int_equal(execute(m, &slot, 5, 10, 30, 40), 0);
        assert_int_equal(*(char *)slot.buffer[0], 13);
        begin_fed(m, 6, &(struct plb_pass){.n_feeds = 1, .feeds = {{1, 2, 1}}}, NULL); /* of another size */
        count(m, 6, (struct plb_range){10, 30}, (struct plb_range){50, 1});
        assert_false(plb_mirror_has(m, (struct plb_range){10, 1}));
        release(m, &slot);
        slot = (struct plb_slot){.state = PLB_SLOT_FREE};
    }
}

/* A second task of the same units has a place of its own, and none takes that of a result before it is
 * sent. */
static void one_task_gives_a_unit(void **state)
{
    (void)state;
    struct plb_slot slot = {.state = PLB_SLOT_FREE}, other = {.state = PLB_SLOT_FREE};
    struct plb_mirror_tasks sends = {0};
    struct plb_mirror *m = plb_mirror_new(&fed, 1e9, false, NULL);
    plb_rangeset_add(&sends.sent, (struct plb_range){0, 10});
    plb_rangeset_add(&sends.sent_on, (struct plb_range){0, 10});
    begin_fed(m, 1, &named, NULL);
    execute(m, &slot, 1, 0, 10, 7);
    execute(m, &other, 1, 5, 1, 8);
    assert_true(slot.gives != NULL && other.gives == NULL);
    begin_fed(m, 2, &feeds, &sends);
    filler = 3;
    execute(m, &other, 2, 0, 10, 9); /* it was told nothing, and pulls elsewhere */
    assert_true(!other.mirrored && other.gives == NULL && *(char *)other.buffer[0] == 3);
    assert_int_equal(*(char *)plb_mirror_place(m, 0, 5), 7);
    count(m, 2, (struct plb_range){0, 10}, (struct plb_range){50, 1});
    assert_false(plb_mirror_has(m, (struct plb_range){5, 1})); /* either result may have counted */
    execute(m, &other, 2, 0, 5, 9);
    assert_true(other.mirrored && other.gives == NULL && *(char *)other.buffer[0] == 7);
    execute(m, &other, 2, 6, 4, 9);
    assert_true(other.mirrored && other.gives == NULL && *(char *)other.buffer[0] == 7);
    begin_fed(m, 3, &named, &sends);
    execute(m, &other, 3, 0, 10, 9);
    assert_true(other.mirrored && other.gives == NULL);
    release(NULL, &other);
    release(m, &slot);
    plb_rangeset_fini(&sends.sent);
    plb_rangeset_fini(&sends.sent_on);
}

/* A task of an earlier pass still reads and writes: nobody uses the places of its units. */
static void a_late_task_has_its_places(void **state)
{
    (void)state;
    struct plb_slot late = {.state = PLB_SLOT_FREE}, slot = {.state = PLB_SLOT_FREE};
    struct plb_mirror_tasks reads = {0};
    struct plb_mirror *m = plb_mirror_new(&fed, 1e9, false, NULL);
    plb_rangeset_add(&reads.read, (struct plb_range){20, 10});
    begin_fed(m, 1, &named, NULL);
    filler = 1;
    execute(m, &slot, 1, 0, 20, 5);
    late.anew = true;
    fetch(m, &fed, &late, 20, 10);
    for (int pass = 2; pass < 5; pass++) {
        begin_fed(m, pass, &feeds, &reads);
        memset(late.buffer[1], 99, 10 * UNIT_BYTES);
        count(m, pass, (struct plb_range){0, 30}, (struct plb_range){50, 1});
        filler = (char)pass;
        execute(m, &slot, pass, 15, 10, 6);
        assert_false(slot.mirrored);
        assert_int_equal(*(char *)slot.buffer[0], pass);
        assert_int_equal(*(char *)late.buffer[0], 1);
        execute(m, &slot, pass, 0, 20, (char)(4 + pass));
        assert_true(slot.mirrored && *(char *)slot.buffer[0] == (pass == 2 ? 5 : 3 + pass));
    }
    release(NULL, &late);
    release(m, &slot);
    plb_rangeset_fini(&reads.read);
}

static bool has_page(const void *place)
{
    unsigned char there;
    assert_int_equal(mincore((void *)place, 1, &there), 0);
    return there & 1;
}

/* Memory of units to come is there before a task has them; room is taken for it, for both places. */
static void memory_can_be_prepared(void **state)
{
    (void)state;
    struct plb_dataset data = fed;
    struct plb_mirror *m;
    struct plb_range lacks;
    data.n = 2;
    data.fed = PLB_BUFFER(0);
    m = plb_mirror_new(&data, 2.0 * 20 * UNIT_BYTES, false, NULL);
    plb_mirror_prepare(m, (struct plb_range){40, 30}); /* no room */
    assert_false(has_page(plb_mirror_place(m, 0, 40)));
    begin_fed(m, 1, &named, NULL);
    plb_mirror_prepare(m, (struct plb_range){50, 20});
    for (int64_t u = 49; u <= 70; u++) {
        assert_int_equal(has_page(plb_mirror_place(m, 0, u)), u >= 50 && u < 70);
        assert_int_equal(has_page(plb_mirror_result(m, 1, u)), u >= 50 && u < 70);
    }
    assert_true(plb_mirror_take(m, (struct plb_range){50, 20}, &lacks));
    assert_int_equal(lacks.count, 20); /* inputs come all the same */
    assert_false(plb_mirror_take(m, (struct plb_range){70, 1}, &lacks));
    plb_mirror_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_here_is_not_pulled_again),
        cmocka_unit_test(inputs_that_have_not_arrived_are_pulled),
        cmocka_unit_test(units_of_unequal_size_have_their_place),
        cmocka_unit_test(short_of_room_unused_inputs_are_dropped),
        cmocka_unit_test(nothing_is_kept_where_nothing_is_pulled),
        cmocka_unit_test(own_results_that_counted_are_inputs),
        cmocka_unit_test(one_task_gives_a_unit),
        cmocka_unit_test(a_late_task_has_its_places),
        cmocka_unit_test(memory_can_be_prepared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
