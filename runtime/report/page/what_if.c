/* The section has its numbers from the report's table alone, as the JSON has. */
#include "report/page/what_if.h"

#include <math.h>
#include <string.h>

#include "report/html.h"
#include "report/quantity.h"

/* Ratios above this count as no shorter run. Larger: small gains go unsaid. Smaller: what a simulation is off
 * by counts as a gain. */
#define SHORTER 0.99

/* Relative difference between the run and its simulation from which on the page says it. Larger: readers
 * believe numbers too far. Smaller: it says so of nearly every run. */
#define FAR 0.05

const struct plb_report_change *plb_what_if_best(const struct plb_report *r)
{
    const struct plb_report_change *best = NULL;
    for (int i = 0; i < r->n_changes; i++) {
        const struct plb_report_change *c = &r->changes[i];
        if (!c->adds_nodes && c->ratio < (best != NULL ? best->ratio : SHORTER))
            best = c;
    }
    return best;
}

static void put_seconds(double seconds, FILE *out)
{
    char text[PLB_QUANTITY_TEXT];
    plb_html_text(plb_seconds_print(seconds, text), out);
}

/* The best of the changes that need one more node; NULL: none makes the run shorter. */
static const struct plb_report_change *best_node(const struct plb_report *r)
{
    const struct plb_report_change *best = NULL;
    for (int i = 0; i < r->n_changes; i++) {
        const struct plb_report_change *c = &r->changes[i];
        if (c->adds_nodes && c->ratio < (best != NULL ? best->ratio : SHORTER))
            best = c;
    }
    return best;
}

static void put_change(const struct plb_report_change *c, FILE *out)
{
    fputs("<b>The run ", out);
    plb_html_text(c->change, out);
    fputs("</b> would have taken ", out);
    put_seconds(c->predicted_s, out);
    fprintf(out, ": %.3g&nbsp;%% less.", 100.0 * (1.0 - c->ratio));
}

static bool any_simulated(const struct plb_report *r)
{
    for (int i = 0; i < r->n_changes; i++)
        if (r->changes[i].left_out == NULL)
            return true;
    return false;
}

static void put_best(const struct plb_report *r, FILE *out)
{
    const struct plb_report_change *best = plb_what_if_best(r), *node = best_node(r);
    fputs("<p>", out);
    if (!any_simulated(r))
        fputs("No change was simulated; the reasons are below.", out);
    else if (best == NULL)
        fputs("On the same machines, none of these changes makes the run 1&nbsp;% shorter.", out);
    else
        put_change(best, out);
    if (node != NULL) {
        fputs(best == NULL ? " With more machines: " : " With more machines instead: ", out);
        put_change(node, out);
    }
}

static void put_trust(const struct plb_report *r, FILE *out)
{
    double off = r->what_if_simulated_s / r->makespan_s - 1.0;
    fputs(" The simulator predicts ", out);
    put_seconds(r->what_if_simulated_s, out);
    fputs(" for the run as it was, which took ", out);
    put_seconds(r->makespan_s, out);
    if (fabs(off) > FAR)
        fprintf(out, ". <b>These differ by %.0f&nbsp;%%</b>%s", 100.0 * fabs(off),
                any_simulated(r) ? ", so trust the order of the changes rather than their times" : "");
    if (r->what_if_passes < r->passes)
        fprintf(out, ". Of the %d passes, %d were simulated; the others count as the shortest of these",
                r->passes, r->what_if_passes);
    fputs(!any_simulated(r) ? ".</p>\n"
                            : ". The times below are scaled so that the simulation of the run itself is "
                              "exact. Look for the shortest bar.</p>\n",
          out);
}

/* Changes that were left out for the same reason, together. */
static void put_left_out(const struct plb_report *r, FILE *out)
{
    for (int i = 0; i < r->n_changes; i++) {
        const char *why = r->changes[i].left_out;
        bool said = why == NULL;
        for (int j = 0; j < i && !said; j++)
            said = r->changes[j].left_out != NULL && strcmp(r->changes[j].left_out, why) == 0;
        if (said)
            continue;
        fputs("<p>Left out, because ", out);
        plb_html_text(why, out);
        for (int j = i; j < r->n_changes; j++) {
            if (r->changes[j].left_out == NULL || strcmp(r->changes[j].left_out, why) != 0)
                continue;
            fputs(j == i ? ": " : "; ", out);
            plb_html_text(r->changes[j].change, out);
        }
        fputs(".</p>\n", out);
    }
}

static void put_table(const struct plb_report *r, FILE *out)
{
    fputs("<div class=\"chart\"></div>\n<details><summary>As a table</summary><div class=\"wide\"><table>"
          "<thead><tr><th>change</th><th class=\"n\">the run takes</th><th class=\"n\">of the run</th></tr>"
          "</thead>\n<tbody>",
          out);
    for (int i = 0; i < r->n_changes; i++) {
        const struct plb_report_change *c = &r->changes[i];
        if (c->left_out != NULL)
            continue;
        fputs("<tr><td>", out);
        plb_html_text(c->change, out);
        fputs("</td><td class=\"n\">", out);
        put_seconds(c->predicted_s, out);
        fprintf(out, "</td><td class=\"n\">%.1f&nbsp;%%</td></tr>\n", 100.0 * c->ratio);
    }
    fputs("</tbody></table></div></details>\n", out);
}

void plb_what_if_put(const struct plb_report *r, FILE *out)
{
    if (r->n_changes == 0 && r->what_if_note[0] == '\0')
        return;
    fputs("<section id=\"what-if\"><h2>What if</h2>\n", out);
    if (r->n_changes == 0) {
        fputs("<p>Other balancers and machines were not simulated: ", out);
        plb_html_text(r->what_if_note, out);
        fputs(".", out);
        if (r->what_if_simulated_s > 0.0)
            put_trust(r, out);
        else
            fputs("</p>\n", out);
    } else {
        put_best(r, out);
        put_trust(r, out);
        if (any_simulated(r))
            put_table(r, out);
        put_left_out(r, out);
    }
    fputs("</section>\n", out);
}
