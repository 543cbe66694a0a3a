/* Four keys, and which of them go together. */
#include "job/goal.h"

/* Choices have the order of the enums. */
static const struct plb_option balance_options[] = {
    {"objective", PLB_TEXT, "time", 0, 0, "time|energy|edp",
     "what is to be least: time, energy, or energy times delay; PUs that cost more than they save are left "
     "out"},
    {"deadline", PLB_REAL, "0", 0, 1e15, NULL,
     "seconds that each pass may take, with objective energy or edp; 0 = any number"},
    {"power_cap", PLB_REAL, "0", 0, 1e15, NULL,
     "watts that the PUs together may draw once they are known; 0 = any number"},
    {0},
};

static const struct plb_option energy_options[] = {
    {"static", PLB_TEXT, "job", 0, 0, "job|busy|off_when_idle",
     "static watts that count: of all nodes while the job lasts, of a node while a PU of it works, of nodes "
     "with work until the job ends"},
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
        return plb_fail(
            err, PLB_EINPUT,
            "%s: deadline = %s needs balance.objective = energy or edp; time is as short as it can be "
            "without one",
            deadline->origin, deadline->text);
    if (goal->deadline_s > 0.0 && by_power)
        return plb_fail(
            err, PLB_EINPUT,
            "%s: deadline = %s needs a balancer that measures, since powers alone tell no seconds, "
            "and balancer %s goes by powers",
            deadline->origin, deadline->text, balancer->name);
    return PLB_OK;
}
