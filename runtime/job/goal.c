/* Four keys, and which of them go together. */
#include "job/goal.h"

/* Choices have the order of the enums. */
static const struct plb_option balance_options[] = {
    {"objective", PLB_TEXT, "time", 0, 0, "time|energy|edp",
     "the quantity to minimize: time, energy, or energy times delay (edp); PUs that cost more than they save "
     "are left out"},
    {"deadline", PLB_REAL, "0", 0, 1e15, NULL,
     "seconds that each pass may take, with objective energy or edp; 0 = no limit"},
    {"power_cap", PLB_REAL, "0", 0, 1e15, NULL,
     "watts that all PUs together may draw, once each has been tried; 0 = no limit"},
    {0},
};

static const struct plb_option energy_options[] = {
    {"static", PLB_TEXT, "job", 0, 0, "job|busy|off_when_idle",
     "static watts that count. job: of all nodes until the job ends; busy: of a node while one of its PUs "
     "works; off_when_idle: of nodes that have work, until the job ends"},
    {0},
};

void plb_goal_settings_add(struct plb_settings *s)
{
    plb_settings_add(s, "balance", balance_options);
    plb_settings_add(s, "energy", energy_options);
}

int plb_goal_read(struct plb_settings *s, const struct plb_balancer *balancer, const struct plb_param *params,
                  struct plb_goal *goal, struct plb_error *err)
{
    if (plb_settings_load(s, "energy", err) != PLB_OK)
        return err->status;
    *goal = (struct plb_goal){
        .objective = (enum plb_objective)plb_settings_number(s, "balance", "objective"),
        .rule = (enum plb_static_rule)plb_settings_number(s, "energy", "static"),
        .deadline_s = plb_settings_number(s, "balance", "deadline"),
        .power_cap = plb_settings_number(s, "balance", "power_cap"),
    };
    const struct plb_setting *deadline = plb_settings_get(s, "balance", "deadline");
    bool by_power = balancer->basis != NULL && balancer->basis(params) == PLB_BY_POWER;
    if (goal->deadline_s > 0.0 && goal->objective == PLB_OBJECTIVE_TIME)
        return plb_fail(err, PLB_EINPUT,
                        "%s: deadline = %s needs balance.objective = energy or edp; without one, the time is "
                        "minimized anyway",
                        deadline->origin, deadline->text);
    if (goal->deadline_s > 0.0 && by_power)
        return plb_fail(
            err, PLB_EINPUT,
            "%s: deadline = %s needs a balancer that measures times; balancer %s uses only given powers",
            deadline->origin, deadline->text, balancer->name);
    return PLB_OK;
}
