/* make bench-kernels: what OMP_NUM_THREADS cores can do, and plain loops beside two kernels, as lines
 * "NAME RATE". The best of several tries.
 *
 *     multiply-adds   flop/s, each step a fused one
 *     unfused         flop/s of 3 products and 5 sums that wait for nothing, as a step of mandelbrot has
 *     copies          bytes/s that a copy reads and writes, by memcpy or around the caches, once each
 *     rows rows_large bytes/s of rows of 512 bytes at random places of 5 and of 100 MB, fetched ahead
 *     words           of 64 bits/s, of which a plain loop counts those that two of them share
 *     triad_STREAM    bytes/s of the triad of McCalpin's STREAM: 24 for each element
 *     mandelbrot_...  steps/s of a plain loop over rows with schedule(dynamic) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "clock.h"
#include "plb/clones.h"
#include "plb/kernel.h"

#define TRIES 6

enum {
    SUMS = 96,          /* numbers whose chains of steps hide a step's latency */
    STEPS = 200000,     /* of a chain */
    LONG = 1 << 24,     /* numbers of an array that no cache holds */
    TRIAD = 1 << 23,    /* as many as the kernel's default */
    ROW = 64,           /* numbers of a row of spmm's B */
    ENTRIES = 1 << 18,  /* rows that are read */
    AHEAD = 6,          /* of them are fetched ahead */
    SMALL_ROWS = 10000, /* 5 MB */
    LARGE_ROWS = 200000,
    WORDS = 1024, /* of a plane of bits, in the first-level cache */
    PLANES = 20000,
    WIDTH = 640,
    HEIGHT = 480,
    DEPTH = 1000
};

/* Shared by the threads of a measurement. */
struct work {
    double *a, *b, *c;
    int64_t *places;
    int64_t rows;
    double done; /* steps, where only the work knows */
};

typedef void work_fn(struct work *w);

/* Seconds of the fastest of several tries by all threads. */
static double seconds(work_fn *part, struct work *w)
{
    double best = INFINITY;
    for (int k = 0; k < TRIES; k++) {
        double begin = now();
        w->done = 0.0;
#pragma omp parallel
        part(w);
        best = fmin(best, now() - begin);
    }
    return best;
}

/* Keeps what was computed. */
static void keep(struct work *w, const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
#pragma omp atomic
    w->c[0] += 1e-30 * sum;
}

PLB_CLONES static void fuse(double *x)
{
    double local[SUMS];
    memcpy(local, x, sizeof local);
    for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < SUMS; i++)
            local[i] = fma(local[i], 0.999999, 1e-9);
    memcpy(x, local, sizeof local);
}

static void multiply_adds(struct work *w)
{
    double x[SUMS] = {w->c[0]};
    fuse(x);
    keep(w, x, SUMS);
}

/* 3 products and 5 sums for each of 24 numbers. */
#define MIXED 24
PLB_CLONES static void mix(double *products, double *sums)
{
    double x[3 * MIXED / 2], y[5 * MIXED / 2];
    memcpy(x, products, sizeof x);
    memcpy(y, sums, sizeof y);
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < 3 * MIXED / 2; i++)
            x[i] *= 0.999999;
        for (int i = 0; i < 5 * MIXED / 2; i++)
            y[i] += 1e-9;
    }
    memcpy(products, x, sizeof x);
    memcpy(sums, y, sizeof y);
}

static void unfused(struct work *w)
{
    double x[3 * MIXED / 2] = {1.0}, y[5 * MIXED / 2] = {w->c[0]};
    mix(x, y);
    keep(w, x, 3 * MIXED / 2);
    keep(w, y, 5 * MIXED / 2);
}

/* This thread's part of n. */
static int64_t part_of(int64_t n, int64_t *first)
{
    int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
    *first = n * me / threads;
    return n * (me + 1) / threads - *first;
}

static void copy(struct work *w)
{
    int64_t first, n = part_of(LONG, &first);
    memcpy(w->a + first, w->b + first, (size_t)n * sizeof(double));
}

/* A copy that does not read what it overwrites. */
static void copy_around(struct work *w)
{
#ifdef __SSE2__
    int64_t first, n = part_of(LONG, &first);
    for (int64_t i = first; i < first + n; i += 2)
        _mm_stream_pd(w->a + i, _mm_load_pd(w->b + i));
    _mm_sfence();
#else
    copy(w);
#endif
}

PLB_CLONES static void add_scaled(double *restrict a, const double *restrict b, const double *restrict c,
                                  int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

static void stream(struct work *w)
{
    int64_t first, n = part_of(TRIAD, &first);
    add_scaled(w->a + first, w->b + first, w->b + TRIAD + first, n);
}

PLB_CLONES static void add_rows(const double *rows, const int64_t *places, int64_t n, double *to)
{
    double sum[ROW] = {0.0};
    for (int64_t k = 0; k + AHEAD < n; k++) {
        for (int i = 0; i < ROW; i += 8)
            __builtin_prefetch(rows + places[k + AHEAD] * ROW + i);
        for (int i = 0; i < ROW; i++)
            sum[i] += rows[places[k] * ROW + i];
    }
    memcpy(to, sum, sizeof sum);
}

static void read_rows(struct work *w)
{
    double sum[ROW];
    int64_t first, n = part_of(ENTRIES, &first);
    add_rows(w->b, w->places + first, n, sum);
    keep(w, sum, ROW);
}

PLB_CLONES static int64_t count_both(const uint64_t *a, const uint64_t *b, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += __builtin_popcountll(a[i] & b[i]);
    return sum;
}

static void count_bits(struct work *w)
{
    uint64_t a[WORDS], b[WORDS];
    for (int i = 0; i < WORDS; i++) {
        a[i] = plb_random_bits(1, (uint64_t)i);
        b[i] = plb_random_bits(2, (uint64_t)i);
    }
    for (int i = 0; i < PLANES; i++)
        a[i % WORDS] ^= (uint64_t)count_both(a, b, WORDS);
    keep(w, &(double){(double)a[0]}, 1);
}

/* The Mandelbrot set as most would write it. */
static void plain(struct work *w)
{
    double steps = 0.0;
#pragma omp for schedule(dynamic) nowait
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
#pragma omp atomic
    w->done += steps;
}

/* n zeros in large pages, as the runtime's are. */
static double *numbers(size_t n)
{
    enum { PAGE = 1 << 21 };
    const size_t bytes = (n * sizeof(double) + PAGE - 1) / PAGE * PAGE;
    double *x = aligned_alloc(PAGE, bytes);
    if (x == NULL)
        exit(1);
    madvise(x, bytes, MADV_HUGEPAGE);
    return memset(x, 0, bytes);
}

static void say(const char *name, double rate)
{
    printf("%s %.4g\n", name, rate);
    fflush(stdout);
}

static void say_rows(const char *name, struct work *w, int64_t rows)
{
    for (int64_t k = 0; k < ENTRIES; k++)
        w->places[k] = (int64_t)(plb_random_bits(1, (uint64_t)k) % (uint64_t)rows);
    say(name, (double)ENTRIES * ROW * sizeof(double) / seconds(read_rows, w));
}

int main(void)
{
    const double threads = omp_get_max_threads(), bytes = sizeof(double);
    struct work w = {.a = numbers(LONG), .b = numbers(LONG), .c = numbers(1), .places = calloc(ENTRIES, 8)};
    if (w.places == NULL)
        return 1;
    for (int64_t i = 0; i < LONG; i++)
        w.b[i] = (double)i;
    say("multiply-adds", threads * 2.0 * SUMS * STEPS / seconds(multiply_adds, &w));
    say("unfused", threads * 4.0 * MIXED * STEPS / seconds(unfused, &w));
    say("copies", 2.0 * LONG * bytes / fmin(seconds(copy, &w), seconds(copy_around, &w)));
    say("triad_STREAM", 3.0 * TRIAD * bytes / seconds(stream, &w));
    say("words", threads * WORDS * PLANES / seconds(count_bits, &w));
    say_rows("rows", &w, SMALL_ROWS);
    say_rows("rows_large", &w, LARGE_ROWS);
    const double took = seconds(plain, &w); /* sets w.done */
    say("mandelbrot_C,-schedule(dynamic)", w.done / took);
    free(w.a);
    free(w.b);
    free(w.c);
    free(w.places);
    return 0;
}
