/* plbrun: arguments to run. The only main(), and the only place that exits. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/version.h"
#include "report/gantt.h"
#include "report/json.h"
#include "report/keys.h"
#include "report/summary.h"
#include "drive/cluster.h"
#include "profile/profiles.h"
#include "job/balancer_table.h"
#include "drive/fill_report.h"
#include "drive/simulate.h"

struct arguments {
    const char *conf, *simulate, *report, *trace;
    bool verify, quiet, verbose, show_pus, show_config, dry_run, help, version, list_balancers, list_profiles, list_keys;
    double seed;
    char *assignments[256];
    int n_assignments;
};

enum { OPT_BALANCER = 256, OPT_SHOW_PUS, OPT_DRY_RUN, OPT_SIMULATE, OPT_SEED, OPT_VERIFY, OPT_REPORT, OPT_TRACE,
       OPT_SHOW_CONFIG, OPT_HELP, OPT_VERSION, OPT_QUIET, OPT_VERBOSE, OPT_PROFILES };

static const struct option long_options[] = {
    {"balancer", required_argument, NULL, OPT_BALANCER}, {"show-pus", no_argument, NULL, OPT_SHOW_PUS},
    {"dry-run", no_argument, NULL, OPT_DRY_RUN},         {"simulate", required_argument, NULL, OPT_SIMULATE},
    {"seed", required_argument, NULL, OPT_SEED},         {"verify", no_argument, NULL, OPT_VERIFY},
    {"report", required_argument, NULL, OPT_REPORT},     {"trace", required_argument, NULL, OPT_TRACE},
    {"show-config", no_argument, NULL, OPT_SHOW_CONFIG}, {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},         {"quiet", no_argument, NULL, OPT_QUIET},
    {"verbose", no_argument, NULL, OPT_VERBOSE},         {"profiles", no_argument, NULL, OPT_PROFILES},
    {NULL, 0, NULL, 0},
};

static void print_help(void)
{
    puts("usage: mpirun -np N plbrun [options] app.conf [section.key=value ...]\n"
         "\n"
         "Runs a data-parallel kernel over all processing units of N ranks and gives each as much\n"
         "as it can finish in the same time.\n"
         "\n"
         "  --balancer NAME       who decides the block sizes; 'help' lists all\n"
         "  --verify              compare the result with an independent reference\n"
         "  --report FILE.json    write what the run did; 'help' describes its keys\n"
         "  --trace FILE.json     write when it did it, for Perfetto (ui.perfetto.dev)\n"
         "  --trace FILE.html     the same as a chart for any browser, with no network\n"
         "  --simulate FILE.cluster  run on the described machines in virtual time, without mpirun\n"
         "  --seed N              of the simulation's noise (default 1)\n"
         "  --show-config         print every setting and where it came from\n"
         "  --show-pus            print the processing units at the start (with --dry-run: only that)\n"
         "  --profiles            list what earlier runs measured (balance.profile), and where it is kept\n"
         "  --dry-run             read and check everything, compute nothing\n"
         "  --quiet, --verbose    say less, say more\n"
         "  --help, --version\n"
         "\n"
         "Settings come from the command line, then PLB_SECTION_KEY variables, then app.conf.\n"
         "Exit status: 0 done, 1 the run failed, 2 usage or configuration, 3 wrong result.");
}

static int take_option(struct arguments *a, int option, struct plb_error *err)
{
    switch (option) {
    case OPT_BALANCER: {
        if (strcmp(optarg, "help") == 0) {
            a->list_balancers = true;
            return PLB_OK;
        }
        char *assignment = NULL;
        if (a->n_assignments == 256 || asprintf(&assignment, "balance.balancer=%s", optarg) < 0)
            return plb_fail(err, PLB_EINPUT, "too many settings on the command line; put them into the conf file");
        a->assignments[a->n_assignments++] = assignment;
        return PLB_OK;
    }
    case OPT_SEED:
        if (!plb_parse_int(optarg, &a->seed) || a->seed < 0.0)
            return plb_fail(err, PLB_EINPUT, "--seed %s: expected a whole number, 0 or more", optarg);
        return PLB_OK;
    case OPT_SIMULATE: a->simulate = optarg; return PLB_OK;
    case OPT_REPORT:
        a->list_keys = strcmp(optarg, "help") == 0;
        a->report = optarg;
        return PLB_OK;
    case OPT_TRACE: a->trace = optarg; return PLB_OK;
    case OPT_SHOW_PUS: a->show_pus = true; return PLB_OK;
    case OPT_DRY_RUN: a->dry_run = true; return PLB_OK;
    case OPT_VERIFY: a->verify = true; return PLB_OK;
    case OPT_SHOW_CONFIG: a->show_config = true; return PLB_OK;
    case OPT_HELP: a->help = true; return PLB_OK;
    case OPT_VERSION: a->version = true; return PLB_OK;
    case OPT_PROFILES: a->list_profiles = true; return PLB_OK;
    case OPT_QUIET: a->quiet = true; return PLB_OK;
    default: a->verbose = true; return PLB_OK;
    }
}

/* The argument that getopt stumbled over: for a short option in the middle of a word, the word. */
static const char *stumbled(int argc, char *const *argv)
{
    for (int i = optind - 1; i <= optind && i < argc && optopt != 0; i++)
        if (argv[i][0] == '-' && argv[i][1] != '-' && strchr(argv[i], optopt) != NULL)
            return argv[i];
    return argv[optind - 1];
}

static int wrong_option(int argc, char *const *argv, int option, struct plb_error *err)
{
    const char *names[32], *given = stumbled(argc, argv);
    char bare[64];
    int n = 0;
    for (; long_options[n].name != NULL; n++)
        names[n] = long_options[n].name;
    names[n] = NULL;
    snprintf(bare, sizeof bare, "%s", given + strspn(given, "-"));
    bare[strcspn(bare, "=")] = '\0';
    if (option == ':')
        return plb_fail(err, PLB_EINPUT, "%s needs a value; see --help", given);
    const char *near = plb_nearest(bare, names);
    if (near != NULL)
        return plb_fail(err, PLB_EINPUT, "unknown option %s; did you mean --%s?", given, near);
    return plb_fail(err, PLB_EINPUT, "unknown option %s; see --help", given);
}

static int parse(int argc, char **argv, struct arguments *a, struct plb_error *err)
{
    *a = (struct arguments){.seed = 1.0};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", long_options, NULL)) != -1;) {
        int status = option == '?' || option == ':' ? wrong_option(argc, argv, option, err) : take_option(a, option, err);
        if (status != PLB_OK)
            return status;
    }
    for (; optind < argc; optind++) {
        if (a->conf == NULL)
            a->conf = argv[optind];
        else if (strchr(argv[optind], '=') != NULL && a->n_assignments < 256)
            a->assignments[a->n_assignments++] = strdup(argv[optind]);
        else
            return plb_fail(err, PLB_EINPUT, "'%s' is neither the conf file (that is %s) nor section.key=value; see --help", argv[optind], a->conf);
    }
    if (a->conf != NULL && strchr(a->conf, '=') != NULL && strchr(a->conf, '/') == NULL)
        return plb_fail(err, PLB_EINPUT, "the conf file comes before '%s'; see --help", a->conf);
    if (a->conf == NULL && !a->help && !a->version && !a->list_balancers && !a->list_profiles && !a->list_keys)
        return plb_fail(err, PLB_EINPUT, "no conf file is named: mpirun -np N plbrun app.conf; see --help");
    return PLB_OK;
}

/* What a launcher says is this process's rank, before MPI can tell; NULL where it was started by hand. */
static const char *launched_as(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    const char *rank = NULL;
    for (int i = 0; i < 4 && rank == NULL; i++)
        rank = getenv(variables[i]);
    return rank;
}

/* Whether this process is the one that speaks for all. */
static bool speaks(void)
{
    return launched_as() == NULL || atoi(launched_as()) == 0;
}

static void list_balancers(void)
{
    for (int i = 0; plb_balancers[i] != NULL; i++) {
        const struct plb_balancer *b = plb_balancers[i];
        printf("%-10s %s%s\n", b->name, b->summary, b->simulation_only ? " (needs --simulate)" : "");
        for (const struct plb_option *o = b->options; o != NULL && o->name != NULL; o++)
            printf("             %s = %s  %s\n", o->name, o->fallback != NULL ? o->fallback : "", o->help);
    }
}

static int check_output_folder(const char *file, struct plb_error *err)
{
    if (file == NULL)
        return PLB_OK;
    struct plb_file f;
    struct stat st;
    size_t length = strlen(file);
    if (length == 0)
        return plb_fail(err, PLB_EINPUT, "the name of the report or trace is empty; name a file");
    if (file[length - 1] == '/')
        return plb_fail(err, PLB_EINPUT, "%s is a folder; name a file in it", file);
    if (stat(file, &st) == 0 && S_ISDIR(st.st_mode))
        return plb_fail(err, PLB_EINPUT, "%s is a folder; name a file in it", file);
    if (plb_file_create(&f, file, err) != PLB_OK)
        return err->status = PLB_EINPUT;
    struct plb_error discard = {.status = PLB_EFAILED};
    plb_file_commit(&f, &discard); /* only whether it could be made was of interest */
    return PLB_OK;
}

static int prepare(struct plb_job *job, const struct arguments *a, struct plb_error *err)
{
    if (plb_job_read(job, a->conf, a->assignments, a->n_assignments, a->simulate, (uint64_t)a->seed, err) != PLB_OK)
        return err->status;
    if (a->show_config) {
        plb_settings_show(&job->settings, stdout);
        return PLB_OK;
    }
    if (check_output_folder(a->report, err) != PLB_OK || check_output_folder(a->trace, err) != PLB_OK)
        return err->status;
    if (a->report != NULL && a->trace != NULL && strcmp(a->report, a->trace) == 0)
        return plb_fail(err, PLB_EINPUT, "--report and --trace both name %s; name two files", a->report);
    if (a->verify && job->kernel->verify == NULL)
        return plb_fail(err, PLB_EINPUT, "kernel %s has no reference to verify with; leave out --verify", job->kernel->name);
    if (a->verify && a->simulate != NULL)
        return plb_fail(err, PLB_EINPUT, "a simulation has no results to verify; leave out --verify or --simulate");
    return plb_job_setup(job, a->simulate != NULL, err);
}

static int write_trace(const struct plb_trace *trace, const struct plb_report *report, const char *file,
                       struct plb_error *err)
{
    struct plb_trace_pu *pus = plb_alloc((size_t)report->n_pus * sizeof *pus);
    for (int p = 0; p < report->n_pus; p++)
        pus[p] = (struct plb_trace_pu){report->pus[p].node, p, report->pus[p].host, report->pus[p].name};
    size_t length = strlen(file);
    bool html = length > 5 && strcmp(file + length - 5, ".html") == 0;
    int status = html ? plb_gantt_write(trace, pus, report, file, err) : plb_trace_write(trace, pus, report->n_pus, report->unit, file, err);
    free(pus);
    return status;
}

/* Verification, output files, report, summary: what comes after the last pass, on rank 0. */
static int conclude(struct plb_job *job, const struct arguments *a, struct plb_report *report,
                    const struct plb_trace *trace, struct plb_error *err)
{
    report->largest_unit = plb_cost_largest(&job->maps[0]);
    if (a->verify)
        report->verified = plb_job_verify(job, err) == PLB_OK ? PLB_RIGHT : PLB_WRONG;
    if (err->status == PLB_OK && a->simulate == NULL)
        plb_job_finish(job, err);
    if (err->status == PLB_OK)
        plb_profiles_save(job->profiles);
    struct plb_error late = {.status = PLB_OK}; /* a wrong result still deserves its report */
    if (a->report != NULL)
        plb_report_write(report, a->report, &late);
    if (a->trace != NULL)
        write_trace(trace, report, a->trace, &late);
    if (!a->quiet)
        plb_report_summary(report, stdout);
    return late.status != PLB_OK ? plb_fail(err, late.status, "%s", late.text) : err->status;
}

static void say_checked(const struct plb_job *job, const struct arguments *a, int nodes)
{
    if (!a->quiet)
        printf("%s: %lld %s on %d node%s with %s: nothing wrong found, nothing computed (--dry-run)\n", job->kernel->name,
               (long long)job->app.units, job->kernel->unit, nodes, nodes == 1 ? "" : "s", job->balancer->name);
}

static int simulate(struct plb_job *job, const struct arguments *a, struct plb_error *err)
{
    struct plb_trace trace = {.on = a->trace != NULL};
    struct plb_simulated result;
    struct plb_report report = {0};
    struct plb_simulation s = plb_job_simulation(job);
    s.trace = trace.on ? &trace : NULL;
    if (job->machines.pus.master_only && job->cluster.n_nodes == 1)
        return plb_fail(err, PLB_EINPUT, "master_only leaves nobody to compute: %s describes one node", a->simulate);
    if (!a->dry_run)
        s.profiles = job->profiles = plb_profiles_open(job, true, a->verbose);
    if (!a->dry_run)
        plb_simulate(&s, &result, err);
    if (!a->dry_run)
        plb_results_refused(result.master, &job->app);
    if (!a->dry_run && err->status == PLB_OK) {
        plb_results_from_master(result.master, &job->app, job->balancer->name, &report);
        plb_profiles_collect(job->profiles, result.master, &report);
        report.mode = PLB_SIMULATED;
        report.migration = job->balance.migration.on;
        report.nodes = job->cluster.n_nodes;
        report.makespan_s = result.makespan_s;
        report.optimum_s = result.optimum_s;
        report.solve_s = result.solve_s;
        report.messages = result.messages;
        report.bytes_moved = result.bytes;
        plb_report_derive(&report);
        conclude(job, a, &report, &trace, err);
    }
    if (a->dry_run)
        say_checked(job, a, job->cluster.n_nodes);
    else
        plb_master_free(result.master);
    plb_report_fini(&report);
    plb_trace_fini(&trace);
    return err->status;
}

static int run_simulation(const struct arguments *a, struct plb_error *err)
{
    struct plb_job job;
    if (prepare(&job, a, err) == PLB_OK && !a->show_config)
        simulate(&job, a, err);
    plb_profiles_free(job.profiles);
    plb_job_fini(&job);
    return err->status;
}

static void say_once(struct plb_error *err)
{
    if (err->text[0] != '\0')
        plb_say("%s", err->text);
    err->text[0] = '\0';
}

/* Started by hand, mistakes are told before MPI starts, which takes a third of a second. */
static int run_cluster(int *argc, char ***argv, const struct arguments *a, struct plb_error *err)
{
    struct plb_cluster_options options = {a->verbose, a->show_pus, a->quiet, a->dry_run};
    struct plb_trace trace = {.on = a->trace != NULL};
    struct plb_report report = {0};
    struct plb_job job = {0};
    bool by_hand = launched_as() == NULL;
    int status = by_hand ? prepare(&job, a, err) : PLB_OK;
    if (by_hand && (status != PLB_OK || a->show_config)) {
        plb_profiles_free(job.profiles);
    plb_job_fini(&job);
        return status;
    }
    struct plb_mpi *mpi = plb_mpi_open(argc, argv, 0);
    int rank = plb_mpi_rank(mpi), ranks = plb_mpi_size(mpi);
    bool leads = rank == 0;
    if (leads && !by_hand)
        status = prepare(&job, a, err);
    status = plb_cluster_agree(mpi, status);
    if (status == PLB_OK && !a->show_config)
        status = plb_cluster_run(mpi, leads ? &job : NULL, &options, &report, &trace, err);
    if (!leads && err->status != PLB_OK) {
        char text[sizeof err->text];
        memcpy(text, err->text, sizeof text);
        snprintf(err->text, sizeof err->text, "rank %d: %.900s", rank, text);
    }
    say_once(err); /* before any rank ends: mpirun ends the others as soon as one fails */
    plb_mpi_close(mpi);
    if (leads && status == PLB_OK && !a->show_config && !a->dry_run)
        status = conclude(&job, a, &report, &trace, err);
    if (leads && status == PLB_OK && a->dry_run && !a->show_config)
        say_checked(&job, a, ranks);
    plb_profiles_free(job.profiles);
    plb_job_fini(&job);
    plb_report_fini(&report);
    plb_trace_fini(&trace);
    return status;
}

/* What needs no conf file: help, version and lists. */
static int inform(const struct arguments *a, struct plb_error *err)
{
    if (a->help)
        print_help();
    else if (a->version)
        printf("plbrun %s\n", PLB_VERSION);
    else if (a->list_balancers)
        list_balancers();
    else if (a->list_keys)
        plb_report_keys_print(stdout);
    else
        plb_profiles_list(stdout, err);
    return err->status;
}

int main(int argc, char **argv)
{
    struct arguments a;
    struct plb_error err = {.status = PLB_OK};
    bool first = speaks();
    int status = parse(argc, argv, &a, &err);
    if (status == PLB_OK && (a.help || a.version || a.list_balancers || a.list_profiles || a.list_keys)) {
        status = first ? inform(&a, &err) : PLB_OK;
    } else if (status == PLB_OK && a.simulate != NULL) {
        status = first ? run_simulation(&a, &err) : PLB_OK;
    } else if (status == PLB_OK) {
        status = run_cluster(&argc, &argv, &a, &err);
        first = true; /* whoever holds a sentence noticed it */
    }
    if (first)
        say_once(&err);
    for (int i = 0; i < a.n_assignments; i++)
        free(a.assignments[i]);
    return status;
}
