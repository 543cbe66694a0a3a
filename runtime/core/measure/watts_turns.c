/* Which PUs work while watts are learned, and which wait for their turn. */
#include "core/measure/watts.h"
#include "core/measure/watts_inside.h"

/* A window ends a turn where at most the first part of it lies before, each kind that rests has worked for
 * the second part at most, and the kind that has begun for the third at least. Stricter: turns last longer.
 * Laxer: watts are told apart by less. */
#define EARLY 0.1
#define RESTED 0.5
#define WORKED 0.25

/* While PUs rest, a block lasts this long by the PU's latest rate, or else is this part of the pass. Larger:
 * tasks go on in the rest of their PU. Smaller: more blocks. */
#define BLOCK 0.02
#define FIRST_BLOCK 1e-5

/* Seconds for which PUs rest at most and wait for their meter. Windows of the slowest meters have one second.
 * Larger: a meter that does not work holds its PUs up. Smaller: one that is slow is given up. */
#define PATIENCE 4.0

/* In the last turn of a domain that is alone all work, so that their sum tells what is drawn all the time; of
 * PUs that are all alike, half of them. */
bool plb_watts_rests(const struct plb_watts *w, int p)
{
    const struct plb_watts_domain *d = w->own[p] >= 0 ? &w->at[w->own[p]] : NULL;
    if (d == NULL || d->settled)
        return false;
    if (d->turn <= d->kinds)
        return w->kind[p] != d->turn;
    return !d->alone || (d->kinds == 1 && w->second[p]);
}

double plb_watts_most(const struct plb_watts *w, const struct plb_view *view, double rate, double work)
{
    if (w->unsettled == 0)
        return work;
    return fmin(work, rate > 0.0 ? BLOCK * rate : FIRST_BLOCK * view->total);
}

void plb_watts_settle(struct plb_watts *w, struct plb_watts_domain *d)
{
    w->unsettled -= !d->settled;
    d->settled = true;
}

/* Whether a PU of another domain works, or may later. */
static bool others_work(const struct plb_watts *w, int d, bool later)
{
    for (int p = 0; p < w->n; p++)
        if (w->own[p] != d && plb_pus_usable(w->pus, p) && (later || !plb_watts_rests(w, p)))
            return true;
    return false;
}

/* Those who are gone are known. */
static void begin(struct plb_watts *w)
{
    w->unsettled = w->n_domains;
    for (int d = 0; d < w->n_domains; d++)
        if (!w->turns || w->at[d].pus == 0)
            plb_watts_settle(w, &w->at[d]);
    for (int p = 0; p < w->n; p++) /* one that nobody measures begins at once */
        if (plb_pus_usable(w->pus, p) && w->own[p] < 0)
            return;
    for (int p = 0; p < w->n && w->starter < 0; p++)
        w->starter = plb_pus_usable(w->pus, p) ? w->own[p] : -1;
    struct plb_watts_domain *first = w->starter >= 0 ? &w->at[w->starter] : NULL;
    if (first == NULL)
        return;
    first->turn = 1;
    for (int p = 0; p < w->n; p++) /* the first kind may be gone */
        if (w->own[p] == w->starter && plb_pus_usable(w->pus, p)) {
            first->turn = w->kind[p];
            break;
        }
    if (first->pus == 1 && !others_work(w, w->starter, true))
        plb_watts_settle(w, first);
}

bool plb_watts_pass(struct plb_watts *w)
{
    w->before += w->latest;
    w->latest = 0.0;
    if (!w->began)
        begin(w);
    w->began = true;
    return w->unsettled > 0;
}

void plb_watts_release(struct plb_watts *w)
{
    for (int d = 0; d < w->n_domains; d++)
        plb_watts_settle(w, &w->at[d]);
}

void plb_watts_lost(struct plb_watts *w)
{
    if (w->starter >= 0)
        plb_watts_release(w);
}

/* A domain has turns again, from this one on. */
static void turn_again(struct plb_watts *w, int number, int turn, double since)
{
    struct plb_watts_domain *d = &w->at[number];
    w->unsettled += d->settled;
    d->settled = false;
    d->turn = turn;
    d->since = since;
}

/* One PU alone could not be told from what is drawn while it rests. It rests when others work. */
static void begin_with_the_first(struct plb_watts *w, int before, double since)
{
    double idle, besides;
    for (int p = 0; p < before; p++) {
        int d = w->own[p];
        if (d < 0 || !plb_pus_usable(w->pus, p) || w->at[d].dead || !w->at[d].settled || w->at[d].kinds > 1
            || plb_watts_of(w, p, &idle, &besides) == PLB_WATTS_MEASURED)
            continue;
        w->starter = d;
        turn_again(w, d, w->kind[p], since);
        return;
    }
}

void plb_watts_joined(struct plb_watts *w, double now)
{
    int domains = w->n_domains, first = w->n;
    double idle, besides;
    double since = fmax(w->before + now, PLB_WINDOW_FIRST); /* until then windows of others are shorter */
    plb_watts_grow(w);
    if (!w->began)
        return;
    for (int i = domains; i < w->n_domains; i++) {
        w->at[i].settled = true;
        if (w->turns && w->at[i].pus > 0)
            turn_again(w, i, 0, since);
    }
    if (w->turns)
        for (int p = first; p < w->n; p++) {
            int d = w->own[p];
            if (d >= 0 && w->at[d].settled && !w->at[d].dead
                && plb_watts_of(w, p, &idle, &besides) != PLB_WATTS_MEASURED)
                turn_again(w, d, w->kind[p], since);
        }
    if (w->turns && w->unsettled > 0)
        begin_with_the_first(w, first, since);
}

/* Whether those worked in a window whose turn it is, and nobody else. */
static bool kept(const struct plb_watts_domain *d)
{
    bool all = d->turn > d->kinds && d->alone;
    double most = d->kinds == 1 && all ? 0.75 * d->pus : INFINITY;
    for (int kind = 1; kind <= d->kinds; kind++) {
        bool works = all || kind == d->turn;
        if (works ? d->x[kind] < WORKED * d->x[0] : d->x[kind] > RESTED * d->x[0])
            return false;
    }
    return d->x[1] <= most * d->x[0];
}

/* A turn is over. */
static void next_turn(struct plb_watts *w, int number, double now)
{
    struct plb_watts_domain *d = &w->at[number];
    d->since = now;
    bool last = number != w->starter || d->turn > d->kinds;
    if (d->turn < d->kinds || (!last && others_work(w, number, false))) {
        d->turn++;
    } else if (last) {
        plb_watts_settle(w, d);
    } else if (!others_work(w, number, true)) {
        d->alone = true;
        d->turn++;
        if (d->pus < 2)
            plb_watts_settle(w, d);
    }
}

bool plb_watts_late(struct plb_watts *w, double now)
{
    bool any = false;
    w->latest = fmax(w->latest, now);
    now += w->before;
    for (int i = 0; i < w->n_domains && w->unsettled > 0; i++) {
        struct plb_watts_domain *d = &w->at[i];
        if (d->settled || now - d->since < PATIENCE)
            continue;
        any = true;
        plb_watts_settle(w, d);
        d->dead = d->dead || isinf(d->shortest);
    }
    return any;
}

void plb_watts_turn(struct plb_watts *w, int domain, double now)
{
    const struct plb_watts_domain *d = &w->at[domain];
    double seconds = d->x[0];
    if (!d->settled && now - seconds >= d->since - EARLY * seconds && kept(d))
        next_turn(w, domain, now);
}
