/* An end on request: when it begins, whom it waits for, and what the run then says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/stop.h"
#include "rank0/early_end.h"

static void slurm_ends_in(int seconds)
{
    char text[40];
    snprintf(text, sizeof text, "%lld", (long long)time(NULL) + seconds);
    setenv("SLURM_JOB_END_TIME", text, 1);
}

static struct plb_early_end begin(const struct plb_run_settings *settings, double began)
{
    struct plb_early_end end;
    plb_early_end_init(&end, settings, began, 3);
    return end;
}

static void without_a_limit_it_never_begins(void **state)
{
    struct plb_run_settings none = {
        .limit = "auto", .limit_s = INFINITY, .until_job_ends = true, .grace_s = 30.0};
    (void)state;
    unsetenv("SLURM_JOB_END_TIME");
    struct plb_early_end end = begin(&none, 0.0);
    assert_false(plb_early_end_begins(&end, 1e18));
    assert_false(plb_early_end_is_over(&end, false, 1e18));
    plb_early_end_fini(&end);
}

static void a_limit_counts_from_the_start(void **state)
{
    struct plb_run_settings two = {.limit = "2s", .limit_s = 2.0, .until_job_ends = true, .grace_s = 5.0};
    struct plb_made made = {3, 10, "naps", 2, false};
    char text[PLB_EARLY_END_TEXT];
    (void)state;
    struct plb_early_end end = begin(&two, 100.0);
    assert_false(plb_early_end_begins(&end, 101.9));
    assert_true(plb_early_end_begins(&end, 102.0));
    assert_false(plb_early_end_begins(&end, 102.1)); /* once */
    plb_early_end_describe(&end, &made, true, text);
    assert_string_equal(text, "the time limit (run.time_limit = 2s) was reached after 3 of 10 naps of pass "
                              "2; to compute all, run it again with a larger run.time_limit");
    made.prints = true; /* --keep-partial would write nothing */
    plb_early_end_describe(&end, &made, false, text);
    assert_string_equal(text, "the time limit (run.time_limit = 2s) was reached after 3 of 10 naps of pass "
                              "2; to compute all, run it again with a larger run.time_limit");
    assert_string_equal(plb_early_end_results(false, false), "; no output file is written");
    assert_string_equal(plb_early_end_results(false, true), "");
    assert_string_equal(plb_early_end_results(true, false), "");
    plb_early_end_fini(&end);
}

static void ranks_and_results_are_waited_for(void **state)
{
    struct plb_run_settings two = {.limit = "2s", .limit_s = 2.0, .until_job_ends = true, .grace_s = 5.0};
    (void)state;
    struct plb_early_end end = begin(&two, 0.0);
    assert_true(plb_early_end_begins(&end, 3.0));
    for (int i = 0; i < 3; i++) {
        assert_false(plb_early_end_is_over(&end, false, 4.0));
        plb_early_end_rested(&end, 2); /* again and again: it counts once */
    }
    plb_early_end_rested(&end, 0);
    plb_early_end_rested(&end, 1);
    assert_false(plb_early_end_is_over(&end, true, 4.0));
    assert_true(plb_early_end_is_over(&end, false, 4.0));
    plb_early_end_fini(&end);
}

static void the_grace_time_bounds_it(void **state)
{
    struct plb_run_settings two = {.limit = "2s", .limit_s = 2.0, .until_job_ends = true, .grace_s = 5.0};
    (void)state;
    struct plb_early_end end = begin(&two, 0.0);
    assert_true(plb_early_end_begins(&end, 3.0));
    assert_false(plb_early_end_is_over(&end, true, 7.9));
    assert_true(plb_early_end_is_over(&end, true, 8.0));
    plb_early_end_fini(&end);
}

/* The kernel ends the run, and tasks that run may end: until the time limit, and no longer. */
static void a_halt_does_not_lift_the_limit(void **state)
{
    struct plb_run_settings two = {.limit = "2s", .limit_s = 2.0, .until_job_ends = true, .grace_s = 5.0};
    (void)state;
    struct plb_early_end end = begin(&two, 100.0);
    plb_early_end_halt(&end, false);
    assert_true(plb_early_end_begins(&end, 101.0));
    assert_false(plb_early_end_is_over(&end, false, 101.9));
    assert_false(plb_early_end_begins(&end, 101.9));
    assert_false(plb_early_end_begins(&end, 102.0)); /* it has begun */
    assert_false(plb_early_end_is_over(&end, false, 106.9));
    assert_true(plb_early_end_is_over(&end, false, 107.0));
    assert_true(end.reason == PLB_HALTED);
    plb_early_end_fini(&end);
    end = begin(&two, 100.0);
    plb_early_end_halt(&end, true);
    assert_true(plb_early_end_begins(&end, 101.0));
    assert_true(plb_early_end_is_over(&end, true, 101.0));
    plb_early_end_fini(&end);
    end = begin(&two, 100.0);
    assert_true(plb_early_end_begins(&end, 102.0));
    plb_early_end_halt(&end, false); /* too late to wait longer */
    assert_false(plb_early_end_begins(&end, 103.0));
    assert_true(plb_early_end_is_over(&end, true, 107.0));
    plb_early_end_fini(&end);
}

/* The kernel has all that the user waits for within the grace time: then the run has done its work. */
static void a_halt_within_the_grace_time_counts(void **state)
{
    struct plb_run_settings two = {.limit = "2s", .limit_s = 2.0, .until_job_ends = true, .grace_s = 5.0};
    struct plb_made made = {3, 10, "naps", 1, false};
    char text[PLB_EARLY_END_TEXT];
    (void)state;
    for (int at_once = 0; at_once < 2; at_once++) {
        struct plb_early_end end = begin(&two, 100.0);
        assert_true(plb_early_end_begins(&end, 102.0));
        plb_early_end_halt(&end, at_once);
        assert_false(plb_early_end_begins(&end, 103.0)); /* it has begun */
        assert_true(end.reason == PLB_HALTED);
        assert_int_equal(plb_early_end_is_over(&end, true, 103.0), at_once);
        assert_false(plb_early_end_begins(&end, 104.0));
        assert_int_equal(plb_early_end_is_over(&end, true, 103.0), at_once);
        assert_true(plb_early_end_is_over(&end, true, 107.0));
        plb_early_end_describe(&end, &made, true, text);
        assert_non_null(strstr(text, "the kernel has ended the run"));
        plb_early_end_fini(&end);
    }
}

/* Slurm's end is taken with twice the grace time, or a tenth of what is left. */
static void slurm_s_end_counts(void **state)
{
    struct plb_run_settings
        automatic = {.limit = "auto", .limit_s = INFINITY, .until_job_ends = true, .grace_s = 30.0},
        off = {.limit = "off", .limit_s = INFINITY, .until_job_ends = false, .grace_s = 30.0},
        shorter = {.limit = "1m", .limit_s = 60.0, .until_job_ends = true, .grace_s = 30.0};
    struct plb_made made = {3, 10, "naps", 1, false};
    char text[PLB_EARLY_END_TEXT];
    double now = plb_now();
    (void)state;
    slurm_ends_in(3600);
    struct plb_early_end end = begin(&automatic, now);
    assert_true(end.grace == 30.0);
    assert_true(fabs(end.at - now - 3540.0) < 2.0);
    assert_true(plb_early_end_begins(&end, now + 3545.0));
    plb_early_end_describe(&end, &made, false, text);
    assert_string_equal(text,
                        "interrupted because Slurm is about to end the job after 3 of 10 naps of pass 1; "
                        "to compute all, submit it again with more time (sbatch --time); "
                        "--keep-partial writes the results so far");
    plb_early_end_fini(&end);
    end = begin(&off, now);
    assert_false(plb_early_end_begins(&end, now + 4000.0));
    plb_early_end_fini(&end);
    end = begin(&shorter, now);
    assert_true(plb_early_end_begins(&end, now + 61.0));
    assert_true(end.reason == PLB_TIME_LIMIT);
    plb_early_end_fini(&end);
    slurm_ends_in(100);
    end = begin(&automatic, now);
    assert_true(fabs(end.at - now - 90.0) < 2.0 && end.grace < 5.2 && end.grace > 4.5);
    plb_early_end_fini(&end);
    slurm_ends_in(-100); /* a variable of a job that is over */
    end = begin(&automatic, now);
    assert_false(plb_early_end_begins(&end, now + 1e9));
    plb_early_end_fini(&end);
    setenv("SLURM_JOB_END_TIME", "Unknown", 1);
    end = begin(&automatic, now);
    assert_false(plb_early_end_begins(&end, now + 1e9));
    plb_early_end_fini(&end);
    unsetenv("SLURM_JOB_END_TIME");
}

static void a_signal_begins_it(void **state)
{
    struct plb_run_settings none = {
        .limit = "off", .limit_s = INFINITY, .until_job_ends = false, .grace_s = 5.0};
    struct plb_made made = {0, 10, "naps", 0, false};
    int status;
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        char text[PLB_EARLY_END_TEXT];
        plb_stop_prepare(false);
        plb_stop_heed_wishes();
        struct plb_early_end end = begin(&none, 0.0);
        bool right = !plb_early_end_begins(&end, 1.0);
        raise(SIGUSR1);
        right = right && plb_early_end_begins(&end, 1.0) && plb_stop_asked() == 0;
        plb_early_end_describe(&end, &made, false, text);
        _exit(right && strcmp(text, "interrupted by SIGUSR1 before the first pass") == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_limit_it_never_begins),
        cmocka_unit_test(a_limit_counts_from_the_start),
        cmocka_unit_test(ranks_and_results_are_waited_for),
        cmocka_unit_test(the_grace_time_bounds_it),
        cmocka_unit_test(a_halt_does_not_lift_the_limit),
        cmocka_unit_test(a_halt_within_the_grace_time_counts),
        cmocka_unit_test(slurm_s_end_counts),
        cmocka_unit_test(a_signal_begins_it),
    };
    plb_log_open(PLB_LOG_ERROR);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
