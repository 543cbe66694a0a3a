#include "report/summary/goal.h"

#include <math.h>

#include "report/quantity.h"

#define NAMED 8 /* PUs in the line */

static void say_left_out(const struct plb_report *r, FILE *out)
{
    const struct plb_report_goal *g = &r->goal;
    char joules[PLB_QUANTITY_TEXT], seconds[PLB_QUANTITY_TEXT];
    int n = 0;
    fprintf(out, ": %d of %d PUs left out at the end", g->left_out, r->n_pus);
    for (int p = 0; p < r->n_pus && n < NAMED; p++)
        if (r->pus[p].left_out)
            fprintf(out, "%s%d", n++ == 0 ? " (" : ", ", p);
    fprintf(out, "%s", g->left_out > n ? ", ...)" : n > 0 ? ")" : "");
    if (g->left_out > 0 && isfinite(g->saved_j))
        fprintf(out, ", which saved about %s and took %s longer", plb_joules_print(g->saved_j, joules),
                plb_seconds_print(g->longer_s, seconds));
}

static void say_cap(const struct plb_report_goal *g, FILE *out)
{
    fprintf(out, "; cap of %.4g W ", g->power_cap_w);
    if (g->unmeasured > 0 && !(g->most_w > g->power_cap_w))
        fprintf(out, "NOT known to be kept, because the watts of %d PU%s are unmeasured", g->unmeasured,
                g->unmeasured == 1 ? "" : "s");
    else if (isfinite(g->most_w))
        fprintf(out, "%s: at most %.4g W", g->most_w <= g->power_cap_w ? "kept" : "NOT kept", g->most_w);
    else
        fputs("not tried, because the run ended before all PUs were measured", out);
    if (g->learning_w > g->power_cap_w)
        fprintf(out, "; NOT kept while watts were being measured: up to %.4g W", g->learning_w);
}

void plb_goal_say(const struct plb_report *r, FILE *out)
{
    const struct plb_report_goal *g = &r->goal;
    char limit[PLB_QUANTITY_TEXT], seconds[PLB_QUANTITY_TEXT];
    if (g->objective_is == PLB_OBJECTIVE_TIME && !(g->power_cap_w > 0.0))
        return;
    fprintf(out, "objective %s", g->objective);
    say_left_out(r, out);
    if (g->deadline_s > 0.0)
        fprintf(out, "; deadline of %s %s: the longest pass took %s", plb_seconds_print(g->deadline_s, limit),
                g->longest_pass_s <= g->deadline_s ? "met" : "NOT met",
                plb_seconds_print(g->longest_pass_s, seconds));
    if (g->power_cap_w > 0.0)
        say_cap(g, out);
    fputc('\n', out);
}
