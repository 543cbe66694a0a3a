/* plbrun: the only main(), and the only place that exits. Arguments are read in config/, files that a run
 * leaves behind are written in outcome/outputs.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/version.h"
#include "check/check.h"
#include "check/new_kernel.h"
#include "config/arguments.h"
#include "foresee/pareto.h"
#include "foresee/what_if.h"
#include "host/crash.h"
#include "job/balancer_table.h"
#include "job/kernel_search.h"
#include "journal/joblog.h"
#include "journal/journal.h"
#include "membership/knock.h"
#include "membership/launch.h"
#include "membership/leaving.h"
#include "membership/show_pus.h"
#include "outcome/fill_report.h"
#include "outcome/outputs.h"
#include "outcome/overwriting.h"
#include "outcome/simulated_report.h"
#include "outcome/traffic.h"
#include "profile/listing.h"
#include "profile/profiles.h"
#include "rank0/early_end.h"
#include "report/compare/compare.h"
#include "report/fields/keys.h"
#include "report/fields/schema.h"
#include "report/quantity.h"
#include "run/cluster.h"
#include "simulate/simulate.h"

/* Seconds that a silent rank waits before it fails. Rank 0 fails for the same reason, and mpirun ends all
 * ranks as soon as one fails. Larger: every wrong argument costs more time. Smaller: a loaded machine may end
 * rank 0 before it has said what is wrong. */
#define SILENCE 1.0

/* Ranks agree on this number where nothing is left to do, since the job is complete. It is no exit status. */
#define NOTHING_LEFT 100

static void say_once(struct plb_error *err)
{
    if (err->text[0] != '\0') {
        plb_log(PLB_LOG_ERROR, "%s", err->text);
        plb_stop_is_explained();
    }
    err->text[0] = '\0';
}

/* ---------------------------------------------------------------- questions */

/* Answers questions that need no conf file. */
static int answer(const struct plb_arguments *a, struct plb_error *err)
{
    switch (a->question) {
    case PLB_ASKS_COMPARISON: plb_compare(a->compared, a->n_compared, a->report, a->quiet, err); break;
    case PLB_ASKS_NEW_KERNEL: plb_new_kernel(a->new_kernel, stdout, err); break;
    case PLB_ASKS_JOURNAL: plb_joblog_print(a->journal, stdout, err); break;
    case PLB_ASKS_HELP: plb_arguments_help(stdout); break;
    case PLB_ASKS_VERSION: printf("plbrun %s\n", PLB_VERSION); break;
    case PLB_ASKS_BALANCERS: plb_balancers_list(stdout); break;
    case PLB_ASKS_REPORT_KEYS: plb_report_keys_print(stdout); break;
    case PLB_ASKS_REPORT_SCHEMA: plb_report_schema_print(stdout); break;
    case PLB_ASKS_KERNELS: plb_kernels_list(stdout); break;
    case PLB_ASKS_PROFILES: plb_profiles_list(stdout, err); break;
    case PLB_ASKS_NOTHING: break;
    }
    /* Who reads the first lines alone, as head does, wants no more. */
    if (err->status == PLB_OK && (fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE)
        plb_fail(err, PLB_EFAILED, "standard output cannot be written: %s", strerror(errno));
    return err->status;
}

/* ---------------------------------------------------------------- both kinds of run */

/* One run, on rank 0; other ranks use the arguments alone. */
struct job_run {
    const struct plb_arguments *arguments;
    struct plb_launch launch;
    struct plb_job job;
    bool host_maps; /* other ranks are on its host */
    struct plb_report report;
    struct plb_trace trace;
    struct plb_cluster_end end;
};

/* Reads and checks everything, and has the kernel set up: after this a run can begin. */
static int prepare(struct job_run *r, struct plb_error *err)
{
    const struct plb_arguments *a = r->arguments;
    enum plb_resume resume = a->resume_failed ? PLB_RESUME_FAILED
                           : a->resume        ? PLB_RESUME_REST
                                              : PLB_RESUME_NOT;
    if (a->replay != NULL && plb_replay_check(a->replay, err) != PLB_OK)
        return err->status;
    if (plb_job_read(&r->job, a->conf, a->settings.at, a->settings.n, a->simulate, a->seed, err) != PLB_OK)
        return err->status;
    if (a->show_config) {
        plb_settings_show(&r->job.settings, stdout);
        return PLB_OK;
    }
    if (plb_outputs_check(a, &r->job, err) != PLB_OK)
        return err->status;
    r->job.what_if = a->report != NULL && !a->dry_run ? plb_what_if_new() : NULL;
    r->job.mode = (struct plb_app_mode){
        .dry_run = a->dry_run, .resumes = resume != PLB_RESUME_NOT, .host_maps = r->host_maps && !a->dry_run};
    r->job.mode.left_s = plb_early_end_left(&r->job.run, r->job.began_s);
    if (a->simulate == NULL && !a->dry_run
        && plb_journal_open(&r->job, resume, &r->job.journal, err) != PLB_OK)
        return err->status;
    if (plb_job_setup(&r->job, a->simulate != NULL, err) != PLB_OK
        || plb_check_overwriting(a, &r->job, err) != PLB_OK
        || plb_journal_resume(r->job.journal, &r->job, err) != PLB_OK)
        return err->status;
    if (plb_journal_is_complete(r->job.journal) && !a->quiet)
        printf("%s: the journal says that this job is complete; nothing is left to do (remove the journal to "
               "run it again)\n",
               r->job.kernel->name); /* NOLINT(clang-analyzer-core*): a job that is set up has a kernel */
    return plb_journal_ending(r->job.journal, err);
}

static void say_checked(const struct job_run *r, int nodes)
{
    const struct plb_job *job = &r->job;
    char units[PLB_UNITS_TEXT];
    if (!r->arguments->quiet)
        printf("%s: %s on %d %s%s with %s: no mistake found, nothing computed (--dry-run)\n",
               /* NOLINTNEXTLINE(clang-analyzer-core*): as above */
               job->kernel->name, plb_units_print(job->app.units, job->kernel->unit, units), nodes,
               r->arguments->simulate != NULL ? "node" : "rank", nodes == 1 ? "" : "s", job->balancer->name);
}

static void close_journal(struct plb_job *job, bool complete)
{
    plb_journal_close(job->journal, complete);
    job->journal = NULL;
}

static void release(struct job_run *r)
{
    close_journal(&r->job, false);
    plb_profiles_free(r->job.profiles);
    plb_pareto_free(r->job.pareto);
    plb_what_if_free(r->job.what_if);
    plb_job_fini(&r->job);
    plb_report_fini(&r->report);
    plb_trace_fini(&r->trace);
    plb_rangeset_fini(&r->end.done);
}

/* ---------------------------------------------------------------- a simulated run */

static int simulate(struct job_run *r, struct plb_error *err)
{
    const struct plb_arguments *a = r->arguments;
    struct plb_simulated result;
    struct plb_simulation s = plb_job_simulation(&r->job);
    if (r->job.machines.pus.master_only && r->job.cluster.n_nodes == 1)
        return plb_fail(
            err, PLB_EINPUT,
            "with master_only no PU is left to compute, because %s describes one node; add a node",
            a->simulate);
    if (a->pareto != NULL && plb_pareto_of_cluster(&r->job, &r->job.pareto, err) != PLB_OK)
        return err->status;
    if (a->pareto == NULL && plb_outputs_traced(a))
        r->job.pareto = plb_pareto_of_given(&r->job);
    if (a->dry_run) {
        say_checked(r, r->job.cluster.n_nodes);
        return plb_pareto_write(r->job.pareto, a, &r->job, NULL, stdout, err);
    }
    s.trace = r->trace.on ? &r->trace : NULL;
    s.profiles = r->job.profiles = plb_profiles_open(&(struct plb_profiles_config){
        .kernel = r->job.kernel,
        .maps = r->job.maps,
        .cluster = &r->job.cluster,
        .mode = r->job.balance.profile_given ? r->job.balance.profile : PLB_PROFILE_OFF,
        .simulated = true,
    });
    s.worked_s = plb_alloc((size_t)r->job.cluster.n_pus * sizeof *s.worked_s);
    s.node_s = plb_alloc((size_t)r->job.cluster.n_nodes * sizeof *s.node_s);
    s.traffic = plb_report_traffic_of(&r->job.cluster);
    plb_simulate(&s, &result, err);
    plb_warn_of_refused(result.master, &r->job.app);
    if (err->status == PLB_OK) {
        plb_report_from_simulation(&r->job, &result, &s, &r->report);
        plb_outputs_write(a, &r->job, &r->report, &r->trace, NULL, err);
    } else {
        free(s.traffic);
    }
    plb_master_free(result.master);
    free(s.worked_s);
    free(s.node_s);
    return err->status;
}

static int run_simulation(struct job_run *r, struct plb_error *err)
{
    int status = prepare(r, err);
    return status == PLB_OK && !r->arguments->show_config ? simulate(r, err) : status;
}

/* ---------------------------------------------------------------- a real run */

/* Rank 0's work after the last pass, while the others wait to leave MPI: sites end a job whose MPI has
 * ended. */
static int conclude(struct job_run *r, int ranks, struct plb_error *err)
{
    const struct plb_arguments *a = r->arguments;
    if (a->show_config)
        return PLB_OK;
    if (r->end.interrupted)
        r->report.ending = PLB_ENDED_INTERRUPTED;
    if (!a->dry_run)
        return plb_outputs_write(a, &r->job, &r->report, &r->trace, &r->end.done, err);
    say_checked(r, ranks);
    return plb_pareto_write(r->job.pareto, a, &r->job, NULL, stdout, err);
}

/* The end of a run on rank 0, which has ended with this status on all ranks. */
static int end_run(struct job_run *r, int ranks, int status, struct plb_error *err)
{
    plb_journal_rest(r->job.journal, status != PLB_OK);
    if (status == PLB_OK || r->end.interrupted)
        plb_stop_writes();
    if (status == PLB_OK || (err->status != PLB_OK && r->end.begun))
        status = conclude(r, ranks, err);
    if (r->report.verified == PLB_WRONG || r->report.audit_differences > 0)
        plb_journal_distrust(r->job.journal, err);
    bool failed = r->job.finished && !r->job.app.unfinished && r->job.app.failed.status != PLB_OK
               && r->report.n_set_aside == 0;
    bool done = status == PLB_OK || failed; /* else there is something left for another run */
    if (!done)
        plb_journal_advise(r->job.journal, err);
    close_journal(&r->job, done);
    return status;
}

static enum plb_progress_style progress_style(const struct plb_arguments *a)
{
    return a->progress_json ? PLB_PROGRESS_JSON
         : a->watch         ? PLB_PROGRESS_WATCH
         : a->quiet         ? PLB_PROGRESS_OFF
                            : PLB_PROGRESS_LINE;
}

/* Starts MPI. Libraries that it loads may take the signals of this process, which takes them back. */
static struct plb_mpi *open_mpi(int *argc, char ***argv, struct plb_error *err)
{
    plb_crash_unwatch();
    struct plb_mpi *mpi = plb_mpi_open(argc, argv, 0, err);
    plb_stop_take_back();
    plb_crash_watch(plb_mpi_rank(mpi));
    plb_log_rank(plb_mpi_rank(mpi));
    return mpi;
}

/* From MPI's start to its end. Called by every rank. `prepared`: rank 0 is. */
static int run_ranks(struct job_run *r, int *argc, char ***argv, bool prepared, struct plb_error *err)
{
    const struct plb_arguments *a = r->arguments;
    struct plb_cluster_options options = {a->show_pus, a->dry_run, a->keep_partial, a->pareto != NULL,
                                          progress_style(a)};
    plb_stop_heed_wishes();
    struct plb_mpi *mpi = open_mpi(argc, argv, err);
    int rank = plb_mpi_rank(mpi), ranks = plb_mpi_size(mpi), status = err->status, local_rank, local_size;
    plb_mpi_local(mpi, &local_rank, &local_size);
    r->host_maps = local_size > 1;
    r->end.watch = plb_early_loss_watch(mpi);
    if (status == PLB_OK)
        status = plb_launch_check(&r->launch, ranks, err);
    if (status == PLB_OK && rank == 0 && ranks > 1)
        plb_launch_say_fragile(local_size < ranks);
    if (status == PLB_OK && rank == 0 && !prepared)
        status = prepare(r, err);
    status = plb_cluster_agree(mpi, status == PLB_OK && plb_journal_is_complete(r->job.journal) ? NOTHING_LEFT
                                                                                                : status);
    if (status == PLB_OK && !a->show_config)
        status = plb_cluster_run(mpi, rank == 0 ? &r->job : NULL, &options, &r->report, &r->trace, &r->end,
                                 err);
    if (status == NOTHING_LEFT)
        status = PLB_OK;
    else if (rank == 0)
        status = end_run(r, ranks, status, err);
    say_once(err); /* before any rank ends: mpirun ends the others as soon as one fails */
    plb_stop_is_explained();
    plb_stop_listen(false);
    if (rank == 0)
        plb_launch_tell(status, !r->end.left); /* now, since the others may never let it leave MPI */
    plb_cluster_leave(mpi, &r->end, status);
    return status;
}

/* --join: one rank more of a running job. */
static int join(struct job_run *r, struct plb_error *err)
{
    const struct plb_arguments *a = r->arguments;
    struct plb_cluster_options options = {.progress = PLB_PROGRESS_OFF};
    struct plb_door_answer answer;
    int socket = plb_knock(a->join, &answer, err);
    if (socket < 0)
        return err->status;
    struct plb_mpi *mpi = plb_mpi_join(socket, answer.rank, answer.n_ranks);
    plb_crash_unwatch();
    plb_crash_watch(answer.rank);
    plb_log_rank(answer.rank);
    if (!a->quiet)
        printf("joining as rank %d\n", answer.rank);
    r->end.watch = plb_early_loss_watch(mpi);
    int status = plb_cluster_run(mpi, NULL, &options, &r->report, &r->trace, &r->end, err);
    plb_stop_is_explained();
    plb_stop_listen(false);
    plb_cluster_leave(mpi, &r->end, status);
    return status;
}

/* --show-pus without a conf file. Called by every rank. */
static int show_pus(int *argc, char ***argv, struct plb_error *err)
{
    struct plb_mpi *mpi = open_mpi(argc, argv, err);
    int status = err->status == PLB_OK ? plb_show_pus_without_job(mpi, err) : err->status;
    if (plb_mpi_rank(mpi) == 0)
        say_once(err);
    plb_leave_mpi(mpi, NULL, status);
    return status;
}

/* Where plbrun was started by hand, mistakes are told before MPI starts, which takes a third of a second. */
static int run_cluster(struct job_run *r, int *argc, char ***argv, struct plb_error *err)
{
    bool by_hand = r->launch.rank < 0;
    int status = by_hand ? prepare(r, err) : PLB_OK;
    if (status != PLB_OK
        || (by_hand && (r->arguments->show_config || plb_journal_is_complete(r->job.journal))))
        return status;
    return run_ranks(r, argc, argv, by_hand, err);
}

int main(int argc, char **argv)
{
    struct plb_arguments a;
    struct plb_error err = {.status = PLB_OK};
    struct plb_launch launch = plb_launch_read();
    bool speaks = launch.rank <= 0; /* rank 0 answers for all, as far as it is known before MPI */
    plb_file_open_streams();
    if (speaks)
        plb_launch_begin();
    plb_stop_prepare(speaks);
    plb_crash_watch(launch.rank > 0 ? launch.rank : 0);
    int status = plb_arguments_read(&a, argc, argv, &err);
    plb_log_open(a.log);
    plb_log_rank(launch.rank > 0 ? launch.rank : 0);
    struct job_run run = {.arguments = &a, .launch = launch, .trace.on = plb_outputs_traced(&a)};
    if (status == PLB_OK && a.question != PLB_ASKS_NOTHING) {
        status = speaks ? answer(&a, &err) : PLB_OK;
    } else if (status == PLB_OK && a.join != NULL) {
        status = join(&run, &err);
        speaks = true;
    } else if (status == PLB_OK && a.conf == NULL && !a.runs) {
        status = show_pus(&argc, &argv, &err);
    } else if (status == PLB_OK && a.check) {
        status = speaks ? plb_check(&a, stdout, &err) : PLB_OK;
    } else if (status == PLB_OK && a.simulate != NULL) {
        status = speaks ? run_simulation(&run, &err) : PLB_OK;
    } else if (status == PLB_OK) {
        status = run_cluster(&run, &argc, &argv, &err);
        speaks = true; /* a rank that holds a sentence has noticed the mistake */
    }
    if (speaks)
        say_once(&err);
    else if (status != PLB_OK)
        plb_sleep_until(plb_now() + SILENCE);
    if (run.end.left)
        fflush(stdout); /* and no other stream: a PU may hang in the middle of reading one */
    else
        release(&run);
    if (launch.rank <= 0)
        plb_launch_tell(status, !run.end.left);
    if (run.end.left) {
        plb_stop_clean(); /* results in files that were not completed */
        _exit(status);
    }
    plb_arguments_fini(&a);
    return status;
}
