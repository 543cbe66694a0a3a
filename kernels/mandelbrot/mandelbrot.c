/* mandelbrot: how many steps of z = z^2 + c each point of a window stays near 0, as an image, as numbers, or
 * both; float64.
 *
 * A unit is a row of pixels. Rows differ by the depth: some end at once, some take all steps, and nobody
 * knows before. So the kernel tells no cost, and plbrun learns it. Nothing goes in, 5 bytes a pixel come out.
 *
 * Each step is rounded like that of a plain loop, on CPUs and GPUs, so results are the same everywhere. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "escape.h"
#include "plb/kernel.h"

enum { COUNTS, PIXELS }; /* handles, in order of declaration; PIXELS where there is an image */
enum { COLOUR, GRAY };   /* the option `palette` */

#define COLOURS 255 /* of points that escape, from number 1 on; number 0 is black, for those that stay */

struct state {
    struct window window;
    int64_t height;
    float *counts;
    uint8_t *pixels;
};

static const struct plb_option options[] = {
    {"width", PLB_INT, "1920", 1, PLB_MOST_PIXELS, NULL, "pixels of a row"},
    {"height", PLB_INT, "1080", 1, PLB_MOST_PIXELS, NULL, "rows"},
    {"x", PLB_REAL, "-0.75", -16, 16, NULL, "real part of the window's middle"},
    {"y", PLB_REAL, "0", -16, 16, NULL, "imaginary part of the window's middle"},
    {"span", PLB_REAL, "4", 1e-15, 64, NULL, "width of the window; pixels are square"},
    {"depth", PLB_INT, "1000", 1, 16777216, NULL, "steps after which a point counts as one that stays"},
    {"image", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the image goes, .png; nowhere where not given"},
    {"palette", PLB_TEXT, "colour", 0, 0, "colour|gray", "colours of the image; points that stay are black"},
    {"counts", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where the steps of each point go, .npy of float32; nowhere where not given"},
    {0},
};

static uint8_t colour_of(float count, int64_t depth)
{
    int64_t n = (int64_t)count;
    return n == depth ? 0 : (uint8_t)(1 + n % COLOURS);
}

static int draw(const struct plb_task *task)
{
    const struct window *w = task->args;
    const int64_t groups = (w->width + POINTS - 1) / POINTS;
    float *counts = task->data[COUNTS];
    uint8_t *pixels = w->image ? task->data[PIXELS] : NULL;
#pragma omp parallel for collapse(2) schedule(dynamic, 4) num_threads(task->threads)
    for (int64_t row = 0; row < task->count; row++)
        for (int64_t group = 0; group < groups; group++) {
            int64_t first = group * POINTS, n = w->width - first < POINTS ? w->width - first : POINTS;
            float *of_group = counts + row * w->width + first;
            if (plb_task_cancelled(task))
                continue;
            escape(w, task->first + row, first, n, of_group);
            for (int64_t i = 0; i < n && pixels != NULL; i++)
                pixels[row * w->width + first + i] = colour_of(of_group[i], w->depth);
        }
    return 0;
}

/* Three cosines, a third of a turn apart, or gray that rises and falls; the first and last colour are near
 * each other, because counts go round. */
static void mix(uint8_t palette[PLB_PALETTE_BYTES], int kind)
{
    memset(palette, 0, PLB_PALETTE_BYTES);
    for (int i = 1; i <= COLOURS; i++)
        for (int k = 0; k < 3; k++) {
            double turn = (double)(i - 1) / COLOURS, shift = kind == COLOUR ? (double)k / 3.0 : 0.0;
            double level = 0.5 - 0.5 * cos(2.0 * acos(-1.0) * (turn + 0.5 * shift));
            palette[3 * i + k] = (uint8_t)(30.0 + 225.0 * level);
        }
}

/* The window in numbers, and whether neighbouring pixels differ in float64. */
static int look(struct plb_app *app, struct state *s)
{
    struct window *w = &s->window;
    const double x = plb_app_real(app, "x"), y = plb_app_real(app, "y"), span = plb_app_real(app, "span");
    memset(w, 0, sizeof *w);
    w->width = plb_app_int(app, "width");
    w->depth = plb_app_int(app, "depth");
    w->image = plb_app_given(app, "image");
    s->height = plb_app_int(app, "height");
    w->pixel = span / (double)w->width;
    w->left = x - 0.5 * span;
    w->top = y + 0.5 * w->pixel * (double)s->height;
    double far = fmax(fabs(x), fabs(y)) + 0.5 * w->pixel * (double)(w->width + s->height);
    if (w->pixel < 4.0 * DBL_EPSILON * far)
        return plb_app_error(app,
                             "span = %g over %lld pixels: float64 cannot distinguish neighbouring points "
                             "there; a span of %g or more is possible; set a larger span or fewer pixels",
                             span, (long long)w->width, 4.0 * DBL_EPSILON * far * (double)w->width);
    if (s->height > INT64_C(0xffffffff) / w->width)
        return plb_app_error(app,
                             "an image of %lld x %lld pixels has 4 GiB or more, and an image file has less; "
                             "set a smaller width or height",
                             (long long)w->width, (long long)s->height);
    return PLB_OK;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    if (look(app, s) != PLB_OK)
        return PLB_EINPUT;
    const int64_t width = s->window.width;
    if (!plb_app_simulated(app)) {
        s->counts = plb_app_alloc_array(app, s->height * width, sizeof *s->counts);
        s->pixels = s->window.image ? plb_app_alloc_array(app, s->height * width, sizeof *s->pixels) : NULL;
    }
    plb_app_units(app, s->height);
    plb_app_args(app, &s->window, sizeof s->window);
    const struct plb_data buffers[] = {
        [COUNTS] = {.name = "counts",
                    .mode = PLB_OUTPUT,
                    .data = s->counts,
                    .unit_bytes = (size_t)width * sizeof *s->counts},
        [PIXELS] = {.name = "pixels",
                    .mode = PLB_OUTPUT,
                    .data = s->pixels,
                    .unit_bytes = (size_t)width * sizeof *s->pixels},
    };
    for (int i = COUNTS; i <= (s->window.image ? PIXELS : COUNTS); i++)
        plb_app_data(app, &buffers[i]);
    if (plb_app_given(app, "counts"))
        plb_app_save_npy(app, plb_app_text(app, "counts"),
                         &(struct plb_array){s->counts, sizeof *s->counts, s->height, width, false});
    if (!s->window.image)
        return PLB_OK;
    uint8_t palette[PLB_PALETTE_BYTES];
    mix(palette, plb_app_choice(app, "palette"));
    plb_app_save_png(app, plb_app_text(app, "image"),
                     &(struct plb_image){s->pixels, width, s->height, 1, palette});
    return PLB_OK;
}

/* The steps of one point by a plain loop. */
static int64_t plain(double re, double im, int64_t depth)
{
    double x = 0.0, y = 0.0;
    for (int64_t n = 0; n < depth; n++) {
        double xx = x * x, yy = y * y, xy = x * y;
        x = xx - yy + re;
        y = xy + xy + im;
        if (!(x * x + y * y <= 4.0))
            return n;
    }
    return depth;
}

/* Each point is computed again by the plain loop: the result is exact. */
static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const struct window *w = &s->window;
    int64_t wrong = INT64_MAX;
#pragma omp parallel for schedule(dynamic) reduction(min : wrong)
    for (int64_t row = 0; row < s->height; row++)
        for (int64_t column = 0; column < w->width; column++) {
            int64_t i = row * w->width + column;
            int64_t n = plain(w->left + w->pixel * ((double)column + 0.5),
                              w->top - w->pixel * ((double)row + 0.5), w->depth);
            bool right = s->counts[i] == (float)n;
            if (right && s->pixels != NULL)
                right = s->pixels[i] == colour_of(s->counts[i], w->depth);
            if (!right && i < wrong)
                wrong = i;
        }
    if (wrong == INT64_MAX)
        return PLB_OK;
    plb_app_error(app, "pixel (%lld, %lld) has %g steps, and the reference has another number",
                  (long long)(wrong % w->width), (long long)(wrong / w->width), (double)s->counts[wrong]);
    return PLB_EVERIFY;
}

PLB_CUDA_ENTRY(mandelbrot_cuda);     /* mandelbrot.cu */
PLB_OPENCL_ENTRY(mandelbrot_opencl); /* opencl/mandelbrot.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "mandelbrot",
    PLB_KERNEL_HEAD,
    .unit = "rows",
    .summary = "the Mandelbrot set as an image, split by rows, whose costs differ and are unknown",
    .options = options,
    .cpu = draw,
    .cuda = mandelbrot_cuda,
    .opencl = mandelbrot_opencl,
    .setup = setup,
    .verify = verify,
    .writes_all = true,
};
/* clang-format on */
