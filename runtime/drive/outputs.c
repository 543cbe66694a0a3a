/* Mistakes are found before the run; what fails after it is told, and does not keep the rest from being
 * written. */
#include "drive/outputs.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "profile/profiles.h"
#include "report/json.h"
#include "report/summary.h"
#include "report/trace_file.h"

/* Whether a report or trace can be written there. */
static int check_file(const char *file, struct plb_error *err)
{
    struct plb_file f;
    struct stat info;
    size_t length = file != NULL ? strlen(file) : 0;
    if (file == NULL)
        return PLB_OK;
    if (length == 0)
        return plb_fail(err, PLB_EINPUT, "the name of the report or trace is empty; name a file");
    if (file[length - 1] == '/' || (stat(file, &info) == 0 && S_ISDIR(info.st_mode)))
        return plb_fail(err, PLB_EINPUT, "%s is a folder; name a file in it", file);
    if (plb_file_create(&f, file, err) != PLB_OK)
        return err->status = PLB_EINPUT;
    struct plb_error discard = {.status = PLB_EFAILED};
    plb_file_commit(&f, &discard); /* removes it */
    return PLB_OK;
}

int plb_outputs_check(const struct plb_arguments *a, const struct plb_job *job, struct plb_error *err)
{
    if (check_file(a->report, err) != PLB_OK || check_file(a->trace, err) != PLB_OK)
        return err->status;
    if (a->report != NULL && a->trace != NULL && strcmp(a->report, a->trace) == 0)
        return plb_fail(err, PLB_EINPUT, "--report and --trace both name %s; name two files", a->report);
    if (a->verify && job->kernel->verify == NULL)
        return plb_fail(err, PLB_EINPUT, "kernel %s has no reference to verify with; leave out --verify",
                        job->kernel->name);
    if (a->verify && a->simulate != NULL)
        return plb_fail(err, PLB_EINPUT,
                        "a simulation has no results to verify; leave out --verify or "
                        "--simulate");
    return PLB_OK;
}

int plb_outputs_write(const struct plb_arguments *a, struct plb_job *job, struct plb_report *report,
                      const struct plb_trace *trace, struct plb_error *err)
{
    struct plb_error late = {.status = PLB_OK}; /* err may hold a wrong result, which is told first */
    report->largest_unit = plb_cost_largest(&job->maps[0]);
    if (a->verify)
        report->verified = plb_job_verify(job, err) == PLB_OK ? PLB_RIGHT : PLB_WRONG;
    if (err->status == PLB_OK && a->simulate == NULL)
        plb_job_finish(job, err);
    if (err->status == PLB_OK)
        plb_profiles_save(job->profiles);
    if (a->report != NULL)
        plb_report_write(report, a->report, &late);
    if (a->trace != NULL)
        plb_trace_write(trace, report, a->trace, &late);
    if (!a->quiet)
        plb_report_summary(report, stdout);
    return late.status != PLB_OK ? plb_fail(err, late.status, "%s", late.text) : err->status;
}
