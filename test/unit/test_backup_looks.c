/* How often the master looks for late units: as often as a gain is worth one. */
#include "master_fixture.h"

static const struct plb_master_config with_backups = {.migration = true, .backups = true};

/* Node 1 and node 2 become idle, one shortly after the other, `seconds` after the pass began. Returns how
 * long after the look for node 1 the one for node 2 is due. */
static double gap_after(double seconds)
{
    struct fixture f;
    start(&f, "static", 0.0, 3, 3, &with_backups);
    const double now = 10.0 + seconds;
    for (int n = 1; n < 3; n++) {
        struct plb_message block = block_of(&f, n), done = done_of(&f, &block, n, 0, 1);
        done.done.execute_s = 0.9 * seconds;
        receive(&f, &done, now);
    }
    struct plb_message idle = message(&f, PLB_IDLE, 1);
    plb_master_receive(f.master, &idle, now, &f.out);
    plb_master_tick(f.master, now, &f.out);
    idle.from = 2;
    plb_master_receive(f.master, &idle, now + 1e-6, &f.out);
    double gap = plb_master_due(f.master) - now;
    stop(&f);
    return gap;
}

static void looks_are_near_each_other_in_short_passes(void **state)
{
    (void)state;
    assert_true(fabs(gap_after(0.005) - 1e-4) < 1e-6);
    assert_true(fabs(gap_after(0.05) - 2.5e-4) < 1e-6); /* 0.5 % of the pass so far */
    assert_true(fabs(gap_after(5.0) - 1e-3) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_are_near_each_other_in_short_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
