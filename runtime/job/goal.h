/* The keys that say what a run is to be good at: objective, deadline and power_cap of [balance], and
 * [energy]. */
#ifndef PLB_JOB_GOAL_H
#define PLB_JOB_GOAL_H

#include "base/error.h"
#include "config/settings.h"
#include "core/work/goal.h"
#include "plb/balancer.h"

/* Makes the keys known. */
void plb_goal_settings_add(struct plb_settings *settings);

/* Reads them, for this balancer, when [balance] has been loaded. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_goal_read(struct plb_settings *settings, const struct plb_balancer *balancer,
                  const struct plb_param *params, struct plb_goal *goal, struct plb_error *err);

#endif
