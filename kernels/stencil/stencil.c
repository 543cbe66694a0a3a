/* stencil: heat that spreads in a plate, step by step. The temperature of a point changes with those of its
 * four neighbours; points at the border of the plate keep theirs. With the rate 0.25 a step is one of
 * Jacobi's method for Laplace's equation.
 *
 * A unit is a row, a pass is a step. Rows stay at the ranks that have computed them: what moves in a step is
 * the rows at the borders between two ranks, and the greatest change of a point, by which `next` decides
 * whether there is another one. About 6 flops and 16 bytes a point, so the memory of a CPU is its limit.
 *
 * The result has the same bits in every run, whatever the split and the instruction set. */
#include <stdio.h>
#include <time.h>

#include "plb/kernel.h"
#include "row.h"

enum { NOW, THEN, CHANGE }; /* handles */

struct args {
    int64_t rows, columns;
    double rate;
};

struct state {
    struct args size;
    struct plb_array start; /* of a file; data is NULL: made up */
    double *now, *then, change, tolerance;
    int64_t steps, made;
    double first_s, last_s; /* when the first and the last step had ended */
    uint8_t *pixels;
};

static const struct plb_option options[] = {
    {"start", PLB_INPUT_FILE, NULL, 0, 0, NULL,
     "temperatures at the start, .npy of float64, rows x columns; a hot disc and edge where not given"},
    {"rows", PLB_INT, "1024", 3, 1e6, NULL, "made-up plate: its points from top to bottom"},
    {"columns", PLB_INT, "1024", 3, 1e6, NULL, "made-up plate: its points from left to right"},
    {"steps", PLB_INT, "200", 1, 1e9, NULL, "at most"},
    {"tolerance", PLB_REAL, "0", 0, 1e300, NULL, "stops after a step in which no point changes by more"},
    {"rate", PLB_REAL, "0.25", 0, 0.25, NULL, "of the difference to a neighbour that a step evens out"},
    {"picture", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where the plate goes, .png from cold to hot; else nowhere"},
    {"end", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where the temperatures go, .npy, from which another run can start"},
    {0},
};

static int step(const struct plb_task *task)
{
    const struct args *a = task->args;
    const double *in = task->data[NOW];
    double *out = task->data[THEN], change = 0.0;
#pragma omp parallel for num_threads(task->threads) reduction(max : change)
    for (int64_t i = 0; i < task->count; i++) {
        int64_t row = task->first + i, at = i * a->columns;
        if (row == 0 || row == a->rows - 1)
            stencil_border(in + at, out + at, a->columns);
        else
            change = fmax(change, stencil_row(in + at, out + at, a->columns, a->rate));
    }
    *(double *)task->data[CHANGE] = change;
    return 0;
}

static int read_start(struct plb_app *app, struct state *s)
{
    const char *path = plb_app_text(app, "start");
    s->size = (struct args){plb_app_int(app, "rows"), plb_app_int(app, "columns"), plb_app_real(app, "rate")};
    if (path == NULL)
        return PLB_OK;
    if (plb_read_npy(app, path, PLB_ROW_MAJOR, &s->start) != PLB_OK)
        return PLB_EINPUT;
    s->size.rows = s->start.rows;
    s->size.columns = s->start.columns;
    if (s->start.element_bytes != sizeof(double))
        return plb_app_error(app,
                             "%s: is float32, and stencil works on float64: convert it with "
                             "astype('float64')",
                             path);
    if (s->size.rows < 3 || s->size.columns < 3)
        return plb_app_error(app,
                             "%s: is %lld x %lld, but at least 3 x 3 points were expected, because only "
                             "points inside the border change",
                             path, (long long)s->size.rows, (long long)s->size.columns);
    const double *x = s->start.data;
    for (int64_t i = 0; x != NULL && i < s->size.rows * s->size.columns; i++)
        if (!isfinite(x[i]))
            return plb_app_error(app,
                                 "%s: column %lld of row %lld is %g, but a finite number was expected; "
                                 "correct it",
                                 path, (long long)(i % s->size.columns) + 1,
                                 (long long)(i / s->size.columns) + 1, x[i]);
    return PLB_OK;
}

/* The temperatures at the start. */
static void fill(const struct state *s, double *plate)
{
    const struct args *a = &s->size;
    const double *from = s->start.data;
#pragma omp parallel for
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t i = 0; i < a->columns; i++)
            plate[row * a->columns + i] = from != NULL ? from[row * a->columns + i]
                                                       : stencil_start(a->rows, a->columns, row, i);
}

/* From black by red and yellow to white. */
static void heat_palette(uint8_t palette[PLB_PALETTE_BYTES])
{
    for (int i = 0; i < 256; i++)
        for (int c = 0; c < 3; c++) {
            int x = 3 * i - 255 * c;
            palette[3 * i + c] = (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
        }
}

static void name_results(struct plb_app *app, struct state *s)
{
    const struct args *a = &s->size;
    struct plb_array end = {s->then, sizeof(double), a->rows, a->columns, false};
    uint8_t palette[PLB_PALETTE_BYTES];
    heat_palette(palette);
    if (plb_app_given(app, "end"))
        plb_app_save_npy(app, plb_app_text(app, "end"), &end);
    if (!plb_app_given(app, "picture"))
        return;
    s->pixels = plb_app_simulated(app) ? NULL : plb_app_alloc_array(app, a->rows * a->columns, 1);
    plb_app_save_png(app, plb_app_text(app, "picture"),
                     &(struct plb_image){s->pixels, a->columns, a->rows, 1, palette});
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    if (read_start(app, s) != PLB_OK)
        return PLB_EINPUT;
    const struct args *a = &s->size;
    const size_t row = (size_t)a->columns * sizeof(double);
    s->steps = plb_app_int(app, "steps");
    s->tolerance = plb_app_real(app, "tolerance");
    if (!plb_app_simulated(app)) {
        s->now = plb_app_alloc_array(app, a->rows * a->columns, sizeof(double));
        s->then = plb_app_alloc_array(app, a->rows * a->columns, sizeof(double));
        fill(s, s->now);
    }
    name_results(app, s);
    plb_app_units(app, a->rows);
    plb_app_args(app, a, sizeof *a);
    const struct plb_data buffers[] = {
        [NOW] =
            {
                .name = "now",
                .mode = PLB_PARTITION,
                .data = s->now,
                .unit_bytes = row,
                .before = 1,
                .after = 1,
            },
        [THEN] =
            {
                .name = "then",
                .mode = PLB_OUTPUT,
                .data = s->then,
                .unit_bytes = row,
                .stays = true,
            },
        [CHANGE] = {.name = "change",
                    .mode = PLB_REDUCE,
                    .data = &s->change,
                    .bytes = sizeof s->change,
                    .op = PLB_MAX,
                    .type = PLB_FLOAT64},
    };
    for (int i = NOW; i <= CHANGE; i++)
        plb_app_data(app, &buffers[i]);
    plb_app_feed(app, THEN, NOW);
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    (void)app;
    (void)first;
    return (double)count;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    struct state *s = plb_app_state(app);
    s->last_s = seconds_now();
    s->first_s = s->first_s > 0.0 ? s->first_s : s->last_s;
    s->made = pass + 1;
    *again = s->made < s->steps && s->change > s->tolerance;
    plb_app_feed(app, THEN, NOW);
    return PLB_OK;
}

/* Colours the picture, and says what became of the plate. */
static int finish(struct plb_app *app)
{
    struct state *s = plb_app_state(app);
    int64_t n = s->size.rows * s->size.columns;
    double low = s->then[0], high = s->then[0];
#pragma omp parallel for reduction(min : low) reduction(max : high)
    for (int64_t i = 0; i < n; i++) {
        low = fmin(low, s->then[i]);
        high = fmax(high, s->then[i]);
    }
    for (int64_t i = 0; i < n && s->pixels != NULL; i++)
        s->pixels[i] = (uint8_t)(high > low ? 255.0 * (s->then[i] - low) / (high - low) + 0.5 : 0.0);
    printf("stencil: %lld steps; the last one changed no point by more than %.3g; from %.6g to %.6g\n",
           (long long)s->made, s->change, low, high);
    if (s->made > 1)
        printf("stencil: %.3f ms a step from the second one on\n",
               1e3 * (s->last_s - s->first_s) / (double)(s->made - 1));
    return PLB_OK;
}

/* All steps once more, point by point. */
static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const int64_t columns = s->size.columns, n = s->size.rows * columns;
    double *now = plb_app_alloc_array(app, n, sizeof *now), *then = plb_app_alloc_array(app, n, sizeof *then);
    fill(s, now);
    memcpy(then, now, (size_t)n * sizeof *then);
    for (int64_t made = 0; made < s->made; made++) {
        for (int64_t i = columns; i < n - columns; i++)
            if (i % columns != 0 && i % columns != columns - 1)
                then[i] = stencil_point(now + i, columns, s->size.rate);
        double *other = now;
        now = then;
        then = other;
    }
    for (int64_t i = 0; i < n; i++)
        if (now[i] != s->then[i]) {
            plb_app_error(app, "column %lld of row %lld is %.17g, the reference says %.17g",
                          (long long)(i % columns) + 1, (long long)(i / columns) + 1, s->then[i], now[i]);
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

PLB_OPENCL_ENTRY(stencil_opencl); /* opencl/stencil.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "stencil",
    PLB_KERNEL_HEAD,
    .unit = "rows",
    .summary = "heat that spreads in a plate, step by step, split by rows",
    .options = options,
    .cpu = step,
    .opencl = stencil_opencl,
    .setup = setup,
    .cost = cost,
    .next = next,
    .verify = verify,
    .finish = finish,
    .writes_all = true,
};
/* clang-format on */
