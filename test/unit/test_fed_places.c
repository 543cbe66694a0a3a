/* Results that become inputs on rank 0: which change places, which are copied, and what the kernel finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "app/feeds.h"

enum { NOW, THEN, UNITS = 3000 };

static _Alignas(64) double now[UNITS], then[UNITS];

/* An application in whose `next` results have become inputs. */
static void set_up(struct plb_app *app, struct plb_dataset *set)
{
    memset(app, 0, sizeof *app);
    memset(set, 0, sizeof *set);
    app->units = set->units = UNITS;
    app->n_data = set->n = 2;
    app->data[NOW] = (struct plb_data){.name = "now", .mode = PLB_PARTITION, .data = now, .unit_bytes = 8};
    app->data[THEN] = (struct plb_data){.name = "then", .mode = PLB_OUTPUT, .data = then, .unit_bytes = 8};
    app->feeds[app->n_feeds++] = (struct plb_feed){.output = THEN, .input = NOW, .now = 1};
    for (int i = 0; i < 2; i++) {
        set->at[i] = app->data[i];
        set->host[i] = app->data[i].data;
    }
    for (int u = 0; u < UNITS; u++) {
        now[u] = -1.0;
        then[u] = u;
    }
}

static void those_of_entries_alone_change_places(void **state)
{
    (void)state;
    static struct plb_app app;
    static struct plb_dataset set;
    struct plb_pass begin = {0};
    set_up(&app, &set);
    set.fed = PLB_BUFFER(NOW);
    assert_true(plb_feeds_take(&app, &set, &begin) == PLB_BUFFER(NOW));
    assert_true(set.host[NOW] == then && set.host[THEN] == now);
    assert_true(begin.n_feeds == 1 && begin.feeds[0].now == 1 && app.feeds[0].now == 0);
    plb_feeds_take(&app, &set, &begin); /* `next` has not called: nothing changes */
    assert_true(set.host[NOW] == then && begin.feeds[0].now == 0);
    plb_feeds_put_back(&app, &set);
    assert_true(set.host[NOW] == now && set.host[THEN] == then);
    for (int u = 0; u < UNITS; u++)
        assert_true(now[u] == u && then[u] == -1.0);
    plb_feeds_put_back(&app, &set);
    assert_true(now[7] == 7.0);
}

static void others_are_copied(void **state)
{
    (void)state;
    static struct plb_app app;
    static struct plb_dataset set;
    struct plb_pass begin = {0};
    set_up(&app, &set); /* results that come to rank 0: `next` may look at both */
    plb_feeds_take(&app, &set, &begin);
    assert_true(set.host[NOW] == now && now[7] == 7.0 && then[7] == 7.0);
    set_up(&app, &set); /* one of the two is not shared with isolated tasks */
    set.fed = PLB_BUFFER(NOW);
    set.shared[NOW] = true;
    plb_feeds_take(&app, &set, &begin);
    assert_true(set.host[NOW] == now && now[7] == 7.0);
    set_up(&app, &set); /* entries would find one of them aligned */
    set.fed = PLB_BUFFER(NOW);
    set.host[THEN] = app.data[THEN].data = then + 1;
    app.units--;
    plb_feeds_take(&app, &set, &begin);
    assert_true(set.host[NOW] == now && now[7] == 8.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_entries_alone_change_places),
        cmocka_unit_test(others_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
