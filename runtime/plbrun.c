/* plbrun: the only main(), and the only place that exits. Arguments are read in config/arguments.c, what a
 * run leaves behind is written in drive/outputs.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/version.h"
#include "config/arguments.h"
#include "drive/cluster.h"
#include "drive/fill_report.h"
#include "drive/outputs.h"
#include "drive/simulate.h"
#include "job/balancer_table.h"
#include "profile/listing.h"
#include "profile/profiles.h"
#include "report/keys.h"

/* Seconds that a silent rank waits before it fails. Rank 0 fails for the same reason, and mpirun ends all
 * ranks as soon as one fails. Larger: every wrong argument costs more time. Smaller: a loaded machine may end
 * rank 0 before it has said what is wrong. */
#define SILENCE 1.0

/* What a launcher says is this process's rank, before MPI can tell; NULL where it was started by hand. */
static const char *launched_as(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    const char *rank = NULL;
    for (int i = 0; i < 4 && rank == NULL; i++)
        rank = getenv(variables[i]);
    return rank;
}

/* Whether this process answers for all ranks: rank 0 does, as far as that is known before MPI. */
static bool answers(void)
{
    return launched_as() == NULL || atoi(launched_as()) == 0;
}

static void say_once(struct plb_error *err)
{
    if (err->text[0] != '\0')
        plb_say("%s", err->text);
    err->text[0] = '\0';
}

/* ---------------------------------------------------------------- questions */

static void list_balancers(void)
{
    for (int i = 0; plb_balancers[i] != NULL; i++) {
        const struct plb_balancer *b = plb_balancers[i];
        printf("%-10s %s%s\n", b->name, b->summary, b->simulation_only ? " (needs --simulate)" : "");
        for (const struct plb_option *o = b->options; o != NULL && o->name != NULL; o++)
            printf("             %s = %s  %s\n", o->name, o->fallback != NULL ? o->fallback : "", o->help);
    }
}

/* What needs no conf file. */
static int answer(enum plb_question question, struct plb_error *err)
{
    switch (question) {
    case PLB_ASKS_HELP: plb_arguments_help(stdout); break;
    case PLB_ASKS_VERSION: printf("plbrun %s\n", PLB_VERSION); break;
    case PLB_ASKS_BALANCERS: list_balancers(); break;
    case PLB_ASKS_REPORT_KEYS: plb_report_keys_print(stdout); break;
    case PLB_ASKS_PROFILES: plb_profiles_list(stdout, err); break;
    case PLB_ASKS_NOTHING: break;
    }
    return err->status;
}

/* ---------------------------------------------------------------- both kinds of run */

/* One run, on rank 0; other ranks use the arguments alone. */
struct job_run {
    const struct plb_arguments *arguments;
    struct plb_job job;
    struct plb_report report;
    struct plb_trace trace;
    bool left; /* a PU was left behind: nothing may be freed */
};

/* Reads and checks everything, and has the kernel set up: after this a run can begin. */
static int prepare(struct job_run *r, struct plb_error *err)
{
    const struct plb_arguments *a = r->arguments;
    if (plb_job_read(&r->job, a->conf, a->assignments, a->n_assignments, a->simulate, a->seed, err) != PLB_OK)
        return err->status;
    if (a->show_config) {
        plb_settings_show(&r->job.settings, stdout);
        return PLB_OK;
    }
    if (plb_outputs_check(a, &r->job, err) != PLB_OK)
        return err->status;
    return plb_job_setup(&r->job, a->simulate != NULL, err);
}

static void say_checked(const struct job_run *r, int nodes)
{
    const struct plb_job *job = &r->job;
    if (!r->arguments->quiet)
        printf("%s: %lld %s on %d node%s with %s: nothing wrong found, nothing computed (--dry-run)\n",
               job->kernel->name, (long long)job->app.units, job->kernel->unit, nodes, nodes == 1 ? "" : "s",
               job->balancer->name);
}

static void release(struct job_run *r)
{
    plb_profiles_free(r->job.profiles);
    plb_job_fini(&r->job);
    plb_report_fini(&r->report);
    plb_trace_fini(&r->trace);
}

/* ---------------------------------------------------------------- a simulated run */

static void fill_report(struct job_run *r, const struct plb_simulated *result)
{
    struct plb_report *report = &r->report;
    plb_report_from_master(result->master, &r->job.app, r->job.balancer->name, report);
    plb_profiles_collect(r->job.profiles, result->master, report);
    report->mode = PLB_SIMULATED;
    report->replayed = r->job.true_map != NULL;
    report->migration = r->job.balance.migration.on;
    report->nodes = r->job.cluster.n_nodes;
    report->makespan_s = result->makespan_s;
    report->optimum_s = result->optimum_s;
    report->solve_s = result->solve_s;
    report->messages = result->messages;
    report->bytes_moved = result->bytes;
    plb_report_derive(report);
}

static int simulate(struct job_run *r, struct plb_error *err)
{
    const struct plb_arguments *a = r->arguments;
    struct plb_simulated result;
    struct plb_simulation s = plb_job_simulation(&r->job);
    if (r->job.machines.pus.master_only && r->job.cluster.n_nodes == 1)
        return plb_fail(err, PLB_EINPUT, "master_only leaves nobody to compute: %s describes one node",
                        a->simulate);
    if (a->dry_run) {
        say_checked(r, r->job.cluster.n_nodes);
        return PLB_OK;
    }
    s.trace = r->trace.on ? &r->trace : NULL;
    s.profiles = r->job.profiles = plb_profiles_open(&(struct plb_profiles_config){
        .kernel = r->job.kernel,
        .maps = r->job.maps,
        .cluster = &r->job.cluster,
        .mode = r->job.balance.profile_given ? r->job.balance.profile : PLB_PROFILE_OFF,
        .simulated = true,
        .verbose = a->verbose,
    });
    plb_simulate(&s, &result, err);
    plb_warn_of_refused(result.master, &r->job.app);
    if (err->status == PLB_OK) {
        fill_report(r, &result);
        plb_outputs_write(a, &r->job, &r->report, &r->trace, err);
    }
    plb_master_free(result.master);
    return err->status;
}

static int run_simulation(struct job_run *r, struct plb_error *err)
{
    int status = prepare(r, err);
    return status == PLB_OK && !r->arguments->show_config ? simulate(r, err) : status;
}

/* ---------------------------------------------------------------- a real run */

/* A rank other than 0 says which it is. */
static void name_rank(int rank, struct plb_error *err)
{
    char text[sizeof err->text];
    memcpy(text, err->text, sizeof text);
    snprintf(err->text, sizeof err->text, "rank %d: %.900s", rank, text);
}

/* From MPI's start to its end, and what rank 0 does after it. Called by every rank. `prepared`: rank 0 is. */
static int run_ranks(struct job_run *r, int *argc, char ***argv, bool prepared, struct plb_error *err)
{
    const struct plb_arguments *a = r->arguments;
    struct plb_cluster_options options = {a->verbose, a->show_pus, a->quiet, a->dry_run};
    struct plb_mpi *mpi = plb_mpi_open(argc, argv, 0);
    int rank = plb_mpi_rank(mpi), ranks = plb_mpi_size(mpi), status = PLB_OK;
    if (rank == 0 && !prepared)
        status = prepare(r, err);
    status = plb_cluster_agree(mpi, status);
    if (status == PLB_OK && !a->show_config)
        status = plb_cluster_run(mpi, rank == 0 ? &r->job : NULL, &options, &r->report, &r->trace, &r->left,
                                 err);
    if (rank != 0 && err->status != PLB_OK)
        name_rank(rank, err);
    say_once(err); /* before any rank ends: mpirun ends the others as soon as one fails */
    plb_mpi_close(mpi);
    if (rank != 0 || status != PLB_OK || a->show_config)
        return status;
    if (!a->dry_run)
        return plb_outputs_write(a, &r->job, &r->report, &r->trace, err);
    say_checked(r, ranks);
    return PLB_OK;
}

/* Where plbrun was started by hand, mistakes are told before MPI starts, which takes a third of a second. */
static int run_cluster(struct job_run *r, int *argc, char ***argv, struct plb_error *err)
{
    bool by_hand = launched_as() == NULL;
    int status = by_hand ? prepare(r, err) : PLB_OK;
    if (status != PLB_OK || (by_hand && r->arguments->show_config))
        return status;
    return run_ranks(r, argc, argv, by_hand, err);
}

int main(int argc, char **argv)
{
    struct plb_arguments a;
    struct plb_error err = {.status = PLB_OK};
    bool speaks = answers();
    int status = plb_arguments_read(&a, argc, argv, &err);
    struct job_run run = {.arguments = &a, .trace.on = a.trace != NULL};
    if (status == PLB_OK && a.question != PLB_ASKS_NOTHING) {
        status = speaks ? answer(a.question, &err) : PLB_OK;
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
    if (run.left) {
        fflush(stdout); /* and no other stream: a PU may hang in the middle of reading one */
        _exit(status);
    }
    release(&run);
    plb_arguments_fini(&a);
    return status;
}
