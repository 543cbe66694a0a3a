/* The costs of starts of tasks, from literals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "model/starts.h"
#include "outcome/fill_starts.h"

/* Twenty tasks of sizes 1 to 20, in seconds: start + size * each, and every seventh one three times that. */
static int make(struct plb_timed *at, double start, double each)
{
    for (int i = 0; i < 20; i++)
        at[i] = (struct plb_timed){i + 1.0, (start + each * (i + 1)) * (i % 7 == 3 ? 3.0 : 1.0), 1.0};
    return 20;
}

static double start_of(struct plb_timed *at, int n)
{
    return plb_starts_by_medians(&(struct plb_tally){.n = n, .at = at});
}

static void starts_are_told_from_work(void **state)
{
    (void)state;
    struct plb_timed at[20];
    double start = start_of(at, make(at, 4.0, 0.1));
    assert_true(fabs(start - 4.0) < 0.2);
    start = start_of(at, make(at, 4.0, 0.0)); /* nothing but starts */
    assert_true(fabs(start - 4.0) < 1e-9);
    assert_true(start_of(at, make(at, 0.0, 0.1)) == 0.0);
    assert_true(start_of(at, make(at, 0.02, 0.1)) == 0.0); /* as small as noise */
}

static void what_tells_nothing_of_starts_is_0(void **state)
{
    (void)state;
    struct plb_timed at[20];
    int n = make(at, 4.0, 0.1);
    assert_true(start_of(at, 0) == 0.0);
    for (int i = 0; i < n; i++) /* one small task */
        at[i] = (struct plb_timed){i == 0 ? 1.0 : 20.0, 4.0, 1.0};
    assert_true(start_of(at, n) == 0.0);
    at[1].work = 5.0;
    assert_true(fabs(start_of(at, n) - 4.0) < 1e-9);
    at[1].seconds = 1.0; /* only the first one was slow */
    assert_true(start_of(at, n) == 0.0);
    make(at, 4.0, 0.1);
    for (int i = 0; i < n; i++) /* some units cost much more than others */
        at[i] = (struct plb_timed){i + 1.0, i % 2 == 0 ? 2.0 : 5.0, 1.0};
    assert_true(start_of(at, n) == 0.0);
    for (int i = 0; i < n; i++) /* several tasks in a report */
        at[i] = (struct plb_timed){5.0 * (i + 1), 5.0 * (4.0 + 0.1 * (i + 1)), 5.0};
    assert_true(fabs(start_of(at, n) - 4.0) < 1e-9);
}

/* Two small tasks, and a thousand large ones that take as long. A tally drops most of them, not the first. */
static void a_tally_keeps_the_first_tasks(void **state)
{
    (void)state;
    struct plb_tally t = {0};
    for (int i = 0; i < 1000; i++)
        plb_tally_add(&t, &(struct plb_timed){i < 2 ? 1.0 + i : 1000.0, 4.0, 1.0});
    assert_true(t.n < 128);
    assert_int_equal(t.n_first, 7);
    assert_true(t.first[0].work == 2.0);
    assert_true(fabs(plb_starts_by_medians(&t) - 4.0) < 1e-9);
    plb_tally_fini(&t);
}

/* Work and seconds of samples of a PU of a busy machine. It computes 228 units of work a second, and its
 * tasks took 2.6 s together. Now and then the system took its core away. The history took that for changes of
 * speed, and scaled what was older. */
static const double scaled[][2] = {
    {0.561421324, 6.12765361}, {0.561421324, 6.92458025}, {0.561421324, 6.00050261},
    {0.561421324, 6.54750984}, {1.11090025, 6.76905076},  {0.91800209, 6.08059844},
    {0.561421324, 6.03435409}, {0.561421324, 6.03911552}, {0.766988631, 5.90716254},
    {0.728976335, 6.24347698}, {0.556915293, 5.94172978}, {0.91800209, 5.97668704},
    {0.91800209, 6.71660509},  {0.91800209, 5.87858694},  {0.561421324, 6.1464561},
    {0.0163543264, 6.0},       {23.2375913, 6.2},
};

/* Such a history, and a tally of what was measured: `start` seconds a task, and what its work takes. */
static struct plb_history busy(struct plb_tally *tally, double start)
{
    enum { N = sizeof scaled / sizeof *scaled };
    struct plb_sample samples[N];
    struct plb_history h = {0};
    for (int i = 0; i < N; i++)
        samples[i] = (struct plb_sample){scaled[i][0], scaled[i][1], 0.0, 1, 0.0, true};
    plb_history_load(&h, samples, N);
    plb_history_fit(&h);
    h.changes = 1;
    for (int i = 0; i < 12 * N; i++) {
        double work = 0.5 + i % 8;
        plb_tally_add(tally, &(struct plb_timed){work, start + work / 228.0, 1.0});
    }
    return h;
}

static void times_that_were_scaled_tell_of_no_starts(void **state)
{
    (void)state;
    struct plb_tally tally = {0};
    struct plb_history h = busy(&tally, 0.0);
    struct plb_report_pu pu = {0};
    assert_true(plb_starts_of(&h, &tally) == 0.0);
    plb_starts_add_line(&h, &tally, &pu);
    assert_true(fabs(pu.work_rate - 228.0) < 1.0);
    assert_true(fabs(pu.start_s) < 1e-6);
    plb_history_fini(&h);
    plb_tally_fini(&tally);
}

static void starts_are_known_by_what_was_measured(void **state)
{
    (void)state;
    struct plb_tally tally = {0};
    struct plb_history h = busy(&tally, 0.02);
    struct plb_report_pu pu = {0};
    assert_true(fabs(plb_starts_of(&h, &tally) - 0.02 * tally.tasks) < 1e-3 * tally.tasks);
    plb_starts_add_line(&h, &tally, &pu);
    assert_true(fabs(pu.work_rate - 228.0) < 5.0);
    assert_true(fabs(pu.start_s - 0.02) < 1e-3);
    plb_history_fini(&h);
    plb_tally_fini(&tally);
}

static void starts_take_no_longer_than_the_tasks(void **state)
{
    (void)state;
    struct plb_tally tally = {0};
    struct plb_history h = busy(&tally, 0.0);
    h.changes = 0;
    assert_true(plb_starts_of(&h, &tally) <= tally.seconds);
    h.changes = 1;
    h.start_s = 1.0; /* as the device has measured an empty task while other programs ran */
    assert_true(plb_starts_of(&h, &tally) <= tally.seconds);
    plb_history_fini(&h);
    plb_tally_fini(&tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_told_from_work),
        cmocka_unit_test(what_tells_nothing_of_starts_is_0),
        cmocka_unit_test(a_tally_keeps_the_first_tasks),
        cmocka_unit_test(times_that_were_scaled_tell_of_no_starts),
        cmocka_unit_test(starts_are_known_by_what_was_measured),
        cmocka_unit_test(starts_take_no_longer_than_the_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
