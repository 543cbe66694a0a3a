/* Reserved addresses, and sets of units. */
#include "node/mirror.h"

#include <stdlib.h>

#include "base/memory.h"

struct plb_mirror {
    const struct plb_dataset *set;
    int64_t buffers; /* mask of those that have a place */
    char *at[PLB_MAX_DATA];
    size_t bytes[PLB_MAX_DATA]; /* of the whole buffer */
    bool shared, short_of_room; /* since the pass began, a task found none */
    double room;                /* bytes */
    int64_t before, after;      /* units of the widest halo */
    struct plb_rangeset taken;  /* units that room was taken for */
    struct plb_rangeset here;   /* of these, those whose inputs have arrived */
    struct plb_rangeset coming; /* units that are being pulled */
    struct plb_rangeset used;   /* units of tasks since the pass began */
};

int64_t plb_mirror_buffers(const struct plb_mirror *m)
{
    return m != NULL ? m->buffers : 0;
}

struct plb_mirror *plb_mirror_new(const struct plb_dataset *set, double most, bool shared)
{
    int64_t buffers = plb_dataset_pulled(set);
    bool there = true;
    size_t offset;
    if (buffers == 0 || !(most > 0.0))
        return NULL;
    struct plb_mirror *m = plb_alloc(sizeof *m);
    *m = (struct plb_mirror){.set = set, .buffers = buffers, .shared = shared, .room = most};
    for (int i = 0; i < set->n; i++) {
        if ((buffers & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(set, i, (struct plb_range){0, set->units}, &offset, &m->bytes[i]);
        m->bytes[i] += offset; /* offsets may begin above 0 */
        m->before = set->at[i].before > m->before ? set->at[i].before : m->before;
        m->after = set->at[i].after > m->after ? set->at[i].after : m->after;
        m->at[i] = plb_reserve(m->bytes[i], shared);
        there = there && m->at[i] != NULL;
    }
    if (there)
        return m;
    plb_mirror_free(m);
    return NULL;
}

void plb_mirror_free(struct plb_mirror *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < PLB_MAX_DATA; i++)
        plb_shared_free(m->at[i], m->bytes[i]);
    plb_rangeset_fini(&m->taken);
    plb_rangeset_fini(&m->here);
    plb_rangeset_fini(&m->coming);
    plb_rangeset_fini(&m->used);
    free(m);
}

static double bytes_of(const struct plb_mirror *m, const struct plb_rangeset *units)
{
    double sum = 0.0;
    for (int i = 0; i < m->set->n; i++)
        for (int k = 0; k < units->n && (m->buffers & PLB_BUFFER(i)) != 0; k++) {
            size_t offset, bytes;
            plb_dataset_bytes(m->set, i, units->at[k], &offset, &bytes);
            sum += (double)bytes;
        }
    return sum;
}

/* The units that a task reads. */
static struct plb_range read_by(const struct plb_mirror *m, struct plb_range task)
{
    return plb_range_around(task, m->before, m->after, m->set->units);
}

bool plb_mirror_has(const struct plb_mirror *m, struct plb_range task)
{
    return plb_rangeset_lacking(&m->here, read_by(m, task)).count == 0;
}

bool plb_mirror_pulls(const struct plb_mirror *m, struct plb_range task)
{
    return plb_rangeset_overlaps(&m->coming, read_by(m, task));
}

/* The smallest range of all units that neither are here nor come. */
static struct plb_range lacking(const struct plb_mirror *m, struct plb_range units)
{
    struct plb_rangeset lacks = {0};
    struct plb_range all = {units.first, 0};
    plb_rangeset_missing(&m->here, units, &lacks);
    for (int i = 0; i < m->coming.n; i++)
        plb_rangeset_remove(&lacks, m->coming.at[i]);
    if (lacks.n > 0)
        all = plb_range_hull(lacks.at[0], lacks.at[lacks.n - 1]);
    plb_rangeset_fini(&lacks);
    return all;
}

bool plb_mirror_take(struct plb_mirror *m, struct plb_range task, struct plb_range *pulled)
{
    struct plb_rangeset more = {0};
    struct plb_range units = read_by(m, task), lacks = lacking(m, units);
    bool waits = m->before + m->after > 0;
    plb_rangeset_add(&m->used, units);
    if (plb_rangeset_overlaps(&m->coming, waits ? lacks : units))
        return false;
    plb_rangeset_missing(&m->taken, units, &more);
    double needed = bytes_of(m, &more);
    plb_rangeset_fini(&more);
    if (needed > m->room) {
        m->short_of_room = true;
        return false;
    }
    m->room -= needed;
    plb_rangeset_add(&m->taken, units);
    *pulled = lacks;
    plb_rangeset_add(&m->coming, *pulled);
    return true;
}

void *plb_mirror_place(const struct plb_mirror *m, int i, int64_t first)
{
    size_t offset, bytes;
    plb_dataset_bytes(m->set, i, (struct plb_range){first, 0}, &offset, &bytes);
    return m->at[i] + offset;
}

void plb_mirror_arrived(struct plb_mirror *m, struct plb_range pulled, bool here)
{
    plb_rangeset_remove(&m->coming, pulled);
    if (here)
        plb_rangeset_add(&m->here, pulled);
}

static void drop(struct plb_mirror *m, struct plb_range range)
{
    size_t offset, bytes;
    for (int i = 0; i < m->set->n; i++) {
        if ((m->buffers & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(m->set, i, range, &offset, &bytes);
        plb_reserve_drop(m->at[i] + offset, bytes, m->shared);
    }
    plb_rangeset_remove(&m->here, range);
    plb_rangeset_remove(&m->taken, range);
}

void plb_mirror_begin_pass(struct plb_mirror *m, const struct plb_rangeset *busy)
{
    struct plb_rangeset unused = {0};
    for (int i = 0; i < busy->n; i++)
        plb_rangeset_add(&m->used, read_by(m, busy->at[i]));
    for (int i = 0; i < m->taken.n && m->short_of_room; i++)
        plb_rangeset_missing(&m->used, m->taken.at[i], &unused);
    m->room += bytes_of(m, &unused);
    for (int i = 0; i < unused.n; i++)
        drop(m, unused.at[i]);
    plb_rangeset_fini(&unused);
    plb_rangeset_clear(&m->used);
    m->short_of_room = false;
}
