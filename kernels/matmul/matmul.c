/* matmul: C = A · B for dense matrices, float32 or float64, with OpenBLAS.
 *
 * A unit is a column of B and C. A is on every node; B is split by columns; C is gathered. All three are
 * column-major, so a range of columns is contiguous. A row-major input is transposed once, when it is read.
 * The cost of a unit is 2 · rows · inner flops. Weak at few columns per task: reading A then limits the rate,
 * instead of arithmetic. */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "plb/kernel.h"

enum { A, B, C };          /* handles, in order of declaration */
enum { FLOAT32, FLOAT64 }; /* choices of dtype */

/* Columns of a tile of C, as cuBLAS computes it: a task that ends within one computes the rest of it in vain.
 * Larger: tasks can follow the load less closely. Smaller: GPUs waste time. A guess from the names of
 * cuBLAS's kernels, not measured; CPUs need less. */
#define TILE 128

struct shape { /* the same as in matmul.cu */
    int64_t rows, inner, columns;
    size_t element_bytes;
    int64_t tf32, bf16; /* a GPU may round factors of float32 to 10 or 7 bits; 0 or 1 */
};

struct state {
    struct shape shape;
    struct plb_array a, b, c;
    bool knows_largest;
    double largest; /* magnitude in A, once an audit has asked for it */
};

static const struct plb_option options[] = {
    {"a", PLB_INPUT_FILE, NULL, 0, 0, NULL,
     "left factor, .npy of float32 or float64; synthetic where not given"},
    {"b", PLB_INPUT_FILE, NULL, 0, 0, NULL, "right factor, .npy of the same type; synthetic where not given"},
    {"c", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the product goes, .npy; nowhere where not given"},
    {"rows", PLB_INT, "1024", 1, 2147483647, NULL, "synthetic A: its rows"},
    {"inner", PLB_INT, "1024", 1, 2147483647, NULL, "synthetic A and B: columns of A, rows of B"},
    {"columns", PLB_INT, "1024", 1, 2147483647, NULL, "synthetic B: its columns"},
    {"dtype", PLB_TEXT, "float64", 0, 0, "float32|float64", "synthetic input: type of the elements"},
    {"seed", PLB_INT, "1", 0, 9007199254740992.0, NULL,
     "synthetic input: seed of the uniform values in [-1, 1)"},
    {"tf32", PLB_FLAG, "no", 0, 0, NULL,
     "let GPUs multiply float32 as TF32: faster, with 10 bits of mantissa instead of 23"},
    {"bf16", PLB_FLAG, "no", 0, 0, NULL,
     "let GPUs multiply float32 as bfloat16: faster still, with 7 bits; sums keep their 23"},
    {0},
};

/* OpenBLAS counts threads for the whole process; built with OpenMP, it also sets OpenMP's number for the
 * calling thread. All PUs of a process have the same number. */
static void take_threads(int threads)
{
    if (openblas_get_num_threads() != threads)
        openblas_set_num_threads(threads);
}

static int multiply(const struct plb_task *task)
{
    const struct shape *s = task->args;
    int m = (int)s->rows, k = (int)s->inner;
    take_threads(task->threads);
    const int64_t widest = 1 << 30; /* columns in one call: BLAS counts in int */
    for (int64_t done = 0; done < task->count; done += widest) {
        int n = (int)(task->count - done < widest ? task->count - done : widest);
        const char *b = (const char *)task->data[B] + (size_t)done * (size_t)k * s->element_bytes;
        char *c = (char *)task->data[C] + (size_t)done * (size_t)m * s->element_bytes;
        if (s->element_bytes == sizeof(float))
            cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, task->data[A], m,
                        (const void *)b, k, 0.0f, (void *)c, m);
        else
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, task->data[A], m,
                        (const void *)b, k, 0.0, (void *)c, m);
    }
    return 0;
}

static double at(const struct plb_array *x, int64_t index)
{
    return x->element_bytes == sizeof(float) ? (double)((const float *)x->data)[index]
                                             : ((const double *)x->data)[index];
}

static void synthesise(struct plb_app *app, struct plb_array *x, int64_t rows, int64_t columns,
                       size_t element_bytes, uint64_t seed)
{
    *x = (struct plb_array){NULL, element_bytes, rows, columns, true};
    if (plb_app_simulated(app))
        return;
    int64_t n = rows * columns;
    x->data = plb_app_alloc_array(app, n, element_bytes);
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        double value = 2.0 * plb_random_real(seed, (uint64_t)i) - 1.0;
        if (element_bytes == sizeof(float))
            ((float *)x->data)[i] = (float)value;
        else
            ((double *)x->data)[i] = value;
    }
}

/* Reads one factor, or makes it with the given dimensions. */
static int factor(struct plb_app *app, const char *name, struct plb_array *x, int64_t rows, int64_t columns,
                  size_t element_bytes, uint64_t seed)
{
    const char *path = plb_app_text(app, name);
    if (path != NULL)
        return plb_read_npy(app, path, PLB_COLUMN_MAJOR, x);
    synthesise(app, x, rows, columns, element_bytes, seed);
    return PLB_OK;
}

static int check_shapes(struct plb_app *app, const struct state *s)
{
    if (s->a.columns != s->b.rows)
        return plb_app_error(app,
                             "A is %lld x %lld and B is %lld x %lld: A needs as many columns as B has rows; "
                             "correct a and b in [matmul]",
                             (long long)s->a.rows, (long long)s->a.columns, (long long)s->b.rows,
                             (long long)s->b.columns);
    if (s->a.element_bytes != s->b.element_bytes)
        return plb_app_error(app, "A is float%zu and B is float%zu: convert one with astype()",
                             8 * s->a.element_bytes, 8 * s->b.element_bytes);
    if (s->a.rows > INT32_MAX || s->a.columns > INT32_MAX)
        return plb_app_error(app, "A is %lld x %lld, larger than the %d that BLAS counts to",
                             (long long)s->a.rows, (long long)s->a.columns, INT32_MAX);
    if (s->a.columns > 0 && s->a.rows > INT64_MAX / (int64_t)s->a.element_bytes / s->a.columns)
        return plb_app_error(app, "A is %lld x %lld, which is 2^63 bytes or more; use a smaller A",
                             (long long)s->a.rows, (long long)s->a.columns);
    return PLB_OK;
}

static int read_factors(struct plb_app *app, struct state *s)
{
    bool a_file = plb_app_given(app, "a"), b_file = plb_app_given(app, "b");
    int64_t rows = plb_app_int(app, "rows"), inner = plb_app_int(app, "inner");
    int64_t columns = plb_app_int(app, "columns");
    size_t bytes = plb_app_choice(app, "dtype") == FLOAT32 ? sizeof(float) : sizeof(double);
    uint64_t seed = (uint64_t)plb_app_int(app, "seed");
    /* A synthetic factor gets the dimensions and the type that fit a factor from a file. */
    int status = b_file ? factor(app, "b", &s->b, 0, 0, 0, 0) : PLB_OK;
    if (status == PLB_OK)
        status = factor(app, "a", &s->a, rows, b_file ? s->b.rows : inner,
                        b_file ? s->b.element_bytes : bytes, 2 * seed);
    if (status == PLB_OK && !b_file)
        status = factor(app, "b", &s->b, a_file ? s->a.columns : inner, columns, s->a.element_bytes,
                        2 * seed + 1);
    return status == PLB_OK ? check_shapes(app, s) : status;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    int status = read_factors(app, s);
    if (status != PLB_OK)
        return status;
    s->shape = (struct shape){.rows = s->a.rows,
                              .inner = s->a.columns,
                              .columns = s->b.columns,
                              .element_bytes = s->a.element_bytes,
                              .tf32 = plb_app_flag(app, "tf32"),
                              .bf16 = plb_app_flag(app, "bf16")};
    if (s->shape.tf32 && s->shape.bf16)
        return plb_app_error(app, "tf32 and bf16 are two ways to round the same factors; set one of them");
    s->c = (struct plb_array){NULL, s->shape.element_bytes, s->shape.rows, s->shape.columns, true};
    size_t column_b = (size_t)s->shape.inner * s->shape.element_bytes;
    size_t column_c = (size_t)s->shape.rows * s->shape.element_bytes;
    if (!plb_app_simulated(app))
        s->c.data = plb_app_alloc_array(app, s->shape.columns, column_c);
    plb_app_units(app, s->shape.columns);
    plb_app_multiple(app, TILE);
    plb_app_args(app, &s->shape, sizeof s->shape);
    const struct plb_data buffers[] = {
        [A] = {.name = "A",
               .mode = PLB_REPLICATE,
               .data = s->a.data,
               .bytes = column_c * (size_t)s->shape.inner},
        [B] = {.name = "B", .mode = PLB_PARTITION, .data = s->b.data, .unit_bytes = column_b},
        [C] = {.name = "C", .mode = PLB_OUTPUT, .data = s->c.data, .unit_bytes = column_c},
    };
    for (int i = A; i <= C; i++)
        plb_app_data(app, &buffers[i]);
    if (plb_app_given(app, "c"))
        plb_app_save_npy(app, plb_app_text(app, "c"), &s->c);
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    const struct state *s = plb_app_state(app);
    (void)first;
    return 2.0 * (double)s->shape.rows * (double)s->shape.inner * (double)count;
}

/* y = A · x and size = |A| · |x|, in double precision, by plain loops. */
static void reference(const struct state *s, const double *x, double *y, double *size)
{
    memset(y, 0, (size_t)s->shape.rows * sizeof *y);
    memset(size, 0, (size_t)s->shape.rows * sizeof *size);
    for (int64_t k = 0; k < s->shape.inner; k++)
        for (int64_t i = 0; i < s->shape.rows; i++) {
            double a = at(&s->a, k * s->shape.rows + i);
            y[i] += a * x[k];
            size[i] += fabs(a) * fabs(x[k]);
        }
}

static int differs(struct plb_app *app, int64_t row, int64_t column, double got, double expected)
{
    plb_app_error(app, "C[%lld, %lld] is %.9g, the reference says %.9g", (long long)row, (long long)column,
                  got, expected);
    return PLB_EVERIFY;
}

/* How far an element may be from the reference, in units of Σ|a||b|: as far as rounding can explain. inner ·
 * epsilon is the classical bound for a dot product in any order. With tf32, each factor also loses up to
 * 2^-11 of itself where it is rounded to 10 bits, and up to 2^-10 where it is cut. cuBLAS does not say which,
 * so 2 · 2^-10 is added, and 2 · 2^-7 with bf16. CPUs ignore both, but verify does not know who computed
 * what. */
static double tolerance(const struct shape *d)
{
    bool is_float = d->element_bytes == sizeof(float);
    double epsilon = is_float ? FLT_EPSILON : DBL_EPSILON;
    return ((double)d->inner + 8.0) * epsilon + (!is_float ? 0.0 : d->bf16 ? 0x1p-6 : d->tf32 ? 0x1p-9 : 0.0);
}

/* Checks columns one by one: all of them where that takes at most 2^31 multiplications, else as many as that
 * allows, evenly chosen. */
static int check_columns(struct plb_app *app, const struct state *s)
{
    const struct shape *d = &s->shape;
    double *x = plb_app_alloc_array(app, d->inner, sizeof *x);
    double *y = plb_app_alloc_array(app, d->rows, sizeof *y);
    double *size = plb_app_alloc_array(app, d->rows, sizeof *size);
    int64_t affordable = (int64_t)(0x1p31 / ((double)d->rows * (double)d->inner)) + 8;
    int64_t n = d->columns < affordable ? d->columns : affordable;
    for (int64_t i = 0; i < n; i++) {
        int64_t j = i * d->columns / n;
        for (int64_t k = 0; k < d->inner; k++)
            x[k] = at(&s->b, j * d->inner + k);
        reference(s, x, y, size);
        for (int64_t r = 0; r < d->rows; r++)
            if (!(fabs(at(&s->c, j * d->rows + r) - y[r]) <= tolerance(d) * size[r]))
                return differs(app, r, j, at(&s->c, j * d->rows + r), y[r]);
    }
    return PLB_OK;
}

/* Checks the sum of all columns with random signs, which any single wrong element changes (Freivalds
 * 1977). */
static int check_sum(struct plb_app *app, const struct state *s)
{
    const struct shape *d = &s->shape;
    double *x = plb_app_alloc_array(app, d->inner, sizeof *x);
    double *x_size = plb_app_alloc_array(app, d->inner, sizeof *x_size);
    double *y = plb_app_alloc_array(app, d->rows, sizeof *y);
    double *y_size = plb_app_alloc_array(app, d->rows, sizeof *y_size);
    double *sum = plb_app_alloc_array(app, d->rows, sizeof *sum);
    double *unused = plb_app_alloc_array(app, d->rows, sizeof *unused);
    for (int64_t j = 0; j < d->columns; j++) {
        double sign = plb_random_bits(7, (uint64_t)j) & 1 ? 1.0 : -1.0;
        for (int64_t k = 0; k < d->inner; k++) {
            x[k] += sign * at(&s->b, j * d->inner + k);
            x_size[k] += fabs(at(&s->b, j * d->inner + k));
        }
        for (int64_t r = 0; r < d->rows; r++)
            sum[r] += sign * at(&s->c, j * d->rows + r);
    }
    reference(s, x, y, unused);
    reference(s, x_size, unused, y_size);
    for (int64_t r = 0; r < d->rows; r++)
        if (!(fabs(sum[r] - y[r]) <= (2.0 * tolerance(d) + (double)d->columns * DBL_EPSILON) * y_size[r]))
            return differs(app, r, -1, sum[r], y[r]);
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    int status = check_columns(app, s);
    return status == PLB_OK ? check_sum(app, s) : status;
}

/* The largest magnitude in A. */
static double largest_of_a(struct state *s)
{
    for (int64_t i = 0; i < s->shape.rows * s->shape.inner && !s->knows_largest; i++)
        s->largest = fmax(s->largest, fabs(at(&s->a, i)));
    s->knows_largest = true;
    return s->largest;
}

/* Two results of the same columns. The tolerance is that of verify, with the largest element of A for each:
 * it costs a look at the columns of B, and not the product again. */
static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    struct state *s = plb_app_state(app);
    const struct shape *d = &s->shape;
    struct plb_array one = s->c, other = s->c;
    one.data = (void *)results->one;
    other.data = (void *)results->other;
    for (int64_t i = 0; i < results->count; i++) {
        double size = 0.0;
        for (int64_t k = 0; k < d->inner; k++)
            size += fabs(at(&s->b, (results->first + i) * d->inner + k));
        for (int64_t e = i * d->rows; e < (i + 1) * d->rows; e++) {
            bool none = isnan(at(&one, e)) && isnan(at(&other, e));
            if (!none && !(fabs(at(&one, e) - at(&other, e)) <= tolerance(d) * size * largest_of_a(s)))
                return e * (int64_t)d->element_bytes;
        }
    }
    return PLB_SAME;
}

PLB_CUDA_ENTRY(matmul_cuda);     /* matmul.cu */
PLB_OPENCL_ENTRY(matmul_opencl); /* opencl/matmul.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "matmul",
    PLB_KERNEL_HEAD,
    .unit = "columns",
    .summary = "dense matrix product C = A B, split by columns",
    .options = options,
    .cpu = multiply,
    .cuda = matmul_cuda,
    .opencl = matmul_opencl,
    .setup = setup,
    .cost = cost,
    .verify = verify,
    .agree = agree,
    .writes_all = true,
};
/* clang-format on */
