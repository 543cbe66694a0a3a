/* Watts of every PU, and a cap that is not below what the least of them draws. */
#include "job/require_watts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAMED 3 /* PUs in the sentence */

/* Names PUs without watts and without a meter. Returns how many there are. */
static int name_unknown(const struct plb_master *master, char *text, size_t room)
{
    int n = 0, n_pus = plb_master_pus(master);
    text[0] = '\0';
    for (int p = 0; p < n_pus; p++) {
        const struct plb_pu_info *pu = plb_master_pu(master, p);
        size_t used = strlen(text);
        if (isfinite(pu->static_watts + pu->dynamic_watts)
            || plb_watts_metered(plb_master_pu(master, 0), n_pus, p))
            continue;
        if (n++ < NAMED)
            snprintf(text + used, room - used, "%sPU %d (%s, rank %d)", used > 0 ? ", " : "", p, pu->name,
                     pu->node);
    }
    if (n > NAMED)
        snprintf(text + strlen(text), room - strlen(text), " and %d more", n - NAMED);
    return n;
}

/* The watts of nodes in any case, with the one PU that draws least. */
static double least_watts(const struct plb_goal *goal, const struct plb_master *master)
{
    double all = 0.0, least = INFINITY;
    int n = plb_master_pus(master);
    for (int p = 0; p < n; p++)
        all += plb_master_pu(master, p)->static_watts;
    for (int p = 0; p < n; p++) {
        double watts = plb_master_pu(master, p)->dynamic_watts, node = 0.0;
        if (goal->rule != PLB_STATIC_JOB)
            for (int q = 0; q < n; q++)
                if (plb_master_pu(master, q)->node == plb_master_pu(master, p)->node)
                    node += plb_master_pu(master, q)->static_watts;
        least = plb_master_state(master, p) == PLB_PU_REFUSED ? least : fmin(least, watts + node);
    }
    return least + (goal->rule == PLB_STATIC_JOB ? all : 0.0);
}

int plb_watts_require(const struct plb_goal *goal, const struct plb_master *master, struct plb_error *err)
{
    char text[512];
    bool caps = goal->power_cap > 0.0;
    if (goal->objective == PLB_OBJECTIVE_TIME && !caps)
        return PLB_OK;
    if (name_unknown(master, text, sizeof text) > 0)
        return plb_fail(
            err, PLB_EINPUT,
            "%s needs the watts of all PUs, and those of %s are unknown; meters of their hosts can measure "
            "them (docs/guide/energy.md), or a .cluster file can set them (static_watts, dynamic_watts)",
            goal->objective == PLB_OBJECTIVE_TIME ? "balance.power_cap" : "balance.objective", text);
    double least = least_watts(goal, master);
    if (caps && least > goal->power_cap) /* not where they are learned: least is no number then */
        return plb_fail(err, PLB_EINPUT,
                        "balance.power_cap = %g W is too low: the static watts and those of one PU are %g W",
                        goal->power_cap, least);
    return PLB_OK;
}
