/* Who uses which devices of a host: what each rank sees in, its share out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "node/sharing.h"

/* The share of a rank is `n` devices, in its own order; each is used by so many ranks. */
static void has(const struct plb_seen *seen, int ranks, int rank, int n, const int *devices,
                const int *sharers)
{
    struct plb_share share;
    plb_share_devices(seen, ranks, rank, &share);
    assert_int_equal(share.n, n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(share.device[i], devices[i]);
        assert_int_equal(share.sharers[i], sharers[i]);
    }
}
#define DEVICES(...) \
    (const int[]) \
    { \
        __VA_ARGS__ \
    }
#define SEES(...) \
    { \
        .id = { __VA_ARGS__ } \
    }

static void ranks_share_out_what_all_see(void **state)
{
    (void)state;
    const struct plb_seen seen[] = {SEES(7, 5, 9, 3), SEES(7, 5, 9, 3), SEES(0)};
    has(seen, 3, 0, 2, DEVICES(0, 1), DEVICES(1, 1));
    has(seen, 3, 1, 2, DEVICES(2, 3), DEVICES(1, 1));
    has(seen, 3, 2, 0, NULL, NULL);
    has(seen, 1, 0, 4, DEVICES(0, 1, 2, 3), DEVICES(1, 1, 1, 1));
}

static void in_another_order_too(void **state)
{
    (void)state;
    const struct plb_seen seen[] = {SEES(7, 5), SEES(5, 7)};
    has(seen, 2, 0, 1, DEVICES(0), DEVICES(1));
    has(seen, 2, 1, 1, DEVICES(0), DEVICES(1)); /* 5, which is its first one */
}

static void ranks_share_one(void **state)
{
    (void)state;
    const struct plb_seen seen[] = {SEES(7, 5), SEES(5, 7), SEES(7, 5)};
    has(seen, 3, 0, 1, DEVICES(0), DEVICES(2));
    has(seen, 3, 1, 1, DEVICES(1), DEVICES(2));
    has(seen, 3, 2, 1, DEVICES(1), DEVICES(1));
}

static void sharers_are_counted_where_sights_overlap(void **state)
{
    (void)state;
    const struct plb_seen seen[] = {SEES(7, 5), SEES(5, 3)};
    has(seen, 2, 0, 2, DEVICES(0, 1), DEVICES(1, 2));
    has(seen, 2, 1, 2, DEVICES(0, 1), DEVICES(2, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_share_out_what_all_see),
        cmocka_unit_test(in_another_order_too),
        cmocka_unit_test(ranks_share_one),
        cmocka_unit_test(sharers_are_counted_where_sights_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
