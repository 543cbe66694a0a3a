/* One view of kernels with and without a list of phases. */
#include "app/phase.h"

#include <stdio.h>

#include "device/driver.h"

int plb_phase_count(const struct plb_kernel *k)
{
    int n = k->phases == NULL;
    while (k->phases != NULL && k->phases[n].name != NULL && n <= PLB_MAX_PHASES)
        n++;
    return n;
}

struct plb_phase plb_phase_at(const struct plb_kernel *k, int phase)
{
    return k->phases != NULL ? k->phases[phase] : plb_only_phase(k);
}

const char *plb_phase_title(const struct plb_kernel *k, int phase, char text[PLB_PHASE_TITLE])
{
    if (plb_phase_count(k) > 1)
        snprintf(text, PLB_PHASE_TITLE, "kernel %.70s, phase %.60s,", k->name, k->phases[phase].name);
    else
        snprintf(text, PLB_PHASE_TITLE, "kernel %.140s", k->name);
    return text;
}

int plb_phase_check(const struct plb_kernel *k, const char *path, bool elsewhere, struct plb_error *err)
{
    int n = plb_phase_count(k);
    if (n < 1 || n > PLB_MAX_PHASES)
        return plb_fail(err, PLB_EINPUT,
                        "%s: kernel %s has no phases or more than %d; list 1 to %d, ended by a NULL name, or "
                        "leave out `phases`",
                        path, k->name, PLB_MAX_PHASES, PLB_MAX_PHASES);
    struct plb_phase own = plb_only_phase(k);
    if (k->phases != NULL && (plb_driver_runs(&own) || k->cost != NULL))
        return plb_fail(err, PLB_EINPUT,
                        "%s: kernel %s has phases, so that its own cpu, cuda or cost would never be used; "
                        "move it into a phase",
                        path, k->name);
    if (k->phases != NULL && !elsewhere)
        for (int i = 0; i < n; i++)
            if (!plb_driver_runs(&k->phases[i]))
                return plb_fail(err, PLB_EINPUT,
                                "%s: phase %s of kernel %s has neither a cpu nor a cuda entry; see "
                                "plb/kernel.h",
                                path, k->phases[i].name, k->name);
    return PLB_OK;
}
