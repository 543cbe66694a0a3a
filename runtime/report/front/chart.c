/* Time to the right, energy upwards, both from a little below the least to a little above the most: what is
 * on the front, and how far the run is from it, fills the picture. */
#include "report/front/chart.h"

#include <math.h>
#include <string.h>

#include "report/quantity.h"

#define WIDTH 640.0 /* of the picture, in pixels */
#define HEIGHT 420.0
#define LEFT 80.0 /* margins */
#define RIGHT 30.0
#define TOP 40.0
#define BOTTOM 50.0
#define AROUND 0.08 /* of the plot, that is left free on each side of the points */
#define TICKS 6     /* on each axis, at most */

struct chart {
    const struct plb_front_page *page;
    FILE *out;
    double low[2], high[2]; /* seconds, joules */
};

static double x_of(const struct chart *c, double seconds)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (seconds - c->low[0]) / (c->high[0] - c->low[0]);
}

static double y_of(const struct chart *c, double joules)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (joules - c->low[1]) / (c->high[1] - c->low[1]);
}

static void include(struct chart *c, double seconds, double joules)
{
    const double at[2] = {seconds, joules};
    for (int i = 0; i < 2; i++) {
        c->low[i] = fmin(c->low[i], at[i]);
        c->high[i] = fmax(c->high[i], at[i]);
    }
}

static void set_limits(struct chart *c)
{
    const struct plb_front *front = c->page->front;
    for (int i = 0; i < front->n; i++)
        include(c, front->rows[i].seconds, front->rows[i].joules);
    if (isfinite(c->page->run_joules))
        include(c, c->page->run_seconds, c->page->run_joules);
    for (int i = 0; i < 2; i++) {
        double around = AROUND * fmax(c->high[i] - c->low[i], 0.1 * c->high[i]);
        around = around > 0.0 ? around : 1.0; /* nothing draws watts */
        c->low[i] = fmax(c->low[i] - around, 0.0);
        c->high[i] += around;
    }
}

/* A round distance of ticks: 1, 2 or 5 times a power of ten. */
static double step_of(double range)
{
    double rough = range / TICKS, power = pow(10.0, floor(log10(rough))), part = rough / power;
    return power * (part <= 1.0 ? 1.0 : part <= 2.0 ? 2.0 : part <= 5.0 ? 5.0 : 10.0);
}

static void put_axes(const struct chart *c)
{
    char text[PLB_QUANTITY_TEXT];
    double bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;
    double step = step_of(c->high[0] - c->low[0]);
    for (int i = (int)ceil(c->low[0] / step); i * step < c->high[0]; i++) {
        double t = i * step, x = x_of(c, t);
        fprintf(c->out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>\n", x, TOP, bottom);
        fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", x, bottom + 18.0,
                plb_seconds_print(t, text));
    }
    step = step_of(c->high[1] - c->low[1]);
    for (int i = (int)ceil(c->low[1] / step); i * step < c->high[1]; i++) {
        double e = i * step, y = y_of(c, e);
        fprintf(c->out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", LEFT, y, right);
        fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 6.0, y + 4.0,
                plb_joules_print(e, text));
    }
    fprintf(c->out, "<path d=\"M%.1f %.1fV%.1fH%.1f\" stroke=\"#222\" fill=\"none\"/>\n", LEFT, TOP, bottom,
            right);
    fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">time</text>\n", 0.5 * (LEFT + right),
            HEIGHT - 10.0);
    fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">energy</text>\n", LEFT - 6.0,
            TOP - 12.0);
}

static void put_point(const struct chart *c, double seconds, double joules, const char *colour,
                      const char *label, double down)
{
    char time[PLB_QUANTITY_TEXT], energy[PLB_QUANTITY_TEXT];
    double x = x_of(c, seconds), y = y_of(c, joules);
    bool left = x > 0.7 * WIDTH;
    fprintf(c->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>%s, %s</title></circle>\n", x,
            y, colour, plb_seconds_print(seconds, time), plb_joules_print(joules, energy));
    if (label[0] != '\0')
        fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", left ? x - 8 : x + 8,
                y + down, left ? "end" : "start", label);
}

/* Where idle nodes are off, time between two rows saves nothing: another node is off, or it is not. */
static void put_front(const struct chart *c)
{
    const struct plb_front *front = c->page->front;
    bool steps = strcmp(c->page->rule, "off_when_idle") == 0;
    fputs("<path fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\" d=\"", c->out);
    for (int i = 0; i < front->n; i++) {
        double x = x_of(c, front->rows[i].seconds), y = y_of(c, front->rows[i].joules);
        if (i > 0 && steps)
            fprintf(c->out, "H%.2fV%.2f", x, y);
        else
            fprintf(c->out, "%c%.2f %.2f", i == 0 ? 'M' : 'L', x, y);
    }
    fputs("\"/>\n", c->out);
    for (int i = 0; i < front->n; i++) {
        const char *marks[3];
        char label[64] = "";
        int n = plb_front_marks(front, i, marks), length = 0;
        for (int k = 0; k < n; k++)
            length += snprintf(label + length, sizeof label - (size_t)length, "%s%s", k > 0 ? ", " : "",
                               marks[k]);
        put_point(c, front->rows[i].seconds, front->rows[i].joules, "#0072b2", label, -7.0);
    }
}

void plb_front_print_chart(const struct plb_front_page *page, FILE *out)
{
    struct chart c = {page, out, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    set_limits(&c);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_axes(&c);
    put_front(&c);
    if (isfinite(page->run_joules))
        put_point(&c, page->run_seconds, page->run_joules, "#d55e00", "this run", 16.0);
    fputs("</svg>\n", out);
}
