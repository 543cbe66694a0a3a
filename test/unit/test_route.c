/* The routing table: each message has a row, which says what the heads of the headers say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/message/message.h"

static bool may(enum plb_message_type type, int from, int to)
{
    struct plb_message m = {.type = (int32_t)type, .from = from, .to = to};
    return plb_message_allowed(&m);
}

static void every_message_has_a_row(void **state)
{
    (void)state;
    for (int type = 1; type < PLB_MESSAGE_TYPES; type++) {
        const struct plb_route *route = plb_message_route(type);
        if (route->way == 0 || route->receiver == 0 || route->when == 0)
            fail_msg("%s has no route", plb_message_name(type));
    }
    static const int none[] = {-1, 0, PLB_MESSAGE_TYPES, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(plb_message_route(none[i])->receiver, 0);
        assert_false(may((enum plb_message_type)none[i], 0, 0));
    }
}

static void a_way_says_who_may_send(void **state)
{
    (void)state;
    static const struct {
        enum plb_message_type type;
        bool zero_to_zero, down, up, across;
    } cases[] = {
        {PLB_BLOCK, true, true, false, false}, {PLB_STOP, true, true, false, false},
        {PLB_DONE, true, false, true, false},  {PLB_HELLO, true, false, true, false},
        {PLB_LOST, true, true, true, false},   {PLB_STEAL, true, true, true, true},
        {PLB_ARRAYS, true, true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(may(cases[i].type, 0, 0), cases[i].zero_to_zero);
        assert_int_equal(may(cases[i].type, 0, 2), cases[i].down);
        assert_int_equal(may(cases[i].type, 2, 0), cases[i].up);
        assert_int_equal(may(cases[i].type, 1, 2), cases[i].across);
    }
}

/* Orders of rank 0 are never for rank 0's own side of the protocol, and reports never for a node's. */
static void the_way_leads_to_the_receiver(void **state)
{
    (void)state;
    for (int type = 1; type < PLB_MESSAGE_TYPES; type++) {
        const struct plb_route *route = plb_message_route(type);
        if (route->receiver == PLB_TO_RANK0)
            assert_int_equal(route->way, PLB_UP);
        if (route->receiver == PLB_TO_FETCH) /* rank 0 has one of its own */
            assert_int_equal(route->way, PLB_UP_DOWN);
        if (route->receiver == PLB_TO_WORKER)
            assert_int_not_equal(route->way, PLB_UP);
        if (route->when == PLB_IN_PASS)
            assert_int_equal(route->receiver, PLB_TO_WORKER);
    }
}

static int type_of(const char *name)
{
    int type = 1;
    while (type < PLB_MESSAGE_TYPES && strcmp(plb_message_name(type), name) != 0)
        type++;
    return type;
}

/* The lines "NAME from → to" in the head of a header. A message may have two: the second one has no name. */
static void read_ways(const char *path, int seen[])
{
    char line[1000], name[20] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "#ifndef", 7) != 0) {
        const char *arrow = strstr(line, " → ");
        if (arrow == NULL)
            continue;
        sscanf(line, " * %19[A-Z] ", name);
        int type = type_of(name);
        if (type == PLB_MESSAGE_TYPES)
            fail_msg("%s has %s, which is no message", path, name);
        bool down = memcmp(arrow - 6, "master", 6) == 0 || memcmp(arrow - 6, "rank 0", 6) == 0;
        bool up = strstr(arrow, "→ master") != NULL || strstr(arrow, "→ rank 0") != NULL;
        int way = down ? PLB_DOWN : up ? PLB_UP : PLB_ACROSS;
        seen[type] = seen[type] == 0 ? way : PLB_UP_DOWN;
    }
    fclose(file);
}

static void the_headers_say_the_same(void **state)
{
    (void)state;
    int seen[PLB_MESSAGE_TYPES] = {0};
    read_ways("runtime/core/message/message.h", seen);
    read_ways("runtime/core/message/data_message.h", seen);
    read_ways("runtime/core/message/fold_message.h", seen);
    for (int type = 1; type < PLB_MESSAGE_TYPES; type++)
        if (seen[type] != (int)plb_message_route(type)->way)
            fail_msg("a header says another way of %s", plb_message_name(type));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_has_a_row),
        cmocka_unit_test(a_way_says_who_may_send),
        cmocka_unit_test(the_way_leads_to_the_receiver),
        cmocka_unit_test(the_headers_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
