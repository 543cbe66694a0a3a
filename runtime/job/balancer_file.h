/* A balancer as a shared object, named by its path. Main thread of rank 0 only, as no other rank uses a
 * balancer. */
#ifndef PLB_JOB_BALANCER_FILE_H
#define PLB_JOB_BALANCER_FILE_H

#include "base/error.h"
#include "plb/balancer.h"

/* Loads the `plb_balancer` of the shared object at a path, and checks that it fits this plbrun. The object
 * stays loaded until the process ends. NULL, and a sentence that begins with `origin` or the path, where
 * there is no such balancer, or one of another ABI. */
const struct plb_balancer *plb_balancer_load(const char *path, const char *origin, struct plb_error *err);

#endif
