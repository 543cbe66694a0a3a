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
static struct plb_node_device_results stay(struct plb_mirror *mirror, char *place)
{
    static const struct plb_device_ops ops = {.read = read_gpu};
    struct plb_node_device_results all = plb_device_results_new(1);
    struct plb_message pass = {.type = PLB_PASS, .pass = 1};
    plb_device_results_open(&all.of[0], &ops, NULL, &set, NULL);
    plb_device_results_begin(&all, &pass);
    plb_device_results_made(
        &all.of[0], 1, 0, 2, (struct plb_range){10, 30},
        &(struct plb_device_units){.device = gpu, .lead = -10 * PAGE, .host = place - (ptrdiff_t)10 * PAGE});
    plb_mirror_reported(mirror, 1, (struct plb_range){10, 30});
    memset(gpu, 7, sizeof gpu);
    fails = false;
    return all;
}

static struct plb_mirror *m;
static struct plb_sends sends;
static struct plb_outbox out;
static struct plb_node_device_results results;
static struct plb_slot slot, other;
static struct plb_node_memory memory;

/* Pass 1 has computed units 10 to 39 in the device. */
static void begin_test(void)
{
    slot = (struct plb_slot){.tag = 7};
    other = (struct plb_slot){.tag = 8};
    m = plb_mirror_new(&set, 60.0 * 2 * PAGE, false, NULL);
    begin(m, &sends, 1, &named);
    fetch(m, &slot, 1, 10, 30);
    results = stay(m, slot.buffer[2]);
    memory = (struct plb_node_memory){&config, m, NULL, &results};
    end_transfers();
}

/* They are inputs of pass 2. */
static void begin_second(void)
{
    const struct plb_message counted = {.type = PLB_COUNTED, .pass = 2, .counted = {{{10, 30}}, 1}},
                             pass = {.type = PLB_PASS, .pass = 2, .begin = feeds};
    begin(m, &sends, 2, &feeds);
    end_transfers();
    plb_mirror_counted(m, &counted);
    plb_device_results_begin(&results, &pass);
    plb_device_results_counted(&results, &counted);
}

static void end_test(void)
{
    end_transfers();
    release(NULL, &other);
    release(m, &slot);
    plb_device_results_free(&results);
    plb_outbox_fini(&out);
    plb_sends_fini(&sends);
}

/* A task without room in the mirror copies what this rank has. */
static bool copies_own(void)
{
    const struct plb_source own[] = {{{34, 6}, 1, RANK}, {{40, 41}, 1, 0}};
    struct plb_message from = tell(8, 1, 2, own);
    fetch(m, &other, 2, 35, 45);
    assert_false(other.mirrored);
    assert_true(plb_slot_from(&other, &set, &config.wire, m, &results, &from));
    end_transfers();
    return !plb_slot_has_lost_inputs(&other, &config.wire);
}

static bool send(int pass, int64_t first, int64_t count, int to)
{
    const struct plb_message wanted = {
        .type = PLB_FETCH, .pass = pass, .fetch = {{first, count}, 17, PLB_BUFFER(to == 0 ? 2 : 0), to}};
    return plb_send(&sends, &memory, &wanted, &out);
}

static void results_in_a_device_are_brought_before_they_are_sent(void **state)
{
    (void)state;
    begin_test();
    const char *place = slot.buffer[2];
    assert_true(send(1, 12, 4, 0) && out.at[0].sources.n == 1);
    assert_true(place[2 * PAGE] == 7 && place[6 * PAGE - 1] == 7 && place[PAGE] == 0 && place[6 * PAGE] == 0);
    end_transfers();
    begin_second();
    assert_true(send(2, 20, 5, 2) && n == 1);
    assert_true(place[10 * PAGE] == 7 && results.of[0].out == 9 * PAGE);
    assert_true(copies_own());
    assert_int_equal(*((char *)other.buffer[0] - PAGE), 7);
    end_test();
}

/* Inputs that are lost are owed until the next pass, and others of that rank behind them. */
static void lost_inputs_are_owed(void **state)
{
    (void)state;
    begin_test();
    char *place = slot.buffer[2];
    begin_second();
    assert_true(send(2, 20, 5, 2) && n == 1);
    end_transfers();
    fails = true;
    assert_true(send(2, 26, 5, 2) && send(2, 20, 2, 2) && n == 0);
    assert_true(send(2, 20, 2, 1) && n == 1);
    end_transfers();
    plb_sends_pay(&sends, &config, m);
    plb_sends_pay(&sends, &config, m);
    struct plb_rangeset under_way = {0};
    plb_sends_under_way(&sends, &under_way);
    assert_true(under_way.units == 7);
    plb_rangeset_fini(&under_way);
    assert_int_equal(n, 2);
    is_sent(0, 2, place + 16 * PAGE, 5 * PAGE);
    is_sent(1, 2, place + 10 * PAGE, 2 * PAGE);
    end_test();
}

/* Lost results are not here; nor does a task go on with such inputs. */
static void lost_results_are_not_here(void **state)
{
    (void)state;
    begin_test();
    fails = true;
    assert_true(send(1, 12, 4, 0));
    assert_true(out.at[0].sources.n == 0 && n == 0 && results.of[0].lost);
    begin_second();
    assert_false(copies_own());
    plb_slot_abandon(&other, &config.wire, m);
    assert_non_null(other.memory); /* nobody writes there */
    fetch(m, &other, 2, 50, 5);
    assert_false(plb_slot_has_lost_inputs(&other, &config.wire));
    end_test();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_in_a_device_are_brought_before_they_are_sent),
        cmocka_unit_test(lost_inputs_are_owed),
        cmocka_unit_test(lost_results_are_not_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
