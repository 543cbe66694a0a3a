/* Units done, rate, time left. */
#include "report/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "report/quantity.h"

/* Seconds between two updates. Smaller: a terminal flickers and a log grows. Larger: people wonder whether
 * the run still moves. Chosen by eye. */
#define EVERY_TERMINAL 0.2
#define EVERY_LINES 5.0 /* where stderr is a file or a pipe, and each update is a line more */

void plb_progress_init(struct plb_progress *p, const char *unit, bool off)
{
    bool terminal = isatty(STDERR_FILENO) == 1;
    *p = (struct plb_progress){.off = off, .terminal = terminal, .unit = unit};
    p->next = terminal ? EVERY_TERMINAL : EVERY_LINES;
}

void plb_progress_update(struct plb_progress *p, int64_t done, int64_t units, double seconds)
{
    if (p->off || seconds < p->next)
        return;
    p->next = seconds + (p->terminal ? EVERY_TERMINAL : EVERY_LINES);
    double rate = (double)done / seconds;
    char left[PLB_QUANTITY_TEXT] = "unknown";
    if (done > 0)
        plb_seconds_print((double)(units - done) / rate, left);
    fprintf(stderr, "%s%3.0f %%  %" PRId64 " of %" PRId64 " %s, %.4g %s/s, %s left%s",
            p->terminal ? "\r" : "plbrun: ", 100.0 * (double)done / (double)units, done, units, p->unit, rate,
            p->unit, left, p->terminal ? "\033[K" : "\n");
    fflush(stderr);
    p->shown = true;
}

void plb_progress_end(struct plb_progress *p)
{
    if (p->shown && p->terminal)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
