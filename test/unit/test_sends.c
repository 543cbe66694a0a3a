/* Inputs that come from other ranks than 0, and those that others get from this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sends_fixture.h"

static struct plb_node_device_results none; /* no device has any */

/* Rank 0 sends what nothing feeds at once, and of the rest it is asked where. */
static void inputs_come_from_those_that_have_them(void **state)
{
    (void)state;
    static const struct plb_source first[] = {{{9, 6}, 1, 2}}, rest[] = {{{15, 3}, 1, 0}, {{18, 3}, 1, 4}},
                                   wrong[][1] = {
                                       {{{8, 1}, 1, 2}}, {{{9, 1}, 3, 2}}, {{{9, 1}, PLB_BUFFER(31), 2}}};
    struct plb_slot slot = {.tag = 7};
    struct plb_sends sends = {0};
    for (int kept = 0; kept < 2; kept++) {
        struct plb_mirror *m = pull(&slot, &sends, kept);
        assert_true(n == 1 && way[0].peer == 0 && way[0].bytes == (kept ? 12 : 10) * 8);
        assert_int_equal(slot.pulls, 3);
        end_transfers();
        assert_int_equal(slot.pending, 1); /* the word from rank 0 */
        struct plb_message w = tell(8, 1, 1, first);
        assert_false(plb_slot_from(&slot, &set, &config.wire, m, &none, &w)); /* about another one */
        for (int i = 0; i < 3; i++) {
            w = tell(7, 1, 1, wrong[i]);
            assert_false(plb_slot_from(&slot, &set, &config.wire, m, &none, &w));
        }
        w = tell(7, 0, 1, first);
        assert_true(plb_slot_from(&slot, &set, &config.wire, m, &none, &w) && slot.awaits);
        w = tell(7, 1, 2, rest);
        assert_true(plb_slot_from(&slot, &set, &config.wire, m, &none, &w) && !slot.awaits);
        assert_true(n == 3 && way[0].peer == 2 && way[1].peer == 0 && way[2].peer == 4);
        for (int i = 0; i < 3; i++)
            assert_int_equal(way[i].tag, 7);
        assert_ptr_equal(way[0].data, (char *)slot.buffer[0] - PAGE);
        assert_ptr_equal(way[2].data, (char *)slot.buffer[0] + 8 * PAGE);
        assert_int_equal(way[2].bytes, 3 * PAGE);
        assert_int_equal(slot.pending, 3);
        end_transfers();
        assert_true(slot.pending == 0 && !plb_slot_has_lost_inputs(&slot, &config.wire));
        assert_false(plb_slot_from(&slot, &set, &config.wire, m, &none, &w)); /* it has come */
        release(m, &slot);
        slot = (struct plb_slot){.tag = 7};
    }
    plb_sends_fini(&sends);
}

/* Inputs of a lost rank do not come, and a task without them does not run. */
static void a_lost_rank_tears_a_task(void **state)
{
    (void)state;
    static const struct plb_source two[] = {{{9, 6}, 1, 2}, {{15, 6}, 1, 0}}, lost[] = {{{9, 12}, 1, LOST}};
    struct plb_slot slot = {.tag = 7};
    struct plb_sends sends = {0};
    struct plb_mirror *m = plb_mirror_new(&set, 1.0, false, NULL);
    begin(m, &sends, 1, &named);
    fetch(m, &slot, 1, 10, 10);
    struct plb_message w = tell(7, 1, 2, two);
    plb_slot_from(&slot, &set, &config.wire, m, &none, &w);
    lost_later = 4;
    assert_false(plb_slot_has_lost_inputs(&slot, &config.wire));
    lost_later = 2;
    assert_true(plb_slot_has_lost_inputs(&slot, &config.wire));
    end_transfers();
    fetch(m, &slot, 1, 10, 10);
    assert_false(plb_slot_has_lost_inputs(&slot, &config.wire));
    lost_later = 0;
    w = tell(7, 1, 1, lost);
    plb_slot_from(&slot, &set, &config.wire, m, &none, &w);
    assert_true(plb_slot_has_lost_inputs(&slot, &config.wire));
    end_transfers();
    release(m, &slot);
    plb_sends_fini(&sends);
}

/* MPI may still write what that rank was sending: nothing else gets the memory. */
static void what_a_lost_rank_sends_late_touches_nothing(void **state)
{
    (void)state;
    static const struct plb_source from[] = {{{9, 12}, 1, 2}};
    struct plb_slot slot = {.tag = 7};
    struct plb_sends sends = {0};
    for (int kept = 0; kept < 2; kept++) {
        struct plb_mirror *m = pull(&slot, &sends, kept);
        struct plb_message w = tell(7, 1, 1, from);
        assert_true(plb_slot_from(&slot, &set, &config.wire, m, &none, &w));
        const char *late = way[1].data;
        end_transfers();
        lost_later = 2;
        plb_slot_abandon(&slot, &config.wire, m);
        lost_later = 0;
        plb_mirror_arrived(m, slot.pulled, false);
        begin(m, &sends, 2, &named);
        slot.pulled.count = 0;
        fetch(m, &slot, 2, 10, 10);
        const char *now = slot.buffer[0];
        assert_true(!slot.mirrored && (now + 11 * PAGE <= late || now - PAGE >= late + 12 * PAGE));
        w = tell(7, 1, 1, from);
        plb_slot_from(&slot, &set, &config.wire, m, &none, &w);
        end_transfers();
        now = slot.memory;
        plb_slot_abandon(&slot, &config.wire, m); /* nobody is lost: it has its memory still */
        assert_ptr_equal(slot.memory, now);
        release(m, &slot);
        slot = (struct plb_slot){.tag = 7};
    }
    plb_sends_fini(&sends);
}

/* A pass computes 10 to 39 here; the next one has them as inputs, and others do. */
static void others_get_what_is_computed_here(void **state)
{
    (void)state;
    struct plb_slot slot = {.tag = 7};
    struct plb_sends sends = {0};
    struct plb_outbox out = {0};
    struct plb_mirror *m = plb_mirror_new(&set, 1e9, false, NULL);
    const struct plb_node_memory memory = {&config, m, NULL, &none}, no_mirror = {&config, NULL, NULL, &none};
    struct plb_message results = {.type = PLB_FETCH, .pass = 1, .fetch = {{10, 30}, 50, PLB_BUFFER(2)}},
                       inputs = {.type = PLB_FETCH, .pass = 2, .fetch = {{20, 5}, 17, PLB_BUFFER(0), 2}},
                       counted = {.type = PLB_COUNTED, .pass = 2, .counted = {{{10, 30}}, 1}};
    begin(m, &sends, 1, &named);
    fetch(m, &slot, 1, 10, 30);
    char *place = slot.buffer[2];
    assert_true(slot.gives == m && slot.stored == PLB_BUFFER(2) && plb_slot_sent(&slot, &set) == 0);
    memset(place, 9, 30 * PAGE);
    assert_true(plb_send(&sends, &memory, &results, &out));
    assert_int_equal(out.at[0].sources.n, 0); /* not reported yet */
    plb_mirror_reported(m, 1, slot.task.range);
    end_transfers();
    assert_true(plb_send(&sends, &memory, &results, &out));
    assert_true(out.at[1].sources.n == 1 && out.at[1].sources.slot == 50 && way[0].tag == 50);
    is_sent(0, 0, place, 30 * PAGE);
    results.fetch.range.first = 9;
    assert_true(plb_send(&sends, &memory, &results, &out));
    assert_true(out.at[2].sources.n == 0 && n == 1);
    end_transfers();
    begin(m, &sends, 2, &feeds);
    plb_mirror_counted(m, &counted);
    assert_true(plb_send(&sends, &memory, &inputs, &out));
    is_sent(0, 2, place + 10 * PAGE, 5 * PAGE);
    assert_int_equal(way[0].tag, 17);
    begin(m, &sends, 3, &feeds); /* they are still sent: nobody writes there */
    assert_false(plb_mirror_give(m, (struct plb_range){20, 1}));
    assert_true(plb_mirror_give(m, (struct plb_range){30, 1}));
    end_transfers();
    begin(m, &sends, 4, &named);
    assert_true(plb_mirror_give(m, (struct plb_range){20, 1}));
    inputs.fetch.range.count = UNITS;
    assert_false(plb_send(&sends, &memory, &inputs, &out));
    inputs.fetch = (struct plb_fetch){{20, 5}, 17, PLB_BUFFER(1), 2, 0, 0};
    assert_false(plb_send(&sends, &memory, &inputs, &out)); /* nothing feeds it: rank 0 has it */
    assert_false(plb_send(&sends, &no_mirror, &inputs, &out));
    release(m, &slot);
    plb_outbox_fini(&out);
    plb_sends_fini(&sends);
}

/* Room is short, and inputs that this rank alone has are not used for a pass: they stay. A task that finds
 * them here copies them. */
static void inputs_that_nobody_else_has_stay(void **state)
{
    (void)state;
    static const struct plb_source own[] = {{{34, 6}, 1, RANK}, {{40, 56}, 1, 0}};
    struct plb_message counted = {.type = PLB_COUNTED, .pass = 2, .counted = {{{10, 30}}, 1}};
    struct plb_slot slot = {.tag = 7}, other = {.tag = 8};
    struct plb_sends sends = {0};
    struct plb_mirror *m = plb_mirror_new(&set, 40.0 * (2 * PAGE + 8), false, NULL);
    begin(m, &sends, 1, &named);
    fetch(m, &slot, 1, 10, 30);
    memset(slot.buffer[2], 9, 30 * PAGE);
    plb_mirror_reported(m, 1, slot.task.range);
    end_transfers();
    for (int pass = 2; pass < 4; pass++) {
        begin(m, &sends, pass, pass == 2 ? &feeds : &named);
        plb_mirror_counted(m, &counted);
        fetch(m, &other, pass, 50, 30); /* there is no room for these */
        assert_false(other.mirrored);
        end_transfers();
    }
    assert_int_equal(*(char *)plb_mirror_place(m, 0, 25), 9);
    assert_false(fetch(m, &other, 3, 12, 10));
    assert_true(other.mirrored && *(char *)other.buffer[0] == 9);
    fetch(m, &other, 3, 35, 60);
    struct plb_message w = tell(8, 1, 2, own);
    assert_true(!other.mirrored && plb_slot_from(&other, &set, &config.wire, m, &none, &w));
    assert_int_equal(*((char *)other.buffer[0] + 4 * PAGE), 9);
    end_transfers();
    release(NULL, &other);
    release(m, &slot);
    plb_sends_fini(&sends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_come_from_those_that_have_them),
        cmocka_unit_test(a_lost_rank_tears_a_task),
        cmocka_unit_test(what_a_lost_rank_sends_late_touches_nothing),
        cmocka_unit_test(others_get_what_is_computed_here),
        cmocka_unit_test(inputs_that_nobody_else_has_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
