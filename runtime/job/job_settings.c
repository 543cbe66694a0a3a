/* Tables of keys, and one assignment for each value. An enum has the order of its key's choices. */
#include "job/job_settings.h"

#include <math.h>
#include <string.h>

#include "config/duration.h"
#include "core/liveness.h"
#include "job/balancer_table.h"
#include "job/goal.h"

/* A number of a header as text, for a table. */
#define AS_TEXT_(x) #x
#define AS_TEXT(x) AS_TEXT_(x)

static const struct plb_option app_options[] = {
    {"kernel", PLB_TEXT, NULL, 0, 0, NULL, "name of a kernel, or path of a .so"},
    {0},
};

static const struct plb_option balance_options[] = {
    {"balancer", PLB_TEXT, "sure", 0, 0, NULL,
     "who decides the block sizes (--balancer help), or path of a .so"},
    {"migration", PLB_FLAG, "on", 0, 0, NULL,
     "whether idle PUs and nodes steal queued work when nothing is left to grant"},
    {"migration_threshold", PLB_REAL, "1", 0, 1e15, NULL,
     "work, in units of average cost, below which nothing moves between nodes"},
    {"migration_victim", PLB_TEXT, "most-remaining", 0, 0, PLB_VICTIM_CHOICES,
     "which node an idle node asks for work; first: as Li et al."},
    {"backups", PLB_FLAG, "on", 0, 0, NULL, "whether idle PUs re-execute late units; needs migration"},
    {"task_seconds", PLB_REAL, "0.25", 1e-6, 1e9, NULL,
     "longest task of a large block, in seconds; the shortest is a fiftieth of it"},
    {"grain", PLB_INT, "0", 0, 1e15, NULL,
     "most units per task; 0 = derived from data, memory and the end of the run"},
    {"learn_costs", PLB_FLAG, "on", 0, 0, NULL,
     "whether task times correct the kernel's unit costs, or replace missing ones"},
    {"samples", PLB_TEXT, "scaled", 0, 0, PLB_SAMPLE_CHOICES,
     "how older times of a PU are used: scaled when its speed changes, and fading; or as measured, for ever"},
    {"profile", PLB_TEXT, "off", 0, 0, PLB_PROFILE_CHOICES,
     "start from measurements of earlier runs (read), store those of this run (write), or both (on)"},
    {0},
};

static const struct plb_option cluster_options[] = {
    {"file", PLB_INPUT_FILE, NULL, 0, 0, NULL, "a .cluster file whose PUs are emulated: rank i plays node i"},
    {"pus", PLB_TEXT, "auto", 0, 0, PLB_PUS_CHOICES,
     "which PUs compute: CPUs and GPUs (auto), only CPUs, or only GPUs"},
    {"master_only", PLB_FLAG, "no", 0, 0, NULL, "whether rank 0 only coordinates and computes nothing"},
    {0},
};

static const struct plb_option run_options[] = {
    {"time_limit", PLB_TEXT, "auto", 0, 0, NULL,
     "time since the start after which no new task starts: " PLB_DURATION_FORMS
     "; auto: before Slurm ends the job; off"},
    {"grace", PLB_TEXT, "30s", 0, 0, NULL, "time that running tasks then have to end, also after a SIGUSR1"},
    {"lost_after", PLB_REAL, AS_TEXT(PLB_LOST_AFTER), PLB_LEAST_LOST_AFTER, 1e6, NULL,
     "seconds without a message after which a rank is lost and its units are re-executed"},
    {"hung_after", PLB_TEXT, "10s", 0, 0, NULL,
     "age at which a task may be reported late; at twice that age its PU is lost, if costs are "
     "known: " PLB_DURATION_FORMS "; off"},
    {"journal", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "a file that records finished work, for --resume"},
    {"audit", PLB_REAL, "0", 0, 1, NULL,
     "fraction of the tasks that two PUs execute, to compare their results; 0.01: one in a hundred"},
    {"skip_bad", PLB_FLAG, "no", 0, 0, NULL,
     "whether a run still ends with status 0 if units that crashed twice were set aside"},
    {"checksums", PLB_FLAG, "no", 0, 0, NULL,
     "whether data between ranks is checked, and sent again if damaged"},
    {"keep_inputs", PLB_FLAG, "yes", 0, 0, NULL,
     "whether ranks keep received inputs for later passes, in up to half of the free memory"},
    {"keep_results", PLB_FLAG, "no", 0, 0, NULL,
     "whether results that feed the next pass stay in a GPU's memory until they are read elsewhere"},
    {"join", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "a file through which ranks join the running job, with plbrun --join"},
    {"isolate", PLB_FLAG, "no", 0, 0, NULL,
     "whether CPUs execute tasks in a child process, so that a crash costs one task and not the rank"},
    {"meters", PLB_FLAG, "yes", 0, 0, NULL, "whether the energy counters of the hosts are read"},
    {"reproducible", PLB_FLAG, "no", 0, 0, NULL,
     "whether reduced arrays have the same bits with any number of ranks, any balancer and any losses"},
    {0},
};

void plb_job_settings_add(struct plb_settings *s)
{
    plb_settings_add(s, "app", app_options);
    plb_settings_add(s, "balance", balance_options);
    plb_goal_settings_add(s);
    plb_settings_add(s, "run", run_options);
    plb_settings_add(s, "cluster", cluster_options);
    for (int d = 0; plb_device_drivers[d] != NULL; d++)
        plb_settings_add(s, "cluster", plb_device_drivers[d]->options);
}

void plb_job_settings_add_balancers(struct plb_settings *s, const struct plb_balancer *chosen)
{
    plb_settings_add(s, "balance", chosen != NULL ? chosen->options : NULL);
    for (int b = 0; plb_balancers[b] != NULL; b++)
        plb_settings_add(s, "balance", plb_balancers[b]->options);
}

void plb_balance_settings_read(const struct plb_settings *s, struct plb_balance_settings *balance)
{
    *balance = (struct plb_balance_settings){
        .migration.on = plb_settings_number(s, "balance", "migration") != 0.0,
        .migration.victim = (enum plb_victim)plb_settings_number(s, "balance", "migration_victim"),
        .migration.threshold = plb_settings_number(s, "balance", "migration_threshold"),
        .migration.backups = plb_settings_number(s, "balance", "backups") != 0.0,
        .migration.task_s = plb_settings_number(s, "balance", "task_seconds"),
        .grain = plb_settings_number(s, "balance", "grain"),
        .learn_costs = plb_settings_number(s, "balance", "learn_costs") != 0.0,
        .samples = (enum plb_samples)plb_settings_number(s, "balance", "samples"),
        .profile = (enum plb_profile_mode)plb_settings_number(s, "balance", "profile"),
        .profile_given = plb_settings_get(s, "balance", "profile")->given,
    };
}

void plb_cluster_settings_read(const struct plb_settings *s, struct plb_cluster_settings *cluster)
{
    int n = 0;
    *cluster = (struct plb_cluster_settings){
        .file = plb_settings_get(s, "cluster", "file")->text,
        .pus.wanted = (enum plb_pus_wanted)plb_settings_number(s, "cluster", "pus"),
        .pus.master_only = plb_settings_number(s, "cluster", "master_only") != 0.0,
    };
    for (int d = 0; plb_device_drivers[d] != NULL; d++)
        for (int i = 0; i < plb_driver_option_count(plb_device_drivers[d]); i++)
            cluster->pus.options[n++] = plb_settings_number(s, "cluster",
                                                            plb_device_drivers[d]->options[i].name);
}

/* A time; positive: 0 is none. */
static int read_time(const struct plb_setting *t, bool positive, double *seconds, struct plb_error *err)
{
    if (plb_parse_duration(t->text, seconds) && (*seconds > 0.0 || !positive))
        return PLB_OK;
    return plb_fail(err, PLB_EINPUT, "%s: %s = %s is not a time such as %s (%s)", t->origin, t->option->name,
                    t->text, PLB_DURATION_FORMS, t->option->help);
}

int plb_run_settings_read(const struct plb_settings *s, struct plb_run_settings *run, struct plb_error *err)
{
    const struct plb_setting *limit = plb_settings_get(s, "run", "time_limit");
    *run = (struct plb_run_settings){.limit = limit->text,
                                     .limit_s = INFINITY,
                                     .until_job_ends = strcmp(limit->text, "off") != 0,
                                     .lost_after = plb_settings_number(s, "run", "lost_after"),
                                     .audit = plb_settings_number(s, "run", "audit"),
                                     .skip_bad = plb_settings_number(s, "run", "skip_bad") != 0.0,
                                     .checksums = plb_settings_number(s, "run", "checksums") != 0.0,
                                     .keep_inputs = plb_settings_number(s, "run", "keep_inputs") != 0.0,
                                     .keep_results = plb_settings_number(s, "run", "keep_results") != 0.0,
                                     .join = plb_settings_get(s, "run", "join")->text,
                                     .isolate = plb_settings_number(s, "run", "isolate") != 0.0,
                                     .meters = plb_settings_number(s, "run", "meters") != 0.0,
                                     .reproducible = plb_settings_number(s, "run", "reproducible") != 0.0};
    bool is_time = run->until_job_ends && strcmp(limit->text, "auto") != 0;
    if (is_time && read_time(limit, true, &run->limit_s, err) != PLB_OK)
        return err->status;
    const struct plb_setting *hung = plb_settings_get(s, "run", "hung_after");
    bool watches = strcmp(hung->text, "off") != 0;
    if (watches && read_time(hung, true, &run->hung_after, err) != PLB_OK)
        return err->status;
    return read_time(plb_settings_get(s, "run", "grace"), false, &run->grace_s, err);
}
