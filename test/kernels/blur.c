/* blur: each row of y is a weighted sum of the rows of x around it, times the row's own scale. At the borders
 * of the job the first and the last row count for those that are missing, as in a Gaussian blur of an image.
 * Halo, bytes and alignment of each task are checked, and verify sums in one loop over whole buffers. */
#include <string.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"rows", PLB_INT, "2000", 1, 1e9, NULL, "of x and y; with a file: as many as it has"},
    {"columns", PLB_INT, "24", 1, 1e6, NULL, "numbers of a row"},
    {"before", PLB_INT, "3", -1e18, 1e18, NULL, "rows before a row that it needs"},
    {"after", PLB_INT, "3", -1e18, 1e18, NULL, "rows after it"},
    {"passes", PLB_INT, "1", 1, 1000, NULL, "how many, each the same"},
    {"x", PLB_INPUT_FILE, NULL, 0, 0, NULL, "raw numbers; made up where it is not set"},
    {"misplaced", PLB_FLAG, "no", 0, 0, NULL, "the output has a halo"},
    {0},
};

enum { X, SCALE, Y };

struct shape {
    int64_t rows, columns, before, after;
};

struct state {
    struct shape shape;
    int64_t passes;
    double *x, *scale, *y;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* One row of y; low and high: which rows of x there are, counted from that at x. */
static void blur(const struct shape *s, const double *x, int64_t row, int64_t low, int64_t high, double scale,
                 double *y)
{
    for (int64_t c = 0; c < s->columns; c++) {
        double sum = 0.0;
        for (int64_t k = -s->before; k <= s->after; k++) {
            int64_t u = row + k < low ? low : row + k > high ? high : row + k;
            sum += x[u * s->columns + c] / (double)(1 + k * k);
        }
        y[c] = scale * sum;
    }
}

static int entry(const struct plb_task *task)
{
    const struct shape *s = task->args;
    const double *x = task->data[X], *scale = task->data[SCALE];
    double *y = task->data[Y];
    int64_t low = -task->before[X], high = task->count + task->after[X] - 1;
    if (low != -least(s->before, task->first)
        || high != task->count - 1 + least(s->after, s->rows - task->first - task->count)
        || task->before[SCALE] + task->after[SCALE] + task->before[Y] + task->after[Y] != 0)
        return 8;
    if (task->bytes[X] != (size_t)(task->count * s->columns) * sizeof *x || (uintptr_t)x % 64 != 0)
        return 9;
    for (int64_t i = 0; i < task->count; i++)
        blur(s, x, i, low, high, scale[i], y + i * s->columns);
    return 0;
}

/* x is a file, or made up. */
static int make_x(struct plb_app *app, struct state *s)
{
    struct plb_data_file file = {.path = plb_app_text(app, "x")};
    struct shape *shape = &s->shape;
    if (file.path != NULL) {
        if (plb_app_file(app, &file) != PLB_OK)
            return PLB_EINPUT;
        s->x = file.data;
        shape->rows = (int64_t)(file.bytes / sizeof(double)) / shape->columns;
        return PLB_OK;
    }
    s->x = plb_app_alloc_array(app, shape->rows * shape->columns, sizeof(double));
    for (int64_t i = 0; i < shape->rows * shape->columns && !plb_app_simulated(app); i++)
        s->x[i] = plb_random_real(5, (uint64_t)i);
    return PLB_OK;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    struct shape *shape = &s->shape;
    bool misplaced = plb_app_flag(app, "misplaced");
    *shape = (struct shape){plb_app_int(app, "rows"), plb_app_int(app, "columns"), plb_app_int(app, "before"),
                            plb_app_int(app, "after")};
    s->passes = plb_app_int(app, "passes");
    plb_app_set_state(app, s);
    if (make_x(app, s) != PLB_OK)
        return PLB_EINPUT;
    size_t row = (size_t)shape->columns * sizeof(double);
    s->scale = plb_app_alloc_array(app, shape->rows, sizeof(double));
    s->y = plb_app_alloc_array(app, shape->rows, row);
    for (int64_t i = 0; i < shape->rows; i++)
        s->scale[i] = 1.0 + (double)(i % 7);
    plb_app_units(app, shape->rows);
    plb_app_args(app, shape, sizeof *shape);
    plb_app_data(app, &(struct plb_data){.name = "x",
                                         .mode = PLB_PARTITION,
                                         .data = s->x,
                                         .unit_bytes = row,
                                         .before = shape->before,
                                         .after = shape->after});
    plb_app_data(app,
                 &(struct plb_data){
                     .name = "scale", .mode = PLB_PARTITION, .data = s->scale, .unit_bytes = sizeof(double)});
    plb_app_data(
        app,
        &(struct plb_data){
            .name = "y", .mode = PLB_OUTPUT, .data = s->y, .unit_bytes = row, .after = misplaced ? 1 : 0});
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    const struct state *s = plb_app_state(app);
    *again = pass + 1 < s->passes;
    if (*again)
        memset(s->y, 0, (size_t)(s->shape.rows * s->shape.columns) * sizeof *s->y);
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const struct shape *shape = &s->shape;
    double *right = plb_app_alloc_array(app, shape->columns, sizeof *right);
    for (int64_t row = 0; row < shape->rows; row++) {
        blur(shape, s->x, row, 0, shape->rows - 1, s->scale[row], right);
        if (memcmp(right, s->y + row * shape->columns, (size_t)shape->columns * sizeof *right) != 0) {
            plb_app_error(app, "row %lld is wrong", (long long)row);
            return PLB_EVERIFY;
        }
    }
    return PLB_OK;
}

PLB_CUDA_ENTRY(blur_cuda); /* test/fake-cuda/blur.c */

const struct plb_kernel plb_kernel = {
    .name = "blur",
    PLB_KERNEL_HEAD,
    .unit = "rows",
    .summary = "rows and their neighbours",
    .options = options,
    .cpu = entry,
    .cuda = blur_cuda,
    .setup = setup,
    .next = next,
    .verify = verify,
    .writes_all = true,
};
