/* Finding balancers by name. */
#ifndef PLB_JOB_BALANCER_TABLE_H
#define PLB_JOB_BALANCER_TABLE_H

#include "base/error.h"
#include "plb/balancer.h"

/* Every balancer in balancers/, ended by NULL; the build writes this table from the folder. */
extern const struct plb_balancer *const plb_balancers[];

/* The balancer of this name, or NULL and a sentence (prefixed with `origin`) that suggests one. */
const struct plb_balancer *plb_balancer_find(const char *name, const char *origin, struct plb_error *err);

#endif
