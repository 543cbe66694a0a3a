/* Sections in the order in which a reader asks: how well, where the time went, when what happened, with which
 * settings. A section without data is left out; scripts show those of charts. */
#include "report/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/path.h"
#include "base/version.h"
#include "report/fields/json.h"
#include "report/html.h"
#include "report/losses.h"
#include "report/page/energy.h"
#include "report/page/tables.h"
#include "report/page/trace.h"
#include "report/page/what_if.h"
#include "report/summary/summary.h"
#include "report/summary/verdict.h"

/* Time between passes that a page tells, by the makespan. Larger: charts are longer than it says. */
#define MUCH_BETWEEN 0.005

bool plb_page_named(const char *file)
{
    const char *ending = plb_path_ending(file);
    return strcasecmp(ending, ".html") == 0 || strcasecmp(ending, ".htm") == 0;
}

int plb_page_check_name(const char *file, struct plb_error *err)
{
    const char *ending = plb_path_ending(file);
    if (plb_page_named(file) || strcasecmp(ending, ".json") == 0 || ending[0] == '\0')
        return PLB_OK;
    return plb_fail(
        err, PLB_EINPUT,
        "--report %s: a report is written as .json (for programs) or .html (a page); name such a file", file);
}

/* --------------------------------------------------------------------- text */

static void say_title(const struct plb_report *r, FILE *out)
{
    plb_report_say(r, "{app}: {makespan_s}, balancer {balancer}", out);
    fputs(r->mode == PLB_SIMULATED ? " (simulated)" : "", out);
}

static void say_error(const struct plb_report *r, FILE *out)
{
    fprintf(out, "The run did not succeed: %s.", r->error);
}

/* --------------------------------------------------------------------- sections */

static void put_head(const struct plb_report *r, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; "
          "script-src 'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          out);
    plb_html_said(say_title, r, out);
    fprintf(out, "</title>\n<style>\n%s</style></head><body>\n<header><h1>", (const char *)plb_page_style);
    plb_html_said(say_title, r, out);
    fputs("</h1>\n", out);
    if (r->error != NULL) {
        fputs("<p class=\"error\">", out);
        plb_html_said(say_error, r, out);
        fputs("</p>\n", out);
    }
    fputs("<p class=\"verdict\">", out);
    plb_html_said(plb_verdict_print, r, out);
    fputs("</p>\n<p class=\"line\">", out);
    plb_html_said(plb_report_line, r, out);
    fputs(".</p>\n", out);
    if (r->mode == PLB_SIMULATED) {
        fputs("<p class=\"line\">Simulated: all times are virtual, and nothing was computed.</p>\n", out);
    } else if (r->elapsed_s > 0.0) {
        fputs("<p class=\"line\">", out);
        plb_html_said(plb_report_elapsed, r, out);
        fputs("</p>\n", out);
    }
    fputs("</header>\n", out);
}

/* One bar of the waterfall, from one time to another. */
static void put_bar(const struct plb_report *r, const char *class, double from, double to, FILE *out)
{
    double scale = r->makespan_s > 0.0 ? 100.0 / r->makespan_s : 0.0;
    fprintf(
        out,
        "<td class=\"bars\"><div class=\"%s\" style=\"margin-left:%.2f%%;width:%.2f%%\"></div></td></tr>\n",
        class, fmin(100.0, from * scale), fmin(100.0, (to - from) * scale));
}

/* A row for the ideal, and for the makespan. */
static void put_sum(const struct plb_report *r, const char *name, double seconds, FILE *out)
{
    fputs("<tr class=\"sum\">", out);
    plb_page_heading("", name, out);
    plb_page_seconds(seconds, out);
    plb_page_percent(seconds / r->makespan_s, out);
    fputs("<td></td>", out);
    put_bar(r, "all", 0.0, seconds, out);
}

static void put_loss(const struct plb_report *r, const struct plb_report_loss *loss, double from, FILE *out)
{
    char whose[200] = "";
    if (r->n_pus > 1 && loss->pu >= 0)
        snprintf(whose, sizeof whose, "PU %d (%s)", loss->pu, r->pus[loss->pu].name);
    else if (r->n_pus > 1 && loss->node >= 0)
        snprintf(whose, sizeof whose, "node %d", loss->node);
    fputs("<tr>", out);
    plb_page_heading("+&nbsp;", loss->name, out);
    plb_page_seconds(loss->seconds, out);
    plb_page_percent(loss->seconds / r->makespan_s, out);
    plb_page_cell(whose, "", out);
    put_bar(r, "lost", from, from + loss->seconds, out);
}

/* The efficiencies of TALP are folded away: they do not tell which loss is the cause. */
static void put_efficiencies(const struct plb_report *r, FILE *out)
{
    fputs("<p>", out);
    if (plb_losses_only_starts(r))
        fputs("Tasks took about the same time whatever their size, so the speed of the PUs is unknown.", out);
    else
        fputs("Ideal: all PUs compute from start to end at their measured rates.", out);
    if (isfinite(r->bound_s)) {
        plb_report_say(r,
                       " Bound, {bound_s}: the ideal plus the task starts and copies of this run. A run that "
                       "copies less or starts fewer tasks can be faster than the bound.",
                       out);
    }
    fputs("</p>\n", out);
    if (plb_losses_only_starts(r))
        return;
    fprintf(out,
            "<details><summary>Efficiencies as in TALP</summary><p>Parallel efficiency %.1f&nbsp;%% = load "
            "balance %.1f&nbsp;%% × communication efficiency %.1f&nbsp;%%. These two do not name the cause "
            "of a loss: load balance is also low if some PUs wait for data, and communication efficiency is "
            "also low if all PUs wait or start tasks.</p></details>\n",
            100.0 * r->parallel_efficiency, 100.0 * r->load_balance, 100.0 * r->communication_efficiency);
}

/* The charts over time are as much longer than the makespan. */
static void put_between(const struct plb_report *r, FILE *out)
{
    if (r->between_s < MUCH_BETWEEN * r->makespan_s)
        return;
    plb_report_say(r,
                   "<p>Between passes the kernel prepared data, or inputs were sent, for {between_s}. This "
                   "time is part of the charts over time, but not of the makespan.</p>\n",
                   out);
}

static void put_losses(const struct plb_report *r, FILE *out)
{
    double at = r->ideal_s;
    if (!(r->ideal_s > 0.0))
        return;
    fputs(
        "<section id=\"losses\"><h2>Where the time went</h2>\n<div class=\"wide\"><table class=\"waterfall\">"
        "<thead><tr><th></th><th class=\"n\">time</th><th class=\"n\">of the "
        "run</th><th>mostly</th><th></th></tr></thead>\n<tbody>",
        out);
    put_sum(r, plb_losses_only_starts(r) ? "the rest" : "ideal", r->ideal_s, out);
    for (int kind = 0; kind < PLB_LOSSES; kind++) {
        if (r->losses[kind].seconds >= 5e-4 * r->makespan_s)
            put_loss(r, &r->losses[kind], at, out);
        at += r->losses[kind].seconds;
    }
    put_sum(r, "makespan", r->makespan_s, out);
    fputs("</tbody></table></div>\n<div class=\"chart\" id=\"waterfall\"></div>\n", out);
    if (r->n_pus > 1)
        plb_report_say(r,
                       "<p>Look for the longest red bar: it is the time that could be gained. Times are "
                       "weighted by the rates of PUs, so that a second of a fast PU counts more. The idle "
                       "time above ({idle_pct}) is a plain mean.</p>\n",
                       out);
    put_efficiencies(r, out);
    put_between(r, out);
    fputs("</section>\n", out);
}

/* A place for charts, which a script fills and shows. */
static void put_chart(const char *id, const char *heading, const char *text, FILE *out)
{
    fprintf(out, "<section id=\"%s\" hidden><h2>%s</h2>\n<p>%s</p>\n<div class=\"chart\"></div></section>\n",
            id, heading, text);
}

/* An argument is not broken at its hyphens. */
static void put_command(const char *command, FILE *out)
{
    fputs("<pre>", out);
    for (const char *at = command; *at != '\0';) {
        size_t gap = strspn(at, " "), length = strcspn(at + gap, " ");
        char *word = strndup(at + gap, length);
        fprintf(out, "%.*s<span>", (int)gap, at);
        plb_html_text(word != NULL ? word : "", out);
        fputs("</span>", out);
        free(word);
        at += gap + length;
    }
    fputs("</pre>\n", out);
}

static void put_settings(const struct plb_report *r, FILE *out)
{
    fputs("<section id=\"settings\"><h2>Settings</h2>\n<p>plbrun " PLB_VERSION ", ", out);
    plb_html_text(r->date, out);
    fprintf(out, ", seed %" PRId64 ".</p>\n", r->seed);
    put_command(r->command != NULL ? r->command : "", out);
    fputs(
        "<details><summary>All settings and their origins</summary>\n<div "
        "class=\"wide\"><table><thead><tr><th>setting</th><th>value</th><th>from</th></tr></thead>\n<tbody>",
        out);
    for (int i = 0; i < r->n_settings; i++) {
        const struct plb_report_setting *s = &r->settings[i];
        fputs("<tr><td>", out);
        plb_html_text(s->section, out);
        fputc('.', out);
        plb_html_text(s->key, out);
        fputs("</td>", out);
        plb_page_cell(s->value != NULL ? s->value : "not set", "", out);
        plb_page_cell(s->origin != NULL ? s->origin : "", "", out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div></details></section>\n", out);
}

static void put_charts(FILE *out)
{
    put_chart("gantt", "Timeline",
              "Each row is a PU; the first one is the master. Look for gaps: in a good run all rows are "
              "filled and end together. Drag to move; zoom with the buttons, a double click or Ctrl and the "
              "wheel. Point at a bar for details.",
              out);
    put_chart("each-pass", "Time of each pass",
              "Each bar is a pass. Look for bars that are much longer than the others: the first pass may "
              "include training, others a loss or a slow PU.",
              out);
    put_chart("shares", "Shares",
              "The part of the work that each PU did, beside its part of the total rate and of the given "
              "powers. Look for differences between work and rate: such a PU got too much or too little.",
              out);
    put_chart("ends", "Predicted end of the pass",
              "Each point is a solve: the end of the pass that the balancer predicted, minus the real end. "
              "Points should approach 0 during a pass. Far above 0, the balancer was too pessimistic; far "
              "below, too optimistic.",
              out);
    put_chart("rates", "Rates over time",
              "Units per second of execution. Look for jumps: a machine became slower or faster, or unit "
              "costs vary.",
              out);
    put_chart("traffic", "Traffic between nodes",
              "Bytes of inputs and results that each node sent and received. Look for a node that moves far "
              "more than its share of the work: its link may be the bottleneck.",
              out);
    put_chart("curves", "Curves",
              "Seconds of a task by its size: the fitted curve and the measured tasks. Points far from the "
              "line mean that task times depend on more than size. One PU of each name is shown.",
              out);
}

/* The data of scripts, and these. False where the report cannot be JSON. */
static bool put_scripts(const struct plb_report *r, const struct plb_trace *trace, FILE *out)
{
    fputs("<noscript><p>The charts need JavaScript. The tables have the main numbers, and --report FILE.json "
          "has all.</p></noscript>\n<script type=\"application/json\" id=\"report\">",
          out);
    if (!plb_report_embed(r, out))
        return false;
    fputs("</script>\n", out);
    if (trace->on && trace->n > 0) {
        fputs("<script type=\"application/json\" id=\"trace\">", out);
        plb_page_trace_print(trace, r->n_pus, out);
        fputs("</script>\n", out);
    }
    fprintf(out, "<script>\n%s</script>\n", (const char *)plb_page_script);
    return true;
}

int plb_page_write(const struct plb_report *report, const struct plb_trace *trace, const char *file,
                   struct plb_error *err)
{
    struct plb_file f;
    if (plb_file_create(&f, file, err) != PLB_OK)
        return err->status;
    put_head(report, f.stream);
    put_losses(report, f.stream);
    put_charts(f.stream);
    plb_page_energy_print(report, trace, f.stream);
    plb_what_if_put(report, f.stream);
    plb_page_phases(report, f.stream);
    plb_page_pus(report, f.stream);
    put_settings(report, f.stream);
    plb_page_glossary(f.stream);
    if (!put_scripts(report, trace, f.stream))
        plb_fail(err, PLB_EFAILED, "cannot make %s: a number in it is not finite", file);
    fputs("</body></html>\n", f.stream);
    return plb_file_commit(&f, err);
}
