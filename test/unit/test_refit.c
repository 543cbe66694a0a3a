/* When a belief is fitted again: seldom where tasks are short, at once where one is a surprise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/history.h"

static void add(struct plb_history *h, double seconds, double time)
{
    struct plb_sample s = {.work = 100.0, .execute_s = seconds, .tasks = 1, .time = time};
    plb_history_add(h, &s);
}

/* A report each millisecond, of a PU that is fitted every 20 ms. */
static void short_tasks_are_not_fitted_each_time(void **state)
{
    (void)state;
    struct plb_history h = {0};
    int fits = 0;
    for (int i = 0; i < 1000; i++) {
        add(&h, i % 2 == 0 ? 1e-3 : 1.1e-3, 1e-3 * i);
        fits += plb_history_follow(&h, 20e-3);
    }
    assert_true(fits >= 40 && fits <= 70);
    assert_true(h.belief.watched_s > 0.0);
    plb_history_fini(&h);
}

static void a_surprise_is_fitted_at_once(void **state)
{
    (void)state;
    struct plb_history h = {0};
    for (int i = 0; i < 100; i++) {
        add(&h, i % 2 == 0 ? 1e-3 : 1.1e-3, 0.0);
        plb_history_follow(&h, 1.0);
    }
    add(&h, 1.05e-3, 0.0);
    assert_false(plb_history_follow(&h, 1.0));
    add(&h, 3e-3, 0.0);
    assert_true(plb_history_follow(&h, 1.0));
    plb_history_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_tasks_are_not_fitted_each_time),
        cmocka_unit_test(a_surprise_is_fitted_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
