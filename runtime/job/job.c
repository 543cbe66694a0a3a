/* Reads a job from its conf file, and calls the functions of its kernel. */
#include "job/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/chunks.h"
#include "app/dataset.h"
#include "base/clock.h"
#include "base/memory.h"
#include "config/unknown.h"
#include "host/crash.h"
#include "job/balancer_file.h"
#include "job/balancer_table.h"
#include "job/kernel_file.h"
#include "job/kernel_search.h"

/* Of rank 0's memory: the arrays of chunks that may wait for others. Larger: a run may end without memory.
 * Smaller: jobs are refused that could run. A guess. */
#define WAITING 0.25

/* Whether the job may use the devices of this machine. [cluster] is read before the kernel for that alone.
 * A mistake in it is told when it is read again. */
static bool uses_devices(struct plb_job *job, const char *simulate)
{
    struct plb_error later = {.status = PLB_OK};
    if (simulate != NULL || plb_settings_load(&job->settings, "cluster", &later) != PLB_OK)
        return false;
    plb_cluster_settings_read(&job->settings, &job->machines);
    return job->machines.file == NULL;
}

static int read_kernel(struct plb_job *job, const char *simulate, struct plb_error *err)
{
    struct plb_settings *s = &job->settings;
    if (plb_settings_load(s, "app", err) != PLB_OK)
        return err->status;
    const struct plb_pu_settings *pus = uses_devices(job, simulate) ? &job->machines.pus : NULL;
    struct plb_setting *kernel = plb_settings_get(s, "app", "kernel");
    if (kernel->text == NULL || kernel->text[0] == '\0')
        return plb_settings_no_kernel(s, err);
    if (plb_is_object_path(kernel->text))
        plb_settings_resolve(s, kernel);
    if (plb_kernel_load(kernel->text, kernel->origin, pus, &job->kernel, err) != PLB_OK)
        return err->status;
    plb_settings_add(s, job->kernel->name, job->kernel->options);
    return plb_settings_load(s, job->kernel->name, err);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* A balancer may read a key of plbrun itself, if both say the same of it. */
static int check_own_keys(const struct plb_settings *s, const struct plb_balancer *b, const char *file,
                          struct plb_error *err)
{
    for (const struct plb_option *o = b->options; o != NULL && o->name != NULL; o++) {
        const struct plb_setting *own = plb_settings_get(s, "balance", o->name);
        if (own != NULL
            && (own->option->type != o->type || !same_text(own->option->fallback, o->fallback)
                || !same_text(own->option->choices, o->choices)))
            return plb_fail(err, PLB_EINPUT,
                            "%s: its key %s is also one of plbrun's, with another type, default or choices "
                            "(%s); rename it",
                            file, o->name,
                            own->option->fallback != NULL ? own->option->fallback : "no default");
    }
    return PLB_OK;
}

/* Finds the balancer that [balance] names, and loads one that is a file, so that its keys are known. Other
 * mistakes in [balance] are reported when the section is read again. */
static int load_balancer(struct plb_job *job, struct plb_error *err)
{
    struct plb_settings *s = &job->settings;
    struct plb_error later = {.status = PLB_OK};
    (void)plb_settings_load(s, "balance", &later);
    struct plb_setting *name = plb_settings_get(s, "balance", "balancer");
    if (plb_is_object_path(name->text)) {
        plb_settings_resolve(s, name);
        job->balancer = plb_balancer_load(name->text, name->origin, err);
        if (job->balancer == NULL || check_own_keys(s, job->balancer, name->text, err) != PLB_OK)
            return err->status;
    } else {
        job->balancer = plb_balancer_find(name->text, name->origin, &later);
    }
    plb_job_settings_add_balancers(s, job->balancer);
    return PLB_OK;
}

/* Reads [balance]. Li's algorithm goes by given power, in shares and in what a thief gets, though rates are
 * measured. */
static int read_balancer(struct plb_job *job, bool simulated, struct plb_error *err)
{
    struct plb_settings *s = &job->settings;
    if (plb_settings_load(s, "balance", err) != PLB_OK)
        return err->status;
    struct plb_setting *name = plb_settings_get(s, "balance", "balancer");
    const struct plb_balancer *b = job->balancer;
    if (b == NULL) {
        (void)plb_balancer_find(name->text, name->origin, err);
        return err->status;
    }
    if (plb_is_object_path(name->text))
        plb_settings_resolve(s, name); /* --show-config shows the path */
    if (b->simulation_only && !simulated)
        return plb_fail(err, PLB_EINPUT,
                        "%s: balancer %s works in simulations only; add --simulate FILE.cluster, or choose "
                        "another (--balancer help)",
                        name->origin, name->text);
    job->params = plb_settings_params(s, b);
    plb_balance_settings_read(s, &job->balance);
    job->balance.migration.by_power = b->basis != NULL && b->basis(job->params) == PLB_BY_POWER;
    job->balance.migration.seed = job->seed;
    job->balance.migration.backups &= !job->kernel->once;
    return plb_goal_read(s, b, job->params, &job->goal, err);
}

/* The setting is that of the command line: reports show it. */
static void set_simulated(struct plb_setting *file, const char *simulate)
{
    free(file->text);
    free(file->origin);
    file->text = strdup(simulate);
    file->origin = strdup("--simulate");
}

static int read_cluster(struct plb_job *job, const char *simulate, struct plb_error *err)
{
    if (plb_settings_load(&job->settings, "cluster", err) != PLB_OK)
        return err->status;
    if (simulate != NULL)
        set_simulated(plb_settings_get(&job->settings, "cluster", "file"), simulate);
    plb_cluster_settings_read(&job->settings, &job->machines);
    const char *file = simulate != NULL ? simulate : job->machines.file;
    if (simulate != NULL && plb_is_report(simulate))
        plb_replay_read(simulate, job->kernel->name, &job->cluster, &job->replay, err);
    else if (file != NULL)
        plb_cluster_read(file, job->kernel->name, simulate != NULL, &job->cluster, err);
    return err->status;
}

static int read_run(struct plb_job *job, struct plb_error *err)
{
    if (plb_settings_load(&job->settings, "run", err) != PLB_OK)
        return err->status;
    int status = plb_run_settings_read(&job->settings, &job->run, err);
    if (job->kernel->once && !plb_settings_get(&job->settings, "run", "hung_after")->given)
        job->run
            .hung_after = 0.0; /* its units may take any time, and a second one costs more than patience */
    return status;
}

int plb_job_read(struct plb_job *job, const char *conf_file, char *const *assignments, int n_assignments,
                 const char *simulate, uint64_t seed, struct plb_error *err)
{
    *job = (struct plb_job){.seed = seed, .began = time(NULL), .began_s = plb_now(), .mode.left_s = INFINITY};
    if (plb_settings_init(&job->settings, conf_file, assignments, n_assignments, err) != PLB_OK)
        return err->status;
    plb_job_settings_add(&job->settings);
    /* Unknown names first: a wrong value may only be a symptom of one. */
    if (read_kernel(job, simulate, err) != PLB_OK || load_balancer(job, err) != PLB_OK
        || plb_settings_check_unknown(&job->settings, err) != PLB_OK)
        return err->status;
    if (read_balancer(job, simulate != NULL, err) != PLB_OK || read_run(job, err) != PLB_OK)
        return err->status;
    return read_cluster(job, simulate, err);
}

static double replayed_cost(const void *context, int64_t first, int64_t count)
{
    const struct plb_job *job = context;
    const struct plb_replay *replay = &job->replay;
    const struct plb_range range = {first, count};
    double sum = 0.0;
    for (int i = 0; i < replay->n; i++) {
        const struct plb_replay_cost *c = &replay->costs[i];
        struct plb_range both = plb_range_common((struct plb_range){c->first, c->count}, range);
        sum += (double)both.count * c->cost * job->maps[0].per_work;
    }
    return sum;
}

/* A report's costs and rates are in units of average cost. */
static int set_up_replay(struct plb_job *job, const char *conf, struct plb_error *err)
{
    if (job->replay.units == 0)
        return PLB_OK;
    if (plb_phase_count(job->kernel) > 1)
        return plb_fail(err, PLB_EINPUT,
                        "kernel %s has several phases, but a report has one rate per PU; describe the PUs in "
                        "a .cluster file and use --simulate",
                        job->kernel->name);
    if (job->replay.units != job->app.units)
        return plb_fail(
            err, PLB_EINPUT,
            "%s: the job has %lld units, but the replayed report has %lld; use the conf file of that run",
            conf, (long long)job->app.units, (long long)job->replay.units);
    for (int p = 0; p < job->cluster.n_pus; p++)
        job->cluster.pus[p].rate *= job->maps[0].per_work;
    if (job->replay.n == 0)
        return PLB_OK;
    job->true_map = plb_alloc(sizeof *job->true_map);
    return plb_cost_map_init(job->true_map, job->app.units, replayed_cost, job, err);
}

/* Simulated tasks that first read all replicated data, as a call of BLAS packs a matrix, start with that. */
static void add_reading(struct plb_job *job)
{
    for (int p = 0; p < job->cluster.n_pus; p++) {
        struct plb_pu_spec *pu = &job->cluster.pus[p];
        if (pu->replicated_bandwidth > 0.0)
            pu->half += job->sizes.replicated_bytes / pu->replicated_bandwidth * pu->rate;
    }
}

/* Cuts the units into chunks, where rank 0 has room for the arrays that may wait. */
static int make_chunks(struct plb_job *job, struct plb_dataset *set, struct plb_error *err)
{
    double bytes = 0.0, memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    set->chunk = job->app.chunk = plb_chunk_units(set->units, set->multiple);
    for (int i = 0; i < set->n; i++)
        bytes += set->at[i].mode == PLB_REDUCE ? (double)set->at[i].bytes : 0.0;
    int64_t chunks = (set->units - 1) / set->chunk + 1;
    double waiting = bytes * (double)chunks / 2.0;
    if (waiting > WAITING * memory)
        return plb_fail(err, PLB_EINPUT,
                        "run.reproducible: rank 0 may need %.3g GB for reduced arrays, but has %.3g GB of "
                        "memory; leave it out, or reduce smaller arrays",
                        1e-9 * waiting, 1e-9 * memory);
    if (plb_settings_get(&job->settings, "run", "journal")->text != NULL)
        return plb_fail(err, PLB_EINPUT,
                        "run.reproducible and run.journal exclude each other; leave one out");
    return PLB_OK;
}

/* A journal keeps results of its own, and not those that ranks write to files. */
static int check_files(const struct plb_job *job, struct plb_error *err)
{
    const char *journal = plb_settings_get(&job->settings, "run", "journal")->text;
    if (journal != NULL)
        for (int i = 0; i < job->app.results.n; i++)
            if (job->app.results.at[i].mapped)
                return plb_fail(
                    err, PLB_EINPUT,
                    "run.journal: a journal cannot keep %s, which is written while the job runs; leave "
                    "out the journal, or have the kernel keep this result in memory",
                    job->app.results.at[i].path);
    return PLB_OK;
}

/* An audit compares what it has in memory, and a second time is what some kernels must not have. */
static int check_audit(const struct plb_job *job, struct plb_error *err)
{
    if (job->run.audit == 0.0)
        return PLB_OK;
    if (job->kernel->once)
        return plb_fail(err, PLB_EINPUT, "run.audit: kernel %s must not execute units twice; leave it out",
                        job->kernel->name);
    for (int i = 0; i < job->app.n_data; i++)
        if (job->app.data[i].mode == PLB_RECORDS)
            return plb_fail(err, PLB_EINPUT,
                            "run.audit: the records of kernel %s cannot be compared; leave it out",
                            job->kernel->name);
    return PLB_OK;
}

int plb_job_setup(struct plb_job *job, bool simulated, struct plb_error *err)
{
    struct plb_app_mode mode = job->mode;
    mode.simulated = simulated;
    mode.shares = job->run.isolate && !simulated;
    mode.host_maps = mode.host_maps && !simulated && job->machines.file == NULL;
    mode.left_s = simulated ? INFINITY : mode.left_s;
    int status = plb_app_setup(&job->app, job->kernel, &job->settings, mode);
    struct plb_dataset set = {0};
    if (status == PLB_OK) {
        plb_dataset_describe(&set, &job->app);
        if (job->run.reproducible && plb_dataset_reduces(&set) && make_chunks(job, &set, err) != PLB_OK)
            return err->status;
        job->sizes = plb_dataset_sizes(&set);
        job->machines.pus.programs = job->app.programs;
        add_reading(job);
    }
    if (status == PLB_OK && !simulated
        && (check_files(job, err) != PLB_OK || check_audit(job, err) != PLB_OK))
        return err->status;
    job->maps = plb_alloc((size_t)plb_phase_count(job->kernel) * sizeof *job->maps);
    for (int i = 0; status == PLB_OK && i < plb_phase_count(job->kernel); i++)
        status = plb_app_cost_map(&job->app, i, &job->maps[i]);
    /* A simulation copies nothing. In a later pass units go where their inputs are, to the unit. */
    const bool aligns = !simulated && job->kernel->next == NULL;
    for (int i = 0; status == PLB_OK && i < plb_phase_count(job->kernel); i++) {
        job->maps[i].chunk = job->app.chunk;
        job->maps[i].stride = aligns ? plb_dataset_stride(&set, 0) : 1;
    }
    if (status == PLB_OK && set_up_replay(job, job->settings.conf.file, err) != PLB_OK)
        return err->status;
    for (int i = 0; simulated && status == PLB_OK && i < plb_phase_count(job->kernel); i++) {
        plb_app_phase(&job->app, i);
        job->simulated[i] = plb_app_begin_pass(&job->app);
    }
    if (status == PLB_OK)
        return simulated ? PLB_OK : plb_results_reserve(&job->app.results, err);
    return plb_fail(err, status, "%s", job->app.err.text);
}

/* The status of one of the kernel's functions, which has returned, with a sentence of our own where the
 * kernel gave none. */
static int hook_status(struct plb_job *job, const char *hook, int status, struct plb_error *err)
{
    plb_crash_call(job->kernel->name, NULL);
    if (status == PLB_OK && job->app.err.status == PLB_OK)
        return PLB_OK;
    if (job->app.err.status == PLB_OK)
        plb_app_error(&job->app, "kernel %s: %s returned %d without saying why", job->kernel->name, hook,
                      status);
    return plb_fail(err, status == PLB_EVERIFY ? PLB_EVERIFY : PLB_EFAILED, "%s", job->app.err.text);
}

int plb_job_next(struct plb_job *job, int64_t pass, bool *again, struct plb_error *err)
{
    *again = false;
    if (job->kernel->next == NULL)
        return PLB_OK;
    plb_crash_call(job->kernel->name, "next");
    return hook_status(job, "next", job->kernel->next(&job->app, pass, again), err);
}

int plb_job_verify(struct plb_job *job, struct plb_error *err)
{
    if (job->kernel->verify == NULL)
        return plb_fail(err, PLB_EINPUT, "kernel %s has no reference to compare with; leave out --verify",
                        job->kernel->name);
    plb_crash_call(job->kernel->name, "verify");
    return hook_status(job, "verify", job->kernel->verify(&job->app), err);
}

int plb_job_finish(struct plb_job *job, struct plb_error *err)
{
    plb_crash_call(job->kernel->name, "finish");
    int status = job->kernel->finish != NULL ? job->kernel->finish(&job->app) : PLB_OK;
    if (hook_status(job, "finish", status, err) != PLB_OK)
        return err->status;
    struct plb_results *results = &job->app.results;
    job->finished = (job->app.unfinished ? plb_results_write_logs(results, err)
                                         : plb_results_write(results, "", err))
                 == PLB_OK;
    if (job->finished && job->app.failed.status != PLB_OK)
        plb_fail(err, job->app.failed.status, "%s", job->app.failed.text);
    return err->status;
}

void plb_job_fini(struct plb_job *job)
{
    for (int i = 0; job->maps != NULL && i < plb_phase_count(job->kernel); i++)
        plb_cost_map_fini(&job->maps[i]);
    free(job->maps);
    if (job->true_map != NULL)
        plb_cost_map_fini(job->true_map);
    free(job->true_map);
    plb_replay_fini(&job->replay);
    plb_app_fini(&job->app);
    plb_cluster_fini(&job->cluster);
    plb_settings_fini(&job->settings);
    free(job->params);
    *job = (struct plb_job){0};
}
