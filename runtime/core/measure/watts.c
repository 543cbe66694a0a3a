/* Domains, their windows, and the answers. */
#include "core/measure/watts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/measure/watts_inside.h"
#include "model/energy/power_fit.h"

/* The part of the shortest window that tells a kind of PU from the others, or idle watts from busy ones.
 * Larger: turns that were disturbed tell nothing. Smaller: watts from a few milliseconds of difference. */
#define APART 0.1

/* ---------------------------------------------------------------------------- domains */

static bool alike(const struct plb_pu_info *a, const struct plb_pu_info *b)
{
    return a->kind == b->kind && a->threads == b->threads && strcmp(a->name, b->name) == 0
        && strcmp(a->model, b->model) == 0;
}

static bool same_host(const struct plb_pu_info *a, const struct plb_pu_info *b)
{
    return strcmp(a->host, b->host) == 0;
}

bool plb_watts_metered(const struct plb_pu_info *infos, int n, int pu)
{
    if (infos[pu].meter & PLB_METERED_ALONE)
        return true;
    for (int p = 0; p < n && infos[pu].kind == PLB_CPU; p++)
        if ((infos[p].meter & PLB_METERS_ITS_HOST) && same_host(&infos[p], &infos[pu]))
            return true;
    return false;
}

/* A longer array of so many numbers, that begins with the old ones. */
static double *longer(double *old, size_t n, size_t more)
{
    double *all = plb_alloc(more * sizeof *all);
    if (old != NULL && n > 0)
        memcpy(all, old, n * sizeof *all);
    free(old);
    return all;
}

/* Room for one kind more in a domain that has columns for `n` of them, idle watts included. */
static void add_column(struct plb_watts_domain *d, int n)
{
    double *sums = plb_alloc(PLB_POWER_SUMS((size_t)n + 1) * sizeof *sums);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            sums[i * (n + 1) + j] = d->sums[i * n + j];
        sums[(n + 1) * (n + 1) + i] = d->sums[n * n + i];
    }
    free(d->sums);
    d->sums = sums;
    d->now = longer(d->now, (size_t)n, (size_t)n + 1);
    d->x = longer(d->x, (size_t)n, (size_t)n + 1);
    d->watts = longer(d->watts, (size_t)n, (size_t)n + 1);
    d->apart_s = longer(d->apart_s, (size_t)n, (size_t)n + 1);
}

static int add_domain(struct plb_watts *w)
{
    w->at = plb_grow(w->at, (size_t)(w->n_domains + 1) * sizeof *w->at);
    w->at[w->n_domains] = (struct plb_watts_domain){
        .joules = (double)NAN, .shortest = INFINITY, .number = -1};
    add_column(&w->at[w->n_domains], 0);
    return w->n_domains++;
}

/* Adds a PU to its domain, among those that are alike. Kinds beyond the last column count as one. */
static void measure(struct plb_watts *w, int p, int d)
{
    struct plb_watts_domain *domain = w->at + d;
    int kind = 0;
    if (w->at == NULL)
        return; /* there is no domain yet */
    for (int q = 0; q < p && kind == 0; q++)
        if (w->own[q] == d && alike(&w->infos[q], &w->infos[p]))
            kind = w->kind[q];
    if (kind == 0 && domain->kinds + 2 <= PLB_POWER_COLUMNS)
        add_column(domain, ++domain->kinds);
    kind = kind == 0 ? domain->kinds : kind;
    w->own[p] = d;
    w->kind[p] = kind;
    w->second[p] = domain->pus++ % 2 == 1;
}

/* The hosts whose processors are read, and all WINDOWs of their ranks; of PUs from `first` on. One may be on
 * a host that is known. */
static void find_hosts(struct plb_watts *w, int first)
{
    for (int p = first; p < w->n; p++) {
        for (int q = 0; q < first && w->host[p] < 0; q++)
            w->host[p] = same_host(&w->infos[q], &w->infos[p]) ? w->host[q] : -1;
        if (w->host[p] < 0 && w->infos[p].meter & PLB_METERS_ITS_HOST) {
            int d = add_domain(w);
            for (int q = first; q < w->n; q++)
                w->host[q] = same_host(&w->infos[q], &w->infos[p]) ? d : w->host[q];
        }
    }
    for (int p = first; p < w->n; p++)
        if (w->at != NULL && w->host[p] >= 0)
            w->at[w->host[p]].parts += w->infos[p].local % PLB_WINDOW_PUS == 0;
}

static void place(struct plb_watts *w, int p)
{
    if (plb_watts_told(&w->infos[p]))
        return;
    if (w->infos[p].meter & PLB_METERED_ALONE)
        measure(w, p, add_domain(w));
    else if (w->host[p] >= 0 && w->infos[p].kind == PLB_CPU)
        measure(w, p, w->host[p]);
}

struct plb_watts *plb_watts_new(const struct plb_pus *pus, bool turns)
{
    bool all = true;
    size_t room = (size_t)pus->room;
    for (int p = 0; p < pus->n; p++)
        all = all && plb_watts_told(&pus->infos[p]);
    if (all)
        return NULL;
    struct plb_watts *w = plb_alloc(sizeof *w);
    *w = (struct plb_watts){.pus = pus, .infos = pus->infos, .turns = turns, .starter = -1};
    w->own = plb_alloc(room * sizeof *w->own);
    w->host = plb_alloc(room * sizeof *w->host);
    w->kind = plb_alloc(room * sizeof *w->kind);
    w->second = plb_alloc(room * sizeof *w->second);
    for (int p = 0; p < pus->room; p++)
        w->own[p] = w->host[p] = -1;
    plb_watts_grow(w);
    return w;
}

void plb_watts_grow(struct plb_watts *w)
{
    int first = w->n;
    w->n = w->pus->n;
    find_hosts(w, first);
    for (int p = first; p < w->n; p++)
        place(w, p);
}

void plb_watts_free(struct plb_watts *w)
{
    if (w == NULL)
        return;
    for (int d = 0; d < w->n_domains; d++) {
        free(w->at[d].now);
        free(w->at[d].x);
        free(w->at[d].watts);
        free(w->at[d].apart_s);
        free(w->at[d].sums);
    }
    free(w->at);
    free(w->own);
    free(w->host);
    free(w->kind);
    free(w->second);
    free(w);
}

/* ---------------------------------------------------------------------------- windows */

/* Joules since they were last told, in the time of d->x. */
static bool close_window(struct plb_watts *w, int number, double joules, double now)
{
    struct plb_watts_domain *d = &w->at[number];
    double seconds = d->x[0], busy = 0.0, before[PLB_POWER_COLUMNS];
    int columns = d->kinds + 1;
    bool moved = false;
    d->latest_w = seconds > 0.0 ? joules / seconds : d->latest_w;
    for (int j = 1; j < columns; j++)
        busy += d->x[j];
    if (joules <= 0.0 && busy > 0.0) { /* nothing works for nothing */
        moved = !d->settled || isinf(d->shortest);
        d->dead = d->dead || isinf(d->shortest) || !d->settled;
        if (d->dead)
            plb_watts_settle(w, d);
    } else if (seconds > 0.0 && d->pus > 0 && (joules > 0.0 || !(d->watts[0] > 0.0))) {
        memcpy(before, d->watts, (size_t)columns * sizeof *before);
        plb_power_fit_add(d->sums, columns, d->x, joules);
        plb_power_fit(d->sums, columns, d->watts, d->apart_s);
        d->shortest = fmin(d->shortest, seconds);
        d->dead = false;
        for (int j = 0; j < columns; j++)
            moved = moved || fabs(d->watts[j] - before[j]) > PLB_NEW_CHOICE * before[j];
        plb_watts_turn(w, number, now);
    }
    memset(d->x, 0, (size_t)columns * sizeof *d->x);
    return moved || !d->settled;
}

/* A part of the window of a host: of one of its ranks. */
static bool hear_part(struct plb_watts *w, int first, const struct plb_window *window, double now)
{
    int number = w->host[first];
    struct plb_watts_domain *d = &w->at[number];
    bool changed = false;
    if (window->number < d->number || (window->number == d->number && d->heard == 0))
        return false;
    if (window->number > d->number) {
        d->torn = d->torn || d->heard > 0;
        d->number = window->number;
        d->heard = 0;
        d->joules = (double)NAN;
        memset(d->now, 0, ((size_t)d->kinds + 1) * sizeof *d->now);
    }
    for (int i = 0; i < window->n; i++)
        if (w->own[first + i] == number)
            d->now[w->kind[first + i]] += (double)window->at[i].busy_s;
    d->now[0] = fmax(d->now[0], window->seconds);
    d->joules = isfinite(window->joules) ? window->joules : d->joules;
    if (++d->heard < d->parts)
        return false;
    d->heard = 0;
    for (int j = 0; j <= d->kinds; j++)
        d->x[j] += d->now[j];
    if (isfinite(d->joules) && d->torn) {
        d->torn = false;
        memset(d->x, 0, ((size_t)d->kinds + 1) * sizeof *d->x);
    } else if (isfinite(d->joules)) {
        changed = close_window(w, number, d->joules, now);
    }
    return changed;
}

bool plb_watts_heard(struct plb_watts *w, int first, const struct plb_window *window, double now)
{
    bool changed = false;
    if (first < 0 || first + window->n > w->n)
        return false;
    w->latest = fmax(w->latest, now);
    now += w->before;
    for (int i = 0; i < window->n; i++) {
        int p = first + i, d = w->own[p];
        double joules = (double)window->at[i].joules;
        if (d < 0 || d == w->host[p])
            continue;
        w->at[d].x[0] += window->seconds;
        w->at[d].x[1] += (double)window->at[i].busy_s;
        if (isfinite(joules))
            changed = close_window(w, d, joules, now) || changed;
    }
    if (window->n > 0 && w->host[first] >= 0)
        changed = hear_part(w, first, window, now) || changed;
    return changed;
}

/* ---------------------------------------------------------------------------- answers */

static bool is_apart(const struct plb_watts_domain *d, int column)
{
    return !d->dead && isfinite(d->shortest) && d->apart_s[column] >= APART * d->shortest;
}

bool plb_watts_settled(const struct plb_watts *w, int p)
{
    return w->own[p] < 0 || w->at[w->own[p]].settled;
}

enum plb_watts_origin plb_watts_of(const struct plb_watts *w, int p, double *idle, double *besides)
{
    const struct plb_watts_domain *d = w->own[p] >= 0 ? &w->at[w->own[p]] : NULL;
    bool is_told = p < w->n ? plb_watts_told(&w->infos[p]) : false;
    *idle = *besides = 0.0;
    if (is_told) {
        *idle = w->infos[p].static_watts;
        *besides = w->infos[p].dynamic_watts;
        return PLB_WATTS_TOLD;
    }
    if (d == NULL || !is_apart(d, 0) || !is_apart(d, w->kind[p]))
        return PLB_WATTS_UNMEASURED;
    *idle = d->watts[0] / d->pus;
    *besides = d->watts[w->kind[p]];
    return PLB_WATTS_MEASURED;
}

double plb_watts_shown(const struct plb_watts *w)
{
    double watts = 0.0;
    for (int d = 0; d < w->n_domains; d++)
        watts += w->at[d].latest_w;
    return watts;
}

bool plb_watts_turning(const struct plb_watts *w)
{
    return w->unsettled > 0;
}
