/* spmm: C = A · B with A sparse, in compressed sparse rows, and B dense; float64.
 *
 * A unit is a row of A and C. The entries of A are split by rows, through its offsets, or with `broadcast`
 * all of A goes to every node. The offsets and B, which is row-major, are on every node. Rows of a real
 * matrix differ in length, so `cost` says how much work a range is: 2 flops for each entry and column of B,
 * and as much as one more entry for writing the row. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "plb/kernel.h"
#include "synthetic.h"

enum { OFFSETS, INDICES, VALUES, B, C }; /* handles, in order of declaration */

/* Rows that a block of threads computes on a GPU: a warp each (spmm.cu). Larger: tasks can follow the load
 * less closely. Smaller: the last block of a task has warps without work. */
#define ROWS_AT_ONCE 8

/* Arguments of a task; the same as in spmm.cu. */
struct spmm_args {
    int64_t columns; /* of B */
    int64_t whole;   /* not 0: a task has all entries of A, and not its rows' alone */
};

struct state {
    struct plb_csr a;
    struct plb_array b, c;
    struct spmm_args args;
    bool tells_cost; /* the option `cost` */
    bool knows_largest;
    double largest; /* finite magnitude in B, once an audit has asked for it */
};

static const struct plb_option options[] = {
    {"matrix", PLB_INPUT_FILE, NULL, 0, 0, NULL,
     "A, a Matrix Market file (.mtx), or SciPy's sparse matrix in CSR form (.npz); synthetic where not "
     "given"},
    {"b", PLB_INPUT_FILE, NULL, 0, 0, NULL, "B, .npy of float32 or float64; synthetic where not given"},
    {"c", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where the product goes, .npy of float64; nowhere where not given"},
    {"columns", PLB_INT, "64", 1, 2147483647, NULL, "synthetic B: its columns"},
    {"kind", PLB_TEXT, "powerlaw", 0, 0, SPMM_KINDS, "synthetic A: how its entries are spread"},
    {"rows", PLB_INT, "10000", 1, 2147483647, NULL, "synthetic A: rows"},
    {"inner", PLB_INT, "10000", 1, 2147483647, NULL, "synthetic A: columns"},
    {"nnz_per_row", PLB_INT, "16", 1, 1000000, NULL,
     "synthetic A: entries drawn per row (uniform, powerlaw)"},
    {"zeros", PLB_REAL, "0.5", 0, 1, NULL, "synthetic A: part of zeros (li)"},
    {"broadcast", PLB_FLAG, "no", 0, 0, NULL,
     "all of A goes to every node, as in Li's algorithm; with no, only the rows that a node computes"},
    {"cost", PLB_FLAG, "yes", 0, 0, NULL, "give plbrun the cost of each row; no: costs are unknown to it"},
    {"nonfinite", PLB_FLAG, "no", 0, 0, NULL, "values of an .mtx file may be nan and infinite"},
    {"mapped", PLB_FLAG, "no", 0, 0, NULL,
     "map b and c instead of reading them; ranks that see the files need no network"},
    {"seed", PLB_INT, "1", 0, 9007199254740992.0, NULL, "synthetic input: seed"},
    {0},
};

#define GROUP 32 /* columns of C in registers: four vectors of AVX-512, or eight of AVX2 */
#define LINE 8   /* numbers of a cache line */

/* Entries ahead whose rows of B are fetched: places are random, and no processor guesses them. More: rows
 * leave the first cache before they are used. Fewer: they come late. */
#define AHEAD 6

/* Some rows of the product. */
struct part {
    const int32_t *indices;
    const double *values, *b;
    int64_t columns;
};

/* `width` columns of a row of C, up to GROUP, from its n entries; `left`: those of the rows below, too. */
static inline __attribute__((always_inline)) void add_entries(const struct part *p, int64_t n, int64_t left,
                                                              int64_t column, int width, double *out)
{
    double sum[GROUP] = {0.0};
    for (int64_t i = 0; i < n; i++) {
        const double *row = p->b + p->indices[i] * p->columns + column;
        if (i + AHEAD < left)
            for (int l = 0; l < width; l += LINE)
                __builtin_prefetch(p->b + p->indices[i + AHEAD] * p->columns + column + l);
        for (int l = 0; l < width; l++)
            sum[l] += p->values[i] * row[l];
    }
    memcpy(out + column, sum, (size_t)width * sizeof *out);
}

PLB_CLONES static void multiply_row(const struct part *part, int64_t n, int64_t left, double *out)
{
    const struct part p = *part;
    int64_t column = 0;
    for (; column + GROUP <= p.columns; column += GROUP)
        add_entries(&p, n, left, column, GROUP, out);
    for (; column + LINE <= p.columns; column += LINE)
        add_entries(&p, n, left, column, LINE, out);
    for (; column + 4 <= p.columns; column += 4)
        add_entries(&p, n, left, column, 4, out);
    for (; column < p.columns; column++)
        add_entries(&p, n, left, column, 1, out);
}

static int multiply(const struct plb_task *task)
{
    const struct spmm_args *args = task->args;
    const int64_t columns = args->columns;
    const int64_t *offsets = (const int64_t *)task->data[OFFSETS] + task->first;
    const int32_t *indices = task->data[INDICES];
    const double *values = task->data[VALUES], *b = task->data[B];
    double *c = task->data[C];
    const int64_t base = args->whole ? 0 : offsets[0];
#pragma omp parallel for schedule(dynamic, 32) num_threads(task->threads)
    for (int64_t r = 0; r < task->count; r++) {
        const int64_t first = offsets[r] - base;
        const struct part part = {indices + first, values + first, b, columns};
        multiply_row(&part, offsets[r + 1] - offsets[r], offsets[task->count] - offsets[r], c + r * columns);
    }
    return 0;
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcmp(path + length - tail, end) == 0;
}

static int read_a(struct plb_app *app, struct state *s)
{
    const char *path = plb_app_text(app, "matrix");
    if (path != NULL && ends_with(path, ".npz"))
        return plb_read_npz(app, path, &s->a);
    if (path != NULL)
        return plb_app_flag(app, "nonfinite") ? plb_read_mtx_nonfinite(app, path, &s->a)
                                              : plb_read_mtx(app, path, &s->a);
    const struct spmm_spec spec = {
        .kind = (enum spmm_kind)plb_app_choice(app, "kind"),
        .rows = plb_app_int(app, "rows"),
        .columns = plb_app_int(app, "inner"),
        .nnz_per_row = plb_app_int(app, "nnz_per_row"),
        .zeros = plb_app_real(app, "zeros"),
        .seed = (uint64_t)plb_app_int(app, "seed"),
    };
    double entries = (double)spec.rows * (double)(spec.kind == SPMM_LI ? spec.columns : spec.nnz_per_row);
    if (entries > 4e9)
        return plb_app_error(app,
                             "[spmm] asks for %.3g synthetic entries; at most 4e9 are made, so lower rows, "
                             "inner or nnz_per_row",
                             entries);
    spmm_synthetic(app, &spec, &s->a);
    return s->a.offsets != NULL ? PLB_OK : PLB_EINPUT;
}

static int map_b(struct plb_app *app, const char *path, struct plb_array *b)
{
    struct plb_data_file file = {.path = path, .type = "<f8"};
    if (plb_app_file(app, &file) != PLB_OK)
        return PLB_EINPUT;
    *b = (struct plb_array){file.data, sizeof(double), file.rows, file.columns, false};
    return PLB_OK;
}

static int read_b(struct plb_app *app, struct state *s)
{
    const char *path = plb_app_text(app, "b");
    struct plb_array in = {
        .element_bytes = sizeof(double), .rows = s->a.columns, .columns = plb_app_int(app, "columns")};
    if (path != NULL && plb_app_flag(app, "mapped")) {
        if (map_b(app, path, &in) != PLB_OK)
            return PLB_EINPUT;
    } else if (path != NULL && plb_read_npy(app, path, PLB_ROW_MAJOR, &in) != PLB_OK) {
        return PLB_EINPUT;
    }
    if (in.rows != s->a.columns)
        return plb_app_error(app,
                             "A is %lld x %lld and B is %lld x %lld: B needs as many rows as A has columns; "
                             "correct matrix and b in [spmm]",
                             (long long)s->a.rows, (long long)s->a.columns, (long long)in.rows,
                             (long long)in.columns);
    if (in.rows > INT64_MAX / (int64_t)sizeof(double) / in.columns)
        return plb_app_error(app, "B is %lld x %lld, which is 2^63 bytes or more; use a smaller B",
                             (long long)in.rows, (long long)in.columns);
    s->b = in;
    s->b.element_bytes = sizeof(double);
    if (plb_app_simulated(app) || (path != NULL && in.element_bytes == sizeof(double)))
        return PLB_OK;
    int64_t n = in.rows * in.columns;
    uint64_t seed = (uint64_t)plb_app_int(app, "seed") + 1000;
    double *b = s->b.data = plb_app_alloc_array(app, n, sizeof *b);
    for (int64_t i = 0; i < n; i++)
        b[i] = path != NULL ? (double)((const float *)in.data)[i]
                            : 2.0 * plb_random_real(seed, (uint64_t)i) - 1.0;
    return PLB_OK;
}

/* The memory of C: that of its file, or of rank 0. */
static int make_c(struct plb_app *app, struct state *s, size_t row_bytes)
{
    const char *path = plb_app_text(app, "c");
    if (path != NULL && plb_app_flag(app, "mapped")) {
        struct plb_data_file file = {
            .path = path, .type = "<f8", .result = true, .rows = s->c.rows, .columns = s->c.columns};
        int status = plb_app_file(app, &file);
        s->c.data = file.data;
        return status;
    }
    if (!plb_app_simulated(app))
        s->c.data = plb_app_alloc_array(app, s->a.rows, row_bytes);
    if (path != NULL)
        plb_app_save_npy(app, path, &s->c);
    return PLB_OK;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    s->tells_cost = plb_app_flag(app, "cost");
    if (read_a(app, s) != PLB_OK || read_b(app, s) != PLB_OK)
        return PLB_EINPUT;
    size_t row_bytes = (size_t)s->b.columns * sizeof(double);
    s->c = (struct plb_array){NULL, sizeof(double), s->a.rows, s->b.columns, false};
    if (make_c(app, s, row_bytes) != PLB_OK)
        return PLB_EINPUT;
    plb_app_units(app, s->a.rows);
    plb_app_multiple(app, ROWS_AT_ONCE);
    s->args = (struct spmm_args){s->b.columns, plb_app_flag(app, "broadcast")};
    plb_app_args(app, &s->args, sizeof s->args);
    size_t entries = (size_t)s->a.nonzeros;
    bool whole = s->args.whole != 0;
    const struct plb_data buffers[] = {
        [OFFSETS] = {.name = "A offsets",
                     .mode = PLB_REPLICATE,
                     .data = s->a.offsets,
                     .bytes = (size_t)(s->a.rows + 1) * sizeof(int64_t)},
        [INDICES] = {.name = "A columns",
                     .mode = whole ? PLB_REPLICATE : PLB_PARTITION_INDEXED,
                     .data = s->a.indices,
                     .bytes = whole ? entries * sizeof(int32_t) : 0,
                     .offsets = OFFSETS,
                     .element_bytes = sizeof(int32_t)},
        [VALUES] = {.name = "A values",
                    .mode = whole ? PLB_REPLICATE : PLB_PARTITION_INDEXED,
                    .data = s->a.values,
                    .bytes = whole ? entries * sizeof(double) : 0,
                    .offsets = OFFSETS,
                    .element_bytes = sizeof(double)},
        [B] = {.name = "B", .mode = PLB_REPLICATE, .data = s->b.data, .bytes = (size_t)s->b.rows * row_bytes},
        [C] = {.name = "C", .mode = PLB_OUTPUT, .data = s->c.data, .unit_bytes = row_bytes},
    };
    for (int i = OFFSETS; i <= C; i++)
        plb_app_data(app, &buffers[i]);
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    const struct state *s = plb_app_state(app);
    int64_t entries = s->a.offsets[first + count] - s->a.offsets[first];
    if (!s->tells_cost)
        return 2.0 * (double)s->b.columns * ((double)s->a.nonzeros / (double)s->a.rows + 1.0) * (double)count;
    return 2.0 * (double)s->b.columns * (double)(entries + count);
}

/* Computes each element as one dot product down a column of B, in another order than the entry does. An
 * element may differ by what rounding can explain: entries · epsilon · Σ|a||b|, half of it for each of the
 * two sums, in whatever order the entry or cuSPARSE adds. */
static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const double *b = s->b.data, *c = s->c.data;
    for (int64_t r = 0; r < s->a.rows; r++)
        for (int64_t j = 0; j < s->b.columns; j++) {
            double sum = 0.0, size = 0.0;
            for (int64_t i = s->a.offsets[r + 1] - 1; i >= s->a.offsets[r]; i--) {
                double term = s->a.values[i] * b[s->a.indices[i] * s->b.columns + j];
                sum += term;
                size += fabs(term);
            }
            double entries = (double)(s->a.offsets[r + 1] - s->a.offsets[r]), got = c[r * s->b.columns + j];
            if (!isfinite(sum) && (got == sum || (isnan(got) && isnan(sum))))
                continue;
            if (!(fabs(got - sum) <= (entries + 8.0) * DBL_EPSILON * size)) {
                plb_app_error(app, "C[%lld, %lld] is %.17g, the reference says %.17g", (long long)r,
                              (long long)j, got, sum);
                return PLB_EVERIFY;
            }
        }
    return PLB_OK;
}

/* The largest finite magnitude in B. */
static double largest_of_b(struct state *s)
{
    const double *b = s->b.data;
    for (int64_t i = 0; i < s->b.rows * s->b.columns && !s->knows_largest; i++)
        s->largest = isfinite(b[i]) ? fmax(s->largest, fabs(b[i])) : s->largest;
    s->knows_largest = true;
    return s->largest;
}

/* Two results of the same rows. The tolerance is that of verify, with the largest element of B for each: it
 * costs a look at the entries of A, and not the product again. */
static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    struct state *s = plb_app_state(app);
    int64_t row_bytes = s->b.columns * (int64_t)sizeof(double);
    for (int64_t i = 0; i < results->count; i++) {
        int64_t r = results->first + i, begin = s->a.offsets[r], end = s->a.offsets[r + 1];
        struct plb_twice row = *results;
        double size = 0.0;
        for (int64_t k = begin; k < end; k++)
            size += fabs(s->a.values[k]);
        size *= largest_of_b(s);
        row.one = (const char *)results->one + i * row_bytes;
        row.other = (const char *)results->other + i * row_bytes;
        row.bytes = (size_t)row_bytes;
        int64_t at = plb_app_agree_reals(&row, 0.0, ((double)(end - begin) + 8.0) * DBL_EPSILON * size);
        if (at != PLB_SAME)
            return i * row_bytes + at;
    }
    return PLB_SAME;
}

PLB_CUDA_ENTRY(spmm_cuda);     /* spmm.cu */
PLB_OPENCL_ENTRY(spmm_opencl); /* opencl/spmm.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "spmm",
    PLB_KERNEL_HEAD,
    .unit = "rows",
    .summary = "sparse times dense matrix product C = A B, split by rows of A",
    .options = options,
    .cpu = multiply,
    .cuda = spmm_cuda,
    .opencl = spmm_opencl,
    .setup = setup,
    .cost = cost,
    .verify = verify,
    .agree = agree,
    .writes_all = true,
};
/* clang-format on */
