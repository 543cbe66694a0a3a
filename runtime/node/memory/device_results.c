/* Sets of units for each fed input. */
#include "node/memory/device_results.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define EVERY (-1)

/* Bytes that are copied at once where all places of a device are given up. Larger: others wait longer for the
 * lock. Smaller: more copies. 64 MB last some ms, or 20 ms where pages are not locked. */
#define PART 64000000

struct plb_node_device_results plb_device_results_new(int n)
{
    struct plb_node_device_results all = {plb_alloc((size_t)n * sizeof *all.of), n};
    for (int p = 0; p < n; p++)
        pthread_mutex_init(&all.of[p].lock, NULL);
    return all;
}

void plb_device_results_free(struct plb_node_device_results *all)
{
    for (int p = 0; p < all->n; p++) {
        for (int i = 0; i < PLB_MAX_DATA; i++) {
            struct plb_device_fed *f = &all->of[p].at[i];
            plb_rangeset_fini(&f->results.only);
            plb_rangeset_fini(&f->inputs.only);
            plb_rangeset_fini(&f->last);
        }
        pthread_mutex_destroy(&all->of[p].lock);
    }
    free(all->of);
    *all = (struct plb_node_device_results){NULL, 0};
}

void plb_device_results_open(struct plb_device_results *d, const struct plb_device_ops *ops,
                             struct plb_device *device, const struct plb_dataset *set,
                             struct plb_page_locks *locks)
{
    pthread_mutex_lock(&d->lock);
    d->device = device;
    d->set = set;
    d->locks = locks;
    d->ops = ops->read != NULL ? ops : NULL;
    pthread_mutex_unlock(&d->lock);
}

/* Counts what is left. Under the lock. */
static void count(struct plb_device_results *d)
{
    int64_t left = 0;
    for (int i = 0; i < PLB_MAX_DATA; i++)
        left += d->at[i].results.only.units + d->at[i].inputs.only.units + d->at[i].last.units;
    atomic_store(&d->left, left);
}

void plb_device_results_close(struct plb_device_results *d)
{
    pthread_mutex_lock(&d->lock);
    d->ops = NULL;
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        plb_rangeset_clear(&d->at[i].results.only);
        plb_rangeset_clear(&d->at[i].inputs.only);
        plb_rangeset_clear(&d->at[i].last);
    }
    count(d);
    pthread_mutex_unlock(&d->lock);
}

bool plb_device_results_may_stay(struct plb_device_results *d, int pass)
{
    pthread_mutex_lock(&d->lock);
    const bool may = d->ops != NULL && d->stay && d->pass == pass && !atomic_load(&d->lost);
    pthread_mutex_unlock(&d->lock);
    return may;
}

void plb_device_results_made(struct plb_device_results *d, int pass, int input, int output,
                             struct plb_range task, const struct plb_device_units *where)
{
    struct plb_device_fed *f = &d->at[input];
    pthread_mutex_lock(&d->lock);
    if (d->pass == pass && !atomic_load(&d->lost)) {
        f->output = output;
        f->results.device = where->device;
        f->results.lead = where->lead;
        f->results.host = where->host;
        plb_rangeset_add(&f->results.only, task);
        count(d);
    }
    pthread_mutex_unlock(&d->lock);
}

void plb_device_results_unmade(struct plb_device_results *d, int pass, struct plb_range task)
{
    pthread_mutex_lock(&d->lock);
    for (int i = 0; i < PLB_MAX_DATA && d->pass == pass; i++)
        plb_rangeset_remove(&d->at[i].results.only, task);
    count(d);
    pthread_mutex_unlock(&d->lock);
}

/* ----------------------------------------------------------------------------- a new pass */

/* The results become inputs: those of which COUNTED will tell. */
static void take_over(struct plb_device_fed *f)
{
    const struct plb_rangeset last = f->last, only = f->inputs.only;
    f->inputs = f->results;
    f->last = f->results.only;
    f->inputs.only = only;
    f->results.only = last;
    plb_rangeset_clear(&f->inputs.only);
}

static void begin(struct plb_device_results *d, const struct plb_message *m)
{
    for (int i = 0; i < PLB_MAX_DATA; i++)
        plb_rangeset_clear(&d->at[i].last);
    for (int k = 0; k < m->begin.n_feeds; k++) {
        const struct plb_feed *feed = &m->begin.feeds[k];
        if (feed->now && feed->input < PLB_MAX_DATA)
            take_over(&d->at[feed->input]);
    }
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        plb_rangeset_clear(&d->at[i].results.only);
        if (d->ops != NULL && d->set->on_rank0) /* its buffers may have moved */
            d->at[i].inputs.host = d->set->host[i];
    }
    d->pass = m->pass;
    d->stay = !m->begin.again && !m->begin.gathers;
    count(d);
}

void plb_device_results_begin(struct plb_node_device_results *all, const struct plb_message *m)
{
    for (int p = 0; p < all->n; p++) {
        pthread_mutex_lock(&all->of[p].lock);
        begin(&all->of[p], m);
        pthread_mutex_unlock(&all->of[p].lock);
    }
}

/* A reader that has not brought them finds this. */
static void spoil(const struct plb_device_results *d, int input, struct plb_range units)
{
#ifdef PLB_DEBUG
    const size_t bytes = d->set->at[input].unit_bytes;
    memset(d->at[input].inputs.host + (size_t)units.first * bytes, 0xA5, (size_t)units.count * bytes);
#else
    (void)d, (void)input, (void)units;
#endif
}

void plb_device_results_counted(struct plb_node_device_results *all, const struct plb_message *m)
{
    struct plb_device_results *d = m->pu < all->n ? &all->of[m->pu] : NULL;
    if (d == NULL)
        return;
    pthread_mutex_lock(&d->lock);
    for (int i = 0; i < PLB_MAX_DATA && m->pass == d->pass; i++) {
        struct plb_device_fed *f = &d->at[i];
        for (int k = 0; k < m->counted.n; k++)
            plb_rangeset_add_common(&f->inputs.only, m->counted.at[k], &f->last);
        for (int k = 0; k < m->counted.n; k++)
            plb_rangeset_remove(&f->last, m->counted.at[k]);
        for (int k = 0; k < f->inputs.only.n; k++)
            spoil(d, i, f->inputs.only.at[k]);
    }
    count(d);
    pthread_mutex_unlock(&d->lock);
}

void plb_device_results_settle(struct plb_node_device_results *all)
{
    for (int p = 0; p < all->n; p++) {
        struct plb_device_results *d = &all->of[p];
        if (atomic_load(&d->left) == 0 || pthread_mutex_trylock(&d->lock) != 0)
            continue;
        for (int i = 0; i < PLB_MAX_DATA; i++)
            plb_rangeset_clear(&d->at[i].last);
        count(d);
        pthread_mutex_unlock(&d->lock);
    }
}

/* ---------------------------------------------------------------------------------- bring */

static bool copy(struct plb_device_results *d, const struct plb_device_units *u, size_t unit,
                 struct plb_range units, const struct plb_device *own)
{
    const size_t bytes = (size_t)units.count * unit, first = (size_t)units.first * unit;
    for (size_t at = 0, piece; at < bytes; at += piece) {
        char *to = u->host + first + at;
        piece = plb_page_piece(d->locks, to, bytes - at);
        if (d->ops->read(d->device, own, to, u->device + (u->lead + (ptrdiff_t)(first + at)), piece) != 0)
            return false;
    }
    atomic_fetch_add(&d->out, (long long)bytes);
    return true;
}

/* Brings what there is of a range. Under the lock. */
static bool bring(struct plb_device_results *d, int input, struct plb_device_units *u, struct plb_range units,
                  const struct plb_device *own)
{
    struct plb_rangeset wanted = {0};
    plb_rangeset_add_common(&wanted, units, &u->only);
    bool here = wanted.n == 0 || !atomic_load(&d->lost);
    for (int k = 0; k < wanted.n && here; k++) {
        here = copy(d, u, d->set->at[input].unit_bytes, wanted.at[k], own);
        if (here)
            plb_rangeset_remove(&u->only, wanted.at[k]);
        else
            atomic_store(&d->lost, true);
    }
    plb_rangeset_fini(&wanted);
    count(d);
    return here;
}

bool plb_device_results_bring_input(struct plb_node_device_results *all, int input, struct plb_range units,
                                    const struct plb_device_results *own)
{
    bool here = true;
    for (int p = 0; p < all->n; p++) {
        struct plb_device_results *d = &all->of[p];
        if (atomic_load(&d->left) == 0)
            continue;
        pthread_mutex_lock(&d->lock);
        const bool alike = own != NULL && own->ops == d->ops;
        here &= bring(d, input, &d->at[input].inputs, units, alike ? own->device : NULL);
        pthread_mutex_unlock(&d->lock);
    }
    return here;
}

bool plb_device_results_bring(struct plb_node_device_results *all, int pu, int output, struct plb_range units)
{
    bool here = true;
    for (int p = 0; p < all->n; p++) {
        struct plb_device_results *d = &all->of[p];
        if ((pu != EVERY && pu != p) || atomic_load(&d->left) == 0)
            continue;
        pthread_mutex_lock(&d->lock);
        for (int i = 0; i < PLB_MAX_DATA; i++)
            if (d->at[i].output == output && d->at[i].results.only.n > 0)
                here &= bring(d, i, &d->at[i].results, units, NULL);
        pthread_mutex_unlock(&d->lock);
    }
    return here;
}

/* Brings what there is of a part of all places. */
static void bring_part(struct plb_device_results *d, struct plb_range part)
{
    pthread_mutex_lock(&d->lock);
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        bring(d, i, &d->at[i].results, part, d->device);
        bring(d, i, &d->at[i].inputs, part, d->device);
        if (d->at[i].last.n > 0) /* nobody knows yet which of them are inputs */
            atomic_store(&d->lost, true);
    }
    pthread_mutex_unlock(&d->lock);
}

void plb_device_results_bring_all(struct plb_device_results *d)
{
    int64_t bytes = 1;
    if (atomic_load(&d->left) == 0)
        return;
    for (int i = 0; i < d->set->n; i++)
        if ((d->set->fed & PLB_BUFFER(i)) != 0)
            bytes += (int64_t)d->set->at[i].unit_bytes;
    const int64_t most = 1 + PART / bytes;
    struct plb_range part = {0, most};
    for (; part.first < d->set->units && atomic_load(&d->left) > 0; part.first += most)
        bring_part(d, part);
}

bool plb_device_results_lose(struct plb_device_results *d)
{
    atomic_store(&d->lost, true);
    return atomic_load(&d->left) > 0;
}
