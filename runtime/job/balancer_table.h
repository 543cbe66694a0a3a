/* Balancers by name. */
#ifndef PLB_JOB_BALANCER_TABLE_H
#define PLB_JOB_BALANCER_TABLE_H

#include <stdio.h>

#include "base/error.h"
#include "plb/balancer.h"

/* Every balancer in balancers/, ended by NULL. The build writes this table from the folder. */
extern const struct plb_balancer *const plb_balancers[];

/* The balancer with this name. NULL where there is none: the sentence begins with `origin` and suggests a
 * name. */
const struct plb_balancer *plb_balancer_find(const char *name, const char *origin, struct plb_error *err);

/* Prints them with their options. */
void plb_balancers_list(FILE *out);

#endif
