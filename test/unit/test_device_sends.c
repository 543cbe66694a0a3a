/* Results in the memory of a device alone, which go to other ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sends_fixture.h"

/* A device's memory with units 10 to 39, which fails or not. */
static char gpu[30 * PAGE];
static bool fails;

static int read_gpu(struct plb_device *device, const struct plb_device *own, void *to, const void *from,
                    size_t bytes)
{
    (void)device;
    (void)own;
    if (!fails)
        memcpy(to, from, bytes);
    return fails;
}

/* Units 10 to 39 of pass 1 are results in the device's memory alone. */
static struct plb_node_results stay(struct plb_mirror *m, char *place)
{
    static const struct plb_device_ops ops = {.read = read_gpu};
    struct plb_node_results results = plb_results_new(1);
    struct plb_message pass = {.type = PLB_PASS, .pass = 1};
    plb_results_open(&results.of[0], &ops, NULL, &set, NULL);
    plb_results_begin(&results, &pass);
    plb_results_made(
        &results.of[0], 1, 0, 2, (struct plb_range){10, 30},
        &(struct plb_device_units){.device = gpu, .lead = -10 * PAGE, .host = place - (ptrdiff_t)10 * PAGE});
    plb_mirror_reported(m, 1, (struct plb_range){10, 30});
    memset(gpu, 7, sizeof gpu);
    fails = false;
    return results;
}

/* They are copied to the host before they go to others; lost ones are owed until the next pass. */
static void results_in_a_device_are_sent(void **state)
{
    (void)state;
    struct plb_slot slot = {.tag = 7}, other = {.tag = 8};
    struct plb_sends sends = {0};
    struct plb_outbox out = {0};
    struct plb_mirror *m = plb_mirror_new(&set, 60.0 * 2 * PAGE, false, NULL);
    const struct plb_source own[] = {{{34, 6}, 1, RANK}, {{40, 41}, 1, 0}};
    struct plb_message wanted = {.type = PLB_FETCH, .pass = 1, .fetch = {{12, 4}, 50, PLB_BUFFER(2)}},
                       inputs = {.type = PLB_FETCH, .pass = 2, .fetch = {{20, 5}, 17, PLB_BUFFER(0), 2}},
                       counted = {.type = PLB_COUNTED, .pass = 2, .counted = {{{10, 30}}, 1}},
                       pass = {.type = PLB_PASS, .pass = 2, .begin = feeds};
    begin(m, &sends, 1, &named);
    fetch(m, &slot, 1, 10, 30);
    char *place = slot.buffer[2];
    struct plb_node_results results = stay(m, place);
    const struct plb_node_memory memory = {&config, m, NULL, &results};
    end_transfers();
    assert_true(plb_send(&sends, &memory, &wanted, &out) && out.at[0].sources.n == 1);
    assert_true(place[2 * PAGE] == 7 && place[6 * PAGE - 1] == 7 && place[PAGE] == 0 && place[6 * PAGE] == 0);
    begin(m, &sends, 2, &feeds);
    end_transfers();
    plb_mirror_counted(m, &counted);
    plb_results_begin(&results, &pass);
    plb_results_counted(&results, &counted);
    assert_true(plb_send(&sends, &memory, &inputs, &out) && n == 1);
    assert_true(place[10 * PAGE] == 7 && results.of[0].out == 9 * PAGE);
    fetch(m, &other, 2, 35, 45); /* without room in the mirror: it copies what this rank has */
    assert_false(other.kept);
    struct plb_message from = tell(8, 1, 2, own);
    assert_true(plb_slot_from(&other, &set, &config.wire, m, &results, &from) && !other.torn);
    assert_int_equal(*((char *)other.buffer[0] - PAGE), 7);
    end_transfers();
    fails = true;
    inputs.fetch.range.first = 26;
    assert_true(plb_send(&sends, &memory, &inputs, &out) && n == 0);
    inputs.fetch.range = (struct plb_range){20, 2}; /* that are here come in their order, */
    assert_true(plb_send(&sends, &memory, &inputs, &out) && n == 0);
    inputs.fetch.to = 1; /* but at once to another rank */
    assert_true(plb_send(&sends, &memory, &inputs, &out) && n == 1);
    end_transfers();
    struct plb_rangeset under_way = {0};
    plb_sends_under_way(&sends, &under_way);
    assert_true(under_way.units == 7);
    plb_rangeset_fini(&under_way);
    plb_sends_pay(&sends, &config, m);
    plb_sends_pay(&sends, &config, m);
    assert_int_equal(n, 2);
    is_sent(0, 2, place + 16 * PAGE, 5 * PAGE);
    is_sent(1, 2, place + 10 * PAGE, 2 * PAGE);
    end_transfers();
    release(NULL, &other);
    release(m, &slot);
    plb_results_free(&results);
    plb_outbox_fini(&out);
    plb_sends_fini(&sends);
}

/* Results that nobody can have any more are not here; nor does a task go on with such inputs. */
static void results_that_are_lost_are_not_here(void **state)
{
    (void)state;
    struct plb_slot slot = {.tag = 7}, other = {.tag = 8};
    struct plb_sends sends = {0};
    struct plb_outbox out = {0};
    struct plb_mirror *m = plb_mirror_new(&set, 60.0 * 2 * PAGE, false, NULL);
    const struct plb_source own[] = {{{34, 6}, 1, RANK}, {{40, 41}, 1, 0}};
    struct plb_message wanted = {.type = PLB_FETCH, .pass = 1, .fetch = {{12, 4}, 50, PLB_BUFFER(2)}},
                       counted = {.type = PLB_COUNTED, .pass = 2, .counted = {{{10, 30}}, 1}},
                       pass = {.type = PLB_PASS, .pass = 2, .begin = feeds};
    begin(m, &sends, 1, &named);
    fetch(m, &slot, 1, 10, 30);
    struct plb_node_results results = stay(m, slot.buffer[2]);
    const struct plb_node_memory memory = {&config, m, NULL, &results};
    end_transfers();
    fails = true;
    assert_true(plb_send(&sends, &memory, &wanted, &out));
    assert_true(out.at[0].sources.n == 0 && n == 0 && results.of[0].lost);
    begin(m, &sends, 2, &feeds);
    plb_mirror_counted(m, &counted);
    plb_results_begin(&results, &pass);
    plb_results_counted(&results, &counted);
    fetch(m, &other, 2, 35, 45);
    struct plb_message from = tell(8, 1, 2, own);
    assert_true(plb_slot_from(&other, &set, &config.wire, m, &results, &from));
    assert_true(plb_slot_is_torn(&other, &config.wire));
    end_transfers();
    plb_slot_abandon(&other, &config.wire, m);
    assert_non_null(other.memory); /* nobody writes there */
    fetch(m, &other, 2, 50, 5);
    assert_false(plb_slot_is_torn(&other, &config.wire));
    end_transfers();
    release(NULL, &other);
    release(m, &slot);
    plb_results_free(&results);
    plb_outbox_fini(&out);
    plb_sends_fini(&sends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_in_a_device_are_sent),
        cmocka_unit_test(results_that_are_lost_are_not_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
