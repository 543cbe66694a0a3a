/* PLB-HAC's Figure 6: a GPU becomes 2 and 8 times slower at second 142 of a matrix multiplication. Usage:
 * adaptation FOLDER. Writes FOLDER/adaptation.csv, every block as it was granted, and prints when the
 * GPU's blocks are first within 10 % of their new optimum: their part of a step by the new rates, rate / sum
 * of rates. A block granted before it is known that the GPU has changed cannot be right. Prints, too, how
 * long the GPU was busy with the one under way, the size of the next one, the other GPU's blocks, and the
 * last ones.
 *
 * Three ways: a block is one task, as in the paper, and the runtime scales the samples of before the change
 * (core/measure/history.h); all samples stay as they were measured; and blocks are cut into tasks, as plbrun
 * does by default. */
#include <math.h>

#include "csv.h"
#include "simulated.h"

#define CHANGE 142.0
#define GPU 1    /* the K5200 of node a */
#define OTHER 3  /* the GPU of node b */
#define TAIL 0.7 /* of the data, from where on plb-hac's blocks become smaller */
#define MAX_BLOCKS 100000

struct block {
    double time, units;
    int pu;
};

struct record {
    struct block at[MAX_BLOCKS];
    int n;
};

static void on_grant(void *context, double now, int pu, struct plb_range range)
{
    struct record *r = context;
    if (r->n < MAX_BLOCKS)
        r->at[r->n++] = (struct block){now, (double)range.count, pu};
}

/* Median of a PU's last nine blocks before a time. */
static double usual_block(const struct record *r, int pu, double before)
{
    double last[9] = {0};
    for (int i = 0; i < r->n; i++) {
        if (r->at[i].pu != pu || r->at[i].time >= before)
            continue;
        for (int k = 0; k < 8; k++)
            last[k] = last[k + 1];
        last[8] = r->at[i].units;
    }
    for (int i = 0; i < 9; i++)
        for (int j = i + 1; j < 9; j++)
            if (last[j] < last[i]) {
                double swap = last[i];
                last[i] = last[j];
                last[j] = swap;
            }
    return last[4];
}

/* The GPU's part of a step from the change on. */
static double new_block(const struct plb_job *job, const struct record *r, double factor)
{
    double step = 0.0, after = 0.0;
    for (int p = 0; p < job->cluster.n_pus; p++) {
        step += usual_block(r, p, CHANGE);
        after += job->cluster.pus[p].rate / (p == GPU ? factor : 1.0);
    }
    return step * job->cluster.pus[GPU].rate / factor / after;
}

/* The GPU's blocks around the change: seconds of the last whole one, seconds from the change to the next one,
 * and the units of that. */
static void print_change(const struct record *r)
{
    double last[2] = {0.0};
    for (int i = 0; i < r->n; i++) {
        const struct block *b = &r->at[i];
        if (b->pu != GPU)
            continue;
        if (b->time >= CHANGE) {
            printf("; a block lasted %.1f s, the next began after %.1f s with %.0f units", last[1] - last[0],
                   b->time - CHANGE, b->units);
            return;
        }
        last[0] = last[1];
        last[1] = b->time;
    }
}

/* The other GPU's blocks, before the change and the largest since, and the PUs' last blocks, at most, as
 * parts of those before the tail. */
static void print_others(const struct record *r, int n_pus, double units)
{
    double granted = 0.0, tail = INFINITY, most = 0.0, last = 0.0;
    for (int i = 0; i < r->n; i++) {
        granted += r->at[i].units;
        if (granted > TAIL * units)
            tail = fmin(tail, r->at[i].time);
        if (r->at[i].pu == OTHER && r->at[i].time > CHANGE)
            most = fmax(most, r->at[i].units);
    }
    for (int p = 0; p < n_pus; p++) {
        double units_of_last = 0.0;
        for (int i = 0; i < r->n; i++)
            if (r->at[i].pu == p)
                units_of_last = r->at[i].units;
        last = fmax(last, units_of_last / usual_block(r, p, tail));
    }
    printf("; the other GPU from %.0f to %.0f units; last blocks at most %.2f of those before\n",
           usual_block(r, OTHER, CHANGE), most, last);
}

static void judge(const struct record *r, const char *way, double factor, double wanted, double makespan,
                  double optimum)
{
    double before = usual_block(r, GPU, CHANGE);
    int granted = 0;
    printf("%g times slower at %g s, %s: blocks of %.0f units, right from then on %.0f; ", factor, CHANGE,
           way, before, wanted);
    for (int i = 0; i < r->n; i++) {
        const struct block *b = &r->at[i];
        if (b->pu != GPU || b->time < CHANGE)
            continue;
        if (fabs(b->units / wanted - 1.0) <= 0.1) {
            printf("within 10 %% after %.1f s, in the block after %d others; makespan %.1f s, %.3f of the "
                   "optimum",
                   b->time - CHANGE, granted, makespan, makespan / optimum);
            print_change(r);
            return;
        }
        granted++;
    }
    printf("never within 10 %%; makespan %.1f s, %.3f of the optimum", makespan, makespan / optimum);
    print_change(r);
}

/* The shortest time in which all PUs together can do what is left at the change. */
static double optimum(const struct plb_job *job, double factor)
{
    double before = 0.0, after = 0.0;
    for (int p = 0; p < job->cluster.n_pus; p++) {
        before += job->cluster.pus[p].rate;
        after += job->cluster.pus[p].rate / (p == GPU ? factor : 1.0);
    }
    double total = job->maps[0].per_work * (double)job->maps[0].units;
    return CHANGE + (total - CHANGE * before) / after;
}

static const struct way {
    const char *name;
    char *migration, *samples;
} ways[] = {
    {"whole", "balance.migration=off", "balance.samples=scaled"},
    {"measured", "balance.migration=off", "balance.samples=measured"},
    {"sliced", "balance.migration=on", "balance.samples=scaled"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void run(FILE *csv, double factor, const struct way *way)
{
    static struct record record;
    char *const settings[] = {"app.kernel=build/kernels/matmul.so",
                              "matmul.rows=98304",
                              "matmul.inner=98304",
                              "matmul.columns=98304",
                              "balance.balancer=plb-hac",
                              way->migration,
                              way->samples};
    struct plb_job job;
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    open_job(&job, "hostfiles/plb-hac-figure6.cluster", "examples/papers/mm.conf", settings, 7);
    job.cluster.pus[GPU].slow_by[0] = factor;
    struct plb_simulation s = plb_job_simulation(&job);
    record.n = 0;
    s.watch = (struct plb_watch){.context = &record, .granted = on_grant};
    if (plb_simulate(&s, &result, &err) != PLB_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    for (int i = 0; i < record.n; i++)
        fprintf(csv, "%s,%g,%.6f,%d,%s,%.0f\n", way->name, factor, record.at[i].time, record.at[i].pu,
                job.cluster.pus[record.at[i].pu].name, record.at[i].units);
    judge(&record, way->name, factor, new_block(&job, &record, factor), result.makespan_s,
          optimum(&job, factor));
    print_others(&record, job.cluster.n_pus, (double)job.maps[0].units);
    plb_master_free(result.master);
    plb_job_fini(&job);
}

int main(int argc, char **argv)
{
    FILE *csv = create_csv(argc > 1 ? argv[1] : ".", "adaptation.csv", "way,factor,time_s,pu,name,units");
    for (double factor = 2.0; factor <= 8.0; factor += 6.0)
        for (int w = 0; w < WAYS; w++)
            run(csv, factor, &ways[w]);
    return fclose(csv) == 0 ? 0 : 1;
}
