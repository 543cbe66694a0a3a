/* Sentences with the values of fields, and a table with a column for each field of a PU that has a width. */
#include "report/summary/summary.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/energy.h"
#include "report/fields/fields.h"
#include "report/quantity.h"
#include "report/summary/advice.h"
#include "report/summary/cores.h"
#include "report/summary/goal.h"
#include "report/summary/verdict.h"

/* Relative deviation of tasks' times beyond which the summary says that units differ. Larger: it says less
 * often why a bound is unknown or a balancer loses. Smaller: noise counts as a difference of units. */
#define WORTH_SAYING 0.5
/* The part of the time by which they differ, above which it says so. Larger: a few expensive units among many
 * go unsaid. Smaller: the first task of a short run, which touches memory first, counts as a difference. */
#define WORTH_TIME 0.05
/* Seconds by which a task differs, on average, from which on it says so. Larger: short tasks that do differ
 * go unsaid. Smaller: what a timer, an interruption or a cold cache adds to any task counts as a cost. */
#define WORTH_A_TASK 50e-6
/* Seconds by which all of them do. Larger: short runs do not say so. Smaller: a run of milliseconds in which
 * another program had the core once does. */
#define WORTH_ALL 0.01
/* Tasks of a PU from which on a bad curve is told. More: it is told less often. Fewer: the summaries of short
 * runs tell of noise. */
#define TASKS_OF_A_CURVE 10
/* The least part of the elapsed time that is named. Larger: less of it is explained. Smaller: trifles are
 * named. */
#define WORTH_A_PART 0.005
#define CELL_TEXT 32 /* bytes of the longest number or quantity */

/* The value as people read it: `text`, or the value's own text. */
static const char *readable(enum plb_field_unit unit, const struct plb_value *value, char text[CELL_TEXT])
{
    if (value->type == PLB_VALUE_NONE)
        return "unknown";
    double number = value->type == PLB_VALUE_REAL ? value->real : (double)value->whole;
    switch (value->type == PLB_VALUE_TEXT ? PLB_UNIT_NONE : unit) {
    case PLB_UNIT_SECONDS: return plb_seconds_print(number, text);
    case PLB_UNIT_BYTES: return plb_bytes_print(number, text);
    case PLB_UNIT_JOULES: return plb_joules_print(number, text);
    case PLB_UNIT_PERCENT: snprintf(text, CELL_TEXT, "%.1f %%", number); return text;
    case PLB_UNIT_FRACTION: snprintf(text, CELL_TEXT, "%.1f %%", 100.0 * number); return text;
    case PLB_UNIT_RATIO: snprintf(text, CELL_TEXT, "%.2f", number); return text;
    case PLB_UNIT_RATE: snprintf(text, CELL_TEXT, "%.4g", number); return text;
    default: break;
    }
    if (value->type == PLB_VALUE_TEXT)
        return value->text;
    snprintf(text, CELL_TEXT, "%" PRId64, value->whole);
    return text;
}

/* ---------------------------------------------------------------- sentences */

/* One {key} or {key noun}, without its braces. */
static void say_field(const struct plb_report *r, const char *key, const char *noun, FILE *out)
{
    char text[CELL_TEXT], units[PLB_UNITS_TEXT];
    const struct plb_report_field *field = plb_run_field(key);
    assert(field != NULL);
    struct plb_value value = plb_field_value(field, r, r);
    if (field->unit == PLB_UNIT_OF_APP)
        fputs(plb_units_print(value.whole, r->unit, units), out);
    else
        fputs(readable(field->unit, &value, text), out);
    if (noun[0] != '\0')
        fprintf(out, " %s%s", noun, value.whole == 1 ? "" : "s");
}

void plb_report_say(const struct plb_report *report, const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text != '{') {
            fputc(*text, out);
            continue;
        }
        char key[32] = "", noun[32] = "";
        sscanf(text, "{%31[^ }] %31[^}]", key, noun);
        say_field(report, key, noun, out);
        text += strcspn(text, "}");
        assert(*text == '}');
    }
}

/* Tasks of a PU from which on it is known how much they differ (model/tally.h). */
#define TASKS_OF_A_SPREAD 3

/* Where the bound is unknown: whether passes count twice, PUs ran too few tasks, or these differ too much. */
static const char *why_no_bound(const struct plb_report *r)
{
    if (isfinite(r->bound_s))
        return "";
    if (r->passes_again > 0)
        return " (passes were repeated)";
    for (int p = 0; p < r->n_pus; p++)
        if (r->pus[p].tasks >= TASKS_OF_A_SPREAD)
            return " (task times vary too much)";
    return " (too few tasks to learn unit costs)";
}

/* Units by kind of PU, between two texts; nothing where one kind did all. */
static void say_kinds(const struct plb_report *r, const char *before, const char *after, FILE *out)
{
    static const char *const names[] = {[PLB_CPU] = "CPUs", [PLB_GPU] = "GPUs", [PLB_ACCELERATOR] = "others"};
    int64_t units[sizeof names / sizeof *names] = {0};
    int kinds = 0;
    for (int p = 0; p < r->n_pus; p++)
        units[r->pus[p].kind] += r->pus[p].units;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        kinds += units[k] > 0;
    const char *separator = before;
    if (kinds > 1)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            if (units[k] > 0)
                fprintf(out, "%s%" PRId64 " on %s", separator, units[k], names[k]);
            separator = units[k] > 0 ? ", " : separator;
        }
    fputs(kinds > 1 ? after : "", out);
}

/* Units, the makespan, and where. */
static void say_work(const struct plb_report *r, FILE *out)
{
    char units[PLB_UNITS_TEXT];
    fputs(plb_units_print(plb_report_units(r), r->unit, units), out);
    if (r->passes > 1)
        plb_report_say(r, " ({passes} passes over {units})", out);
    plb_report_say(r, " in {makespan_s} on {pus PU}", out);
    plb_report_say(r, r->mode == PLB_SIMULATED ? " ({nodes node})" : " ({nodes rank} on {hosts host})", out);
}

void plb_report_elapsed(const struct plb_report *r, FILE *out)
{
    const struct {
        const char *name;
        double seconds;
    } parts[] = {{"start", r->setup_s},         {"passes", r->makespan_s - r->collect_s},
                 {"between", r->between_s},     {"collect", r->collect_s},
                 {"end of ranks", r->ending_s}, {"verify", r->verify_s},
                 {"write", r->write_s}};
    const char *separator = ": ";
    char text[PLB_QUANTITY_TEXT];
    if (r->mode == PLB_SIMULATED || !(r->elapsed_s > 0.0))
        return;
    plb_report_say(r, "elapsed {elapsed_s}", out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (i < 2 || parts[i].seconds > WORTH_A_PART * r->elapsed_s) {
            fprintf(out, "%s%s %s", separator, parts[i].name, plb_seconds_print(parts[i].seconds, text));
            separator = "; ";
        }
}

void plb_report_brief(const struct plb_report *r, FILE *out)
{
    fputs("plbrun: ", out);
    say_work(r, out);
    say_kinds(r, ": ", "", out);
    fputc('\n', out);
}

void plb_report_line(const struct plb_report *r, FILE *out)
{
    plb_report_say(r, "{app}: ", out);
    say_work(r, out);
    plb_report_say(r, ", distributed by the balancer {balancer}; bound {bound_s}", out);
    fputs(why_no_bound(r), out);
    plb_report_say(r, ", balancing ratio {balancing_ratio}, idle {idle_pct}; ", out);
    if (r->resumed)
        plb_report_say(r, "resumed in pass {resumed_pass} after {resumed_units}; ", out);
    if (r->solves > 0 && r->profile_s > 0.0)
        plb_report_say(r, "training {profile_s}, ", out);
    if (r->solves > 0)
        plb_report_say(r, "{solves solve} in {solve_s}; ", out);
    if (r->migrated_units > 0)
        plb_report_say(r, "{migrated_units} stolen by other nodes in {migrations message}; ", out);
    if (r->backups > 0)
        plb_report_say(r, "{backups late task} also executed elsewhere, faster there in {backups_won case}; ",
                       out);
    if (r->failed_pus > 0)
        plb_report_say(r, "{failed_pus PU} failed; ", out);
    if (r->passes_again > 0)
        plb_report_say(r,
                       r->passes_again == 1 ? "{passes_again} pass re-executed in {again_s}; "
                                            : "{passes_again} passes re-executed in {again_s}; ",
                       out);
    if (r->set_aside_units > 0)
        plb_report_say(r, "{set_aside_units} set aside; ", out);
    if (r->audited > 0)
        plb_report_say(r, "{audited task} audited, {audit_differences difference}; ", out);
    if (r->damaged > 0)
        plb_report_say(r, "{damaged damaged transfer} repeated; ", out);
    plb_report_say(r, "{messages message}, {bytes_moved} moved", out);
    if (r->verified != PLB_NOT_VERIFIED)
        fputs(r->verified == PLB_RIGHT ? "; verified" : "; WRONG RESULT", out);
}

/* Whether tasks differed from what was predicted by more than what else delays them. */
static bool are_apart(const struct plb_report *r)
{
    double seconds = 0.0, tasks = 0.0;
    for (int p = 0; p < r->n_pus; p++) {
        seconds += r->pus[p].busy_s - r->pus[p].transfer_s;
        tasks += (double)r->pus[p].tasks;
    }
    double apart = r->cost_apart * seconds;
    return r->cost_spread > WORTH_SAYING && r->cost_apart > WORTH_TIME && apart > WORTH_ALL
        && apart > WORTH_A_TASK * tasks;
}

/* Nothing where tasks took about what was predicted. */
static void say_spread(const struct plb_report *r, FILE *out)
{
    bool disturbed = false; /* by others on the cores: their times say nothing of costs */
    for (int p = 0; p < r->n_pus; p++)
        disturbed |= plb_shares_cores(r, &r->pus[p]);
    if (disturbed || plb_advice_doubts_rates(r) || !are_apart(r))
        return;
    fprintf(out, "%s differ in cost%s: ", r->unit, r->costs_given ? " more than the kernel says" : "");
    plb_report_say(
        r, "tasks took {least_cost} to {most_cost} times the mean of their PU for tasks of their size\n",
        out);
}

/* Nothing where every curve tells more of a PU's times than their mean does. */
static void say_bad_curves(const struct plb_report *r, FILE *out)
{
    int n = 0, worst = 0;
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_report_pu *pu = &r->pus[p];
        bool bad = pu->curve.r2 < 0.0 && pu->tasks >= TASKS_OF_A_CURVE;
        worst = bad && (n == 0 || pu->curve.r2 < r->pus[worst].curve.r2) ? p : worst;
        n += bad;
    }
    const char *why = "the times of these tasks depend on more than their size";
    if (n == 1)
        fprintf(out, "the curve of PU %d fits badly (r2 %.2f): %s\n", worst, r->pus[worst].curve.r2, why);
    else if (n > 1)
        fprintf(out, "the curves of %d PUs fit badly (r2 %.2f for PU %d): %s\n", n, r->pus[worst].curve.r2,
                worst, why);
}

static void say_profiles(const struct plb_report *r, FILE *out)
{
    int began = r->profiles_used + r->profiles_dropped;
    if (began == 0)
        return;
    fprintf(out, "profiles: %d PU%s started from earlier measurements", began, began == 1 ? "" : "s");
    if (r->profiles_dropped > 0)
        plb_report_say(
            r, "; {profiles_dropped} of them dropped these, because the first blocks contradicted them", out);
    fputc('\n', out);
}

/* ---------------------------------------------------------------- table */

/* The width of a column: its own, or more where a text needs it. */
static int width_of(const struct plb_report_field *field, const struct plb_report *r)
{
    int width = abs(field->width);
    if (field->type == PLB_VALUE_TEXT)
        for (int p = 0; p < r->n_pus; p++) {
            int length = (int)strlen(plb_field_value(field, r, &r->pus[p]).text);
            width = length > width ? length : width;
        }
    return field->width < 0 ? -width : width;
}

/* A cell and the blank before it; two blanks where text follows a number. */
static void put_cell(const struct plb_report_field *field, const struct plb_report *r, int width_before,
                     const char *text, FILE *out)
{
    fprintf(out, "%s", width_before > 0 && field->width < 0 ? "  " : width_before != 0 ? " " : "");
    fprintf(out, "%*s", width_of(field, r), text);
}

static void put_headings(const struct plb_report *r, FILE *out)
{
    char text[80];
    int before = 0;
    for (const struct plb_report_field *f = plb_pu_fields; f->meaning != NULL; f++) {
        if (f->width == 0)
            continue;
        snprintf(text, sizeof text, "%s%s", f->heading != NULL ? f->heading : r->unit,
                 f->unit == PLB_UNIT_RATE ? "/s" : "");
        put_cell(f, r, before, text, out);
        before = f->width;
    }
    fputc('\n', out);
}

static void put_pu(const struct plb_report *r, const struct plb_report_pu *pu, FILE *out)
{
    char text[CELL_TEXT];
    int before = 0;
    for (const struct plb_report_field *f = plb_pu_fields; f->meaning != NULL; f++) {
        if (f->width == 0)
            continue;
        struct plb_value value = plb_field_value(f, r, pu);
        put_cell(f, r, before, readable(f->unit, &value, text), out);
        before = f->width;
    }
    if (pu->failed != NULL)
        fprintf(out, "  failed: %s", pu->failed);
    else if (pu->unused != NULL)
        fprintf(out, "  not used: %s", pu->unused);
    fputc('\n', out);
}

void plb_report_summary(const struct plb_report *r, FILE *out)
{
    put_headings(r, out);
    for (int p = 0; p < r->n_pus; p++)
        put_pu(r, &r->pus[p], out);
    plb_report_line(r, out);
    fputc('\n', out);
    if (r->mode != PLB_SIMULATED && r->elapsed_s > 0.0) {
        plb_report_elapsed(r, out);
        fputc('\n', out);
    }
    char kinds[PLB_UNITS_TEXT];
    snprintf(kinds, sizeof kinds, "%s: ", r->unit);
    say_kinds(r, kinds, "\n", out);
    if (r->n_pus > 1 && r->largest_unit * r->n_pus > 1.0) {
        fprintf(out, "one of the %s is ", r->unit);
        plb_report_say(r, "{largest_unit} of the work: no balancer can end before it does\n", out);
    }
    say_spread(r, out);
    say_bad_curves(r, out);
    plb_cores_say(r, "", "\n", out);
    say_profiles(r, out);
    plb_energy_say(r, out);
    plb_goal_say(r, out);
    if (r->mode == PLB_SIMULATED && !r->costs_given && !r->replayed)
        fprintf(out,
                "the kernel does not say what its %s cost: the simulation assumes equal costs, and takes "
                "rates of PUs as %s per second\n",
                r->unit, r->unit);
    if (plb_advice_doubts_rates(r)) {
        plb_report_say(r, "by the rates of the PUs this job needs {optimum_s}: ", out);
        fprintf(out, "if these are not the rates of %s, add rate.%s to each PU of the .cluster file\n",
                r->app, r->app);
    }
    if (r->mode == PLB_SIMULATED)
        plb_report_say(r,
                       "(simulated: times are virtual, and no output is written; the best fixed distribution "
                       "would take {optimum_s} without noise)\n",
                       out);
    plb_advice_print(r, out);
}
