/* gaussian: a Gaussian blur of an image or an array, as scipy.ndimage.gaussian_filter has it. All sums are in
 * float64.
 *
 * A unit is a row. A task also reads the rows around its own: the halo. A blur of radius r is 2 r + 1 numbers
 * of a column, and then 2 r + 1 of a row: about 8 r flops a number.
 *
 * The result has the same bits in every run on CPUs, whatever the split and the instruction set. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { IMAGE, WEIGHTS, RESULTS }; /* handles; the results are values, pixels or both, in this order */

struct state {
    struct blur blur;
    const void *image;
    double *weights, largest; /* largest: magnitude of a number of the image */
    void *values;
    uint8_t *pixels;
};

static const struct plb_option options[] = {
    {"image", PLB_INPUT_FILE, NULL, 0, 0, NULL,
     ".png, or .npy of float32 or float64, height x width; made up where not given"},
    {"width", PLB_INT, "2000", 1, PLB_MOST_PIXELS, NULL, "made-up image: pixels of a row"},
    {"height", PLB_INT, "2000", 1, PLB_MOST_PIXELS, NULL, "made-up image: rows"},
    {"seed", PLB_INT, "1", 0, 9007199254740992.0, NULL, "made-up image: seed of its bytes"},
    {"sigma", PLB_REAL, "10", 1e-3, 2500, NULL, "standard deviation of the weights, in pixels"},
    {"radius", PLB_INT, NULL, 0, 10000, NULL,
     "pixels each way that count; 4 sigma where not given, so that 10 gives 81 x 81"},
    {"mode", PLB_TEXT, "reflect", 0, 0, MODES, "what is beyond the border, as in SciPy; constant is 0"},
    {"blurred", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where the image goes, .png, rounded and held within 0 and 255; nowhere where not given"},
    {"values", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where the numbers go, .npy of float32 (float64 if the image is), height x width channels"},
    {0},
};

static size_t element_bytes(const struct blur *b)
{
    return b->element == BYTES ? 1 : b->element == FLOATS ? sizeof(float) : sizeof(double);
}

static size_t value_bytes(const struct blur *b)
{
    return b->element == DOUBLES ? sizeof(double) : sizeof(float);
}

static uint8_t rounded(double value)
{
    return (uint8_t)(value <= 0.0 ? 0.0 : value >= 255.0 ? 255.0 : floor(value + 0.5));
}

/* Stores a band's numbers in the results, from number `at` on. */
static void store(const struct plb_task *task, int64_t at, int64_t n, const double *from)
{
    const struct blur *b = task->args;
    void *values = b->values ? task->data[RESULTS] : NULL;
    uint8_t *pixels = b->pixels ? task->data[RESULTS + b->values] : NULL;
    for (int64_t i = 0; i < n && values != NULL; i++)
        if (b->element == DOUBLES)
            ((double *)values)[at + i] = from[i];
        else
            ((float *)values)[at + i] = (float)from[i];
    for (int64_t i = 0; i < n && pixels != NULL; i++)
        pixels[at + i] = rounded(from[i]);
}

static int blur_rows(const struct plb_task *task)
{
    const struct blur *b = task->args;
    const int64_t length = b->width * b->channels;
    bool failed = false;
#pragma omp parallel num_threads(task->threads) reduction(|| : failed)
    {
        char *scratch = aligned_alloc(64, (band_bytes(b) + 63) / 64 * 64);
        double *out = malloc((size_t)(BAND * length) * sizeof *out);
        failed = scratch == NULL || out == NULL;
#pragma omp for schedule(dynamic, 1)
        for (int64_t first = 0; first < task->count; first += BAND) {
            int64_t n = task->count - first < BAND ? task->count - first : BAND;
            if (failed || plb_task_cancelled(task))
                continue;
            blur_band(b, task->data[IMAGE], task->first, task->first + first, n, task->data[WEIGHTS], scratch,
                      out);
            store(task, first * length, n * length, out);
        }
        free(out);
        free(scratch);
    }
    return failed;
}

/* Each row's first number that is no number, or so large that sums are infinite, is refused. */
static int check(struct plb_app *app, const char *path, struct state *s)
{
    const struct blur *b = &s->blur;
    const int64_t all = b->height * b->width * b->channels;
    int64_t wrong = INT64_MAX;
    double largest = 0.0;
#pragma omp parallel for reduction(min : wrong) reduction(max : largest)
    for (int64_t i = 0; i < all; i++) {
        double size = fabs(number_at(b, s->image, i));
        largest = size > largest ? size : largest;
        if (!(size <= FLT_MAX) && i < wrong)
            wrong = i;
    }
    s->largest = largest;
    if (wrong == INT64_MAX)
        return PLB_OK;
    return plb_app_error(app,
                         "%s: column %lld of row %lld is %g, but a number that float32 can hold was "
                         "expected; correct it",
                         path, (long long)(wrong % b->width) + 1, (long long)(wrong / b->width) + 1,
                         number_at(b, s->image, wrong));
}

static int read_array(struct plb_app *app, const char *path, struct state *s)
{
    struct plb_data_file file = {.path = path, .type = "<f4|<f8"};
    if (plb_app_file(app, &file) != PLB_OK)
        return PLB_EINPUT;
    s->blur.width = file.columns;
    s->blur.height = file.rows;
    s->blur.channels = 1;
    s->blur.element = file.bytes == (size_t)(file.rows * file.columns) * sizeof(float) ? FLOATS : DOUBLES;
    s->image = file.data;
    return PLB_OK;
}

static int read_image(struct plb_app *app, const char *path, struct state *s)
{
    struct plb_image image;
    if (plb_read_png(app, path, &image) != PLB_OK)
        return PLB_EINPUT;
    s->blur.width = image.width;
    s->blur.height = image.height;
    s->blur.channels = image.channels;
    s->blur.element = BYTES;
    s->image = image.data;
    return PLB_OK;
}

static void synthesise(struct plb_app *app, struct state *s)
{
    const uint64_t seed = (uint64_t)plb_app_int(app, "seed");
    struct blur *b = &s->blur;
    b->width = plb_app_int(app, "width");
    b->height = plb_app_int(app, "height");
    b->channels = 1;
    b->element = BYTES;
    if (plb_app_simulated(app))
        return;
    uint8_t *bytes = plb_app_alloc_array(app, b->height * b->width, 1);
#pragma omp parallel for
    for (int64_t i = 0; i < b->height * b->width; i++)
        bytes[i] = (uint8_t)(plb_random_bits(seed, (uint64_t)i) >> 56);
    s->image = bytes;
}

/* Weights of distances 0 to radius; those of both sides add up to 1. */
static void weigh(struct plb_app *app, struct state *s)
{
    const double sigma = plb_app_real(app, "sigma");
    double sum = 0.0;
    s->weights = plb_app_alloc_array(app, s->blur.radius + 1, sizeof *s->weights);
    for (int64_t k = s->blur.radius; k >= 0; k--) {
        s->weights[k] = exp(-0.5 / (sigma * sigma) * (double)k * (double)k);
        sum += k > 0 ? 2.0 * s->weights[k] : 1.0;
    }
    for (int64_t k = 0; k <= s->blur.radius; k++)
        s->weights[k] /= sum;
}

static void declare(struct plb_app *app, struct state *s)
{
    const struct blur *b = &s->blur;
    const size_t row = (size_t)(b->width * b->channels);
    plb_app_units(app, b->height);
    plb_app_args(app, b, sizeof *b);
    plb_app_data(app, &(struct plb_data){.name = "image",
                                         .mode = PLB_PARTITION,
                                         .data = (void *)s->image,
                                         .unit_bytes = row * element_bytes(b),
                                         .before = b->radius,
                                         .after = b->radius});
    plb_app_data(app, &(struct plb_data){.name = "weights",
                                         .mode = PLB_REPLICATE,
                                         .data = s->weights,
                                         .bytes = (size_t)(b->radius + 1) * sizeof *s->weights});
    if (b->values)
        plb_app_data(app, &(struct plb_data){.name = "values",
                                             .mode = PLB_OUTPUT,
                                             .data = s->values,
                                             .unit_bytes = row * value_bytes(b)});
    if (b->pixels)
        plb_app_data(app, &(struct plb_data){
                              .name = "pixels", .mode = PLB_OUTPUT, .data = s->pixels, .unit_bytes = row});
    if (plb_app_given(app, "values"))
        plb_app_save_npy(
            app, plb_app_text(app, "values"),
            &(struct plb_array){s->values, value_bytes(b), b->height, b->width * b->channels, false});
    if (b->pixels)
        plb_app_save_png(app, plb_app_text(app, "blurred"),
                         &(struct plb_image){s->pixels, b->width, b->height, b->channels, NULL});
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    struct blur *b = &s->blur;
    const char *path = plb_app_text(app, "image");
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    plb_app_set_state(app, s);
    memset(b, 0, sizeof *b);
    if (path == NULL)
        synthesise(app, s);
    else if ((dot != NULL && strcmp(dot, ".npy") == 0 ? read_array : read_image)(app, path, s) != PLB_OK)
        return PLB_EINPUT;
    b->mode = plb_app_choice(app, "mode");
    b->radius = plb_app_given(app, "radius") ? plb_app_int(app, "radius")
                                             : (int64_t)(4.0 * plb_app_real(app, "sigma") + 0.5);
    b->pixels = plb_app_given(app, "blurred");
    b->values = plb_app_given(app, "values") || !b->pixels;
    weigh(app, s);
    if (!plb_app_simulated(app)) {
        const int64_t all = b->height * b->width * b->channels;
        if (check(app, path, s) != PLB_OK)
            return PLB_EINPUT;
        s->values = b->values ? plb_app_alloc_array(app, all, value_bytes(b)) : NULL;
        s->pixels = b->pixels ? plb_app_alloc_array(app, all, 1) : NULL;
    }
    declare(app, s);
    return PLB_OK;
}

/* Multiplications. */
static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    const struct blur *b = &((const struct state *)plb_app_state(app))->blur;
    (void)first;
    return 2.0 * (double)count * (double)(b->width * b->channels) * (double)(b->radius + 1);
}

/* The sum at (row, column, channel) of rows that are blurred, by a plain loop over all distances. */
static double plain(const struct state *s, const double *rows, int64_t row, int64_t i)
{
    const struct blur *b = &s->blur;
    double sum = 0.0;
    for (int64_t k = -b->radius; k <= b->radius; k++) {
        int64_t u = place_of((enum mode)b->mode, row + k, b->height);
        sum += u < 0 ? 0.0 : s->weights[k < 0 ? -k : k] * rows[u * b->width * b->channels + i];
    }
    return sum;
}

/* Rows first and columns then, unlike the entry. Each of two sums of 2 r + 1 terms may be off by a rounding a
 * term, and a float32 by one more. */
static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const struct blur *b = &s->blur;
    const int64_t length = b->width * b->channels;
    const double slack = s->largest
                       * (8.0 * (double)(b->radius + 2) * DBL_EPSILON
                          + (b->element == DOUBLES ? 0.0 : FLT_EPSILON));
    double *rows = plb_app_alloc_array(app, b->height * length, sizeof *rows);
    int64_t wrong = INT64_MAX;
#pragma omp parallel
    {
#pragma omp for
        for (int64_t at = 0; at < b->height * length; at++)
            for (int64_t k = -b->radius; k <= b->radius; k++) {
                int64_t x = place_of((enum mode)b->mode, at % length / b->channels + k, b->width);
                int64_t from = at / length * length + x * b->channels + at % b->channels;
                rows[at] += x < 0 ? 0.0 : s->weights[k < 0 ? -k : k] * number_at(b, s->image, from);
            }
#pragma omp for reduction(min : wrong)
        for (int64_t at = 0; at < b->height * length; at++) {
            double sum = plain(s, rows, at / length, at % length);
            bool right = true;
            if (s->values != NULL)
                right = fabs((b->element == DOUBLES ? ((double *)s->values)[at] : ((float *)s->values)[at])
                             - sum)
                     <= slack;
            if (s->pixels != NULL)
                right = right && fabs(s->pixels[at] - fmin(fmax(sum, 0.0), 255.0)) <= 0.5 + slack;
            if (!right && at < wrong)
                wrong = at;
        }
    }
    if (wrong == INT64_MAX)
        return PLB_OK;
    plb_app_error(app, "number %lld of row %lld is not what the reference says, which is %.17g",
                  (long long)(wrong % length), (long long)(wrong / length),
                  plain(s, rows, wrong / length, wrong % length));
    return PLB_EVERIFY;
}

PLB_CUDA_ENTRY(gaussian_cuda);     /* gaussian.cu */
PLB_OPENCL_ENTRY(gaussian_opencl); /* opencl/gaussian.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "gaussian",
    PLB_KERNEL_HEAD,
    .unit = "rows",
    .summary = "a Gaussian blur of an image, split by rows, with the rows around them",
    .options = options,
    .cpu = blur_rows,
    .cuda = gaussian_cuda,
    .opencl = gaussian_opencl,
    .setup = setup,
    .cost = cost,
    .verify = verify,
    .writes_all = true,
};
/* clang-format on */
