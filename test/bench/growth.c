/* From 10 to 10,000 PUs, with as much work for each: how makespan, the master's work per block and the
 * messages grow. Twice: with all data in rank 0's memory, whose link is the limit from 100 PUs on, and with
 * all data in files that the nodes share. The links carry messages in both, and rank 0 takes its time for
 * each. Usage: growth FOLDER [MOST_PUS [BALANCER [memory|files]]]. Writes FOLDER/growth.csv and
 * growth-files.csv, and prints them as a table. */
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "csv.h"
#include "simulated.h"

#define PUS_OF_A_NODE 10
#define COLUMNS_OF_A_PU 40000 /* some nine seconds of work */

static int64_t blocks(const struct plb_master *m)
{
    int64_t sum = 0;
    for (int p = 0; p < plb_master_pus(m); p++)
        sum += plb_master_totals(m, p)->blocks;
    return sum;
}

/* The cluster file with another `count`. */
static void write_cluster(const char *path, int nodes)
{
    char line[1000];
    FILE *in = fopen("hostfiles/growth.cluster", "r"), *out = fopen(path, "w");
    if (in == NULL || out == NULL) {
        perror(in == NULL ? "hostfiles/growth.cluster" : path);
        exit(1);
    }
    while (fgets(line, sizeof line, in) != NULL)
        if (strncmp(line, "count", 5) == 0)
            fprintf(out, "count = %d\n", nodes);
        else
            fputs(line, out);
    fclose(in);
    fclose(out);
}

/* The kernel has its data in memory. In files it would cross no link (simulate/simulation.h). */
static struct plb_simulated simulate(const struct plb_job *job, bool files)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulation s = plb_job_simulation(job);
    struct plb_simulated result;
    s.seed = 1;
    if (files) {
        s.inputs = s.results = (struct plb_sizes){.multiple = s.inputs.multiple};
        s.shared_bytes = job->sizes.replicated_bytes;
    }
    if (plb_simulate(&s, &result, &err) != PLB_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return result;
}

static void run(const char *folder, const char *balancer, int nodes, bool files, FILE *csv)
{
    char path[1000], columns[64], name[64];
    char *settings[] = {"app.kernel=build/kernels/matmul.so", "matmul.rows=20000", "matmul.inner=20000",
                        columns, name};
    struct plb_job job;
    struct rusage usage;
    snprintf(path, sizeof path, "%s/growth.cluster", folder);
    snprintf(columns, sizeof columns, "matmul.columns=%d", nodes * PUS_OF_A_NODE * COLUMNS_OF_A_PU);
    snprintf(name, sizeof name, "balance.balancer=%s", balancer);
    write_cluster(path, nodes);
    open_job(&job, path, "examples/papers/mm.conf", settings, 5);
    double began = plb_thread_seconds();
    struct plb_simulated result = simulate(&job, files);
    double took = plb_thread_seconds() - began;
    getrusage(RUSAGE_SELF, &usage);
    const struct plb_balancer_stats *stats = plb_master_stats(result.master);
    int64_t n = blocks(result.master);
    fprintf(csv, "%d,%s,%.6f,%.6f,%lld,%.3f,%lld,%.2f\n", job.cluster.n_pus, balancer, result.makespan_s,
            result.makespan_s / result.optimum_s, (long long)n, 1e6 * result.master_s / (double)n,
            (long long)result.messages, took);
    printf(
        "%6d PUs  %-10s data in %s  makespan %8.2f s, %.3f of the optimum  %8lld blocks  master %7.2f us per "
        "block  %9lld messages  %4lld solves  %7lld fits  simulated in %6.2f s of CPU, %ld MB at most so "
        "far\n",
        job.cluster.n_pus, balancer, files ? "files " : "memory", result.makespan_s,
        result.makespan_s / result.optimum_s, (long long)n, 1e6 * result.master_s / (double)n,
        (long long)result.messages, (long long)stats->solves, (long long)stats->fits, took,
        usage.ru_maxrss / 1024);
    fflush(stdout);
    plb_master_free(result.master);
    plb_job_fini(&job);
}

/* All sizes and balancers, into FOLDER/NAME. */
static int run_all(const char *folder, const char *name, int most, const char *only, bool files)
{
    static const char *const balancers[] = {"sure", "plb-hac", "hdss", "factoring", "greedy"};
    FILE *csv = create_csv(folder, name,
                           "pus,balancer,makespan_s,ratio,blocks,master_us_per_block,messages,cpu_s");
    for (size_t b = 0; b < sizeof balancers / sizeof *balancers; b++)
        for (int nodes = 1; nodes * PUS_OF_A_NODE <= most; nodes *= 10)
            if (only == NULL || strcmp(only, balancers[b]) == 0)
                run(folder, balancers[b], nodes, files, csv);
    return fclose(csv) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".", *only = argc > 3 ? argv[3] : NULL;
    int most = argc > 2 ? atoi(argv[2]) : 10000;
    const char *data = argc > 4 ? argv[4] : "both";
    int failed = 0;
    if (strcmp(data, "files") != 0)
        failed += run_all(folder, "growth.csv", most, only, false);
    if (strcmp(data, "memory") != 0)
        failed += run_all(folder, "growth-files.csv", most, only, true);
    return failed;
}
