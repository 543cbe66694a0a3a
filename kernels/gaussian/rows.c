/* Columns first: a tile of the rows and of those around them becomes float64, with the border's rows in their
 * places, and each row of it is a sum of rows. Then each row is a sum of itself at several places.
 *
 * Several sums are made at a time, so that a number which is read is used for each of them. Numbers at equal
 * distances have equal weights, but adding them first would read each of them for each sum: loads are slower
 * than multiply-adds. */
#include "rows.h"

#include <math.h>
#include <string.h>

/* Numbers of a row that are summed at a time, so that a tile of 81 rows and more stays in the second-level
 * cache. */
#define TILE 256

/* Numbers from a row of a tile to the next: no power of two, or rows would push each other out of the first
 * cache. */
#define STRIDE (TILE + 8)

int64_t place_of(enum mode mode, int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    const int64_t period = mode == MIRROR ? 2 * n - 2 : 2 * n;
    switch (mode) {
    case NEAREST: return i < 0 ? 0 : n - 1;
    case CONSTANT: return -1;
    default: break;
    }
    if (n == 1)
        return 0;
    i = (i % period + period) % period;
    return i < n ? i : mode == MIRROR ? period - i : period - 1 - i;
}

double number_at(const struct blur *b, const void *rows, int64_t i)
{
    switch ((enum element)b->element) {
    case BYTES: return (double)((const uint8_t *)rows)[i];
    case FLOATS: return (double)((const float *)rows)[i];
    default: return ((const double *)rows)[i];
    }
}

static int64_t row_length(const struct blur *b)
{
    return b->width * b->channels;
}

/* Numbers beyond a row's ends that a sum reads. */
static int64_t padding(const struct blur *b)
{
    return b->radius * b->channels;
}

/* Rows of a band between their two sums, padded. */
static int64_t padded(const struct blur *b)
{
    return (row_length(b) + 2 * padding(b) + 7) / 8 * 8;
}

size_t band_bytes(const struct blur *b)
{
    size_t tile = (size_t)(BAND + 2 * b->radius) * STRIDE;
    return (tile + BAND * (size_t)padded(b) + (size_t)(2 * b->radius + 1)) * sizeof(double);
}

/* n numbers of row u, from `column` on, as float64; 0 where the mode says so. */
static void convert(const struct blur *b, const void *rows, int64_t origin, int64_t u, int64_t column,
                    int64_t n, double *to)
{
    const int64_t place = place_of((enum mode)b->mode, u, b->height);
    const int64_t at = (place - origin) * row_length(b) + column;
    if (place < 0)
        memset(to, 0, (size_t)n * sizeof *to);
    else if (b->element == BYTES)
        for (int64_t i = 0; i < n; i++)
            to[i] = (double)((const uint8_t *)rows)[at + i];
    else if (b->element == FLOATS)
        for (int64_t i = 0; i < n; i++)
            to[i] = (double)((const float *)rows)[at + i];
    else
        memcpy(to, (const double *)rows + at, (size_t)n * sizeof *to);
}

/* Sums side by side: two vectors of AVX-512, or four of AVX2. */
#define LANES 16

/* Runs of LANES sums that share what they read. More: accumulators do not fit the registers of AVX2. */
#define RUNS 4

/* Adds the numbers at `at` to some of the runs. Each run is `apart` steps from the one before. */
static inline __attribute__((always_inline)) void add(const double *at, const double *weight, int64_t apart,
                                                      int from, int to, double sum[RUNS][LANES])
{
    for (int v = from; v < to; v++)
#pragma omp simd /* else gcc unrolls the loop before it looks for vectors, and finds none */
        for (int l = 0; l < LANES; l++)
            sum[v][l] = fma(weight[-v * apart], at[l], sum[v][l]);
}

/* Sums at RUNS x LANES places from x on, of numbers at the distances -radius to radius steps, in this order.
 * 2 radius + 1 is at least (RUNS - 1) apart. weights: of distance 0; to: the first run's, others are `next`
 * from each other. */
PLB_CLONES static void sum_runs(const double *x, int64_t step, int64_t apart, const double *weights,
                                int64_t radius, double *to, int64_t next)
{
    double sum[RUNS][LANES] = {{0.0}};
    int64_t m = -radius;
    for (; m < apart - radius; m++)
        add(x + m * step, weights + m, apart, 0, 1, sum);
    for (; m < 2 * apart - radius; m++)
        add(x + m * step, weights + m, apart, 0, 2, sum);
    for (; m < 3 * apart - radius; m++)
        add(x + m * step, weights + m, apart, 0, 3, sum);
    for (; m <= radius; m++)
        add(x + m * step, weights + m, apart, 0, RUNS, sum);
    for (; m <= radius + apart; m++)
        add(x + m * step, weights + m, apart, 1, RUNS, sum);
    for (; m <= radius + 2 * apart; m++)
        add(x + m * step, weights + m, apart, 2, RUNS, sum);
    for (; m <= radius + 3 * apart; m++)
        add(x + m * step, weights + m, apart, 3, RUNS, sum);
    for (int64_t v = 0; v < RUNS; v++)
        memcpy(to + v * next, sum[v], sizeof sum[v]);
}

/* n sums from x on, in the same order, so that they have the same bits. */
PLB_CLONES static void sum_along(const double *x, int64_t n, int64_t step, const double *weights,
                                 int64_t radius, double *to)
{
    enum { GROUP = RUNS * LANES / 2 };
    int64_t i = 0;
    for (; i + GROUP <= n; i += GROUP) {
        double sum[GROUP] = {0.0};
        for (int64_t m = -radius; m <= radius; m++)
            for (int l = 0; l < GROUP; l++)
                sum[l] = fma(weights[m], x[i + l + m * step], sum[l]);
        memcpy(to + i, sum, sizeof sum);
    }
    for (; i < n; i++) {
        double sum = 0.0;
        for (int64_t m = -radius; m <= radius; m++)
            sum = fma(weights[m], x[i + m * step], sum);
        to[i] = sum;
    }
}

/* The place of the next part of n that begins at i: the last part overlaps the one before, and computes the
 * same. */
static int64_t at_most(int64_t i, int64_t last)
{
    return i < last ? i : last;
}

/* The sums of n columns of `count` rows of a tile. */
static void sum_columns(const double *tile, int64_t n, int64_t count, const double *weights, int64_t radius,
                        double *to, int64_t next)
{
    if (n < LANES || count < RUNS || 2 * radius + 1 < RUNS - 1) {
        for (int64_t r = 0; r < count; r++)
            sum_along(tile + r * STRIDE, n, STRIDE, weights, radius, to + r * next);
        return;
    }
    for (int64_t i = 0; i < n; i += LANES)
        for (int64_t r = 0; r < count; r += RUNS) {
            const int64_t column = at_most(i, n - LANES), row = at_most(r, count - RUNS);
            sum_runs(tile + row * STRIDE + column, STRIDE, 1, weights, radius, to + row * next + column,
                     next);
        }
}

/* The sums of a row of n numbers, `channels` a pixel. */
static void sum_row(const double *x, int64_t n, int64_t channels, const double *weights, int64_t radius,
                    double *to)
{
    const int64_t run = LANES * channels;
    if (n < RUNS * run || 2 * radius + 1 < (RUNS - 1) * LANES) {
        sum_along(x, n, channels, weights, radius, to);
        return;
    }
    for (int64_t i = 0; i < n; i += RUNS * run)
        for (int64_t c = 0; c < channels; c++) {
            const int64_t at = at_most(i, n - RUNS * run) + c * LANES;
            sum_runs(x + at, channels, LANES, weights, radius, to + at, run);
        }
}

/* Fills a row's padding. The row begins at x. */
static void pad(const struct blur *b, double *x)
{
    for (int64_t p = 1; p <= b->radius; p++)
        for (int side = 0; side < 2; side++) {
            const int64_t i = side == 0 ? -p : b->width - 1 + p;
            const int64_t from = place_of((enum mode)b->mode, i, b->width);
            for (int64_t c = 0; c < b->channels; c++)
                x[i * b->channels + c] = from < 0 ? 0.0 : x[from * b->channels + c];
        }
}

void blur_band(const struct blur *b, const void *rows, int64_t origin, int64_t first, int64_t count,
               const double *weights, void *scratch, double *out)
{
    double *tile = scratch, *sums = tile + (BAND + 2 * b->radius) * STRIDE + padding(b);
    double *both = sums - padding(b) + BAND * padded(b) + b->radius; /* weights of both sides */
    const int64_t length = row_length(b);
    for (int64_t k = 0; k <= b->radius; k++)
        both[k] = both[-k] = weights[k];
    for (int64_t column = 0; column < length; column += TILE) {
        const int64_t n = length - column < TILE ? length - column : TILE;
        for (int64_t r = 0; r < count + 2 * b->radius; r++)
            convert(b, rows, origin, first + r - b->radius, column, n, tile + r * STRIDE);
        sum_columns(tile + b->radius * STRIDE, n, count, both, b->radius, sums + column, padded(b));
    }
    for (int64_t r = 0; r < count; r++) {
        pad(b, sums + r * padded(b));
        sum_row(sums + r * padded(b), length, b->channels, both, b->radius, out + r * length);
    }
}
