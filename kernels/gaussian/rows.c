/* Columns first: a tile of the rows and of those around them becomes float64, with the border's rows in their
 * places, and each row of it is a sum of rows. Then each row is a sum of itself at several places. Numbers at
 * the same distance are added before they are multiplied. */
#include "rows.h"

#include <math.h>
#include <string.h>

/* Numbers of a row that are summed at a time, so that a tile of 81 rows and more stays in the second-level
 * cache. */
#define TILE 256

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
    size_t tile = (size_t)(BAND + 2 * b->radius) * TILE;
    return (tile + BAND * (size_t)padded(b)) * sizeof(double);
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

#define GROUP 32 /* sums side by side: four vectors of AVX-512, or eight of AVX2 */

/* n sums of numbers at the distances -radius to radius steps from x. */
PLB_CLONES static void sum_along(const double *x, int64_t n, int64_t step, const double *weights,
                                 int64_t radius, double *to)
{
    int64_t i = 0;
    for (; i + GROUP <= n; i += GROUP) {
        const double *at = x + i;
        double sum[GROUP];
        for (int l = 0; l < GROUP; l++)
            sum[l] = weights[0] * at[l];
        for (int64_t k = 1; k <= radius; k++)
            for (int l = 0; l < GROUP; l++)
                sum[l] = fma(weights[k], at[l - k * step] + at[l + k * step], sum[l]);
        memcpy(to + i, sum, sizeof sum);
    }
    for (; i < n; i++) {
        double sum = weights[0] * x[i];
        for (int64_t k = 1; k <= radius; k++)
            sum = fma(weights[k], x[i - k * step] + x[i + k * step], sum);
        to[i] = sum;
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
    double *tile = scratch, *sums = tile + (BAND + 2 * b->radius) * TILE + padding(b);
    const int64_t length = row_length(b);
    for (int64_t column = 0; column < length; column += TILE) {
        const int64_t n = length - column < TILE ? length - column : TILE;
        for (int64_t r = 0; r < count + 2 * b->radius; r++)
            convert(b, rows, origin, first + r - b->radius, column, n, tile + r * TILE);
        for (int64_t r = 0; r < count; r++)
            sum_along(tile + (r + b->radius) * TILE, n, TILE, weights, b->radius,
                      sums + r * padded(b) + column);
    }
    for (int64_t r = 0; r < count; r++) {
        pad(b, sums + r * padded(b));
        sum_along(sums + r * padded(b), length, b->channels, weights, b->radius, out + r * length);
    }
}
