/* The sections [app], [run], [balance] and [cluster]: the keys that plbrun itself knows, and their values in
 * typed form. */
#ifndef PLB_JOB_JOB_SETTINGS_H
#define PLB_JOB_JOB_SETTINGS_H

#include "config/settings.h"
#include "core/work/migration.h"
#include "device/driver.h"

/* The use of profiles in a run: measurements kept between runs. */
enum plb_profile_mode { PLB_PROFILE_OFF, PLB_PROFILE_READ, PLB_PROFILE_WRITE, PLB_PROFILE_ON };
#define PLB_PROFILE_CHOICES "off|read|write|on"

/* The use of a PU's older times. */
enum plb_samples { PLB_SAMPLES_SCALED, PLB_SAMPLES_MEASURED };
#define PLB_SAMPLE_CHOICES "scaled|measured"

struct plb_balance_settings {
    struct plb_migration migration; /* by_power and seed are not settings: the job sets them */
    double grain;     /* units per task at most; 0 = as the data and the end of the run ask for */
    bool learn_costs; /* of units, from the times of tasks */
    enum plb_samples samples;
    enum plb_profile_mode profile;
    bool profile_given; /* by the user; a simulation has profiles only then */
};

struct plb_cluster_settings {
    const char *file; /* the .cluster file to emulate, or NULL; lasts as long as the settings */
    struct plb_pu_settings pus;
};

struct plb_run_settings {
    const char *limit;   /* the text of time_limit; lasts as long as the settings */
    double limit_s;      /* seconds since the start after which no new task starts; infinite: none */
    bool until_job_ends; /* the end of the batch job counts too, where it is known */
    double grace_s;      /* seconds that running tasks have to end then */
    double lost_after;   /* seconds without a word after which a rank is lost */
    double hung_after;   /* seconds after which a task may be late; 0: none is */
    double audit;        /* part of the tasks that is executed again and compared */
    bool skip_bad;       /* units that are set aside, since they kill their executors, are no failure */
    bool reproducible;   /* reduced arrays have the same bits in each run */
    bool meters;         /* the hosts' energy is read */
    bool checksums;      /* of data that travels between ranks */
    bool keep_inputs;    /* ranks keep inputs that they have received for later passes */
    bool keep_results;   /* results that feed the next pass may stay in the memory of devices */
    const char *join;    /* the file by which ranks join; NULL: none may. It lasts as `limit` does */
    bool isolate;        /* CPUs execute tasks in a child process */
};

/* Makes the keys of plbrun's own sections known, and those of every device driver. */
void plb_job_settings_add(struct plb_settings *settings);

/* Makes the keys of all balancers known. Where balancers share the name of a key, the chosen one's type,
 * default and bounds count, so that each balancer gets what --balancer help says. NULL: none is chosen. */
void plb_job_settings_add_balancers(struct plb_settings *settings, const struct plb_balancer *chosen);

/* Reads the values of a section that has been loaded. */
void plb_balance_settings_read(const struct plb_settings *settings, struct plb_balance_settings *balance);
void plb_cluster_settings_read(const struct plb_settings *settings, struct plb_cluster_settings *cluster);
int plb_run_settings_read(const struct plb_settings *settings, struct plb_run_settings *run,
                          struct plb_error *err); /* PLB_OK, or PLB_EINPUT and a sentence */

#endif
