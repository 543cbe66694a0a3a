/* make bench-kernels: how fast the cpu entry of a kernel is on one core, without a runtime around it; the
 * peak of multiply-adds and of copies of that core; and a plain loop for the Mandelbrot set. Time is the
 * process's CPU time, the best of several tries, so that other programs on the machine disturb little.
 *
 *     kernels CONF [SECTION.KEY=VALUE...]     units a second
 *     kernels peak                            flop/s, and bytes/s that a copy reads and writes
 *     kernels plain                           steps a second, and those of a row
 *     kernels bits                            words a second of which bits are counted, by a plain loop */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "job/job.h"

#define TRIES 12

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t bytes_of(const struct plb_app *app, int i)
{
    const struct plb_data *d = &app->data[i];
    switch (d->mode) {
    case PLB_PARTITION:
    case PLB_OUTPUT: return d->unit_bytes * (size_t)app->units;
    case PLB_PARTITION_INDEXED:
        return d->element_bytes * (size_t)((const int64_t *)app->data[d->offsets].data)[app->units];
    default: return d->bytes;
    }
}

/* Runs the entry on all units of the job. */
static double rate_of(const struct plb_job *job)
{
    const struct plb_app *app = &job->app;
    void *data[PLB_MAX_DATA];
    size_t bytes[PLB_MAX_DATA];
    struct plb_task task = {
        .count = app->units, .data = data, .bytes = bytes, .args = app->args, .threads = 1};
    double best = INFINITY;
    for (int i = 0; i < app->n_data; i++) {
        data[i] = app->data[i].data;
        bytes[i] = bytes_of(app, i);
    }
    for (int k = 0; k < TRIES; k++) {
        double begin = cpu_now();
        if (job->kernel->cpu(&task) != 0)
            return 0.0;
        best = fmin(best, cpu_now() - begin);
    }
    return (double)app->units / best;
}

static int kernel(int argc, char **argv)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_job job = {0};
    if (plb_job_read(&job, argv[1], argv + 2, argc - 2, NULL, 1, &err) == PLB_OK
        && plb_job_setup(&job, false, &err) == PLB_OK)
        printf("%.4g\n", rate_of(&job));
    else
        fprintf(stderr, "kernels: %s\n", err.text);
    plb_job_fini(&job);
    return err.status;
}

enum { SUMS = 96, LONG = 1 << 24 };

PLB_CLONES static double multiply_add(const double *from, int64_t n)
{
    double x[SUMS], sum = 0.0;
    memcpy(x, from, sizeof x);
    for (int64_t k = 0; k < n; k++)
        for (int i = 0; i < SUMS; i++)
            x[i] = fma(x[i], 0.999999, 1e-9);
    for (int i = 0; i < SUMS; i++)
        sum += x[i];
    return sum;
}

static int peak(void)
{
    static double from[SUMS];
    double *a = calloc(LONG, sizeof *a), *b = calloc(LONG, sizeof *b), best = INFINITY, copy = INFINITY;
    const int64_t n = 200000;
    if (a == NULL || b == NULL)
        return 1;
    for (int k = 0; k < TRIES; k++) {
        double begin = cpu_now();
        from[0] += multiply_add(from, n);
        best = fmin(best, cpu_now() - begin);
        begin = cpu_now();
        memcpy(a, b, LONG * sizeof *a);
        copy = fmin(copy, cpu_now() - begin);
        b[k] = a[k] + 1.0;
    }
    printf("%.4g %.4g\n", 2.0 * SUMS * (double)n / best, 2.0 * LONG * sizeof *a / copy);
    free(a);
    free(b);
    return 0;
}

/* The Mandelbrot set as most would write it. */
static int plain(void)
{
    enum { WIDTH = 640, HEIGHT = 480, DEPTH = 1000 };
    double steps = 0.0, begin = cpu_now();
    for (int row = 0; row < HEIGHT; row++)
        for (int column = 0; column < WIDTH; column++) {
            double x = 0.0, y = 0.0, re = -2.75 + (column + 0.5) / 160.0;
            double im = 1.5 - (row + 0.5) / 160.0;
            int n = 0;
            for (; n < DEPTH && x * x + y * y <= 4.0; n++) {
                double next = x * x - y * y + re;
                y = 2.0 * x * y + im;
                x = next;
            }
            steps += n;
        }
    printf("%.4g %.0f\n", steps / (cpu_now() - begin), steps / HEIGHT);
    return 0;
}

/* Two planes of bits in the first-level cache, as a program would count those that both have. */
PLB_CLONES static int64_t count_both(const uint64_t *a, const uint64_t *b, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += __builtin_popcountll(a[i] & b[i]);
    return sum;
}

static int bits(void)
{
    enum { WORDS = 1024, TIMES = 100000 };
    static uint64_t a[WORDS], b[WORDS];
    double best = INFINITY;
    for (int i = 0; i < WORDS; i++) {
        a[i] = plb_random_bits(1, (uint64_t)i);
        b[i] = plb_random_bits(2, (uint64_t)i);
    }
    for (int k = 0; k < TRIES; k++) {
        double begin = cpu_now();
        for (int i = 0; i < TIMES; i++)
            a[i % WORDS] ^= (uint64_t)count_both(a, b, WORDS);
        best = fmin(best, cpu_now() - begin);
    }
    printf("%.4g\n", (double)WORDS * TIMES / best);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "peak") == 0)
        return peak();
    if (strcmp(argv[1], "bits") == 0)
        return bits();
    return strcmp(argv[1], "plain") == 0 ? plain() : kernel(argc, argv);
}
