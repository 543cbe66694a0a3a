/* Looks a balancer up, and checks that it was built against this balancer.h. */
#include "job/balancer_table.h"

#include <string.h>

#include "config/nearest.h"

const struct plb_balancer *plb_balancer_find(const char *name, const char *origin, struct plb_error *err)
{
    const char *names[256];
    int n = 0;
    for (; plb_balancers[n] != NULL && n < 255; n++) {
        const struct plb_balancer *b = plb_balancers[n];
        if (strcmp(b->name, name) == 0) {
            if (b->abi == PLB_BALANCER_ABI && b->size == sizeof *b && b->init && b->grant && b->fini)
                return b;
            plb_fail(err, PLB_EINPUT, "balancer '%s' was built for another balancer.h; rebuild plbrun", name);
            return NULL;
        }
        names[n] = b->name;
    }
    names[n] = NULL;
    const char *near = plb_nearest(name, names);
    if (near != NULL)
        plb_fail(err, PLB_EINPUT,
                 "%s: there is no balancer '%s'; did you mean '%s'? (--balancer help lists all)", origin,
                 name, near);
    else
        plb_fail(err, PLB_EINPUT, "%s: there is no balancer '%s'; --balancer help lists all", origin, name);
    return NULL;
}

void plb_balancers_list(FILE *out)
{
    for (int i = 0; plb_balancers[i] != NULL; i++) {
        const struct plb_balancer *b = plb_balancers[i];
        fprintf(out, "%-10s %s%s\n", b->name, b->summary, b->simulation_only ? " (needs --simulate)" : "");
        for (const struct plb_option *o = b->options; o != NULL && o->name != NULL; o++)
            fprintf(out, "             %s = %s  %s\n", o->name, o->fallback != NULL ? o->fallback : "",
                    o->help);
    }
}
