/* The costs of lines, as far as the user can tell them. */
#ifndef COMMAND_COSTS_H
#define COMMAND_COSTS_H

#include "input.h"

/* Reads command.cost and command.cost_from, and puts the units in the order of their costs, the largest
 * first. Nothing where neither is given. PLB_OK, or PLB_EINPUT after plb_app_error. */
int command_read_costs(struct plb_app *app, struct command_input *input);

#endif
