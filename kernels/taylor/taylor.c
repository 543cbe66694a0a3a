/* taylor: the first terms of Taylor's series around 0 at the points of a mesh of complex numbers, and by how
 * much they differ from the function; float64.
 *
 * A unit is a point. All points cost the same, 8 flops for each coefficient, so this is the job that is
 * easiest to balance. Nothing but the coefficients goes in; 16 bytes a point come out, and 8 for the error.
 *
 * The sums have the same bits in every run on CPUs, whatever the split and the instruction set. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "series.h"

enum { COEFFICIENTS, VALUES, ERRORS }; /* handles, in order of declaration; ERRORS where they are wanted */

/* The constants of a job. */
struct mesh {
    double left, top, step; /* of the first cell's corner; the side of a cell */
    int64_t width, terms;   /* points of a row; coefficients */
    int32_t function, errors;
};

struct state {
    struct mesh mesh;
    int64_t height;
    double *coefficients, *values, *errors;
};

static const struct plb_option options[] = {
    {"function", PLB_TEXT, "exp", 0, 0, FUNCTIONS, "geometric is 1 / (1 - z)"},
    {"order", PLB_INT, "20", 0, 1000000, NULL, "the highest power of z"},
    {"width", PLB_INT, "1000", 1, 1e9, NULL, "points of a row of the mesh, along the real axis"},
    {"height", PLB_INT, "1000", 1, 1e9, NULL, "rows, along the imaginary axis, the first one on top"},
    {"x", PLB_REAL, "0", -1e6, 1e6, NULL, "real part of the mesh's middle"},
    {"y", PLB_REAL, "0", -1e6, 1e6, NULL, "imaginary part of the mesh's middle"},
    {"span", PLB_REAL, "2", 1e-9, 1e6, NULL, "width of the mesh; its cells are square"},
    {"values", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where the sums go, .npy of float64, height x 2 width: real and imaginary part of each point"},
    {"errors", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where the distances from the function go, .npy of float64, height x width"},
    {0},
};

static double real_part(const struct mesh *m, int64_t column)
{
    return m->left + m->step * ((double)column + 0.5);
}

static double imaginary_part(const struct mesh *m, int64_t row)
{
    return m->top - m->step * ((double)row + 0.5);
}

/* The points of a range from `first` on, LANES at most. */
static void sum_some(const struct plb_task *task, int64_t first, int64_t n)
{
    const struct mesh *m = task->args;
    double x[LANES], y[LANES], re[LANES], im[LANES], exact[2];
    double *values = (double *)task->data[VALUES] + 2 * first;
    int64_t row = (task->first + first) / m->width, column = (task->first + first) % m->width;
    for (int64_t l = 0; l < LANES; l++) { /* lanes beyond n are computed and not used */
        x[l] = real_part(m, column);
        y[l] = imaginary_part(m, row);
        column = column + 1 < m->width ? column + 1 : 0;
        row += column == 0;
    }
    series_sum(task->data[COEFFICIENTS], m->terms, x, y, re, im);
    for (int64_t l = 0; l < n; l++) {
        values[2 * l] = re[l];
        values[2 * l + 1] = im[l];
    }
    for (int64_t l = 0; l < n && m->errors; l++) {
        series_function((enum function)m->function, x[l], y[l], &exact[0], &exact[1]);
        ((double *)task->data[ERRORS])[first + l] = hypot(re[l] - exact[0], im[l] - exact[1]);
    }
}

static int sum(const struct plb_task *task)
{
#pragma omp parallel for num_threads(task->threads)
    for (int64_t i = 0; i < task->count; i += LANES)
        if (!plb_task_cancelled(task))
            sum_some(task, i, task->count - i < LANES ? task->count - i : LANES);
    return 0;
}

/* The polynomial with the magnitudes of all terms, at the distance r from 0. */
static double magnitude(const struct state *s, double r)
{
    double all = 0.0;
    for (int64_t k = s->mesh.terms - 1; k >= 0; k--)
        all = all * r + fabs(s->coefficients[k]);
    return all;
}

static int make_mesh(struct plb_app *app, struct state *s)
{
    struct mesh *m = &s->mesh;
    const double x = plb_app_real(app, "x"), y = plb_app_real(app, "y"), span = plb_app_real(app, "span");
    memset(m, 0, sizeof *m);
    m->width = plb_app_int(app, "width");
    m->terms = plb_app_int(app, "order") + 1;
    m->function = plb_app_choice(app, "function");
    m->errors = plb_app_given(app, "errors");
    s->height = plb_app_int(app, "height");
    m->step = span / (double)m->width;
    m->left = x - 0.5 * span;
    m->top = y + 0.5 * m->step * (double)s->height;
    const double farthest = hypot(fabs(x) + 0.5 * span, fabs(y) + 0.5 * m->step * (double)s->height);
    s->coefficients = plb_app_alloc_array(app, m->terms, sizeof *s->coefficients);
    series_coefficients((enum function)m->function, m->terms, s->coefficients);
    if (isfinite(magnitude(s, farthest)))
        return PLB_OK;
    return plb_app_error(
        app,
        "the sum of order %lld is infinite in float64 at the mesh's corner, %g from 0; set a "
        "lower order or a smaller span",
        (long long)m->terms - 1, farthest);
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    if (make_mesh(app, s) != PLB_OK)
        return PLB_EINPUT;
    const int64_t width = s->mesh.width, points = s->height * width; /* 1e18 at most */
    if (!plb_app_simulated(app)) {
        s->values = plb_app_alloc_array(app, points, 2 * sizeof *s->values);
        s->errors = s->mesh.errors ? plb_app_alloc_array(app, points, sizeof *s->errors) : NULL;
    }
    plb_app_units(app, points);
    plb_app_multiple(app, LANES);
    plb_app_args(app, &s->mesh, sizeof s->mesh);
    const struct plb_data buffers[] = {
        [COEFFICIENTS] = {.name = "coefficients",
                          .mode = PLB_REPLICATE,
                          .data = s->coefficients,
                          .bytes = (size_t)s->mesh.terms * sizeof *s->coefficients},
        [VALUES] = {.name = "values",
                    .mode = PLB_OUTPUT,
                    .data = s->values,
                    .unit_bytes = 2 * sizeof *s->values},
        [ERRORS] = {.name = "errors", .mode = PLB_OUTPUT, .data = s->errors, .unit_bytes = sizeof *s->errors},
    };
    for (int i = COEFFICIENTS; i <= (s->mesh.errors ? ERRORS : VALUES); i++)
        plb_app_data(app, &buffers[i]);
    if (plb_app_given(app, "values"))
        plb_app_save_npy(app, plb_app_text(app, "values"),
                         &(struct plb_array){s->values, sizeof *s->values, s->height, 2 * width, false});
    if (s->mesh.errors)
        plb_app_save_npy(app, plb_app_text(app, "errors"),
                         &(struct plb_array){s->errors, sizeof *s->errors, s->height, width, false});
    return PLB_OK;
}

/* Coefficients times points. */
static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    const struct state *s = plb_app_state(app);
    (void)first;
    return (double)count * (double)s->mesh.terms;
}

/* The function, by the C library's complex functions with more digits. */
static long double complex exactly(enum function f, long double complex z)
{
    switch (f) {
    case EXP: return cexpl(z);
    case SIN: return csinl(z);
    case COS: return ccosl(z);
    case LOG1P: return clogl(1.0L + z);
    default: return 1.0L / (1.0L - z);
    }
}

/* Whether a point's sum is that of its powers, added up one by one with more digits, and its error the
 * distance of that from the function. Horner's scheme may be off by 4 roundings a term (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2002, section 5.1). */
static bool right(const struct state *s, int64_t i)
{
    const long double complex z = (long double complex)real_part(&s->mesh, i % s->mesh.width)
                                + (long double complex)imaginary_part(&s->mesh, i / s->mesh.width) * I;
    long double complex sum = 0.0L, power = 1.0L;
    for (int64_t k = 0; k < s->mesh.terms; k++, power *= z)
        if (s->coefficients[k] != 0.0) /* the power may be infinite, where the coefficient is too small */
            sum += s->coefficients[k] * power;
    const long double complex got = s->values[2 * i] + s->values[2 * i + 1] * I;
    const long double complex exact = exactly((enum function)s->mesh.function, z);
    const double terms = magnitude(s, (double)cabsl(z));
    const double slack = 8.0 * DBL_EPSILON * (double)s->mesh.terms * terms;
    if (!((double)cabsl(got - sum) <= slack))
        return false;
    if (s->errors == NULL)
        return true;
    const double size = (double)cabsl(exact), error = (double)cabsl(sum - exact);
    if (!isfinite(size) || !isfinite(error)) /* the function has a pole there */
        return !isfinite(s->errors[i]);
    return fabs(s->errors[i] - error) <= 2.0 * slack + 32.0 * DBL_EPSILON * size;
}

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    int64_t wrong = INT64_MAX, points = s->height * s->mesh.width;
#pragma omp parallel for schedule(dynamic, 1024) reduction(min : wrong)
    for (int64_t i = 0; i < points; i++)
        if (i < wrong && !right(s, i))
            wrong = i;
    if (wrong == INT64_MAX)
        return PLB_OK;
    plb_app_error(app, "the sum at %g %+gi is %.17g %+.17gi%s, which differs from the reference",
                  real_part(&s->mesh, wrong % s->mesh.width), imaginary_part(&s->mesh, wrong / s->mesh.width),
                  s->values[2 * wrong], s->values[2 * wrong + 1],
                  s->errors != NULL ? ", or its error is wrong" : "");
    return PLB_EVERIFY;
}

/* Two results of the same points. Sums differ by rounding, where a PU does not fuse as others do, and errors
 * as much, and by the functions of another library. */
static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    const struct state *s = plb_app_state(app);
    const double *one = results->one, *other = results->other;
    const int64_t each = results->buffer == VALUES ? 2 : 1;
    for (int64_t i = 0; i < results->count; i++) {
        const int64_t point = results->first + i;
        const double x = real_part(&s->mesh, point % s->mesh.width),
                     y = imaginary_part(&s->mesh, point / s->mesh.width);
        double re, im, slack = 16.0 * DBL_EPSILON * (double)s->mesh.terms * magnitude(s, hypot(x, y));
        series_function((enum function)s->mesh.function, x, y, &re, &im);
        slack += results->buffer == ERRORS ? 64.0 * DBL_EPSILON * hypot(re, im) : 0.0;
        for (int64_t k = each * i; k < each * (i + 1); k++)
            if (!(fabs(one[k] - other[k]) <= slack))
                return k * (int64_t)sizeof *one;
    }
    return PLB_SAME;
}

PLB_CUDA_ENTRY(taylor_cuda);     /* taylor.cu */
PLB_OPENCL_ENTRY(taylor_opencl); /* opencl/taylor.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "taylor",
    PLB_KERNEL_HEAD,
    .unit = "points",
    .summary = "Taylor polynomials of complex functions on a mesh, and their errors, split by points",
    .options = options,
    .cpu = sum,
    .cuda = taylor_cuda,
    .opencl = taylor_opencl,
    .setup = setup,
    .cost = cost,
    .verify = verify,
    .agree = agree,
    .writes_all = true,
};
/* clang-format on */
