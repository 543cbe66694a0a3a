/* A job as the master sees it. */
#include "app/dataset.h"
#include "app/feeds.h"
#include "job/job.h"

/* Bytes of inputs and results in one task of another rank. Larger: a PU waits longer for its first task.
 * Smaller: more messages for the same data. 32 MB last a few milliseconds on a network of 10 GB/s, and hide
 * behind work. */
#define TASK_BYTES 32e6

/* Whether tasks have results at all. */
static bool has_results(const struct plb_job *job)
{
    for (int i = 0; i < job->app.n_data; i++)
        if (plb_data_is_result(&job->app.data[i]))
            return true;
    return false;
}

/* Whether ranks keep inputs from pass to pass. A single pass gains nothing by that. */
static bool keeps_inputs(const struct plb_job *job)
{
    return job->run.keep_inputs && job->kernel->next != NULL && plb_app_unit_bytes(&job->app) > 0.0;
}

/* Whether rank 0 needs each result: a journal keeps them, and an audit compares them. */
static bool looks_at_all(const struct plb_job *job)
{
    return job->run.audit > 0.0 || plb_settings_get(&job->settings, "run", "journal")->text != NULL;
}

/* The outputs that stay at their nodes until the last pass has ended. */
static int64_t stays(const struct plb_job *job)
{
    int64_t buffers = 0;
    if (job->kernel->next != NULL && !looks_at_all(job))
        for (int i = 0; i < job->app.n_data; i++)
            buffers |= job->app.data[i].stays ? PLB_BUFFER(i) : 0;
    return buffers;
}

/* Whether results that feed inputs are among these. Not where data has checksums, or ranks may join: results
 * that go from rank to rank have none, and ranks that join are reached through rank 0 alone. */
static bool feeds_stay(const struct plb_job *job)
{
    return stays(job) != 0 && keeps_inputs(job) && !job->run.checksums && job->run.join == NULL
        && plb_feeds_staying(&job->app) != 0;
}

/* Whether reduced arrays may stay: not where their order is fixed, or results have sums or feed inputs. */
static bool may_fold(const struct plb_job *job)
{
    return job->sizes.task_bytes > 0.0 && job->sizes.chunk == 0 && !looks_at_all(job) && !job->run.checksums
        && plb_feeds_outputs(&job->app) == 0;
}

struct plb_master_config plb_job_master(const struct plb_job *job)
{
    return (struct plb_master_config){
        .balancer = job->balancer,
        .params = job->params,
        .sizes = &job->sizes,
        .units = job->app.units,
        .pulled_bytes = TASK_BYTES,
        .phases = plb_phase_count(job->kernel),
        .grain = job->balance.grain,
        .migration = job->balance.migration.on,
        .victim = job->balance.migration.victim,
        .backups = job->balance.migration.backups,
        .task_s = job->balance.migration.task_s,
        .learn_costs = job->balance.learn_costs,
        .unscaled = job->balance.samples == PLB_SAMPLES_MEASURED,
        .saves = plb_settings_get(&job->settings, "run", "journal")->text != NULL, /* it keeps tasks */
        .resident = keeps_inputs(job),
        .stays = feeds_stay(job) ? stays(job) : stays(job) & ~plb_feeds_outputs(&job->app),
        .feeds_stay = feeds_stay(job),
        .folds = may_fold(job),
        .whole_results = job->sizes.task_bytes > 0.0, /* of its reduced arrays */
        .audit = has_results(job) ? job->run.audit : 0.0,
        .isolated = job->run.isolate,
        .goal = job->goal,
        .seed = job->seed,
    };
}
