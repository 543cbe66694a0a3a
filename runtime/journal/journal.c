/* The communication thread's side. */
#include "journal/journal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/record_store.h"
#include "base/clock.h"
#include "base/memory.h"
#include "journal/found.h"
#include "journal/inside.h"

/* Seconds between two batches. A run that dies loses what was accepted since the last one, and while that was
 * written. Larger: more is lost. Smaller: the disk syncs more often, which may cost it some milliseconds.
 * Half of the second that docs/guide/resume.md promises, so that the other half is left for the disk. */
#define PERIOD 0.5

/* ------------------------------------------------------------------------- open */

/* Decides how the run begins. */
static int decide(struct plb_journal *j, struct plb_found *found, struct plb_error *err)
{
    bool failed = found->failed != NULL && j->resume == PLB_RESUME_FAILED;
    if (found->what == PLB_FOUND_BROKEN && j->resume == PLB_RESUME_NOT)
        return plb_fail(err, PLB_EINPUT,
                        "journal %s: it has the finished work of an interrupted run; continue that run with "
                        "--resume, or remove the journal to begin anew",
                        j->files.path);
    j->goes_on = found->what == PLB_FOUND_BROKEN || (found->what == PLB_FOUND_COMPLETE && failed);
    j->complete = found->what == PLB_FOUND_COMPLETE && j->resume != PLB_RESUME_NOT && !failed;
    j->fresh = !j->goes_on && !j->complete;
    j->found_id = found->id;
    j->found_end = found->end;
    j->found_pass = found->last_pass;
    j->found_job = found->job;
    j->found_failed = found->failed;
    found->job = found->failed = NULL;
    return PLB_OK;
}

int plb_journal_open(const struct plb_job *job, enum plb_resume resume, struct plb_journal **journal,
                     struct plb_error *err)
{
    const char *file = plb_settings_get(&job->settings, "run", "journal")->text;
    struct plb_found found;
    if (resume == PLB_RESUME_FAILED && job->kernel->retry == NULL)
        return plb_fail(err, PLB_EINPUT,
                        "--resume-failed: kernel %s does not know of %s that failed; use --resume",
                        job->kernel->name, job->kernel->unit);
    if (file == NULL && resume != PLB_RESUME_NOT)
        return plb_fail(err, PLB_EINPUT,
                        "%s needs the journal of the interrupted run; name it with run.journal=FILE, or for "
                        "--run with --joblog FILE",
                        resume == PLB_RESUME_FAILED ? "--resume-failed" : "--resume");
    if (file == NULL)
        return PLB_OK;
    struct plb_journal *j = *journal = plb_alloc(sizeof *j);
    j->job = job;
    j->resume = resume;
    j->first_pass = 1;
    if (plb_journal_files_open(&j->files, file, err) != PLB_OK)
        return err->status;
    if (plb_found_read(&found, &j->files, err) == PLB_OK)
        decide(j, &found, err);
    plb_found_fini(&found);
    return err->status;
}

bool plb_journal_is_complete(const struct plb_journal *j)
{
    return j != NULL && j->complete;
}

int plb_journal_ending(const struct plb_journal *j, struct plb_error *err)
{
    return !plb_journal_is_complete(j) || j->found_failed == NULL
             ? PLB_OK
             : plb_fail(err, PLB_EFAILED, "%s", j->found_failed);
}

struct plb_journal_start plb_journal_start(const struct plb_journal *j)
{
    if (j == NULL)
        return (struct plb_journal_start){.pass = 1};
    struct plb_journal_start start = {j->first_pass, &j->accepted, j->over, j->goes_on, j->first_phase, {0}};
    for (int i = 0; i < PLB_MAX_PHASES; i++)
        start.before[i] = j->before[i];
    return start;
}

const struct plb_rangeset *plb_journal_accepted(const struct plb_journal *j)
{
    return j == NULL || j->over ? NULL : &j->accepted;
}

void plb_journal_fold(const struct plb_journal *j, int pass)
{
    if (j != NULL && pass == j->first_pass && j->accepted.units > 0 && j->sums_bytes > 0)
        plb_state_copy_sums(&j->set, j->accepted_sums, true);
}

/* ------------------------------------------------------------------------- a run */

void plb_journal_work(struct plb_journal *j, const struct plb_pu_info *pus, int n)
{
    if (j == NULL)
        return;
    j->pus = plb_alloc((size_t)n * sizeof *j->pus);
    j->n_pus = n;
    for (int p = 0; p < n; p++) {
        j->pus[p].node = pus[p].node;
        j->pus[p].pu = pus[p].local;
        snprintf(j->pus[p].host, sizeof j->pus[p].host, "%s", pus[p].host);
    }
    plb_writer_start(j);
}

static void forget(struct plb_batch *b)
{
    b->n = 0;
    plb_rangeset_clear(&b->units);
}

void plb_journal_begin(struct plb_journal *j, int pass, int phase, int64_t replaced)
{
    if (j == NULL)
        return;
    struct plb_batch *next = &j->next;
    const struct plb_app *app = &j->job->app;
    bool first = pass == j->first_pass; /* its begin is on disk, or is what setup makes */
    forget(next);
    next->of = (struct plb_snapshot){.pass = pass, .phase = phase};
    next->begins = !first;
    next->state.changed |= replaced;
    next->state.records = j->set.store != NULL ? plb_record_store_bytes(j->set.store) : 0;
    for (int i = 0; i < PLB_MAX_PHASES; i++)
        next->state.passes[i] = app->passes[i] - (i == phase);
    plb_rangeset_clear(&j->folded);
    if (first && j->sums_bytes > 0)
        for (int i = 0; i < j->accepted.n; i++)
            plb_rangeset_add(&j->folded, j->accepted.at[i]);
    j->in_pass = true;
}

/* Seconds since 1970. */
static double date(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Bytes of a range that go to another rank for its execution, or come back. */
static int64_t bytes_moved(const struct plb_dataset *set, struct plb_range range, bool results)
{
    int64_t sum = 0;
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(set, i, range, &offset, &bytes);
        bool counts = results ? plb_data_is_result(&set->at[i]) : plb_data_is_partitioned(&set->at[i]);
        sum += counts ? (int64_t)bytes : 0;
    }
    return sum;
}

void plb_journal_add(struct plb_journal *j, const struct plb_message *done)
{
    if (j == NULL || !j->in_pass || plb_writer_is_broken(j))
        return;
    struct plb_batch *b = &j->next;
    struct plb_range range = done->done.range;
    double seconds = done->done.execute_s + done->done.transfer_s;
    b->done = plb_room(b->done, b->n, &b->capacity, sizeof *b->done);
    b->done[b->n++] = (struct plb_record_done){
        .first = range.first,
        .count = range.count,
        .node = done->from,
        .pu = done->pu,
        .start = date() - seconds,
        .seconds = seconds,
        .sent = done->from != 0 ? bytes_moved(&j->set, range, false) : 0,
        .received = done->from != 0 ? bytes_moved(&j->set, range, true) : 0,
    };
    plb_rangeset_add(&b->units, range);
    if (j->sums_bytes > 0)
        plb_rangeset_add(&j->folded, range);
}

void plb_journal_step(struct plb_journal *j)
{
    if (j == NULL || !j->in_pass || (j->next.n == 0 && !j->next.begins))
        return;
    double now = plb_now();
    if (now < j->handed_at + PERIOD || plb_writer_is_busy(j) || plb_writer_is_broken(j))
        return;
    j->handed_at = now;
    plb_writer_hand_over(j);
}

/* Whether a result waits that a run which goes on would not execute again, of a kernel that may end the run
 * before all units are: then this pass may be the last one, and unfinished. */
static bool must_stay(const struct plb_journal *j)
{
    const struct plb_kernel *kernel = j->job->kernel;
    const struct plb_batch *b = &j->next;
    if (kernel->redo != NULL)
        for (int i = 0; i < b->n; i++)
            for (int64_t u = b->done[i].first; u < b->done[i].first + b->done[i].count; u++)
                if (!kernel->redo(&j->job->app, u))
                    return true;
    return false;
}

bool plb_journal_reads(struct plb_journal *j)
{
    if (j == NULL)
        return false;
    if (j->in_pass && !plb_writer_is_broken(j) && must_stay(j)) {
        if (plb_writer_is_busy(j))
            return true;
        j->handed_at = plb_now();
        plb_writer_hand_over(j);
    }
    if (j->fresh && j->in_pass && j->handed_at == 0.0 && !plb_writer_is_broken(j)) {
        j->handed_at = plb_now();
        plb_writer_hand_over(j);
    }
    return plb_writer_reads(j);
}

/* Keeps results for people alone: a run that resumes the journal does not count them. */
static void tell(struct plb_batch *b)
{
    int n = b->n_told + b->n;
    if (n > b->told_capacity) {
        b->told_capacity = 2 * n;
        b->told = plb_grow(b->told, (size_t)b->told_capacity * sizeof *b->told);
    }
    for (int i = 0; i < b->n; i++)
        b->told[b->n_told++] = (struct plb_record_past){{b->of.pass, b->of.phase}, b->done[i]};
    forget(b);
}

void plb_journal_end_pass(struct plb_journal *j)
{
    if (j == NULL)
        return;
    j->in_pass = false;
    j->next.begins = false;
    if (j->job->kernel->next != NULL)
        tell(&j->next);
}

/* -------------------------------------------------------------------------- end */

void plb_journal_rest(struct plb_journal *j, bool save)
{
    if (j == NULL)
        return;
    plb_writer_wait(j, save);
    if (save && j->in_pass && j->next.n > 0 && !plb_writer_is_broken(j)) {
        plb_writer_hand_over(j);
        plb_writer_wait(j, true);
    }
    j->in_pass = false;
}

void plb_journal_advise(const struct plb_journal *j, struct plb_error *err)
{
    if (j == NULL || j->identity == NULL || j->complete || j->wrong || err->text[0] == '\0')
        return;
    plb_append(err, "; --resume continues from there, by journal ", j->files.path);
}

void plb_journal_distrust(struct plb_journal *j, struct plb_error *err)
{
    if (j == NULL || j->complete)
        return;
    j->wrong = true;
    plb_append(err, "; the journal contains these results as well, and is removed: ", j->files.path);
}

static void release(struct plb_batch *b)
{
    free(b->done);
    free(b->told);
    free(b->sums);
    plb_rangeset_fini(&b->units);
    plb_rangeset_fini(&b->folded);
}

void plb_journal_close(struct plb_journal *j, bool complete)
{
    if (j == NULL)
        return;
    bool ran = j->pus != NULL, started = j->started;
    plb_writer_stop(j);
    bool broken = !started || j->broken; /* by the last batch, perhaps */
    const struct plb_error *failed = &j->job->app.failed;
    const char *sentence = failed->status != PLB_OK ? failed->text : "";
    complete = complete && ran;
    tell(&j->next); /* their outputs are written, but not to FILE.data */
    if (complete && j->identity != NULL && !broken)
        complete = plb_writer_tell(j, &j->next)
                && plb_record_append(j->files.fd, PLB_RECORD_END, sentence, strlen(sentence), "", 0)
                && fdatasync(j->files.fd) == 0;
    if (j->identity == NULL && j->fresh)
        plb_journal_files_remove(&j->files, j->found_job == NULL || ran);
    else if (j->wrong)
        plb_journal_files_remove(&j->files, true);
    else if (complete && (broken || sentence[0] == '\0' || j->job->kernel->retry == NULL))
        plb_journal_files_remove(&j->files, broken);
    plb_journal_files_close(&j->files);
    release(&j->next);
    release(&j->batch);
    plb_rangeset_fini(&j->accepted);
    plb_forgotten_free(j->forgotten, j->n_forgotten);
    plb_rangeset_fini(&j->folded);
    free(j->accepted_sums);
    free(j->found_job);
    free(j->found_failed);
    free(j->identity);
    free(j->pus);
    free(j);
}
