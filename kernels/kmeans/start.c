/* Reads points and chooses centroids, on rank 0. */
#include "start.h"

#include <math.h>
#include <string.h>

/* Coordinates of larger magnitude are refused: squares of their differences would be infinite. */
#define LARGEST 1e150

static bool is_npy(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, ".npy") == 0;
}

/* Finds the first coordinate that is no number within bounds; rank 0 reads all points once for it. */
static int check(struct plb_app *app, const char *path, struct points *p)
{
    const struct shape *s = &p->shape;
    const int64_t all = p->n * s->dimensions;
    int64_t wrong = INT64_MAX;
    double largest = 0.0;
#pragma omp parallel for reduction(min : wrong) reduction(max : largest)
    for (int64_t i = 0; i < all; i++) {
        double size = fabs(coordinate(s, p->data, 0, i));
        largest = size > largest ? size : largest;
        if (!(size <= LARGEST) && i < wrong)
            wrong = i;
    }
    p->largest = largest;
    if (wrong == INT64_MAX)
        return PLB_OK;
    return plb_app_error(app,
                         "%s: coordinate %lld of point %lld is %g, but a number from -1e150 to 1e150 was "
                         "expected; leave the point out or fill in the number",
                         path, (long long)(wrong % s->dimensions) + 1, (long long)(wrong / s->dimensions) + 1,
                         coordinate(s, p->data, 0, wrong));
}

static int read_file(struct plb_app *app, const char *path, struct points *p)
{
    if (is_npy(path)) {
        struct plb_data_file file = {.path = path, .type = "<f4|<f8"};
        if (plb_app_file(app, &file) != PLB_OK)
            return PLB_EINPUT;
        p->n = file.rows;
        p->shape.dimensions = file.columns;
        p->shape.narrow = file.bytes == (size_t)(file.rows * file.columns) * sizeof(float);
        p->data = file.data;
    } else {
        struct plb_array table;
        if (plb_read_csv(app, path, NULL, &table) != PLB_OK)
            return PLB_EINPUT;
        p->n = table.rows;
        p->shape.dimensions = table.columns;
        p->data = table.data;
    }
    return plb_app_simulated(app) ? PLB_OK : check(app, path, p);
}

/* Clouds of points around as many centres as there are clusters. */
static void synthesise(struct plb_app *app, struct points *p)
{
    const uint64_t seed = (uint64_t)plb_app_int(app, "seed"), d = (uint64_t)p->shape.dimensions;
    double *x = p->data = plb_app_alloc_array(app, p->n, (size_t)d * sizeof *x);
    p->largest = 12.0;
#pragma omp parallel for
    for (int64_t i = 0; i < p->n; i++) {
        uint64_t centre = plb_random_bits(seed, (uint64_t)i) % (uint64_t)p->shape.clusters;
        for (uint64_t j = 0; j < d; j++) {
            uint64_t at = 2 * ((uint64_t)i * d + j);
            x[(uint64_t)i * d + j] = 10.0 * plb_random_real(seed + 1, centre * d + j)
                                   + plb_random_real(seed + 2, at) + plb_random_real(seed + 2, at + 1);
        }
    }
}

int points_read(struct plb_app *app, struct points *p)
{
    const char *path = plb_app_text(app, "points");
    memset(p, 0, sizeof *p);
    p->shape.clusters = plb_app_int(app, "clusters");
    p->n = plb_app_int(app, "count");
    p->shape.dimensions = plb_app_int(app, "dimensions");
    if (path != NULL && read_file(app, path, p) != PLB_OK)
        return PLB_EINPUT;
    if (p->shape.clusters > p->n)
        return plb_app_error(app, "clusters = %lld is more than the %lld points%s%s; set %lld or less",
                             (long long)p->shape.clusters, (long long)p->n, path != NULL ? " of " : "",
                             path != NULL ? path : "", (long long)p->n);
    if (path == NULL && !plb_app_simulated(app))
        synthesise(app, p);
    return PLB_OK;
}

static int read_start(struct plb_app *app, const char *path, const struct points *p, double *centroids)
{
    const struct shape *s = &p->shape;
    struct plb_array a;
    int status = is_npy(path) ? plb_read_npy(app, path, PLB_ROW_MAJOR, &a)
                              : plb_read_csv(app, path, NULL, &a);
    if (status != PLB_OK)
        return status;
    if (a.rows != s->clusters || a.columns != s->dimensions)
        return plb_app_error(app,
                             "%s: is %lld x %lld, but a row for each of %lld clusters and a column for each "
                             "of %lld coordinates were expected",
                             path, (long long)a.rows, (long long)a.columns, (long long)s->clusters,
                             (long long)s->dimensions);
    const struct shape of_file = {s->clusters, s->dimensions, a.element_bytes == sizeof(float), 0};
    for (int64_t i = 0; i < a.rows * a.columns; i++) {
        centroids[i] = coordinate(&of_file, a.data, 0, i);
        if (!(fabs(centroids[i]) <= LARGEST))
            return plb_app_error(app,
                                 "%s: coordinate %lld of centroid %lld is %g, but a number from -1e150 to "
                                 "1e150 was expected",
                                 path, (long long)(i % a.columns) + 1, (long long)(i / a.columns) + 1,
                                 centroids[i]);
    }
    return PLB_OK;
}

/* Squares of the distances to the nearest centroid so far, of a sample that lies side by side. */
static void come_nearer(const struct shape *s, const double *x, int64_t groups, const double *centroid,
                        double *square)
{
    const struct shape one = {1, s->dimensions, 0, 0};
#pragma omp parallel for
    for (int64_t g = 0; g < groups; g++) {
        double distance[LANES], label[LANES];
        nearest(&one, x + g * s->dimensions * LANES, centroid, distance, label);
        for (int64_t l = 0; l < LANES; l++)
            square[g * LANES + l] = fmin(square[g * LANES + l], distance[l]);
    }
}

/* A point of the sample, with a probability in proportion to its square. */
static int64_t draw(const double *square, int64_t n, double random)
{
    double all = 0.0, sum = 0.0;
    int64_t last = 0;
    for (int64_t i = 0; i < n; i++)
        all += square[i];
    if (!(all > 0.0)) /* fewer points than clusters are unlike */
        return (int64_t)(random * (double)n);
    for (int64_t i = 0; i < n; i++) {
        sum += square[i];
        last = square[i] > 0.0 ? i : last;
        if (sum > random * all)
            return i;
    }
    return last;
}

/* The sample is a random point of each of `most` equal ranges. The same bits on each machine. */
static void plus_plus(struct plb_app *app, const struct points *p, int64_t most, double *centroids)
{
    const struct shape *s = &p->shape;
    const uint64_t seed = (uint64_t)plb_app_int(app, "seed");
    const int64_t d = s->dimensions, n = p->n < most ? p->n : most, groups = (n + LANES - 1) / LANES;
    double *x = plb_app_alloc_array(app, groups * LANES, (size_t)d * sizeof *x);
    double *square = plb_app_alloc_array(app, groups * LANES, sizeof *square);
    for (int64_t i = 0; i < n; i++) {
        int64_t begin = p->n / n * i + p->n % n * i / n, end = p->n / n * (i + 1) + p->n % n * (i + 1) / n;
        int64_t point = begin + (int64_t)(plb_random_bits(seed, (uint64_t)i) % (uint64_t)(end - begin));
        for (int64_t j = 0; j < d; j++)
            x[(i / LANES * d + j) * LANES + i % LANES] = coordinate(s, p->data, point, j);
        square[i] = INFINITY;
    }
    for (int64_t c = 0; c < s->clusters; c++) {
        double random = plb_random_real(seed + 1, (uint64_t)c);
        int64_t i = c == 0 ? (int64_t)(random * (double)n) : draw(square, n, random);
        for (int64_t j = 0; j < d; j++)
            centroids[c * d + j] = x[(i / LANES * d + j) * LANES + i % LANES];
        come_nearer(s, x, groups, centroids + c * d, square);
    }
}

int start_centroids(struct plb_app *app, const struct points *p, double *centroids)
{
    const char *path = plb_app_text(app, "start");
    if (path != NULL)
        return read_start(app, path, p, centroids);
    int64_t most = plb_app_int(app, "sample");
    plus_plus(app, p, most > p->shape.clusters ? most : p->shape.clusters, centroids);
    return PLB_OK;
}
