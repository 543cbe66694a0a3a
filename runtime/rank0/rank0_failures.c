/* Rank 0's answer to FAIL: a PU less, or the end of the run. And to a disk that is full of records. */
#include <stdio.h>
#include <string.h>

#include "app/record_store.h"
#include "base/log.h"
#include "outcome/fill_report.h"
#include "rank0/rank0.h"

/* Whether nobody needs the task that failed any more: its units are accepted, or its pass is over. The master
 * says so, since it may have begun the next pass, of which rank 0 has not heard yet. */
static bool is_needless(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_message units = *m;
    units.type = PLB_DONE;
    units.done = (struct plb_done){.range = m->fail.range, .block = m->fail.block, .tasks = 1};
    const enum plb_verdict verdict = plb_master_judge(r->rank0->master, &units);
    return !r->rank0->in_pass || verdict == PLB_NOT_SENSIBLE || (!m->fail.audit && verdict == PLB_NONE_NEW);
}

void plb_rank0_stop_by(struct plb_rank *r, const char *why)
{
    bool prints = plb_results_stream(&r->rank0->job->app.results);
    plb_rank0_end(r, plb_fail(r->err, PLB_EFAILED, "%s%s", why,
                              plb_early_end_results(r->options->keep_partial, prints)));
}

/* A device has failed. The run goes on while there is another PU. */
static void on_lost_device(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_rank0 *rank0 = r->rank0;
    int before = plb_usable_pus(rank0->master);
    plb_master_receive(rank0->master, m, plb_rank_time(r), &r->out);
    int left = plb_usable_pus(rank0->master);
    if (left < before)
        plb_failure_describe(m, r->kernel, rank0->job->app.running, rank0->pus, rank0->n_pus, rank0->lost);
    if (!plb_rank0_stop_on_failure(r) && left < before && left > 0)
        plb_log(m->fail.status == PLB_TASK_RETIRES ? PLB_LOG_INFO : PLB_LOG_WARNING,
                "%s; this PU is no longer used, and its %s are re-executed elsewhere", rank0->lost,
                r->kernel->unit);
}

/* Results that were accepted are lost with a device: passes are executed again. Its rank may owe some of
 * them: nobody waits for these. */
static void on_lost_results(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_rank0 *rank0 = r->rank0;
    if (r->data.fed == 0 || r->stopped)
        return;
    plb_fetch_void(&rank0->fetching, m->from);
    if ((rank0->in_pass || rank0->fetching.on) && !rank0->redo.broken)
        plb_redo_break(r);
}

void plb_rank0_failed(struct plb_rank *r, const struct plb_message *m)
{
    char why[PLB_FAILURE_TEXT];
    if (m->fail.text[0] != '\0') {
        on_lost_device(r, m);
        if (m->fail.lost)
            on_lost_results(r, m);
    } else if (!is_needless(r, m)) {
        plb_failure_describe(m, r->kernel, r->rank0->job->app.running, r->rank0->pus, r->rank0->n_pus, why);
        plb_rank0_stop_by(r, why);
    }
}

void plb_rank0_check_records(struct plb_rank *r)
{
    char why[PLB_FAILURE_TEXT];
    const char *path = NULL;
    int reason = r->data.store != NULL ? plb_record_store_failure(r->data.store, &path) : 0;
    if (reason == 0)
        return;
    const char *journal = plb_settings_get(&r->rank0->job->settings, "run", "journal")->text;
    if (path != NULL)
        snprintf(why, sizeof why, "%s cannot be written: %s", path, strerror(reason));
    else
        snprintf(why, sizeof why, "the records of %s cannot be written to %s%s: %s; free some space",
                 r->kernel->unit, journal != NULL ? journal : "a temporary file",
                 journal != NULL ? ".records" : "", strerror(reason));
    plb_rank0_stop_by(r, why);
}
