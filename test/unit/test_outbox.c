/* The outbox: messages that are still to be sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/message/message.h"

static void the_outbox_fills_in_the_header(void **state)
{
    struct plb_outbox box = {0};
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct plb_message *m = plb_outbox_add(&box, PLB_DONE, 3, 1, i);
        assert_true(box.n == i + 1 && m == &box.at[i]);
        assert_true(m->type == PLB_DONE && m->size == plb_message_size(PLB_DONE));
        assert_true(m->protocol == PLB_PROTOCOL && m->from == 3 && m->to == 1 && m->pass == i && m->pu == 0);
        assert_true(m->done.range.count == 0 && m->done.tasks == 0 && m->done.execute_s == 0.0);
        m->done = (struct plb_done){.range = {i, 1}, .block = i, .slot = 2, .tasks = 1};
    }
    for (int i = 0; i < 100; i++) { /* growing kept them */
        assert_int_equal(box.at[i].done.range.first, i);
        struct plb_message m = {.type = PLB_BYE, .size = (uint16_t)plb_message_size(PLB_BYE), .pass = i};
        plb_outbox_copy(&box, &m);
        assert_memory_equal(&box.at[100 + i], &m, m.size);
    }
    plb_outbox_fini(&box);
    assert_true(box.n == 0 && box.at == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_outbox_fills_in_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
