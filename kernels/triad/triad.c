/* triad: a = b + s · c for arrays of float64, and the sum, least and greatest of a's elements. It follows the
 * triad of McCalpin's STREAM benchmark (1995), which measures how fast memory is.
 *
 * A unit is a chunk of 4096 elements of all three arrays. There is almost no arithmetic: 24 bytes move for 2
 * flops. So a CPU's rate is that of its memory, a GPU's that of its copies, and another node's that of the
 * network. Cost is counted in bytes, 24 for an element.
 *
 * a is the same in every run, except for its last bit, which depends on whether a PU rounds the product. The
 * sum is added up in the order in which tasks are cut and return, so its last bits differ from run to run.
 * The elements must be finite. */
#include <float.h>
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "plb/kernel.h"

enum { CHUNK = 4096 };                  /* elements; the same as in triad.cu */
enum { B, C, A, SUM, LEAST, GREATEST }; /* handles, in order of declaration; the same as in triad.cu */

struct state {
    struct plb_array a, b, c;
    double scale;
    double reduced[3]; /* sum, least, greatest */
};

static const struct plb_option options[] = {
    {"b", PLB_INPUT_FILE, NULL, 0, 0, NULL, "the first term, .npy of float64; synthetic where not given"},
    {"c", PLB_INPUT_FILE, NULL, 0, 0, NULL,
     "what is scaled, .npy of the same shape; synthetic where not given"},
    {"a", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the result goes, .npy; nowhere where not given"},
    {"reduced", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where sum, least and greatest of a go, .npy; nowhere where not given"},
    {"mapped", PLB_FLAG, "no", 0, 0, NULL,
     "map b, c and a instead of reading them; ranks that see the files need no network"},
    {"elements", PLB_INT, "8388608", CHUNK, 1099511627776.0, NULL,
     "synthetic input: its length, a multiple of 4096"},
    {"scale", PLB_REAL, "3", 0, 0, NULL, "s in a = b + s c"},
    {"seed", PLB_INT, "1", 0, 9007199254740992.0, NULL,
     "synthetic input: seed of the uniform values in [-1, 1)"},
    {0},
};

/* Bytes of `a` from which a task writes around the caches. Larger: a core reads what it is about to
 * overwrite, a quarter of its traffic. Smaller: results leave a cache in which somebody may want them. */
#define FAR_BYTES (INT64_C(4) << 20)

/* Elements side by side, so that sums do not wait for each other. */
#define LANES 32

/* Writes x to memory, around the caches if far. */
static inline void put(double *to, const double x[LANES], bool far)
{
#ifdef __SSE2__
    for (int l = 0; far && l < LANES; l += 2)
        _mm_stream_pd(to + l, _mm_loadu_pd(x + l));
#else
    far = false;
#endif
    if (!far)
        memcpy(to, x, LANES * sizeof *x);
}

/* From here on other threads see the elements that went around the caches. */
static inline void finish(bool far)
{
#ifdef __SSE2__
    if (far)
        _mm_sfence();
#else
    (void)far;
#endif
}

/* Sum, least and greatest of some elements of `a`. */
struct reduced {
    double sum[LANES], least[LANES], greatest[LANES];
};

PLB_CLONES static void add_chunk(double scale, const double *b, const double *c, double *a, bool far,
                                 struct reduced *r)
{
    struct reduced local = *r;
    for (int i = 0; i < CHUNK; i += LANES) {
        double x[LANES];
        for (int l = 0; l < LANES; l++)
            x[l] = b[i + l] + scale * c[i + l];
        for (int l = 0; l < LANES; l++)
            local.sum[l] += x[l];
        for (int l = 0; l < LANES; l++)
            local.least[l] = x[l] < local.least[l] ? x[l] : local.least[l];
        for (int l = 0; l < LANES; l++)
            local.greatest[l] = x[l] > local.greatest[l] ? x[l] : local.greatest[l];
        put(a + i, x, far);
    }
    *r = local;
}

static int triad(const struct plb_task *task)
{
    const double scale = *(const double *)task->args, *b = task->data[B], *c = task->data[C];
    double *a = task->data[A], sum = 0.0, least = INFINITY, greatest = -INFINITY;
    const bool far = task->count * CHUNK * (int64_t)sizeof *a >= FAR_BYTES
                  && (uintptr_t)a % (2 * sizeof *a) == 0;
#pragma omp parallel num_threads(task->threads) \
    reduction(+ : sum) reduction(min : least) reduction(max : greatest)
    {
        struct reduced r = {{0.0}, {0.0}, {0.0}};
        for (int l = 0; l < LANES; l++) {
            r.least[l] = INFINITY;
            r.greatest[l] = -INFINITY;
        }
#pragma omp for nowait
        for (int64_t i = 0; i < task->count * CHUNK; i += CHUNK)
            add_chunk(scale, b + i, c + i, a + i, far, &r);
        for (int l = 0; l < LANES; l++) {
            sum += r.sum[l];
            least = fmin(least, r.least[l]);
            greatest = fmax(greatest, r.greatest[l]);
        }
        finish(far);
    }
    *(double *)task->data[SUM] = sum;
    *(double *)task->data[LEAST] = least;
    *(double *)task->data[GREATEST] = greatest;
    return 0;
}

static int map_term(struct plb_app *app, const char *path, struct plb_array *x)
{
    struct plb_data_file file = {.path = path, .type = "<f8"};
    if (plb_app_file(app, &file) != PLB_OK)
        return PLB_EINPUT;
    *x = (struct plb_array){file.data, sizeof(double), file.rows, file.columns, false};
    return PLB_OK;
}

static int read_term(struct plb_app *app, const char *path, struct plb_array *x)
{
    if (plb_app_flag(app, "mapped"))
        return map_term(app, path, x);
    if (plb_read_npy(app, path, PLB_ROW_MAJOR, x) != PLB_OK)
        return PLB_EINPUT;
    if (x->element_bytes != sizeof(double))
        return plb_app_error(app,
                             "%s: is float%zu, and triad adds float64: convert it with astype('float64')",
                             path, 8 * x->element_bytes);
    return PLB_OK;
}

static void synthesise(struct plb_app *app, struct plb_array *x, uint64_t seed)
{
    int64_t n = x->rows * x->columns;
    if (plb_app_simulated(app))
        return;
    double *values = x->data = plb_app_alloc_array(app, n, sizeof *values);
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        values[i] = 2.0 * plb_random_real(seed, (uint64_t)i) - 1.0;
}

/* Reads b and c, or makes them. An array that is made gets the shape of one that is read. */
static int read_terms(struct plb_app *app, struct state *s)
{
    const char *b = plb_app_text(app, "b"), *c = plb_app_text(app, "c");
    const struct plb_array made = {NULL, sizeof(double), plb_app_int(app, "elements"), 1, false};
    uint64_t seed = (uint64_t)plb_app_int(app, "seed");
    if ((b != NULL && read_term(app, b, &s->b) != PLB_OK)
        || (c != NULL && read_term(app, c, &s->c) != PLB_OK))
        return PLB_EINPUT;
    if (b == NULL)
        s->b = c == NULL ? made : (struct plb_array){NULL, sizeof(double), s->c.rows, s->c.columns, false};
    if (c == NULL)
        s->c = (struct plb_array){NULL, sizeof(double), s->b.rows, s->b.columns, false};
    if (s->b.rows != s->c.rows || s->b.columns != s->c.columns)
        return plb_app_error(
            app,
            "b is %lld x %lld and c is %lld x %lld: they need the same shape; correct b and c in [triad]",
            (long long)s->b.rows, (long long)s->b.columns, (long long)s->c.rows, (long long)s->c.columns);
    int64_t n = s->b.rows * s->b.columns;
    if (n % CHUNK != 0)
        return plb_app_error(app,
                             "triad has %lld elements, which is not a multiple of the %d in a chunk (%lld "
                             "is); correct %s in [triad]",
                             (long long)n, CHUNK, (long long)((n / CHUNK + 1) * CHUNK),
                             b != NULL || c != NULL ? "b and c" : "elements");
    if (b == NULL)
        synthesise(app, &s->b, 2 * seed);
    if (c == NULL)
        synthesise(app, &s->c, 2 * seed + 1);
    return PLB_OK;
}

/* The memory of a: that of its file, or of rank 0. */
static int make_result(struct plb_app *app, struct state *s)
{
    bool given = plb_app_given(app, "a");
    s->a = s->b;
    s->a.data = NULL;
    if (given && plb_app_flag(app, "mapped")) {
        struct plb_data_file file = {plb_app_text(app, "a"), "<f8", true, false, s->a.rows,
                                     s->a.columns,           0,     0,    NULL};
        if (plb_app_file(app, &file) != PLB_OK)
            return PLB_EINPUT;
        s->a.data = file.data;
        return PLB_OK;
    }
    if (!plb_app_simulated(app))
        s->a.data = plb_app_alloc_array(app, s->a.rows * s->a.columns, sizeof(double));
    if (given)
        plb_app_save_npy(app, plb_app_text(app, "a"), &s->a);
    return PLB_OK;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    if (read_terms(app, s) != PLB_OK || make_result(app, s) != PLB_OK)
        return PLB_EINPUT;
    s->scale = plb_app_real(app, "scale");
    plb_app_args(app, &s->scale, sizeof s->scale);
    plb_app_units(app, s->a.rows * s->a.columns / CHUNK);
    const size_t chunk = CHUNK * sizeof(double), one = sizeof(double);
    const struct plb_data buffers[] = {
        [B] = {.name = "b", .mode = PLB_PARTITION, .data = s->b.data, .unit_bytes = chunk},
        [C] = {.name = "c", .mode = PLB_PARTITION, .data = s->c.data, .unit_bytes = chunk},
        [A] = {.name = "a", .mode = PLB_OUTPUT, .data = s->a.data, .unit_bytes = chunk},
        [SUM] = {.name = "sum",
                 .mode = PLB_REDUCE,
                 .data = &s->reduced[0],
                 .bytes = one,
                 .op = PLB_SUM,
                 .type = PLB_FLOAT64},
        [LEAST] = {.name = "least",
                   .mode = PLB_REDUCE,
                   .data = &s->reduced[1],
                   .bytes = one,
                   .op = PLB_MIN,
                   .type = PLB_FLOAT64},
        [GREATEST] = {.name = "greatest",
                      .mode = PLB_REDUCE,
                      .data = &s->reduced[2],
                      .bytes = one,
                      .op = PLB_MAX,
                      .type = PLB_FLOAT64},
    };
    for (int i = B; i <= GREATEST; i++)
        plb_app_data(app, &buffers[i]);
    struct plb_array three = {s->reduced, sizeof(double), 3, 1, false};
    if (plb_app_given(app, "reduced"))
        plb_app_save_npy(app, plb_app_text(app, "reduced"), &three);
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    (void)app;
    (void)first;
    return 3.0 * sizeof(double) * CHUNK * (double)count;
}

/* An element may differ by three roundings, with u = epsilon / 2. Result and reference each round b + s c,
 * and one of the two may round s c before. 2 u (|b| + |s c|) + u |s c| is less than 2 epsilon (|b| + |s c|).
 * The sums of the elements, here and by the entries, may differ by n · epsilon · Σ|a| in any order. Least and
 * greatest are elements of a, so they are exact. */
static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const double *a = s->a.data, *b = s->b.data, *c = s->c.data;
    double sum = 0.0, size = 0.0, least = INFINITY, greatest = -INFINITY;
    int64_t n = s->a.rows * s->a.columns;
    for (int64_t i = 0; i < n; i++) {
        double product = s->scale * c[i], expected = b[i] + product;
        if (!(fabs(a[i] - expected) <= 2.0 * DBL_EPSILON * (fabs(b[i]) + fabs(product)))) {
            plb_app_error(app, "a[%lld] is %.17g, the reference says %.17g", (long long)i, a[i], expected);
            return PLB_EVERIFY;
        }
        sum += a[i];
        size += fabs(a[i]);
        least = fmin(least, a[i]);
        greatest = fmax(greatest, a[i]);
    }
    bool right = fabs(s->reduced[0] - sum) <= (double)n * DBL_EPSILON * size && s->reduced[1] == least
              && s->reduced[2] == greatest;
    if (right)
        return PLB_OK;
    plb_app_error(
        app, "sum, least and greatest are %.17g, %.17g and %.17g, the reference says %.17g, %.17g and %.17g",
        s->reduced[0], s->reduced[1], s->reduced[2], sum, least, greatest);
    return PLB_EVERIFY;
}

/* Two results of the same units. The roundings are those of verify: an element of a may differ by 2 epsilon
 * (|b| + |s c|), least and greatest by as much for the largest element, and a sum by n epsilon of all. */
static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    const struct state *s = plb_app_state(app);
    const double *b = (const double *)s->b.data + results->first * CHUNK;
    const double *c = (const double *)s->c.data + results->first * CHUNK;
    const double *one = results->one, *other = results->other;
    int64_t n = results->count * CHUNK;
    double sum = 0.0, largest = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double size = fabs(b[i]) + fabs(s->scale * c[i]);
        if (results->buffer == A && !(fabs(one[i] - other[i]) <= 2.0 * DBL_EPSILON * size))
            return i * (int64_t)sizeof *one;
        sum += size;
        largest = fmax(largest, size);
    }
    double tolerance = results->buffer == SUM ? (double)(n + 2) * DBL_EPSILON * sum
                                              : 2.0 * DBL_EPSILON * largest;
    return results->buffer == A ? PLB_SAME : plb_app_agree_reals(results, 0.0, tolerance);
}

PLB_CUDA_ENTRY(triad_cuda);     /* triad.cu */
PLB_OPENCL_ENTRY(triad_opencl); /* opencl/triad.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "triad",
    PLB_KERNEL_HEAD,
    .unit = "chunks",
    .summary = "a = b + s c and the sum, least and greatest of a, split by chunks of 4096 elements",
    .options = options,
    .cpu = triad,
    .cuda = triad_cuda,
    .opencl = triad_opencl,
    .setup = setup,
    .cost = cost,
    .verify = verify,
    .agree = agree,
    .writes_all = true,
    .streams = true,
};
/* clang-format on */
