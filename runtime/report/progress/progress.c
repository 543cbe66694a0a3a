/* Units done, rate, time left; or who is waited for. */
#include "report/progress/progress.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/units.h"
#include "report/quantity.h"

/* Seconds between two updates. Smaller: a terminal flickers and a log grows. Larger: people wonder whether
 * the run still moves. Chosen by eye. */
#define EVERY_TERMINAL 0.2
#define EVERY_LINES 5.0 /* where stderr is a file or a pipe, and each update is a line more */
#define EVERY_JSON 1.0  /* programs read faster */

/* Seconds without a unit finished after which the line says who is waited for. Smaller: it names PUs whose
 * tasks just take as long. Larger: people wonder longer. Chosen by eye. */
#define STALLED 3.0

/* A PU is late after this multiple of the time that it was expected to need. Smaller: noise counts as late.
 * Larger: the line tells later. */
#define LATE 2.0

#define MOST_COLUMNS 400 /* of a row in a log */
#define DEFAULT_ROWS 24  /* of a terminal that does not tell */
#define DEFAULT_COLUMNS 80

static double interval(const struct plb_progress *p)
{
    if (p->style == PLB_PROGRESS_JSON)
        return EVERY_JSON;
    return p->terminal ? EVERY_TERMINAL : EVERY_LINES;
}

void plb_progress_init(struct plb_progress *p, const char *unit, enum plb_progress_style style)
{
    FILE *terminal = style == PLB_PROGRESS_WATCH ? fopen("/dev/tty", "w") : NULL;
    *p = (struct plb_progress){.style = style, .out = terminal != NULL ? terminal : stderr, .unit = unit};
    p->terminal = isatty(fileno(p->out)) == 1;
    p->next = interval(p);
}

bool plb_progress_is_due(struct plb_progress *p, int64_t done, double seconds, bool *stalled)
{
    if (seconds < p->seconds) { /* another pass */
        p->before += p->seconds;
        p->passes++;
        p->changed = 0.0;
    }
    if (done != p->done)
        p->changed = seconds;
    p->done = done;
    p->seconds = seconds;
    *stalled = seconds - p->changed >= STALLED;
    if (p->style == PLB_PROGRESS_OFF || p->before + seconds < p->next)
        return false;
    p->next = p->before + seconds + interval(p);
    return true;
}

/* "PU 1: rows 19 to 29 for 15 s, expected 0.5 s" */
static void print_awaited(const struct plb_progress *p, const struct plb_awaited *a, char *text, size_t size)
{
    char seconds[PLB_QUANTITY_TEXT], expected[PLB_QUANTITY_TEXT], units[PLB_RANGE_TEXT];
    int n = snprintf(text, size, "PU %d: %s for %s", a->pu,
                     plb_range_print(a->first, a->last - a->first + 1, p->unit, units),
                     plb_seconds_print(a->seconds, seconds));
    if (a->expected > 0.0 && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", expected %s", plb_seconds_print(a->expected, expected));
}

/* Units per second of the PUs that are left. Before a unit of a pass is done: as in the passes before it.
 * 0: not known. */
static double rate_of(const struct plb_progress *p, int64_t units)
{
    double rate = p->done > 0 ? (double)p->done / p->seconds : 0.0;
    if (p->done == 0 && p->passes > 0)
        rate = (double)units * p->passes / p->before;
    return rate * (1.0 - p->gone);
}

static void print_left(const struct plb_progress *p, int64_t units, char *text, size_t size)
{
    char left[PLB_QUANTITY_TEXT] = "unknown";
    double rate = rate_of(p, units);
    if (rate > 0.0)
        plb_seconds_print((double)(units - p->done) / rate, left);
    snprintf(text, size, "%.4g %s/s, %s left", rate, p->unit, left);
}

/* Passes that are over before the next update: how far one of them is says nothing. */
static bool shows_passes(const struct plb_progress *p)
{
    return p->passes > 0 && p->before / p->passes < interval(p) && p->seconds < interval(p);
}

static void show_passes(const struct plb_progress *p, int pass, int64_t units)
{
    char each[PLB_QUANTITY_TEXT];
    fprintf(stderr, "%spass %d%s, %s a pass of %" PRId64 " %s%s", p->terminal ? "\r" : "plbrun: ", pass,
            p->again ? PLB_AGAIN : "", plb_seconds_print(p->before / p->passes, each), units, p->unit,
            p->terminal ? "\033[K" : "\n");
    fflush(stderr);
}

void plb_progress_show(struct plb_progress *p, int pass, int64_t units, const struct plb_awaited *awaited)
{
    char text[300], of[40] = "";
    p->shown = true;
    if (shows_passes(p)) {
        show_passes(p, pass, units);
        return;
    }
    if (pass > 1 || p->again) /* else there may be no other */
        snprintf(of, sizeof of, " of pass %d%s", pass, p->again ? PLB_AGAIN : "");
    if (awaited != NULL && awaited->seconds >= LATE * awaited->expected)
        print_awaited(p, awaited, text, sizeof text);
    else
        print_left(p, units, text, sizeof text);
    fprintf(stderr, "%s%3.0f %%  %" PRId64 " of %" PRId64 " %s%s, %s%s",
            p->terminal ? "\r" : "plbrun: ", 100.0 * (double)p->done / (double)units, p->done, units, p->unit,
            of, text, p->terminal ? "\033[K" : "\n");
    fflush(stderr);
}

/* The cursor goes up over the rows of the last time, which are then written again. */
static void show_rows(struct plb_progress *p, const struct plb_watched *w)
{
    struct winsize size;
    bool known = ioctl(fileno(p->out), TIOCGWINSZ, &size) == 0 && size.ws_row > 2 && size.ws_col > 0;
    if (!p->terminal) {
        plb_watch_print(w, w->n_pus + 1, MOST_COLUMNS, "\n", p->out);
        return;
    }
    if (p->rows > 0)
        fprintf(p->out, "\r\033[%dA", p->rows);
    p->rows = plb_watch_print(w, known ? size.ws_row - 1 : DEFAULT_ROWS,
                              known ? size.ws_col - 1 : DEFAULT_COLUMNS, "\033[K\n", p->out);
    fputs("\033[J", p->out);
}

/* Whether a terminal may stop this process for what it writes (stty tostop): mpirun starts ranks in the
 * background. */
static void allow_stops(bool allow)
{
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTTOU);
    pthread_sigmask(allow ? SIG_UNBLOCK : SIG_BLOCK, &stops, NULL);
}

void plb_progress_watch(struct plb_progress *p, struct plb_watched *w)
{
    w->done = p->done;
    w->seconds = p->seconds;
    w->again = p->again;
    double rate = rate_of(p, w->units);
    w->left_s = rate > 0.0 ? (double)(w->units - p->done) / rate : (double)NAN;
    allow_stops(false);
    if (p->style == PLB_PROGRESS_JSON)
        plb_watch_json(w, p->out);
    else
        show_rows(p, w);
    fflush(p->out);
    allow_stops(true);
}

void plb_progress_end(struct plb_progress *p)
{
    if (p->shown && p->terminal)
        fputs("\r\033[K", p->out);
    p->shown = false;
    p->rows = 0;
    if (p->out != NULL && p->out != stderr)
        fclose(p->out);
    p->out = stderr;
}
