#include "report/goal.h"

#include <math.h>

#include "report/quantity.h"

#define NAMED 8 /* PUs in the line */

static void say_left_out(const struct plb_report *r, FILE *out)
{
    const struct plb_report_goal *g = &r->goal;
    char joules[PLB_QUANTITY_TEXT], seconds[PLB_QUANTITY_TEXT];
    int n = 0;
    fprintf(out, ": %d of %d PUs left out", g->left_out, r->n_pus);
    for (int p = 0; p < r->n_pus && n < NAMED; p++)
        if (r->pus[p].left_out)
            fprintf(out, "%s%d", n++ == 0 ? " (" : ", ", p);
    fprintf(out, "%s", g->left_out > n ? ", ...)" : n > 0 ? ")" : "");
    if (g->left_out > 0 && isfinite(g->saved_j))
        fprintf(out, ", which saved about %s and took %s longer", plb_joules_print(g->saved_j, joules),
                plb_seconds_print(g->longer_s, seconds));
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
    if (g->power_cap_w > 0.0 && isfinite(g->most_w))
        fprintf(out, "; cap of %.4g W %s: at most %.4g W", g->power_cap_w,
                g->most_w <= g->power_cap_w ? "kept" : "NOT kept", g->most_w);
    else if (g->power_cap_w > 0.0)
        fprintf(out, "; cap of %.4g W not tried: the run ended before all PUs were known", g->power_cap_w);
    fputc('\n', out);
}
