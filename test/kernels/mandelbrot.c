/* mandelbrot: rows of a picture of the Mandelbrot set, which cost unlike amounts. The kernel tells nothing of
 * that: balancers see it in the times alone. A row in the middle costs a hundred times one at the edge. */
#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"rows", PLB_INT, "800", 1, 1e6, NULL, "rows of the picture, the units of the job"},
    {"columns", PLB_INT, "800", 1, 1e6, NULL, "points of a row"},
    {"iterations", PLB_INT, "1000", 1, 1e9, NULL, "of a point that stays"},
    {"passes", PLB_INT, "1", 1, 1000, NULL, "how often the picture is computed"},
    {0},
};

/* On every rank. */
struct picture {
    int64_t rows, columns, iterations;
};

/* Iterations after which a point has left the circle of radius 2. */
static int64_t iterate(double x, double y, int64_t most)
{
    double a = 0.0, b = 0.0;
    int64_t n = 0;
    for (; n < most && a * a + b * b <= 4.0; n++) {
        double next = a * a - b * b + x;
        b = 2.0 * a * b + y;
        a = next;
    }
    return n;
}

static int64_t row(const struct picture *p, int64_t r)
{
    double y = -2.0 + 4.0 * ((double)r + 0.5) / (double)p->rows;
    int64_t sum = 0;
    for (int64_t c = 0; c < p->columns; c++)
        sum += iterate(-2.5 + 4.0 * ((double)c + 0.5) / (double)p->columns, y, p->iterations);
    return sum;
}

static int compute(const struct plb_task *task)
{
    const struct picture *p = task->args;
    int64_t *sums = task->data[0];
#pragma omp parallel for schedule(dynamic) num_threads(task->threads)
    for (int64_t i = 0; i < task->count; i++)
        sums[i] = row(p, task->first + i);
    return 0;
}

static int setup(struct plb_app *app)
{
    struct picture p = {plb_app_int(app, "rows"), plb_app_int(app, "columns"),
                        plb_app_int(app, "iterations")};
    plb_app_units(app, p.rows);
    plb_app_args(app, &p, sizeof p);
    plb_app_data(app, &(struct plb_data){.name = "sums",
                                         .mode = PLB_OUTPUT,
                                         .data = plb_app_alloc_array(app, p.rows, sizeof(int64_t)),
                                         .unit_bytes = sizeof(int64_t)});
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    *again = pass + 1 < plb_app_int(app, "passes");
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "mandelbrot",
    PLB_KERNEL_HEAD,
    .unit = "rows",
    .summary = "rows of a picture of the Mandelbrot set, of unlike costs that nobody is told",
    .options = options,
    .cpu = compute,
    .setup = setup,
    .next = next,
};
