/* Changed parts of replicated buffers: which ones there are, and the packets in which they travel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "app/application.h"

#define BYTES 4000

static const struct plb_kernel kernel = {.name = "k"};
static struct plb_app app;
static char here[2][BYTES], there[2][BYTES];
static void *const from[PLB_MAX_DATA] = {here[0], NULL, here[1]}, *const to[PLB_MAX_DATA] = {there[0], NULL,
                                                                                             there[1]};

/* Buffers 0 and 2 are replicated. They are equal on both sides. */
static int set_up(void **state)
{
    (void)state;
    app = (struct plb_app){.kernel = &kernel, .n_data = 3};
    app.data[0] = app.data[2] = (struct plb_data){.mode = PLB_REPLICATE, .bytes = BYTES};
    app.data[1] = (struct plb_data){.mode = PLB_PARTITION, .unit_bytes = 8};
    memset(here, 1, sizeof here);
    memset(there, 1, sizeof there);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    plb_app_fini(&app);
    return 0;
}

/* As `next` does it. */
static void change(int handle, size_t first, size_t bytes)
{
    memset(here[handle / 2] + first, 2, bytes);
    plb_app_replace_part(&app, handle, first, bytes);
    assert_int_equal(app.err.status, PLB_OK);
}

static char *packet_of(const struct plb_parts *parts, size_t *bytes)
{
    *bytes = plb_parts_packet(parts);
    char *packet = malloc(*bytes);
    plb_parts_pack(parts, from, packet);
    return packet;
}

static void parts_arrive_where_they_belong(void **state)
{
    struct plb_parts parts = {0}, got = {0};
    size_t bytes;
    (void)state;
    change(0, 0, 1);
    change(0, 3999, 1);
    change(2, 1000, 700);
    change(2, 1500, 300);
    change(2, 2500, 0);
    assert_int_equal(plb_app_take_replaced(&app, &parts), 5);
    assert_true(parts.buffers == 5 && parts.at[0].n == 2 && parts.at[2].n == 1 && parts.at[2].units == 800);
    char *packet = packet_of(&parts, &bytes);
    assert_true(bytes < 802 + 100);
    assert_true(plb_parts_unpack(&got, 5, app.data, to, packet, bytes));
    assert_memory_equal(here, there, sizeof here);
    assert_true(got.buffers == 5 && got.at[0].n == 2 && got.at[2].at[0].first == 1000);
    assert_int_equal(plb_app_take_replaced(&app, &parts), 0); /* nothing has changed since */
    assert_true(parts.buffers == 0 && plb_parts_packet(&parts) == 0);
    free(packet);
    plb_parts_fini(&parts);
    plb_parts_fini(&got);
}

static void parts_near_each_other_are_one(void **state)
{
    struct plb_parts parts = {0};
    (void)state;
    for (size_t i = 0; i < 10; i++)
        change(0, 100 + 10 * i, 1);
    change(0, 1000, 1);
    assert_int_equal(plb_app_take_replaced(&app, &parts), 1);
    assert_true(parts.at[0].n == 2 && parts.at[0].units == 92);
    assert_true(parts.at[0].at[0].first == 100 && parts.at[0].at[0].count == 91);
    plb_parts_fini(&parts);
}

static void a_buffer_of_which_most_has_changed_is_whole(void **state)
{
    struct plb_parts parts = {0};
    (void)state;
    change(0, 0, BYTES / 2 + 1);
    change(2, 0, BYTES / 2);
    assert_int_equal(plb_app_take_replaced(&app, &parts), 5);
    assert_int_equal(parts.buffers, 4);
    change(2, 0, 8);
    plb_app_replace(&app, 2);
    assert_int_equal(plb_app_take_replaced(&app, &parts), 4);
    assert_int_equal(parts.buffers, 0);
    plb_parts_fini(&parts);
}

static void parts_beyond_the_buffer_are_a_mistake(void **state)
{
    static const struct {
        int handle;
        size_t first, bytes;
        const char *says;
    } wrong[] = {{0, BYTES, 1, "has 4000 bytes"},
                 {0, 1, SIZE_MAX, "has 4000 bytes"},
                 {0, SIZE_MAX, 2, "has 4000 bytes"},
                 {1, 0, 8, "plb_app_replace_part(1): this is not the handle of a replicated buffer"},
                 {-1, 0, 8, "this is not the handle of a replicated buffer"}};
    (void)state;
    plb_app_replace_part(&app, 0, BYTES, 0);
    assert_int_equal(app.err.status, PLB_OK);
    for (int i = 0; i < 5; i++) {
        app.err = (struct plb_error){.status = PLB_OK};
        plb_app_replace_part(&app, wrong[i].handle, wrong[i].first, wrong[i].bytes);
        assert_int_equal(app.err.status, PLB_EINPUT);
        assert_non_null(strstr(app.err.text, wrong[i].says));
    }
    assert_int_equal(app.parts.buffers, 0);
}

/* Ranks keep their parts of an indexed input where its offsets say. */
static void offsets_cannot_be_replaced(void **state)
{
    (void)state;
    app.data[app.n_data++] = (struct plb_data){
        .name = "rows", .mode = PLB_PARTITION_INDEXED, .offsets = 2, .element_bytes = sizeof(double)};
    plb_app_replace_part(&app, 0, 0, 8);
    assert_int_equal(app.err.status, PLB_OK);
    plb_app_replace(&app, 2);
    assert_int_equal(app.err.status, PLB_EINPUT);
    assert_non_null(strstr(app.err.text, "has the offsets of 'rows', which cannot change"));
    app.err = (struct plb_error){.status = PLB_OK};
    plb_app_replace_part(&app, 2, 0, 8);
    assert_int_equal(app.err.status, PLB_EINPUT);
    assert_int_equal(app.parts.buffers, 1);
}

/* Numbers of a packet: how many parts; of the first one buffer, first byte, bytes; and of the second one. */
static void other_packets_are_refused(void **state)
{
    static const struct {
        int at;
        int64_t number;
    } wrong[] = {{0, 0},  {0, -1}, {0, 3},    {0, INT64_MAX}, {1, 1},         {1, 3},
                 {1, -1}, {1, 32}, {2, 3951}, {2, -1},        {2, INT64_MIN}, {2, INT64_MAX},
                 {3, 49}, {3, 51}, {3, 0},    {3, -1},        {3, INT64_MAX}, {6, INT64_MAX}};
    struct plb_parts parts = {0}, got = {0};
    size_t bytes;
    (void)state;
    change(0, 100, 50);
    change(2, 0, 9);
    plb_app_take_replaced(&app, &parts);
    char *packet = packet_of(&parts, &bytes);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *copy = malloc(bytes);
        memcpy(copy, packet, bytes);
        memcpy(copy + 8 * wrong[i].at, &wrong[i].number, 8);
        if (plb_parts_unpack(&got, 5, app.data, to, copy, bytes))
            fail_msg("number %d = %lld passes", wrong[i].at, (long long)wrong[i].number);
        free(copy);
    }
    for (size_t n = 0; n < bytes; n++) {
        char *copy = malloc(n > 0 ? n : 1);
        memcpy(copy, packet, n);
        assert_false(plb_parts_unpack(&got, 5, app.data, to, copy, n));
        free(copy);
    }
    assert_false(plb_parts_unpack(&got, 4, app.data, to, packet, bytes)); /* buffer 0 is not to come */
    for (size_t i = 0; i < sizeof there; i++)
        assert_int_equal(((char *)there)[i], 1);
    assert_true(plb_parts_unpack(&got, 5, app.data, to, packet, bytes));
    free(packet);
    plb_parts_fini(&parts);
    plb_parts_fini(&got);
}

/* A PU that executes nothing in a pass copies later what has changed in all of them. */
static void parts_of_several_passes_add_up(void **state)
{
    struct plb_parts pu = {0}, now = {0};
    struct plb_pass begin = {.replaced = 5, .parts = 5};
    (void)state;
    plb_parts_add(&now, 0, (struct plb_range){0, 10});
    plb_parts_add(&now, 2, (struct plb_range){100, 10});
    assert_int_equal(plb_parts_begin_pass(&pu, 0, &begin, &now), 5);
    plb_parts_clear(&now);
    plb_parts_add(&now, 0, (struct plb_range){50, 10});
    begin = (struct plb_pass){.replaced = 5, .parts = 1}; /* buffer 2 is replaced as a whole */
    assert_int_equal(plb_parts_begin_pass(&pu, 5, &begin, &now), 5);
    assert_true(pu.buffers == 1 && pu.at[0].n == 2 && pu.at[0].units == 20);
    plb_parts_clear(&now);
    plb_parts_add(&now, 2, (struct plb_range){0, 1});
    begin = (struct plb_pass){.replaced = 4, .parts = 4}; /* that is still to be copied */
    assert_int_equal(plb_parts_begin_pass(&pu, 5, &begin, &now), 4);
    assert_int_equal(pu.buffers, 1);
    plb_parts_clear(&pu); /* all was copied */
    assert_int_equal(plb_parts_begin_pass(&pu, 0, &begin, &now), 4);
    assert_true(pu.buffers == 4 && pu.at[0].n == 0 && pu.at[2].units == 1);
    plb_parts_fini(&pu);
    plb_parts_fini(&now);
}

static void a_pass_tells_parts_of_replaced_buffers_alone(void **state)
{
    struct plb_outbox box = {0};
    (void)state;
    struct plb_message *m = plb_outbox_add(&box, PLB_PASS, 0, 1, 1);
    m->begin.replaced = 6;
    m->begin.parts = 2;
    m->begin.packet = 60;
    assert_null(plb_message_check(m, m->size, 2));
    m->begin.parts = 3;
    assert_non_null(plb_message_check(m, m->size, 2));
    m->begin.parts = 2;
    m->begin.packet = -1;
    assert_non_null(plb_message_check(m, m->size, 2));
    plb_outbox_fini(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parts_arrive_where_they_belong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_near_each_other_are_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_buffer_of_which_most_has_changed_is_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_beyond_the_buffer_are_a_mistake, set_up, tear_down),
        cmocka_unit_test_setup_teardown(offsets_cannot_be_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_packets_are_refused, set_up, tear_down),
        cmocka_unit_test(parts_of_several_passes_add_up),
        cmocka_unit_test(a_pass_tells_parts_of_replaced_buffers_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
