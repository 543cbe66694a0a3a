/* Mistakes are found before the run; what fails after it is told, and does not keep the rest from being
 * written. */
#include "outcome/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/record_store.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "foresee/pareto.h"
#include "foresee/what_if.h"
#include "outcome/fill_report.h"
#include "outcome/overwriting.h"
#include "outcome/set_aside.h"
#include "profile/profiles.h"
#include "report/fields/json.h"
#include "report/losses.h"
#include "report/page/page.h"
#include "report/summary/advice.h"
#include "report/summary/summary.h"
#include "report/trace/trace_file.h"

/* Where a report or trace goes: "-" is standard output. */
static const char *path_of(const char *file)
{
    return strcmp(file, "-") == 0 ? "/dev/stdout" : file;
}

static bool on_stdout(const char *file)
{
    return file != NULL && plb_file_descriptor(path_of(file)) == STDOUT_FILENO;
}

/* Whether a report or trace can be written there. */
static int check_file(const char *file, struct plb_error *err)
{
    struct stat info;
    size_t length = file != NULL ? strlen(file) : 0;
    if (file == NULL)
        return PLB_OK;
    if (length == 0)
        return plb_fail(err, PLB_EINPUT, "the name of the report or trace is empty; name a file");
    if (file[length - 1] == '/' || (stat(file, &info) == 0 && S_ISDIR(info.st_mode)))
        return plb_fail(err, PLB_EINPUT, "%s is a folder; name a file in it", file);
    if (plb_file_check(path_of(file), err) != PLB_OK)
        return err->status = PLB_EINPUT;
    return PLB_OK;
}

/* A report or trace in another format than its name promises is found when somebody opens it. */
static int check_formats(const struct plb_arguments *a, struct plb_error *err)
{
    if (a->trace != NULL && !plb_trace_has_format(a->trace))
        return plb_fail(
            err, PLB_EINPUT,
            "--trace %s: a trace is written as .json (for Perfetto) or .html (a chart); name such a file",
            a->trace);
    return a->report != NULL ? plb_page_check_name(a->report, err) : PLB_OK;
}

int plb_outputs_check(const struct plb_arguments *a, const struct plb_job *job, struct plb_error *err)
{
    bool writes_front = a->pareto != NULL && a->pareto[0] != '\0';
    if (check_file(a->report, err) != PLB_OK || check_file(a->trace, err) != PLB_OK)
        return err->status;
    if (writes_front && (plb_pareto_check(a, err) != PLB_OK || check_file(a->pareto, err) != PLB_OK))
        return err->status;
    if (plb_check_overwriting(a, job, err) != PLB_OK || check_formats(a, err) != PLB_OK)
        return err->status;
    if (a->verify && job->kernel->verify == NULL)
        return plb_fail(err, PLB_EINPUT, "kernel %s has no reference to compare with; leave out --verify",
                        job->kernel->name);
    if (a->verify && a->simulate != NULL)
        return plb_fail(err, PLB_EINPUT,
                        "a simulation has no results to verify; leave out --verify or "
                        "--simulate");
    return PLB_OK;
}

bool plb_outputs_traced(const struct plb_arguments *a)
{
    return a->trace != NULL || (a->report != NULL && plb_page_named(a->report));
}

/* Writes results that are not what was asked for beside the files that were named. The sentence tells it. */
static void write_apart(struct plb_results *results, const char *suffix, struct plb_error *err)
{
    struct plb_error failed = {.status = PLB_OK};
    if (plb_results_first(results) == NULL)
        return;
    if (plb_results_write(results, suffix, &failed) != PLB_OK) {
        plb_log(PLB_LOG_ERROR, "%s", failed.text);
        return;
    }
    plb_append(err, "; ", plb_results_first(results)->path);
    plb_append(err, suffix, " has the computed results");
}

/* Writes which units a partial result has, a range a line. */
static void write_units(const struct plb_result *result, const char *unit, const struct plb_rangeset *done,
                        struct plb_error *err)
{
    struct plb_error failed = {.status = PLB_OK};
    struct plb_file file;
    char *path = NULL;
    if (asprintf(&path, "%s.partial.units", result->path) < 0)
        return;
    if (plb_file_create(&file, path, &failed) == PLB_OK) {
        fprintf(file.stream, "# first,last: the %s whose results are complete\n", unit);
        for (int i = 0; i < done->n; i++)
            fprintf(file.stream, "%lld,%lld\n", (long long)done->at[i].first,
                    (long long)(done->at[i].first + done->at[i].count - 1));
        plb_file_commit(&file, &failed);
    }
    if (failed.status != PLB_OK) {
        plb_log(PLB_LOG_ERROR, "%s", failed.text);
    } else {
        plb_append(err, ", and ", path);
        plb_append(err, " lists their ", unit);
    }
    free(path);
}

/* Writes a report or, if `traces`, the trace to a file of that name or elsewhere. */
static void write_one(const struct plb_report *report, const struct plb_trace *trace, bool traces,
                      const char *name, const char *path, struct plb_error *err)
{
    if (traces)
        plb_trace_write(trace, report, path, err);
    else if (plb_page_named(name))
        plb_page_write(report, trace, path, err);
    else
        plb_report_write(report, path, err);
}

/* The same; elsewhere where the file cannot be written any more. The reader
 * of a pipe who has gone looks for no file: there the sentence is all. */
static void write_report(const struct plb_report *report, const struct plb_trace *trace, bool traces,
                         const char *file, struct plb_error *err)
{
    struct plb_error failed = {.status = PLB_OK};
    char *path = strdup(path_of(file));
    bool streams = plb_file_streams(path_of(file));
    for (int i = 0; path != NULL; i++) {
        struct plb_error now = {.status = PLB_OK};
        write_one(report, trace, traces, file, path, &now);
        if (i > 0 && now.status == PLB_OK)
            plb_append(&failed, "; it was saved as ", path);
        plb_fail(&failed, now.status, "%s", now.text);
        free(path);
        path = now.status != PLB_OK && !streams ? plb_file_elsewhere(file, "", i) : NULL;
    }
    if (failed.status != PLB_OK)
        plb_fail(err, failed.status, "%s", failed.text);
}

static void write_reports(const struct plb_arguments *a, const struct plb_job *job, struct plb_report *report,
                          const struct plb_trace *trace, struct plb_error *err)
{
    struct plb_front front = {.n = 0};
    struct plb_front_page page;
    bool pages = a->report != NULL && plb_page_named(a->report) && report->ending == PLB_ENDED_WELL;
    if (pages && plb_pareto_page(job->pareto, job, report, &front, &page))
        report->front = &page;
    if (a->report != NULL)
        write_report(report, trace, false, a->report, err);
    report->front = NULL;
    plb_front_fini(&front);
    if (a->trace != NULL)
        write_report(report, trace, true, a->trace, err);
}

/* Fails where results of audited tasks differed: nobody knows about the tasks that were not audited. */
static void fail_after_audit(const struct plb_report *r, struct plb_error *err)
{
    const struct plb_report_pu *worst = &r->pus[0];
    if (r->audit_differences == 0 || err->status != PLB_OK)
        return;
    for (int p = 1; p < r->n_pus; p++)
        worst = r->pus[p].wrong > worst->wrong ? &r->pus[p] : worst;
    plb_fail(err, PLB_EFAILED, "two PUs computed different results for %lld of the %lld audited tasks",
             (long long)r->audit_differences, (long long)r->audited);
    if (worst->wrong > 0) {
        char which[120];
        snprintf(which, sizeof which, "; PU %d on %.60s was wrong in %lld of them", worst->id, worst->host,
                 (long long)worst->wrong);
        plb_append(err, which, "");
    }
}

/* Verifies a result and writes it. */
static void write_results(const struct plb_arguments *a, struct plb_job *job, struct plb_report *report,
                          struct plb_error *err)
{
    double began = plb_now();
    if (a->verify && report->n_set_aside > 0)
        plb_log(PLB_LOG_WARNING, "the result is not verified, because units were set aside");
    else if (a->verify)
        report->verified = plb_job_verify(job, err) == PLB_OK ? PLB_RIGHT : PLB_WRONG;
    report->verify_s = a->verify ? plb_now() - began : 0.0;
    fail_after_audit(report, err);
    if (report->verified == PLB_WRONG || report->audit_differences > 0)
        write_apart(&job->app.results, ".wrong", err);
    if (err->status == PLB_OK && a->simulate == NULL)
        plb_job_finish(job, err);
    if (err->status == PLB_OK)
        plb_profiles_save(job->profiles);
    plb_set_aside_fail(report, job->run.skip_bad, err);
    report->write_s = plb_now() - began - report->verify_s;
}

/* The parts of the elapsed time that are over before the results are verified and written. */
static void note_ending(const struct plb_job *job, struct plb_report *report)
{
    double passes = report->setup_s + report->makespan_s + report->between_s;
    if (report->mode == PLB_REAL_RUN && report->setup_s > 0.0)
        report->ending_s = fmax(plb_now() - job->began_s - passes, 0.0);
}

/* Waits for the records that are written as they arrive. A run that may go on leaves out what waits for units
 * that it has not executed. */
static void end_streams(struct plb_job *job, struct plb_error *err)
{
    const char *path;
    bool ended = err->status == PLB_OK && !job->app.unfinished;
    bool rest = ended || plb_settings_get(&job->settings, "run", "journal")->text == NULL;
    int reason = plb_record_store_end(job->app.records, rest, &path);
    if (reason != 0)
        plb_fail(err, PLB_EFAILED, "%s cannot be written: %s", path != NULL ? path : "a temporary file",
                 strerror(reason));
}

int plb_outputs_write(const struct plb_arguments *a, struct plb_job *job, struct plb_report *report,
                      const struct plb_trace *trace, const struct plb_rangeset *done, struct plb_error *err)
{
    struct plb_error late = {.status = PLB_OK}; /* err may hold a wrong result, which is told first */
    struct plb_error unwritten = {.status = PLB_OK};
    note_ending(job, report);
    end_streams(job, err);
    bool ran = err->status == PLB_OK;
    plb_report_add_job(job, a->command, report);
    report->largest_unit = plb_cost_largest(&job->maps[0]);
    plb_losses_trace(report, trace);
    plb_losses_account(report);
    plb_advice_find(report);
    plb_set_aside_warn(report);
    if (ran)
        write_results(a, job, report, err);
    else if (a->simulate == NULL && plb_results_write_logs(&job->app.results, &unwritten) != PLB_OK)
        plb_log(PLB_LOG_ERROR, "%s", unwritten.text);
    plb_report_elapse(report);
    report->ending = err->status == PLB_OK                   ? PLB_ENDED_WELL
                   : ran && report->verified == PLB_WRONG    ? PLB_ENDED_WRONG
                   : report->ending == PLB_ENDED_INTERRUPTED ? PLB_ENDED_INTERRUPTED
                                                             : PLB_ENDED_FAILED;
    report->error = err->status != PLB_OK ? err->text : NULL;
    if (report->ending == PLB_ENDED_WELL)
        plb_what_if_report(job->what_if, job, report);
    write_reports(a, job, report, trace, &late);
    const struct plb_result *first = plb_results_first(&job->app.results);
    if (job->app.unfinished && a->keep_partial) /* which units are done is its kernel's affair */
        write_apart(&job->app.results, ".partial", err);
    else if (!ran && a->keep_partial && done != NULL && first != NULL) {
        write_apart(&job->app.results, ".partial", err);
        write_units(first, job->kernel->unit, done, err);
    }
    FILE *out = a->runs || on_stdout(a->report) || on_stdout(a->trace) ? stderr : stdout;
    if (!a->quiet && ran)
        plb_report_summary(report, out);
    else if (a->brief && err->status == PLB_OK && isatty(STDERR_FILENO))
        plb_report_brief(report, stderr);
    if (ran)
        plb_pareto_write(job->pareto, a, job, report, out, &late);
    return late.status != PLB_OK ? plb_fail(err, late.status, "%s", late.text) : err->status;
}
