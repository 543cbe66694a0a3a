/* The profiles of one run: which PUs begin with what an earlier run measured, and what is kept of this one.
 *
 * Rank 0, main thread. A NULL pointer stands for profiles that are off everywhere below. */
#ifndef PLB_PROFILE_PROFILES_H
#define PLB_PROFILE_PROFILES_H

#include "core/master.h"
#include "job/job_settings.h"
#include "model/cluster_spec.h"
#include "plb/kernel.h"
#include "report/report.h"

struct plb_profiles;

/* The run that profiles are of. All pointers are borrowed until free. */
struct plb_profiles_config {
    const struct plb_kernel *kernel;
    const struct plb_cost_map *maps;        /* one per phase */
    const struct plb_cluster_spec *cluster; /* no nodes: the real machines */
    enum plb_profile_mode mode;
    bool simulated; /* the PUs are those of a simulation */
};

/* NULL where the mode is off. Also NULL, after a warning, where there is no folder for profiles. */
struct plb_profiles *plb_profiles_open(const struct plb_profiles_config *config);
void plb_profiles_free(struct plb_profiles *profiles);

/* Before the first pass: gives every PU the profile of its key. A damaged one gives a warning. */
void plb_profiles_load(struct plb_profiles *profiles, struct plb_master *master);

/* Checks that every PU has a profile where the balancer follows profiles alone (static.source = profile).
 * PLB_OK, or PLB_EINPUT and a sentence. */
int plb_profiles_require(const struct plb_master_config *config, const struct plb_master *master,
                         struct plb_error *err);

/* After the last pass: takes over what was measured, and counts for the report. */
void plb_profiles_collect(struct plb_profiles *profiles, const struct plb_master *master,
                          struct plb_report *report);

/* Once the run is known to have ended well: writes what is worth it. A file that cannot be written gives a
 * warning. */
void plb_profiles_save(const struct plb_profiles *profiles);

#endif
