/* The kernel `command`, as far as it runs nothing: replacement strings, --halt, forecasts, how many programs
 * a GPU has, and which lines a journal must keep. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../kernels/command/ending.h"
#include "../../kernels/command/forecast.h"
#include "../../kernels/command/gpu.h"
#include "../../kernels/command/halt.h"
#include "../../kernels/command/past.h"
#include "../../kernels/command/template.h"
#include "journal/inside.h"
#include "journal/journal.h"

extern const struct plb_kernel plb_kernel;

static void expect_replaced(const char *text, const char *right)
{
    static const char columns[] = "in/a.txt\0b c\0";
    const struct command_line line = {columns, sizeof columns - 2, 7, 3, 4, "5"};
    struct command_text out = {NULL, 0, 0};
    command_replace(text, &line, false, &out);
    assert_string_equal(out.at, right);
    out.n = 0;
    free(out.at);
}

static void strings_are_replaced(void **state)
{
    (void)state;
    expect_replaced("{1}|{2}|{3}|", "in/a.txt|b c||");
    expect_replaced("{1.}|{1/}|{1//}|{1/.}|", "in/a|a.txt|in|a|");
    expect_replaced("{}|{.}|{/}|", "in/a.txt b c|in/a b c|a.txt b c|");
    expect_replaced("{#} {%} {gpu}", "7 4 5");
    expect_replaced("{0} {00001} {1#} {2gpu} {x} {1", "{0} {00001} {1#} {2gpu} {x} {1");
}

static void quotes_are_those_of_a_shell(void **state)
{
    const struct command_line line = {"a b\0c'd", 7, 1, 0, 1, NULL};
    struct command_text out = {NULL, 0, 0};
    (void)state;
    command_replace("x {} {2}", &line, true, &out);
    assert_string_equal(out.at, "x 'a b' 'c'\"'\"'d' 'c'\"'\"'d'");
    free(out.at);
}

/* A word per column where it stands alone, one argument where it is quoted. */
static void a_script_has_a_parameter_for_each_string(void **state)
{
    struct command_text script = {NULL, 0, 0};
    struct command_parts parts = {NULL, 0};
    (void)state;
    assert_null(command_script("f {} \"{}\" {2.} {}", 2, &script, &parts));
    assert_string_equal(script.at, "f \"${1}\" \"${2}\" \"${3}\" \"${4}\" \"${1}\" \"${2}\"");
    assert_int_equal(parts.n, 4);
    assert_int_equal(parts.at[1].column, 2);
    assert_int_equal(parts.at[2].column, 0);
    assert_int_equal(parts.at[3].kind, STEM);
    free(script.at);
    free(parts.at);
}

static bool halts(const char *text, int64_t lines, int64_t failed, int64_t succeeded)
{
    struct command_halt halt;
    assert_true(command_halt_read(text, &halt));
    return command_halt_now(&halt, lines, failed, succeeded);
}

static void ends_early_as_parallel(void **state)
{
    struct command_halt halt;
    static const char *const wrong[] = {
        "",           "soon",        "later,fail=1", "now,fail",       "now,fail=",
        "now,fail=0", "now,fail=-1", "now,fail=1x",  "soon,done=101%", "now,fails=1",
        "3",          "now fail=1"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(command_halt_read(wrong[i], &halt));
    assert_false(halts("never", 10, 10, 0));
    assert_false(halts("0", 10, 10, 0));
    assert_true(halts("1", 10, 1, 0));
    assert_true(command_halt_read("2", &halt) && halt.at_once);
    assert_true(command_halt_read("now,done=3", &halt) && halt.at_once);
    assert_true(command_halt_read("soon,done=3", &halt) && !halt.at_once);
    assert_false(halts("soon,fail=2", 10, 1, 9));
    assert_true(halts("soon,fail=2", 10, 2, 0));
    assert_false(halts("soon,success=2", 10, 9, 1));
    assert_true(halts("soon,success=2", 10, 0, 2));
    assert_true(halts("soon,done=3", 10, 1, 2));
    assert_false(halts("soon,fail=20%", 20, 3, 9));
    assert_true(halts("soon,fail=20%", 20, 4, 9));
    assert_false(halts("soon,fail=1%", 20, 2, 9)); /* three at least */
}

static struct command_ratios law(const double *ratios, int n, bool told)
{
    struct command_ratios r = {.told = told};
    for (int i = 0; i < n; i++)
        command_ratios_add(&r, ratios[i]);
    return r;
}

/* A process begins no line once those that ended in it end the run. One that comes again is begun. */
static void lines_of_a_process_end_the_run(void **state)
{
    struct command_halt halt;
    (void)state;
    assert_true(command_halt_read("soon,fail=2", &halt));
    assert_false(command_halt_leaves(1));
    command_halt_ended(&halt, 9, 1, true);
    command_halt_ended(&halt, 9, 1, true); /* the same */
    command_halt_ended(&halt, 9, 2, false);
    assert_false(command_halt_leaves(3));
    command_halt_ended(&halt, 9, 3, true);
    assert_true(command_halt_leaves(4));
    assert_true(command_halt_leaves(5));
    assert_false(command_halt_leaves(3)); /* it has ended */
    assert_false(command_halt_leaves(4)); /* rank 0 has not ended the run */
    assert_false(command_halt_leaves(6));
    command_halt_ended(&halt, 9, 4, true);
    command_halt_ended(&halt, 9, 6, true);
    assert_true(command_halt_leaves(7));
}

static void chances_follow_what_is_known(void **state)
{
    double same[40], mixed[40];
    (void)state;
    for (int i = 0; i < 40; i++) {
        same[i] = 10.0 + 0.1 * (i % 3);
        mixed[i] = i % 10 == 0 ? 0.1 : 100.0;
    }
    struct command_ratios none = law(NULL, 0, true), one = law(same, 1, true), all = law(same, 40, true);
    assert_true(command_chance(&none, 1e-6) == 1.0);
    assert_true(command_chance(&one, 9.0) > COMMAND_LEAST_CHANCE); /* nobody knows the scatter */
    assert_true(command_chance(&one, 1.0) < COMMAND_LEAST_CHANCE);
    assert_true(command_chance(&all, 8.0) < COMMAND_LEAST_CHANCE);
    assert_true(command_chance(&all, 12.0) > 0.9);
    assert_true(fabs(command_expected(&all) - 10.1) < 0.1);
    struct command_ratios unknown = law(same, 1, false), two = law(mixed, 40, false);
    assert_true(command_chance(&unknown, 1.0) > COMMAND_LEAST_CHANCE); /* lines may differ much */
    assert_true(command_chance(&two, 1.0) >= 0.1);                     /* one in ten is short */
    const struct command_ratios known = {.told = true, .known = true};
    assert_true(command_chance(&known, 0.5) < COMMAND_LEAST_CHANCE);
    assert_true(command_chance(&known, 0.9) > COMMAND_LEAST_CHANCE);
    assert_true(command_chance(&known, -1.0) == 0.0);
}

/* Ends n lines of so many seconds, as many at a time as are allowed, or until the number changes. All slots
 * wait for so many seconds before each. */
static void end_lines(struct command_level *level, int n, double seconds, double wait)
{
    int before = level->allowed, at_a_time = before > 0 ? before : 1;
    for (int i = 0; i < n && level->allowed == before; i++) {
        double began = 100.0 + i / at_a_time * (seconds + wait);
        command_level_add(level, 1.0, began, began + seconds, false);
    }
}

static void a_gpu_gets_as_many_programs_as_do_most(void **state)
{
    struct command_level l = {0};
    (void)state;
    end_lines(&l, 1, 1.0, 0.0);
    end_lines(&l, 100, 1.0, 0.0); /* it was 0 */
    assert_int_equal(l.allowed, 2);
    end_lines(&l, 100, 1.2, 0.0); /* 1.7 times as many in a second */
    assert_int_equal(l.allowed, 4);
    assert_false(l.settled);
    end_lines(&l, 16, 2.4, 0.0); /* no more */
    assert_int_equal(l.allowed, 2);
    assert_true(l.settled);
    command_level_add(&l, 1.0, 0.0, 1e9, true);
    assert_int_equal(l.allowed, 2);

    l = (struct command_level){.allowed = 1};
    end_lines(&l, 4, 1.0, 0.0);
    end_lines(&l, 8, 2.0, 0.0); /* as if one were alone */
    assert_true(l.settled && l.allowed == 1);

    l = (struct command_level){.allowed = 1};
    end_lines(&l, 4, 1.0, 0.0);
    end_lines(&l, 8, 1.6, 0.4); /* nor where programs are quicker since slots wait for lines */
    assert_true(l.settled && l.allowed == 1);

    l = (struct command_level){.allowed = 1};
    end_lines(&l, 4, 1.0, 0.0);
    command_level_add(&l, 1.0, 1.0, 2.0, true); /* no memory for two */
    assert_true(l.settled && l.allowed == 1);
}

static struct command_outcome refused_by(uint32_t where)
{
    return (struct command_outcome){.exit = NO_TIME, .where = where};
}

/* A slow process refuses a line again and again, while a quick one is busy. Then nobody is. */
static void a_slow_process_does_not_use_up_tries(void **state)
{
    enum { SLOW = 10, QUICK = 12 };
    struct command_processes processes = {.n = 0};
    struct command_past past = {.tries = 0};
    const struct command_outcome slow = refused_by(SLOW), quick = refused_by(QUICK);
    (void)state;
    command_processes_add(&processes, QUICK);
    command_processes_add(&processes, SLOW);
    for (int pass = 0; pass < 1000; pass++) {
        command_past_add(&past, &slow, &processes, false);
        assert_int_equal(command_past_todo(&past, 1, &processes), ANYWHERE | LAST);
    }
    for (int pass = 0; pass < 20; pass++) { /* the quick one may be late to look */
        command_past_add(&past, &slow, &processes, true);
        assert_int_equal(command_past_todo(&past, 1, &processes), ANYWHERE | LAST);
    }
    command_past_add(&past, &quick, &processes, true);
    assert_int_equal(command_past_todo(&past, 1, &processes), NOTHING);
    assert_int_equal(past.last.exit, NO_TIME);
}

/* Nobody comes whose programs are quick enough: the run does not wait for ever. */
static void what_all_refuse_is_not_run(void **state)
{
    struct command_processes processes = {.n = 0};
    struct command_past one = {.tries = 0}, two = {.tries = 0};
    const struct command_outcome refused = refused_by(10);
    int passes = 0;
    (void)state;
    command_processes_add(&processes, 10);
    do
        command_past_add(&one, &refused, &processes, true);
    while (++passes < 1000 && command_past_todo(&one, 1, &processes) != NOTHING);
    assert_true(passes < 20);
    command_processes_add(&processes, 11);
    passes = 0;
    do
        command_past_add(&two, &refused, &processes, true);
    while (++passes < 10000 && command_past_todo(&two, 1, &processes) != NOTHING);
    assert_true(passes < 1000);
}

/* A run that goes on has other processes: that one has no time does not end it before another has looked. */
static void a_run_that_goes_on_asks_anew(void **state)
{
    struct command_processes processes = {.n = 0}, others = {.n = 0};
    struct command_past past = {.tries = 0};
    const struct command_outcome before = refused_by(10), now = refused_by(20);
    (void)state;
    command_processes_add(&processes, 10);
    for (int pass = 0; pass < 20; pass++)
        command_past_add(&past, &before, &processes, true);
    assert_int_equal(command_past_todo(&past, 1, &processes), NOTHING);
    command_past_go_on(&past);
    command_processes_add(&others, 20);
    command_past_add(&past, &now, &others, true);
    assert_int_equal(command_past_todo(&past, 1, &others), ANYWHERE | LAST);
}

/* A line that its first process did not begin, since the run was to end, is asked again. */
static void what_was_not_begun_is_run(void **state)
{
    struct command_processes processes = {.n = 0};
    struct command_past past = {.tries = 0};
    const struct command_outcome declined = {.exit = DECLINED}, good = {.exit = 0, .where = 10};
    (void)state;
    command_processes_add(&processes, 10);
    for (int pass = 0; pass < 20; pass++) {
        command_past_add(&past, &declined, &processes, false);
        assert_int_not_equal(command_past_todo(&past, 1, &processes), NOTHING);
    }
    command_past_add(&past, &good, &processes, false);
    assert_int_equal(command_past_todo(&past, 1, &processes), NOTHING);
}

/* A line that one form has failed waits for the other, as long as that runs lines; where it has none, and
 * where it runs nothing any more, the first form has another try. */
static void the_other_form_has_time(void **state)
{
    struct command_processes one = {.n = 0}, both = {.n = 0};
    struct command_past alone = {.tries = 0}, busy = {.tries = 0};
    const struct command_outcome declined = {.exit = DECLINED}, failed = {.exit = 3, .where = 10};
    (void)state;
    command_processes_add(&one, 10);
    command_processes_add(&both, 10);
    command_processes_add(&both, 11);
    command_past_add(&alone, &failed, &one, false);
    command_past_add(&busy, &failed, &both, false);
    for (int pass = 0; pass < 8; pass++)
        command_past_add(&alone, &declined, &one, true);
    assert_int_equal(command_past_todo(&alone, 2, &one), ANYWHERE | LAST);
    for (int pass = 0; pass < 1000; pass++)
        command_past_add(&busy, &declined, &both, false);
    assert_int_equal(command_past_todo(&busy, 2, &both), OTHER_FORM | LAST);
    for (int pass = 0; pass < 100; pass++)
        command_past_add(&busy, &declined, &both, true);
    assert_int_equal(command_past_todo(&busy, 2, &both), ANYWHERE | LAST);
}

/* The second try of a line that has failed is refused: it is a line that has failed. */
static void a_failure_stays_one(void **state)
{
    struct command_processes processes = {.n = 0};
    struct command_past past = {.tries = 0};
    const struct command_outcome failed = {.exit = 3, .where = 10}, refused = refused_by(10);
    (void)state;
    command_processes_add(&processes, 10);
    command_past_add(&past, &failed, &processes, false);
    assert_int_equal(command_past_todo(&past, 2, &processes), ELSEWHERE | LAST);
    for (int pass = 0; pass < 20; pass++)
        command_past_add(&past, &refused, &processes, true);
    assert_int_equal(command_past_todo(&past, 2, &processes), NOTHING);
    assert_int_equal(past.last.exit, 3);
    assert_true(past.late);
    command_past_add(&past, &failed, &processes, false); /* --resume has had time */
    assert_int_equal(past.tries, 2);
    assert_false(past.late);
    assert_int_equal(command_past_todo(&past, 2, &processes), NOTHING);
}

/* Passes in which a line that has failed is left to others take a millisecond: the journal keeps nothing of
 * them, nor of the lines that need not run again. */
static void a_pass_that_ran_no_line_is_not_kept(void **state)
{
    uint8_t todo[] = {NOTHING, ANYWHERE, ELSEWHERE};
    struct command_outcome now[] = {{0}, {.exit = NO_TIME}, {.exit = DECLINED}};
    struct state lines = {.units = 3, .todo = todo, .now = now};
    struct plb_record_done done = {.first = 0, .count = 3};
    struct plb_job *job = calloc(1, sizeof *job);
    struct plb_journal *journal = calloc(1, sizeof *journal);
    (void)state;
    job->kernel = &plb_kernel;
    plb_app_set_state(&job->app, &lines);
    journal->job = job;
    journal->started = journal->in_pass = true;
    journal->next.done = &done;
    journal->next.n = 1;
    plb_journal_reads(journal);
    assert_false(journal->handed);
    now[2].exit = 0;
    plb_journal_reads(journal);
    assert_true(journal->handed);
    free(journal);
    free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_a_process_end_the_run),
        cmocka_unit_test(strings_are_replaced),
        cmocka_unit_test(quotes_are_those_of_a_shell),
        cmocka_unit_test(a_script_has_a_parameter_for_each_string),
        cmocka_unit_test(ends_early_as_parallel),
        cmocka_unit_test(a_slow_process_does_not_use_up_tries),
        cmocka_unit_test(what_all_refuse_is_not_run),
        cmocka_unit_test(a_run_that_goes_on_asks_anew),
        cmocka_unit_test(what_was_not_begun_is_run),
        cmocka_unit_test(the_other_form_has_time),
        cmocka_unit_test(a_failure_stays_one),
        cmocka_unit_test(chances_follow_what_is_known),
        cmocka_unit_test(a_pass_that_ran_no_line_is_not_kept),
        cmocka_unit_test(a_gpu_gets_as_many_programs_as_do_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
