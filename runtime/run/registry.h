/* Finding balancers and kernels by name. */
#ifndef PLB_RUN_REGISTRY_H
#define PLB_RUN_REGISTRY_H

#include "base/error.h"
#include "plb/balancer.h"
#include "plb/kernel.h"

/* Every balancer in balancers/, ended by NULL; the build writes this table from the folder. */
extern const struct plb_balancer *const plb_balancers[];

/* The balancer of this name, or NULL and a sentence (prefixed with `origin`) that suggests one. */
const struct plb_balancer *plb_balancer_find(const char *name, const char *origin, struct plb_error *err);

/* Whether a kernel is named by a path: with a slash, or ending in .so. */
bool plb_kernel_is_path(const char *name);

/* Loads a kernel: a name is looked for among the installed kernels, a path (with a slash or ending
 * in .so) is opened as it is; with `cuda` after the NAME.cuda.so beside it, if there is one (a warning
 * where that cannot be loaded). Shared objects stay loaded for the life of the process.
 * PLB_EINPUT and a sentence prefixed with `origin` where there is none, or of another ABI. */
int plb_kernel_load(const char *name, const char *origin, bool cuda, const struct plb_kernel **kernel,
                    struct plb_error *err);

#endif
