/* How a run goes on: the job is that of the journal, and what the journal has of it comes back. Everything is
 * read and compared before anything of the journal changes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/record_store.h"
#include "base/log.h"
#include "base/memory.h"
#include "journal/found.h"
#include "journal/identity.h"
#include "journal/inside.h"
#include "journal/journal.h"

static int damaged(const struct plb_journal *j, const char *what, struct plb_error *err)
{
    return plb_fail(
        err, PLB_EINPUT,
        "journal %s: %s is missing or damaged; bring it back, or remove the journal to begin anew",
        j->files.path, what);
}

/* Compares the job with that of the journal, and keeps its text. */
static int compare(struct plb_journal *j, struct plb_error *err)
{
    const char *name = "", *here = "", *there = "";
    char *now = plb_identity_print(j->job, err);
    if (now == NULL)
        return err->status;
    char *copy = strdup(now);
    if (copy == NULL)
        plb_fail(err, PLB_EFAILED, "journal %s: no memory to compare its job with this one", j->files.path);
    else if (!plb_identity_same(copy, j->found_job, &name, &here, &there))
        plb_fail(err, PLB_EINPUT,
                 "journal %s: it belongs to another job: %s is %s here, but %s there; name another journal, "
                 "or make both jobs the same",
                 j->files.path, name, here, there);
    free(copy);
    if (err->status == PLB_OK)
        j->identity = now;
    else
        free(now);
    return err->status;
}

/* Finds the units that are accepted in the pass with which the run begins. */
static int find_accepted(struct plb_journal *j, struct plb_error *err)
{
    struct plb_snapshot of = {.id = j->files.id, .pass = j->first_pass};
    struct plb_found found;
    if (j->sums_bytes > 0) {
        j->accepted_sums = plb_alloc(j->sums_bytes);
        plb_state_read_sums(j->files.sums_path, &of, j->set.units, &j->accepted, j->accepted_sums,
                            j->sums_bytes);
        return PLB_OK;
    }
    if (plb_found_read(&found, &j->files, err) == PLB_OK
        && !plb_found_units(&found, j->first_pass, j->set.units, &j->accepted))
        damaged(j, j->files.path, err);
    plb_found_fini(&found);
    return err->status;
}

/* The store of the records appends to FILE.records from now on. Accepted units of this pass whose records are
 * missing or damaged are not accepted any more, and so they are executed again. Records of earlier passes,
 * and those of units that are folded into arrays, must be whole, since nobody can make them again. */
static int open_records(struct plb_journal *j, bool fresh, struct plb_error *err)
{
    struct plb_record_store *store = j->set.store;
    int64_t named = j->accepted.units;
    if (store == NULL || plb_journal_files_open_records(&j->files, fresh, err) != PLB_OK)
        return err->status;
    if (j->n_forgotten > 0)
        plb_record_store_forget(store, j->forgotten, j->n_forgotten);
    if (!plb_record_store_adopt(store, j->files.records, j->first_pass, fresh ? NULL : &j->accepted)
        || plb_record_store_bytes(store) < j->next.state.records
        || (j->sums_bytes > 0 && j->accepted.units < named))
        return damaged(j, j->files.records_path, err);
    if (j->accepted.units < named)
        plb_log(PLB_LOG_WARNING,
                "journal %s: %s has lost the records of %lld %s; these are re-executed, and their output may "
                "be printed twice",
                j->files.path, j->files.records_path, (long long)(named - j->accepted.units),
                j->job->kernel->unit);
    return PLB_OK;
}

/* Brings outputs back. Units whose outputs are damaged are not accepted any more, unless they are folded into
 * arrays. */
static int read_data(struct plb_journal *j, struct plb_error *err)
{
    int64_t named = j->accepted.units;
    struct plb_found found;
    if (plb_journal_files_open_data(&j->files, &j->set, named == 0, err) != PLB_OK)
        return err->status;
    if (!plb_journal_files_read_data(&j->files, &j->set, &j->accepted))
        return damaged(j, j->files.data_path, err);
    if (plb_found_read(&found, &j->files, err) == PLB_OK && named > 0)
        plb_found_check(&found, j->first_pass, &j->set, &j->accepted);
    plb_found_fini(&found);
    if (err->status != PLB_OK || j->accepted.units == named)
        return err->status;
    if (j->sums_bytes > 0)
        return damaged(j, j->files.data_path, err);
    plb_log(PLB_LOG_WARNING, "journal %s: %s is damaged in the outputs of %lld %s; these are re-executed",
            j->files.path, j->files.data_path, (long long)(named - j->accepted.units), j->job->kernel->unit);
    return PLB_OK;
}

/* Finds what earlier runs have forgotten. In the pass that goes on, the kernel forgets it as well. */
static int find_forgotten(struct plb_journal *j, struct plb_app *app, struct plb_error *err)
{
    struct plb_found found;
    const int n = plb_found_read(&found, &j->files, err) == PLB_OK
                    ? plb_found_forgotten(&found, j->set.units, &j->forgotten)
                    : 0;
    plb_found_fini(&found);
    if (n < 0 || (n > 0 && j->job->kernel->retry == NULL))
        return damaged(j, j->files.path, err);
    j->n_forgotten = n;
    for (int i = 0; i < n; i++)
        if (j->forgotten[i].pass == j->first_pass)
            for (int k = 0; k < j->forgotten[i].units.n; k++)
                for (struct plb_range r = j->forgotten[i].units.at[k]; r.count > 0; r.first++, r.count--)
                    j->job->kernel->retry(app, r.first);
    return err->status;
}

/* Has the kernel forget that units failed, if the user wants that. The entry behind the last one is free. */
static void find_failed(struct plb_journal *j, struct plb_app *app, struct plb_rangeset *redone)
{
    if (j->resume == PLB_RESUME_FAILED)
        for (int64_t u = 0; u < j->set.units; u++)
            if (j->job->kernel->retry(app, u))
                plb_rangeset_add(redone, (struct plb_range){u, 1});
    if (redone->n == 0)
        return;
    struct plb_forgotten *now = &j->forgotten[j->n_forgotten++];
    j->forgets = true;
    *now = (struct plb_forgotten){.pass = j->first_pass, .records = INT64_MAX, .mark = -1};
    plb_rangeset_add_all(&now->units, redone);
}

/* Writes what this run has forgotten, if it has: before anything of it is executed or printed. */
static bool write_forgotten(const struct plb_journal *j)
{
    if (!j->forgets)
        return true;
    const struct plb_forgotten *last = &j->forgotten[j->n_forgotten - 1];
    const struct plb_record_forgotten of = {last->pass, last->records, last->mark > 0 ? last->mark : 0};
    return plb_record_append(j->files.fd, PLB_RECORD_FORGOTTEN, &of, sizeof of, last->units.at,
                             (size_t)last->units.n * sizeof *last->units.at);
}

/* Units that the kernel wants to have executed again are not accepted any more. */
static void leave_out(struct plb_journal *j, struct plb_rangeset *redone)
{
    const struct plb_kernel *kernel = j->job->kernel;
    for (int i = 0; i < j->accepted.n && kernel->redo != NULL && j->sums_bytes == 0; i++)
        for (int64_t u = j->accepted.at[i].first; u < j->accepted.at[i].first + j->accepted.at[i].count; u++)
            if (kernel->redo(&j->job->app, u))
                plb_rangeset_add(redone, (struct plb_range){u, 1});
    for (int i = 0; i < redone->n; i++)
        plb_rangeset_remove(&j->accepted, redone->at[i]);
}

/* Gives units a record of their own, whose outputs are in memory. */
static bool keep(struct plb_journal *j, struct plb_record_done done, struct plb_range units)
{
    const struct plb_record_pass of = {.pass = j->first_pass, .phase = j->first_phase};
    done.first = units.first;
    done.count = units.count;
    done.sum = plb_journal_files_sum(&j->set, units);
    return plb_record_append(j->files.fd, PLB_RECORD_DONE, &of, sizeof of, &done, sizeof done);
}

/* A record with units that are executed again has a checksum of all of them, which will not hold any more. So
 * those of its units that are accepted get records of their own. */
static bool confirm(struct plb_journal *j, const struct plb_rangeset *redone)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_record_done *list = NULL;
    struct plb_found found;
    bool right = plb_found_read(&found, &j->files, &err) == PLB_OK;
    int n = right ? plb_found_overlapping(&found, j->first_pass, redone, &list) : 0;
    struct plb_rangeset both = {0};
    for (int i = 0; i < n && right; i++) {
        plb_rangeset_clear(&both);
        plb_rangeset_add_common(&both, (struct plb_range){list[i].first, list[i].count}, &j->accepted);
        for (int k = 0; k < both.n && right; k++)
            right = keep(j, list[i], both.at[k]);
    }
    plb_rangeset_fini(&both);
    free(list);
    plb_found_fini(&found);
    return right;
}

/* Brings the begin of the pass, and the outputs of its accepted units, back. */
static int bring_back(struct plb_journal *j, struct plb_app *app, struct plb_error *err)
{
    int pass;
    j->files.id = j->found_id;
    if (plb_state_read_pass(j->files.pass_path, j->files.id, app, &j->next.state, &pass) != PLB_OK)
        return damaged(j, j->files.pass_path, err);
    j->first_pass = pass > 0 ? pass : 1;
    if (j->found_pass > j->first_pass)
        return damaged(j, j->files.pass_path, err);
    j->first_phase = app->coming;
    for (int i = 0; i < PLB_MAX_PHASES; i++)
        j->before[i] = app->passes[i];
    if (find_forgotten(j, app, err) != PLB_OK || find_accepted(j, err) != PLB_OK)
        return err->status;
    bool none = j->accepted.units == 0;
    if (read_data(j, err) != PLB_OK)
        return err->status;
    struct plb_rangeset redone = {0};
    find_failed(j, app, &redone);
    leave_out(j, &redone);
    int status = open_records(j, none && j->first_pass == 1 && j->n_forgotten == 0, err);
    j->over = j->accepted.units == j->set.units;
    j->unmarked = none || j->accepted.units == 0;
    if (status == PLB_OK
        && (ftruncate(j->files.fd, (off_t)j->found_end) != 0 || !write_forgotten(j)
            || (redone.n > 0 && (!confirm(j, &redone) || fdatasync(j->files.fd) != 0))))
        status = damaged(j, j->files.path, err);
    if (status == PLB_OK && j->set.store != NULL && !plb_record_store_go_on(j->set.store))
        status = damaged(j, j->files.records_path, err);
    plb_rangeset_fini(&redone);
    return status;
}

int plb_journal_resume(struct plb_journal *j, struct plb_job *job, struct plb_error *err)
{
    if (j == NULL)
        return PLB_OK;
    plb_dataset_describe(&j->set, &job->app);
    j->sums_bytes = plb_state_sums_bytes(&j->set);
    if (j->fresh) {
        j->unmarked = true;
        return plb_journal_files_open_data(&j->files, &j->set, true, err) == PLB_OK
                 ? open_records(j, true, err)
                 : err->status;
    }
    if (compare(j, err) != PLB_OK || j->complete)
        return err->status;
    if (bring_back(j, &job->app, err) == PLB_OK && j->over)
        plb_app_begin_pass(&job->app);
    if (err->status == PLB_OK)
        plb_log(PLB_LOG_INFO, "journal %s: the run continues in pass %d, of which %lld of %lld %s are done",
                j->files.path, j->first_pass, (long long)j->accepted.units, (long long)j->set.units,
                job->kernel->unit);
    return err->status;
}
