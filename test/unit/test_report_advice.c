/* Sentences and advice on losses, from constructed runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "report_losses.h"

/* The advice where PU 2 has lost half of its time to `kind`, with these settings, ended by NULL. */
static const char *advice(int kind, struct plb_report r, struct plb_report_setting *settings)
{
    struct plb_report_pu pus[3];
    struct plb_report base = perfect(pus);
    double *lost[] = {[PLB_LOST_TO_STARTS] = &pus[2].starts_s,
                      [PLB_LOST_TO_TRAINING] = &pus[2].training_s,
                      [PLB_LOST_TO_IMBALANCE] = &pus[2].imbalance_s,
                      [PLB_LOST_TO_COPIES] = &pus[2].transfer_s,
                      [PLB_LOST_TO_WAITS] = NULL,
                      [PLB_LOST_TO_TAIL] = &pus[2].tail_s};
    if (kind != PLB_LOST_TO_STARTS && kind != PLB_LOST_TO_COPIES)
        pus[2].busy_s = 5.0;
    if (lost[kind] != NULL)
        *lost[kind] = 5.0;
    base.balancer = r.balancer != NULL ? r.balancer : base.balancer;
    base.hosts = r.hosts > 0 ? r.hosts : base.hosts;
    base.passes = r.passes > 0 ? r.passes : base.passes;
    base.largest_unit = r.largest_unit;
    base.units = r.units > 0 ? r.units : base.units;
    base.settings = settings;
    while (settings[base.n_settings].key != NULL)
        base.n_settings++;
    account(&base);
    assert_int_equal(plb_losses_largest(&base), kind);
    return text_of(plb_advice_print, &base);
}
#define SETTINGS(...) ((struct plb_report_setting[]){__VA_ARGS__, {.key = NULL}})
#define NOTHING \
    { \
        "balance", "none", "", "" \
    }
#define ADVISES(text, ...) assert_non_null(strstr(advice(__VA_ARGS__), text))
#define HAS(text) assert_non_null(strstr(text_of(plb_verdict_print, &r), text))
#define NO_ADVICE(...) assert_string_equal(advice(__VA_ARGS__), "")

static void advice_names_what_was_set(void **state)
{
    (void)state;
    const struct plb_report usual = {.passes = 1};
    struct plb_report_setting *nothing = SETTINGS(NOTHING);
    NO_ADVICE(PLB_LOST_TO_STARTS, usual, nothing);
    NO_ADVICE(PLB_LOST_TO_STARTS, usual, SETTINGS({"balance", "grain", "0", ""}));
    ADVISES("leave out balance.grain=1, which limits the rows per task", PLB_LOST_TO_STARTS, usual,
            SETTINGS({"balance", "grain", "1", ""}));
    NO_ADVICE(PLB_LOST_TO_TRAINING, usual, nothing);
    ADVISES("--balancer sure", PLB_LOST_TO_TRAINING, ((struct plb_report){.balancer = "plb-hec"}), nothing);
    NO_ADVICE(PLB_LOST_TO_IMBALANCE, usual, SETTINGS({"balance", "migration", "on", ""}));
    ADVISES("balance.migration=on", PLB_LOST_TO_IMBALANCE, usual,
            SETTINGS({"balance", "migration", "off", ""}));
    ADVISES("--balancer sure", PLB_LOST_TO_IMBALANCE, ((struct plb_report){.balancer = "static"}), nothing);
    ADVISES("balance.migration is off (app.conf:3)", PLB_LOST_TO_IMBALANCE,
            ((struct plb_report){.balancer = "static"}),
            SETTINGS({"balance", "migration", "off", "app.conf:3"}));
    NO_ADVICE(PLB_LOST_TO_WAITS, usual, nothing);
    ADVISES("--balancer sure", PLB_LOST_TO_WAITS, ((struct plb_report){.balancer = "plb-hec"}), nothing);
    NO_ADVICE(PLB_LOST_TO_TAIL, usual, nothing);
    ADVISES("it is 50 % of the work", PLB_LOST_TO_TAIL, ((struct plb_report){.largest_unit = 0.5}), nothing);
    ADVISES("--balancer sure", PLB_LOST_TO_TAIL, ((struct plb_report){.balancer = "static"}), nothing);
    ADVISES("balance.backups=on", PLB_LOST_TO_TAIL, usual, SETTINGS({"balance", "backups", "off", ""}));
    ADVISES("split the work into more and smaller rows, at least one per PU", PLB_LOST_TO_TAIL,
            ((struct plb_report){.units = 2}), nothing);
    ADVISES("there are only 2 rows for 3 PUs", PLB_LOST_TO_IMBALANCE, ((struct plb_report){.units = 2}),
            nothing);
    NO_ADVICE(PLB_LOST_TO_COPIES, usual, nothing); /* the kernel cannot leave its data in files */
    ADVISES("x.mapped=yes", PLB_LOST_TO_COPIES, (struct plb_report){.hosts = 2},
            SETTINGS({"x", "mapped", "no", ""}));
    NO_ADVICE(PLB_LOST_TO_COPIES, usual, SETTINGS({"x", "mapped", "no", ""}));
    NO_ADVICE(PLB_LOST_TO_COPIES, usual, SETTINGS({"x", "mapped", "yes", ""}));
    ADVISES("run.keep_inputs=yes", PLB_LOST_TO_COPIES, ((struct plb_report){.passes = 9}),
            SETTINGS({"run", "keep_inputs", "no", ""}));
}

/* Nine of the ten seconds of PU 2 went into rows 20 to 29. The other rows took 5 ms each, so these are as
 * much work as 1,800 others. */
static void a_task_that_took_too_long_is_named(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    pus[2].longest_first = 20, pus[2].longest_units = 10, pus[2].longest_s = 9.0;
    pus[2].units = 210;
    pus[0].busy_s = pus[1].busy_s = 5.0;
    pus[0].imbalance_s = pus[1].imbalance_s = 5.0;
    pus[2].others_waited_s = 10.0;
    account(&r);
    HAS("imbalance: 33 % of the run. One task, rows 20 to 29, seems to be 82 % of all work, and others "
        "waited for "
        "PU 2 (p2). Advice: if rows 20 to 29 always take so long, split the expensive ones");
    pus[2].longest_units = 1;
    account(&r);
    HAS("if row 20 always takes so long, split it into smaller ones: no balancer can end before it does");
    r.balancer = "static";
    account(&r);
    HAS("split it into smaller ones");
    pus[2].longest_units = 10; /* another balancer would cut them */
    account(&r);
    HAS("82 % of all work, and others waited for PU 2 (p2). Advice: try --balancer sure");
    r.balancer = "sure";
    pus[2].units = pus[2].longest_units; /* its only task; the rate is that of others */
    account(&r);
    HAS("One task, rows 20 to 29, seems to be 47 % of all work");
    pus[2].units = 210;
    pus[2].others_waited_s = 0.0; /* nobody waited for it */
    account(&r);
    assert_null(r.advice);
    pus[2].others_waited_s = 10.0;
    pus[2].longest_units = 1;
    r.costs_given = true;
    account(&r);
    assert_null(r.advice);
    r.costs_given = false;
    pus[2].longest_units = 190; /* a large task, of rows like others */
    account(&r);
    assert_null(r.advice);
    pus[2].longest_units = 10;
    pus[2].longest_s = 0.5; /* shorter than others are together */
    account(&r);
    assert_null(r.advice);
}

/* PU 2 was given too much by its power, and others had half of its core. */
static void a_pu_that_lacked_its_core_is_not_blamed_for_its_power(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    r.balancer = "static";
    pus[0].busy_s = pus[1].busy_s = 5.0;
    pus[0].imbalance_s = pus[1].imbalance_s = 5.0;
    pus[2].others_waited_s = 10.0;
    for (int p = 0; p < 3; p++)
        pus[p].power = p == 2 ? 2.0 : 1.0;
    account(&r);
    HAS(", would match");
    pus[2].cpu_s = 2.4, pus[2].waited_s = 7.6, pus[2].threads = 1;
    account(&r);
    HAS("Others waited for PU 2 (p2), which had 24 % of its core.");
    HAS("PU 2 had 24 % of its core, and other programs or threads had the rest");
    assert_null(strstr(text_of(plb_verdict_print, &r), "power 1"));
    pus[1].cpu_s = 4.0, pus[1].waited_s = 1.0;
    r.emulated = true;
    HAS("2 PUs had 24 to 80 % of their cores, PU 2 the least, and other programs or threads had the rest, so "
        "that "
        "emulated PUs were slower than the .cluster file says.");
    pus[1].waited_s = pus[2].waited_s = 0.2; /* nothing to speak of */
    assert_null(strstr(text_of(plb_verdict_print, &r), "core"));
}

/* Its thread starts programs and sleeps until they end: nobody knows what cores they had. */
static void a_pu_that_sleeps_lacks_no_core(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    pus[2].cpu_s = 0.02, pus[2].waited_s = 3.0, pus[2].threads = 1;
    account(&r);
    assert_null(strstr(text_of(plb_verdict_print, &r), "core"));
    pus[2].waited_s = 6.0;
    HAS("PU 2 had 0 % of its core");
    pus[2].threads = 2; /* one of which is hardly used */
    assert_null(strstr(text_of(plb_verdict_print, &r), "core"));
}

/* The line stands at the end of the summary, and not where a loss is small. */
static void the_summary_ends_with_the_advice(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    struct plb_report_setting grain = {"balance", "grain", "1", ""};
    r.settings = &grain;
    r.n_settings = 1;
    pus[2].starts_s = 0.8; /* half of which counts, about */
    account(&r);
    assert_null(r.advice);
    pus[2].starts_s = 5.0;
    account(&r);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    plb_report_summary(&r, out);
    fclose(out);
    const char *last = strstr(text, "\nAdvice: ");
    assert_non_null(last);
    assert_ptr_equal(strchr(last + 1, '\n'), text + size - 1);
    free(text);
    struct plb_report_change changes[] = {
        {.change = "with balancer sure", .predicted_s = 3.0, .ratio = 0.3},
        {.change = "without balance.grain", .predicted_s = 6.0, .ratio = 0.6}};
    r.changes = changes;
    r.n_changes = 2;
    assert_non_null(strstr(text_of(plb_advice_print, &r), "; predicted: 6.00 s instead of 10.00 s\n"));
    assert_non_null(strstr(text_of(plb_verdict_print, &r), "; predicted: 6.00 s instead of 10.00 s."));
    changes[1].ratio = 1.0;
    assert_null(strstr(text_of(plb_advice_print, &r), "predicted"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advice_names_what_was_set),
        cmocka_unit_test(a_task_that_took_too_long_is_named),
        cmocka_unit_test(a_pu_that_lacked_its_core_is_not_blamed_for_its_power),
        cmocka_unit_test(a_pu_that_sleeps_lacks_no_core),
        cmocka_unit_test(the_summary_ends_with_the_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
