/* Reserved addresses, and sets of units. */
#include "node/memory/staying.h"

#include <stdlib.h>

#include "base/memory.h"

struct plb_staying {
    const struct plb_dataset *set;
    int64_t buffers; /* mask of those that have a place */
    char *at[PLB_MAX_DATA];
    size_t unit_bytes; /* of all of them together */
    bool shared, on;   /* on: results of this pass stay */
    bool short_of_room;
    int pass;
    struct plb_page_locks *locks; /* of its pages; or NULL */
    double room;                  /* bytes */
    struct plb_rangeset taken;    /* units that room was taken for */
    struct plb_rangeset given;    /* units whose place a task has in this pass, or one of before still */
    struct plb_rangeset made;     /* units whose results are here, and were reported */
};

int64_t plb_staying_buffers(const struct plb_staying *s)
{
    return s != NULL ? s->buffers : 0;
}

/* Outputs that stay, of a kernel that may have a further pass. */
static int64_t staying(const struct plb_dataset *set)
{
    int64_t buffers = 0;
    if (set->fed != 0) /* all results are in the mirror */
        return 0;
    if (set->kernel != NULL && set->kernel->next != NULL)
        for (int i = 0; i < set->n; i++)
            buffers |= set->at[i].stays ? PLB_BUFFER(i) : 0;
    return buffers & plb_dataset_sent(set) & ~set->stored;
}

struct plb_staying *plb_staying_new(const struct plb_dataset *set, double most, bool shared,
                                    struct plb_page_locks *locks)
{
    int64_t buffers = staying(set);
    bool there = true;
    if (buffers == 0 || !(most > 0.0))
        return NULL;
    struct plb_staying *s = plb_alloc(sizeof *s);
    *s = (struct plb_staying){.set = set, .buffers = buffers, .shared = shared, .locks = locks, .room = most};
    for (int i = 0; i < set->n; i++) {
        if ((buffers & PLB_BUFFER(i)) == 0)
            continue;
        s->unit_bytes += set->at[i].unit_bytes;
        s->at[i] = plb_reserve((size_t)set->units * set->at[i].unit_bytes, shared);
        there = there && s->at[i] != NULL;
    }
    if (there)
        return s;
    plb_staying_free(s);
    return NULL;
}

void plb_staying_free(struct plb_staying *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < s->set->n; i++)
        plb_shared_free(s->at[i], (size_t)s->set->units * s->set->at[i].unit_bytes);
    plb_rangeset_fini(&s->taken);
    plb_rangeset_fini(&s->given);
    plb_rangeset_fini(&s->made);
    free(s);
}

static void drop(struct plb_staying *s, struct plb_range range)
{
    for (int i = 0; i < s->set->n; i++)
        if ((s->buffers & PLB_BUFFER(i)) != 0)
            plb_page_drop(s->locks, plb_staying_place(s, i, range.first),
                          (size_t)range.count * s->set->at[i].unit_bytes, s->shared);
    s->room += (double)range.count * (double)s->unit_bytes;
    plb_rangeset_remove(&s->taken, range);
}

void plb_staying_begin_pass(struct plb_staying *s, int pass, int64_t stays, const struct plb_rangeset *busy)
{
    struct plb_rangeset unused = {0};
    plb_rangeset_add_all(&s->given, busy);
    if (s->short_of_room)
        for (int i = 0; i < s->taken.n; i++)
            plb_rangeset_missing(&s->given, s->taken.at[i], &unused);
    for (int i = 0; i < unused.n; i++)
        drop(s, unused.at[i]);
    plb_rangeset_fini(&unused);
    plb_rangeset_clear(&s->given);
    plb_rangeset_add_all(&s->given, busy);
    plb_rangeset_clear(&s->made);
    s->short_of_room = false;
    s->pass = pass;
    s->on = (s->buffers & ~stays) == 0;
}

void plb_staying_go_on(struct plb_staying *s, int pass)
{
    s->pass = pass;
    s->on = false;
}

bool plb_staying_take(struct plb_staying *s, struct plb_range task)
{
    struct plb_rangeset more = {0};
    if (!s->on || plb_rangeset_overlaps(&s->given, task))
        return false;
    plb_rangeset_missing(&s->taken, task, &more);
    double needed = (double)more.units * (double)s->unit_bytes;
    plb_rangeset_fini(&more);
    if (needed > s->room) {
        s->short_of_room = true;
        return false;
    }
    s->room -= needed;
    plb_rangeset_add(&s->taken, task);
    plb_rangeset_add(&s->given, task);
    return true;
}

void *plb_staying_place(const struct plb_staying *s, int buffer, int64_t first)
{
    return s->at[buffer] + (size_t)first * s->set->at[buffer].unit_bytes;
}

void plb_staying_reported(struct plb_staying *s, int pass, struct plb_range task)
{
    if (pass == s->pass)
        plb_rangeset_add(&s->made, task);
}

bool plb_staying_made(const struct plb_staying *s, int pass, struct plb_range range)
{
    return pass == s->pass && plb_rangeset_has(&s->made, range);
}
