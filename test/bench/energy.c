/* The tables of Stafford et al. 2017 beside ours: the CPU's share of the work for least time, least energy,
 * and least energy times delay, on their machines with their benchmarks. Then static shares of 0 to 1 are
 * simulated at the paper's sizes, beside its equations. Usage: energy [FOLDER [OUT]]. FOLDER has the .cluster
 * and .conf files. OUT/energy.csv becomes time, energy and their product over the CPU's share, as in their
 * Figures 2 to 4, and OUT/energy-best.csv our shares. */
#include <math.h>
#include <string.h>

#include "config/cluster_file.h"
#include "csv.h"
#include "model/energy/objective.h"
#include "plb/kernel.h"
#include "simulated.h"

#define OPTIMUM (-1.0) /* the share for least time */

/* Largest difference of two equal shares, of which one is printed with this number of digits. */
#define TWO_DIGITS 0.00501
#define THREE_DIGITS 0.000501

/* The paper's shares: for least time (Table 1), for least energy as its text says, for least energy times
 * delay (Table 2); and as it measured them, for least time and for least energy times delay. */
static const struct row {
    const char *machine, *benchmark, *file;
    double time, energy, edp, measured_time, measured_edp;
} rows[] = {
    {"Kepler 324", "Binomial", "kepler-324-binomial", 0.23, 0, 0, 0.22, 0},
    {"Kepler 324", "NBody", "kepler-324-nbody", 0.24, 0, 0.242, 0.22, 0.22},
    {"Kepler 324", "Mandelbrot", "kepler-324-mandelbrot", 0.53, OPTIMUM, 0.529, 0.50, 0.5},
    {"Kepler 324", "Taylor", "kepler-324-taylor", 0.52, OPTIMUM, 0.516, 0.50, 0.5},
    {"Kepler 758", "Binomial", "kepler-758-binomial", 0.11, 0, 0, 0.10, 0},
    {"Kepler 758", "NBody", "kepler-758-nbody", 0.11, 0, 0, 0.10, 0},
    {"Kepler 758", "Mandelbrot", "kepler-758-mandelbrot", 0.33, OPTIMUM, 0.326, 0.30, 0.3},
    {"Kepler 758", "Taylor", "kepler-758-taylor", 0.31, OPTIMUM, 0.312, 0.30, 0.3},
    {"GTX950", "Binomial", "gtx950-binomial", 0.09, 0, 0, 0.06, 0},
    {"GTX950", "NBody", "gtx950-nbody", 0.05, 0, 0.053, 0.04, 0.06},
    {"GTX950", "Mandelbrot", "gtx950-mandelbrot", 0.51, 1, 0.507, 0.45, 1},
    {"GTX950", "Taylor", "gtx950-taylor", 0.58, 1, 1, 0.50, 1},
};
#define ROWS (sizeof rows / sizeof *rows)

/* The two PUs and the static watts of a row's machine. False where the file cannot be read. */
static bool read_row(const char *folder, const struct row *row, struct plb_power_pu pus[2], double *watts)
{
    char file[512];
    struct plb_cluster_spec c;
    struct plb_error err = {.status = PLB_OK};
    snprintf(file, sizeof file, "%s/%s.cluster", folder, row->file);
    if (plb_cluster_read(file, NULL, true, &c, &err) != PLB_OK) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    *watts = 0.0;
    for (int i = 0; i < 2; i++) {
        pus[i] = (struct plb_power_pu){c.pus[i].rate, c.pus[i].dynamic_watts, 0};
        *watts += c.pus[i].static_watts;
    }
    plb_cluster_fini(&c);
    return true;
}

/* The CPU's share for each objective; false where there is none. */
static bool solve(struct plb_power_pu pus[2], double watts, double share[3])
{
    double x[2];
    struct plb_power_job job = {pus, &watts, 2, 1, PLB_STATIC_JOB, 1.0};
    bool solved = true;
    for (int o = 0; o < 3; o++) {
        struct plb_aim aim = {(enum plb_objective)o, INFINITY, INFINITY};
        struct plb_aim_answer answer;
        solved = solved && plb_objective_lines(&job, &aim, x, &answer) && answer.state == PLB_AIM_MET;
        share[o] = solved ? x[0] : (double)NAN;
    }
    return solved;
}

/* Whether the stationary points alpha_left and alpha_right of energy times delay (their 2.3) are within their
 * ranges, and whether they are minima: the second derivatives of both parabolas are positive there. */
static void find_extremes(const struct plb_power_pu pus[2], double watts, bool within[2], bool minimum[2])
{
    double c = pus[0].speed, g = pus[1].speed, fastest = c / (c + g), dc = pus[0].dynamic_watts,
           dg = pus[1].dynamic_watts;
    double left = (2.0 * c * (watts + dg) - g * dc) / (2.0 * c * (watts + dg) - 2.0 * g * dc);
    double right = c * dg / (2.0 * (c * dg - g * (watts + dc)));
    within[0] = left > 0.0 && left < fastest;
    within[1] = right > fastest && right < 1.0;
    minimum[0] = (watts + dg) / g > dc / c;
    minimum[1] = (watts + dc) / c > dg / g;
}

/* The range of the ratio of speeds outside of which one device alone needs the least energy (their equation
 * 6): whether a machine is outside, and whether the answer is then the one that their 2.2 has: below the
 * range the GPU alone, above it the CPU alone. */
static void find_outside(const struct plb_power_pu pus[2], double watts, double share, int *outside,
                         int *as_said)
{
    double ratio = pus[1].speed / pus[0].speed, dc = pus[0].dynamic_watts, dg = pus[1].dynamic_watts;
    bool below = ratio<dg / (watts + dc), above = ratio>(watts + dg) / dc;
    *outside += below || above;
    *as_said += (below && share < 0.5) || (above && share > 0.5);
}

/* Of random machines: how many have such a point within its range, and in how many it is a minimum. */
static void find_random_extremes(int machines, int *inside, int *minima)
{
    *inside = *minima = 0;
    for (int i = 0; i < machines; i++) {
        double u[5];
        bool within[2], minimum[2];
        for (int k = 0; k < 5; k++)
            u[k] = plb_random_real(1, (uint64_t)(5 * i + k));
        struct plb_power_pu pus[2] = {{1.0, 200.0 * u[0], 0}, {exp(8.0 * u[1] - 4.0), 200.0 * u[2], 0}};
        find_extremes(pus, 100.0 * (u[3] + u[4]), within, minimum);
        *inside += within[0] || within[1];
        *minima += (within[0] && minimum[0]) || (within[1] && minimum[1]);
    }
}

/* Equations 1 and 2 for a share of the CPU, of the work that it does in a second. */
static void evaluate(const struct plb_power_pu pus[2], double watts, double share, double *seconds,
                     double *joules)
{
    double c = share, g = (1.0 - share) * pus[0].speed / pus[1].speed;
    *seconds = fmax(c, g);
    *joules = watts * *seconds + pus[0].dynamic_watts * c + pus[1].dynamic_watts * g;
}

static void write_curves(const struct row *r, const struct plb_power_pu pus[2], double watts,
                         const double share[3], FILE *curves, FILE *best)
{
    double t, e;
    for (int i = 0; i <= 100; i++) {
        evaluate(pus, watts, i / 100.0, &t, &e);
        fprintf(curves, "%s,%s,%.2f,%.6g,%.6g,%.6g\n", r->machine, r->benchmark, i / 100.0, t, e, e * t);
    }
    for (int o = 0; o < 3; o++) {
        evaluate(pus, watts, share[o], &t, &e);
        fprintf(best, "%s,%s,%d,%.4f,%.6g\n", r->machine, r->benchmark, o, share[o],
                o == 0   ? t
                : o == 1 ? e
                         : e * t);
    }
}

/* How far a simulated run is from equations 1 and 2, in per cent: the CPU has this share, and would need ten
 * seconds alone. */
static void simulate(struct plb_job *job, const struct plb_power_pu pus[2], double watts, double share,
                     double off[2])
{
    double t, e, joules, alone_s = 10.0;
    double work = job->maps[0].per_work * (double)job->maps[0].units;
    for (int p = 0; p < 2; p++) {
        job->cluster.pus[p].power = fmax(p == 0 ? share : 1.0 - share, 1e-12);
        job->cluster.pus[p].rate = work / alone_s * pus[p].speed / pus[0].speed;
    }
    struct plb_simulated result = run_job(job, 1);
    joules = watts * result.makespan_s;
    for (int p = 0; p < 2; p++) {
        const struct plb_pu_totals *pu = plb_master_totals(result.master, p);
        joules += pus[p].dynamic_watts * (pu->execute_s + pu->transfer_s);
    }
    evaluate(pus, watts, share, &t, &e);
    off[0] = fmax(off[0], 100.0 * fabs(result.makespan_s / (alone_s * t) - 1.0));
    off[1] = fmax(off[1], 100.0 * fabs(joules / (alone_s * e) - 1.0));
    plb_master_free(result.master);
}

/* The same for shares of 0 to 1, of a benchmark at the paper's size on a row's machine. */
static void simulate_shares(const char *folder, const struct row *row, const char *benchmark,
                            const struct plb_power_pu pus[2], double watts, double off[2])
{
    char cluster[512], conf[512], kernel[128];
    char *settings[] = {"balance.balancer=static", "balance.migration=off", kernel};
    struct plb_job job;
    snprintf(kernel, sizeof kernel, "app.kernel=build/kernels/%s.so", benchmark);
    snprintf(cluster, sizeof cluster, "%s/%s.cluster", folder, row->file);
    snprintf(conf, sizeof conf, "%s/%s.conf", folder, benchmark);
    open_job(&job, cluster, conf, settings, 3);
    for (int i = 0; i <= 10; i++)
        simulate(&job, pus, watts, i / 10.0, off);
    plb_job_fini(&job);
}

/* A row's benchmark; with NBody's and Binomial's numbers MatMul and Gaussian, too, which the paper calls
 * similar and has no numbers for. */
static void simulate_row(const char *folder, const struct row *row, const struct plb_power_pu pus[2],
                         double watts, double off[2])
{
    const char *benchmark = strrchr(row->file, '-') + 1;
    simulate_shares(folder, row, benchmark, pus, watts, off);
    if (strcmp(benchmark, "nbody") == 0)
        simulate_shares(folder, row, "matmul", pus, watts, off);
    if (strcmp(benchmark, "binomial") == 0)
        simulate_shares(folder, row, "gaussian", pus, watts, off);
}

/* The paper's value, ours, and whether they agree; returns that. */
static bool compare(double paper, double ours, double within)
{
    bool agree = fabs(paper - ours) <= within;
    printf(" | %5.3g %5.3f %-6s", paper, ours, agree ? "agree" : "differ");
    return agree;
}

static void print_head(void)
{
    printf(
        "The CPU's share. Paper: Stafford et al. 2017; ours: model/energy/objective, exact for the paper's "
        "parameters.\n\n"
        "%-10s %-10s | %-18s | %-18s | %-18s | T    E*T\n%21s | %5s %5s %6s | %5s %5s %6s | %5s %5s %6s | "
        "measured  | gain over CPU, GPU\n",
        "machine", "benchmark", "least time", "least energy", "least energy*time", "", "paper", "ours", "",
        "paper", "ours", "", "paper", "ours", "");
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "examples/energy";
    int agree[3] = {0}, extremes[2] = {0}, machines = 100000, inside, minima, outside = 0, as_said = 0;
    double off[2] = {0}, share[3], watts;
    bool within[2], minimum[2];
    FILE *curves = NULL, *best = NULL;
    if (argc > 2) {
        curves = create_csv(argv[2], "energy.csv", "machine,benchmark,share,seconds,joules,joule_seconds");
        best = create_csv(argv[2], "energy-best.csv", "machine,benchmark,objective,share,value");
    }
    print_head();
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        struct plb_power_pu pus[2];
        if (!read_row(folder, r, pus, &watts) || !solve(pus, watts, share))
            return 1;
        if (curves != NULL)
            write_curves(r, pus, watts, share, curves, best);
        printf("%-10s %-10s", r->machine, r->benchmark);
        agree[0] += compare(r->time, share[0], TWO_DIGITS);
        agree[1] += compare(r->energy < 0.0 ? r->time : r->energy, share[1], TWO_DIGITS);
        agree[2] += compare(r->edp, share[2], THREE_DIGITS);
        simulate_row(folder, r, pus, watts, off);
        find_extremes(pus, watts, within, minimum);
        find_outside(pus, watts, share[1], &outside, &as_said);
        extremes[0] += within[0];
        extremes[1] += within[1];
        printf(" | %4g %4g | %.2f %.2f\n", r->measured_time, r->measured_edp, 1.0 / share[0],
               1.0 / (1.0 - share[0]));
    }
    if (curves != NULL && fclose(curves) + fclose(best) != 0)
        return 1;
    find_random_extremes(machines, &inside, &minima);
    printf(
        "\nAgree: least time %d of %zu, least energy %d, least energy*time %d.\n"
        "Where they differ, the printed parameters give our share, and not the one that the paper prints.\n"
        "Two mistakes in the paper: its text has the two one-sided cases of least energy swapped, and the "
        "points\n"
        "alpha_left and alpha_right of least energy*time are maxima, so the answer is always 0, the share "
        "for\nleast time, or 1.\n"
        "Outside the range of equation 6 the answer of 2.2 in %d of %d.\n"
        "Within their ranges: alpha_left in %d of %zu, alpha_right in %d.\n"
        "Of %d random machines one of them is within its range in %d, and a minimum there in %d.\n"
        "Simulated at the paper's sizes, with shares of 0, 0.1 to 1: time within %.2f %%, energy within %.2f "
        "%% of its equations.\n",
        agree[0], ROWS, agree[1], agree[2], as_said, outside, extremes[0], ROWS, extremes[1], machines,
        inside, minima, off[0], off[1]);
    return 0;
}
