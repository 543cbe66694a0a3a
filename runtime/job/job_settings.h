/* The sections [app], [balance] and [cluster]: the keys that plbrun itself knows, and their values in typed
 * form. */
#ifndef PLB_JOB_JOB_SETTINGS_H
#define PLB_JOB_JOB_SETTINGS_H

#include "config/settings.h"
#include "core/migration.h"
#include "device/driver.h"

/* What a run does with profiles, the measurements kept between runs. */
enum plb_profile_mode { PLB_PROFILE_OFF, PLB_PROFILE_READ, PLB_PROFILE_WRITE, PLB_PROFILE_ON };
#define PLB_PROFILE_CHOICES "off|read|write|on"

struct plb_balance_settings {
    struct plb_migration migration; /* by_power and seed are not settings: the job sets them */
    double grain;     /* units per task at most; 0 = as the data and the end of the run ask for */
    bool learn_costs; /* of units, from the times of tasks */
    enum plb_profile_mode profile;
    bool profile_given; /* by the user; a simulation has profiles only then */
};

struct plb_cluster_settings {
    const char *file; /* the .cluster file to emulate, or NULL; lasts as long as the settings */
    struct plb_pu_settings pus;
};

/* Makes the keys of the three sections known: plbrun's own, and those of every balancer and device driver. */
void plb_job_settings_add(struct plb_settings *settings);

/* Reads the values of a section that has been loaded. */
void plb_balance_settings_read(const struct plb_settings *settings, struct plb_balance_settings *balance);
void plb_cluster_settings_read(const struct plb_settings *settings, struct plb_cluster_settings *cluster);

#endif
