/* Loads a balancer from a shared object, and refuses what would not work before the run begins. */
#include "job/balancer_file.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "job/object_file.h"

/* An option without a default or a help line would leave a balancer, or a user, without an answer. */
static const struct plb_option *faulty_option(const struct plb_option *options)
{
    for (; options != NULL && options->name != NULL; options++)
        if (options->fallback == NULL || options->help == NULL)
            return options;
    return NULL;
}

/* Checks that a balancer fits this plbrun. The ABI comes first: in another ABI the fields after the first two
 * may be anything. */
static int check(const struct plb_balancer *b, const char *path, struct plb_error *err)
{
    if (b->abi != PLB_BALANCER_ABI || b->size != sizeof *b)
        return plb_fail(err, PLB_EINPUT,
                        "%s was built for balancer ABI %u (%u bytes), this plbrun has ABI %u (%zu bytes); "
                        "rebuild it against this plb/balancer.h",
                        path, b->abi, b->size, PLB_BALANCER_ABI, sizeof *b);
    if (b->name == NULL || b->name[0] == '\0' || b->init == NULL || b->grant == NULL || b->fini == NULL)
        return plb_fail(err, PLB_EINPUT, "%s: its plb_balancer lacks a name, init, grant or fini", path);
    const struct plb_option *faulty = faulty_option(b->options);
    if (faulty != NULL)
        return plb_fail(err, PLB_EINPUT, "%s: its option %s lacks a fallback or a help line", path,
                        faulty->name);
    return PLB_OK;
}

const struct plb_balancer *plb_balancer_load(const char *path, const char *origin, struct plb_error *err)
{
    char full[PATH_MAX + 2]; /* dlopen searches its own folders for a name without a slash */
    snprintf(full, sizeof full, "%s%.*s", strchr(path, '/') != NULL ? "" : "./", PATH_MAX - 1, path);
    if (access(full, R_OK) != 0) {
        plb_fail(err, PLB_EINPUT,
                 "%s: the balancer file %s does not exist or cannot be read; build it first, or correct the "
                 "path",
                 origin, full);
        return NULL;
    }
    if (plb_object_is_truncated(full)) {
        plb_fail(err, PLB_EINPUT, "%s: %s is truncated; build it again", origin, full);
        return NULL;
    }
    void *object = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        plb_fail(err, PLB_EINPUT, "%s: cannot load the balancer: %s", origin, dlerror());
        return NULL;
    }
    const struct plb_balancer *found = dlsym(object, "plb_balancer");
    if (found != NULL && check(found, full, err) == PLB_OK)
        return found;
    if (found == NULL)
        plb_fail(err, PLB_EINPUT,
                 "%s exports no 'plb_balancer'; a balancer defines `const struct plb_balancer plb_balancer` "
                 "(see examples/custom-balancer)",
                 full);
    dlclose(object);
    return NULL;
}
