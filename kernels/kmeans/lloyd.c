/* Steps between the passes of Lloyd's algorithm (1982). */
#include "lloyd.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The squares of a cluster's points around the mean of all are those around its centroid, and what the way
 * from there to the mean adds. */
double variance(const struct points *p, const double *centroids, const double *sums)
{
    const int64_t d = p->shape.dimensions;
    double squares = sums[sums_of(&p->shape) - 1];
    for (int64_t j = 0; j < d; j++) {
        double mean = 0.0;
        for (int64_t c = 0; c < p->shape.clusters; c++)
            mean += sums[c * (d + 1) + j] / (double)p->n;
        for (int64_t c = 0; c < p->shape.clusters; c++) {
            double way = centroids[c * d + j] - mean, count = sums[c * (d + 1) + d];
            squares += 2.0 * way * (sums[c * (d + 1) + j] - count * centroids[c * d + j]) + count * way * way;
        }
    }
    return fmax(squares, 0.0) / (double)p->n / (double)d;
}

/* Adds the farthest points of those from `first` on, `count` of them, to the list. */
static void look_for_far(const struct points *p, const double *centroids, int64_t first, int64_t count,
                         double *x, struct plb_pair_float64 *far, int64_t wanted)
{
    const struct shape *s = &p->shape;
    const size_t row = (size_t)s->dimensions * (s->narrow ? sizeof(float) : sizeof(double));
    for (int64_t i = first; i < first + count; i += LANES) {
        int64_t n = first + count - i < LANES ? first + count - i : LANES;
        double square[LANES], label[LANES];
        side_by_side(s, (const char *)p->data + (size_t)i * row, n, x);
        nearest(s, x, centroids, square, label);
        for (int64_t l = 0; l < n; l++)
            if (square[l] > far[wanted - 1].value) {
                struct plb_pair_float64 pair = {square[l], i + l};
                plb_top_add(PLB_TOP_MAX, PLB_FLOAT64, far, (size_t)wanted, &pair);
            }
    }
}

/* One thread: clusters are hardly ever empty. */
int64_t fill_empty(struct plb_app *app, const struct points *p, const double *centroids, double *sums)
{
    const struct shape *s = &p->shape;
    const int64_t d = s->dimensions;
    int64_t wanted = 0, filled = 0;
    for (int64_t c = 0; c < s->clusters; c++)
        wanted += sums[c * (d + 1) + d] == 0.0;
    if (wanted == 0)
        return 0;
    double *x = plb_app_alloc_array(app, d * LANES, sizeof *x), square[LANES], label[LANES];
    struct plb_pair_float64 *far = plb_app_alloc_array(app, wanted, sizeof *far);
    for (int64_t i = 0; i < wanted; i++)
        far[i] = (struct plb_pair_float64){-INFINITY, PLB_NO_INDEX};
    look_for_far(p, centroids, 0, p->n, x, far, wanted);
    const size_t row = (size_t)d * (s->narrow ? sizeof(float) : sizeof(double));
    for (int64_t c = 0; c < s->clusters; c++) {
        if (sums[c * (d + 1) + d] != 0.0 || filled == wanted || !(far[filled].value > 0.0))
            continue;
        const int64_t point = far[filled++].index;
        side_by_side(s, (const char *)p->data + (size_t)point * row, 1, x);
        nearest(s, x, centroids, square, label);
        double *from = sums + (int64_t)label[0] * (d + 1), *to = sums + c * (d + 1);
        for (int64_t j = 0; j < d; j++) {
            to[j] = x[j * LANES];
            from[j] -= x[j * LANES];
        }
        to[d] = 1.0;
        from[d] -= 1.0;
    }
    return filled;
}

double move_centroids(const struct shape *s, const double *sums, double *centroids)
{
    const int64_t d = s->dimensions;
    double shift = 0.0;
    for (int64_t c = 0; c < s->clusters; c++) {
        const double *sum = sums + c * (d + 1);
        for (int64_t j = 0; j < d && sum[d] > 0.0; j++) {
            double to = sum[j] / sum[d], way = to - centroids[c * d + j];
            shift += way * way;
            centroids[c * d + j] = to;
        }
    }
    return shift;
}

/* A plain loop finds these: the nearest centroid, the square of its distance, and that of the next one. */
struct found {
    int64_t label, next;
    double least, second;
};

static struct found look(const struct points *p, const double *centroids, int64_t point)
{
    const struct shape *s = &p->shape;
    struct found f = {0, 0, INFINITY, INFINITY};
    for (int64_t c = 0; c < s->clusters; c++) {
        double square = 0.0;
        for (int64_t j = 0; j < s->dimensions; j++) {
            double way = coordinate(s, p->data, point, j) - centroids[c * s->dimensions + j];
            square += way * way;
        }
        if (square < f.least) {
            f = (struct found){c, f.label, square, f.least};
        } else if (square < f.second) {
            f.second = square;
            f.next = c;
        }
    }
    return f;
}

/* How far apart two sums of squares may be by rounding: each term has three, and each addition one. */
static double slack(const struct shape *s)
{
    return 2.0 * (double)(s->dimensions + 4) * DBL_EPSILON;
}

/* Sums of a pass by a plain loop. unsure: clusters that have or lack a point by rounding alone. */
static void plain_pass(const struct points *p, const double *centroids, double *sums, bool *unsure)
{
    const struct shape *s = &p->shape;
    for (int64_t i = 0; i < p->n; i++) {
        struct found f = look(p, centroids, i);
        double *sum = sums + f.label * (s->dimensions + 1);
        for (int64_t j = 0; j < s->dimensions; j++)
            sum[j] += coordinate(s, p->data, i, j);
        sum[s->dimensions] += 1.0;
        if (f.second <= f.least * (1.0 + slack(s)))
            unsure[f.label] = unsure[f.next] = true;
    }
}

/* Whether the last pass has these labels and this inertia. */
static int check_labels(struct plb_app *app, const struct points *p, const double *centroids, double inertia,
                        const int32_t *labels)
{
    const struct shape *s = &p->shape;
    int64_t wrong = INT64_MAX;
    double all = 0.0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : all) reduction(min : wrong)
    for (int64_t i = 0; i < p->n; i++) {
        struct found f = look(p, centroids, i);
        all += f.least;
        bool right = labels == NULL || labels[i] == f.label
                  || (labels[i] == f.next && f.second <= f.least * (1.0 + slack(s)));
        if (!right && i < wrong)
            wrong = i;
    }
    if (wrong != INT64_MAX)
        plb_app_error(app, "point %lld has cluster %lld, and the reference says %lld", (long long)wrong,
                      (long long)labels[wrong], (long long)look(p, centroids, wrong).label);
    else if (!(fabs(inertia - all) <= (slack(s) + DBL_EPSILON * (double)p->n) * all))
        plb_app_error(app, "the inertia is %.17g, the reference says %.17g", inertia, all);
    else
        return PLB_OK;
    return PLB_EVERIFY;
}

int check_end(struct plb_app *app, const struct points *p, const double *before, const double *centroids,
              const double *sums, const int32_t *labels)
{
    const struct shape *s = &p->shape;
    const int64_t d = s->dimensions, all = s->clusters * d;
    double *expected = plb_app_alloc_array(app, all, sizeof *expected);
    double *other = plb_app_alloc_array(app, sums_of(s), sizeof *other);
    bool *unsure = plb_app_alloc_array(app, s->clusters, sizeof *unsure);
    memcpy(expected, before, (size_t)all * sizeof *expected);
    plain_pass(p, before, other, unsure);
    fill_empty(app, p, before, other);
    move_centroids(s, other, expected);
    for (int64_t i = 0; i < all; i++)
        if (!unsure[i / d]
            && !(fabs(centroids[i] - expected[i]) <= 2.0 * (double)p->n * DBL_EPSILON * p->largest)) {
            plb_app_error(app, "coordinate %lld of centroid %lld is %.17g, the reference says %.17g",
                          (long long)(i % d), (long long)(i / d), centroids[i], expected[i]);
            return PLB_EVERIFY;
        }
    return check_labels(app, p, centroids, sums[sums_of(s) - 1], labels);
}
