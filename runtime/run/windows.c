/* Readings at fixed times of the run's clock. */
#include "run/windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

struct plb_windows {
    struct plb_sampler *sampler;
    int n_pus;
    int *domain;           /* by PU: of its own; -1: none */
    bool host;             /* processors are read */
    bool said;             /* that they stand still */
    double began, ended;   /* the first window, and the last one; negative: there was none */
    double next;           /* end of this one; infinite: before the first pass */
    double *before, *busy; /* by PU: seconds with a task until the last window, and until now */
    double at[PLB_METER_DOMAINS], joules[PLB_METER_DOMAINS]; /* when joules were last told, and how many */
};

static bool of_host(const struct plb_meter_sum *sum)
{
    return sum->of == PLB_METER_PACKAGE || sum->of == PLB_METER_MEMORY;
}

struct plb_windows *plb_windows_new(struct plb_sampler *sampler, const struct plb_node_pu *pus, int n_pus)
{
    struct plb_meter_sum sums[PLB_METER_DOMAINS];
    int n = plb_sampler_sums(sampler, sums);
    if (n == 0 && n_pus == 0)
        return NULL;
    struct plb_windows *w = plb_alloc(sizeof *w);
    *w = (struct plb_windows){.sampler = sampler, .n_pus = n_pus, .ended = -1.0, .next = INFINITY};
    w->domain = plb_alloc((size_t)n_pus * sizeof *w->domain);
    w->before = plb_alloc((size_t)n_pus * sizeof *w->before);
    w->busy = plb_alloc((size_t)n_pus * sizeof *w->busy);
    for (int d = 0; d < n; d++)
        w->host = w->host || of_host(&sums[d]);
    for (int p = 0; p < n_pus; p++) {
        w->domain[p] = -1;
        for (int d = 0; d < n; d++)
            if (sums[d].of == PLB_METER_GPU && plb_meter_same_pci(sums[d].pci, pus[p].device.pci))
                w->domain[p] = d;
    }
    return w;
}

void plb_windows_free(struct plb_windows *w)
{
    if (w == NULL)
        return;
    free(w->domain);
    free(w->before);
    free(w->busy);
    free(w);
}

int plb_windows_meter(const struct plb_windows *w, int pu)
{
    if (w == NULL)
        return 0;
    return (w->domain[pu] >= 0 ? PLB_METERED_ALONE : 0) | (w->host ? PLB_METERS_ITS_HOST : 0);
}

/* The end of the window that begins now. */
static double end_of(const struct plb_windows *w, bool joined, double now)
{
    double length = !joined && now < w->began + PLB_WINDOW_FIRST ? PLB_WINDOW_SHORT : PLB_WINDOW_LONG;
    return length * (floor(now / length + 1e-6) + 1.0);
}

/* The joules of a domain since they were last told, or NAN while they are of too short a time. */
static double take(struct plb_windows *w, const struct plb_meter_sum *sum, int d)
{
    double joules = sum->joules - w->joules[d];
    if (sum->seconds - w->at[d] < 0.9 * PLB_WINDOW_REFRESHES * sum->refresh)
        return (double)NAN;
    w->at[d] = sum->seconds;
    w->joules[d] = sum->joules;
    return fmax(joules, 0.0);
}

/* Of the processors. All of them are told at once, or none. */
static double take_host(struct plb_windows *w, const struct plb_meter_sum *sums, int n)
{
    double joules = 0.0;
    bool stands = true;
    for (int d = 0; d < n; d++)
        if (of_host(&sums[d]) && !sums[d].mirrors) {
            joules += take(w, &sums[d], d);
            stands = stands && sums[d].state == PLB_METER_STANDS;
        }
    if (stands && w->host && !w->said)
        plb_log_here(PLB_LOG_WARNING, "the processors' energy counters do not advance, so the watts of their "
                                      "PUs are unmeasured; these PUs work as for least time");
    w->said = w->said || stands;
    return w->host ? joules : (double)NAN;
}

/* Reads all meters. tells: the window is over. */
static void read_now(struct plb_windows *w, struct plb_rank *r, double now, bool tells)
{
    struct plb_meter_sum sums[PLB_METER_DOMAINS];
    plb_sampler_read(w->sampler);
    plb_node_busy(r->node, w->busy);
    int n = plb_sampler_sums(w->sampler, sums);
    for (int d = 0; d < n && !tells; d++) {
        w->at[d] = sums[d].seconds;
        w->joules[d] = sums[d].joules;
    }
    double host = tells ? take_host(w, sums, n) : 0.0;
    if (tells)
        for (int first = 0; first < w->n_pus; first += PLB_WINDOW_PUS) {
            struct plb_message *m = plb_outbox_add(&r->out, PLB_WINDOW, r->rank, 0, r->pass);
            struct plb_window *window = &m->window;
            m->pu = first;
            *window = (struct plb_window){.number = (int64_t)floor(now / PLB_WINDOW_SHORT + 1e-6),
                                          .seconds = now - w->ended,
                                          .joules = host,
                                          .n = w->n_pus - first < PLB_WINDOW_PUS ? w->n_pus - first
                                                                                 : PLB_WINDOW_PUS};
            for (int i = 0; i < window->n; i++) {
                int p = first + i, d = w->domain[p];
                window->at[i].busy_s = (float)fmax(w->busy[p] - w->before[p], 0.0);
                window->at[i].joules = d >= 0 ? (float)take(w, &sums[d], d) : NAN;
            }
        }
    memcpy(w->before, w->busy, (size_t)w->n_pus * sizeof *w->before);
    w->ended = now;
}

void plb_windows_step(struct plb_windows *w, struct plb_rank *r, double now)
{
    if (w == NULL || r->pass == 0 || r->stopped || (now < w->next && w->ended >= 0.0))
        return;
    bool tells = w->ended >= 0.0 && now > w->ended;
    w->began = tells ? w->began : now;
    read_now(w, r, now, tells);
    w->next = end_of(w, plb_mpi_has_joined(r->mpi), now);
}

double plb_windows_due(const struct plb_windows *w, double now)
{
    return w != NULL && isfinite(w->next) ? fmax(w->next - now, 0.0) : INFINITY;
}
