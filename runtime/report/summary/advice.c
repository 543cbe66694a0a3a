/* One function for each kind of loss. It knows no run, only what was lost and what was set. */
#include "report/summary/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/losses.h"
#include "report/summary/costliest.h"

/* The part of the makespan from which on a loss is worth an advice. Larger: runs that could be better are
 * told nothing. Smaller: advice of noise, and of what short runs lose at their begin. A choice. */
#define WORTH 0.05
#define BALANCER "sure" /* the default */

/* Seconds of the best fixed distribution below which the rates of a .cluster file are doubted. Larger: short
 * jobs with right rates are doubted. Smaller: jobs of microseconds get advice that means nothing. A choice:
 * messages and starts take most of a job of some milliseconds, and the examples take seconds on the machines
 * that we describe. */
#define SOON 5e-3

bool plb_advice_doubts_rates(const struct plb_report *r)
{
    return r->mode == PLB_SIMULATED && !r->replayed && r->optimum_s < SOON;
}

/* The value of a setting; "" where the run has none of this name. */
static const char *setting(const struct plb_report *r, const char *section, const char *key)
{
    for (int i = 0; i < r->n_settings; i++)
        if (strcmp(r->settings[i].key, key) == 0 && strcmp(r->settings[i].section, section) == 0)
            return r->settings[i].value != NULL ? r->settings[i].value : "";
    return "";
}

static bool is_off(const struct plb_report *r, const char *section, const char *key)
{
    const char *value = setting(r, section, key);
    return strcmp(value, "off") == 0 || strcmp(value, "no") == 0 || strcmp(value, "0") == 0
        || strcmp(value, "false") == 0;
}

/* Where a setting comes from; "" where the run has none of this name. */
static const char *origin(const struct plb_report *r, const char *section, const char *key)
{
    for (int i = 0; i < r->n_settings; i++)
        if (strcmp(r->settings[i].key, key) == 0 && strcmp(r->settings[i].section, section) == 0)
            return r->settings[i].origin != NULL ? r->settings[i].origin : "";
    return "";
}

static void of_starts(const struct plb_report *r, char text[PLB_ADVICE_TEXT])
{
    const char *grain = setting(r, "balance", "grain");
    if (atof(grain) > 0.0)
        snprintf(text, PLB_ADVICE_TEXT, "leave out balance.grain=%s, which limits the %s per task", grain,
                 r->unit);
}

static void of_training(const struct plb_report *r, char text[PLB_ADVICE_TEXT])
{
    if (strcmp(r->balancer, BALANCER) != 0)
        snprintf(text, PLB_ADVICE_TEXT, "try --balancer " BALANCER ", which needs no training");
}

/* Whether some PUs can have nothing to do. */
static bool too_few(const struct plb_report *r)
{
    return r->units > 0 && r->units < r->n_pus;
}

/* Whether a single task is too long for any balancing; then it says which. */
static bool of_costliest(const struct plb_report *r, char text[PLB_ADVICE_TEXT])
{
    struct plb_costliest costliest;
    char units[PLB_RANGE_TEXT];
    if (!plb_costliest_find(r, &costliest))
        return false;
    bool one = costliest.count == 1;
    if (!one && strcmp(r->balancer, BALANCER) != 0) /* the default cuts tasks of many units itself */
        return false;
    plb_range_print(costliest.first, costliest.count, r->unit, units);
    snprintf(text, PLB_ADVICE_TEXT, "if %s always take%s so long, split %s into smaller ones%s", units,
             one ? "s" : "", one ? "it" : "the expensive ones",
             one ? ": no balancer can end before it does" : "");
    return true;
}

/* Shares that nothing corrects. */
static void of_imbalance(const struct plb_report *r, char text[PLB_ADVICE_TEXT])
{
    bool migrates = !is_off(r, "balance", "migration"), by_power = strcmp(r->balancer, "static") == 0;
    if (too_few(r))
        snprintf(text, PLB_ADVICE_TEXT, "split the work into more and smaller %s, at least one per PU",
                 r->unit);
    else if (of_costliest(r, text))
        return;
    else if (strcmp(r->balancer, BALANCER) != 0)
        snprintf(text, PLB_ADVICE_TEXT,
                 "try --balancer " BALANCER ", which shares the work by measured rates%s%s%s%s",
                 by_power ? "; static uses given powers" : "",
                 migrates   ? ""
                 : by_power ? ", and balance.migration is off ("
                            : "; balance.migration is off (",
                 migrates ? "" : origin(r, "balance", "migration"), migrates ? "" : ")");
    else if (!migrates)
        snprintf(text, PLB_ADVICE_TEXT, "try balance.migration=on, so that idle PUs steal queued work");
}

static void of_copies(const struct plb_report *r, char text[PLB_ADVICE_TEXT])
{
    if (r->passes > 1 && is_off(r, "run", "keep_inputs"))
        snprintf(text, PLB_ADVICE_TEXT,
                 "try run.keep_inputs=yes, so that inputs are sent only in the first pass");
    else if (r->hosts > 1 && is_off(r, r->app, "mapped"))
        snprintf(
            text, PLB_ADVICE_TEXT,
            "try %s.mapped=yes with .npy files that all hosts can read, so that rank 0 need not send them",
            r->app);
}

static void of_waits(const struct plb_report *r, char text[PLB_ADVICE_TEXT])
{
    if (strcmp(r->balancer, BALANCER) != 0)
        snprintf(text, PLB_ADVICE_TEXT, "try --balancer " BALANCER ", which has no barriers");
}

static void of_tail(const struct plb_report *r, char text[PLB_ADVICE_TEXT])
{
    if (r->n_pus > 1 && r->largest_unit * r->n_pus > 1.0 && !too_few(r))
        snprintf(text, PLB_ADVICE_TEXT,
                 "split the most expensive of the %s: it is %.0f %% of the work, and no balancer can end "
                 "before it does",
                 r->unit, 100.0 * r->largest_unit);
    else if (of_costliest(r, text))
        return;
    else if (too_few(r) || strcmp(r->balancer, BALANCER) != 0)
        of_imbalance(r, text);
    else if (is_off(r, "balance", "backups"))
        snprintf(text, PLB_ADVICE_TEXT, "try balance.backups=on, so that idle PUs re-execute late %s",
                 r->unit);
}

void plb_advice_find(struct plb_report *r)
{
    static void (*const of[PLB_LOSSES])(const struct plb_report *, char *) = {
        [PLB_LOST_TO_STARTS] = of_starts,       [PLB_LOST_TO_TRAINING] = of_training,
        [PLB_LOST_TO_IMBALANCE] = of_imbalance, [PLB_LOST_TO_COPIES] = of_copies,
        [PLB_LOST_TO_WAITS] = of_waits,         [PLB_LOST_TO_TAIL] = of_tail,
    };
    const struct plb_report_loss *best = NULL;
    r->advice = NULL;
    for (int kind = 0; kind < PLB_LOSSES; kind++) {
        struct plb_report_loss *loss = &r->losses[kind];
        loss->advice[0] = '\0';
        if (of[kind] != NULL && r->balancer != NULL && !plb_advice_doubts_rates(r)
            && loss->seconds > WORTH * r->makespan_s)
            of[kind](r, loss->advice);
        if (loss->advice[0] != '\0' && (best == NULL || loss->seconds > best->seconds))
            best = loss;
    }
    if (best != NULL)
        r->advice = best->advice;
}
