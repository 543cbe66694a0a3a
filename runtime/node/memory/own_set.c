/* One piece of memory for the arrays of all buffers, and a list of sets that come. */
#include "node/memory/own_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/lease.h"
#include "base/memory.h"
#include "host/topology.h"

#define ALIGNED 64 /* bytes: arrays begin at multiples of it, as an entry finds them */

enum state { COMES, FOLDED, DROPPED };

/* The set of another node. */
struct coming {
    int from;
    enum state state;
    int pending;  /* transfers */
    char *memory; /* NULL: it was folded, or never came */
    struct coming *next;
};

struct plb_own_set {
    struct plb_node_config config;
    size_t bytes, offset[PLB_MAX_DATA]; /* of the arrays in one piece; where that of a buffer begins */
    bool on;                            /* arrays stay here in this pass */
    int pass;
    char *memory;
    bool empty;
    int pending;        /* transfers out of the memory */
    int results;        /* that are in it */
    int to, needs;      /* who gets it, -1: nobody yet; and how many results must be in it by then */
    int32_t serial;     /* of the last HAND */
    struct coming *all; /* of this pass */
};

struct plb_own_set *plb_own_set_new(const struct plb_node_config *config)
{
    const struct plb_dataset *data = config->data;
    if (!plb_dataset_reduces(data))
        return NULL;
    struct plb_own_set *s = plb_alloc(sizeof *s);
    *s = (struct plb_own_set){.config = *config, .empty = true, .to = -1};
    for (int i = 0; i < data->n; i++) {
        s->offset[i] = s->bytes;
        if (data->at[i].mode == PLB_REDUCE)
            s->bytes += (data->at[i].bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    return s;
}

/* Nobody waits any more for sets that have not come: their node is lost, or their pass was given up. */
static void drop_all(struct plb_own_set *s)
{
    while (s->all != NULL) {
        struct coming *c = s->all;
        s->all = c->next;
        plb_lease_for_ever(c->memory);
        (c->memory != NULL ? plb_lease_for_ever : free)(c);
    }
}

void plb_own_set_free(struct plb_own_set *s)
{
    if (s == NULL)
        return;
    drop_all(s);
    free(s->memory);
    free(s);
}

void plb_own_set_begin(struct plb_own_set *s, const struct plb_message *pass)
{
    if (s == NULL)
        return;
    drop_all(s);
    s->on = pass->begin.folds != 0;
    s->pass = pass->pass;
    s->empty = true;
    s->results = 0;
    s->to = -1;
}

bool plb_own_set_folds(const struct plb_own_set *s, int pass)
{
    return s != NULL && s->on && s->pass == pass && !s->config.data->on_rank0;
}

/* The arrays of a set, by buffer. */
static void find(const struct plb_own_set *s, char *memory, void **arrays)
{
    const struct plb_dataset *data = s->config.data;
    for (int i = 0; i < data->n; i++)
        arrays[i] = data->at[i].mode == PLB_REDUCE ? memory + s->offset[i] : NULL;
}

static void copy(const struct plb_own_set *s, void *const *from)
{
    const struct plb_dataset *data = s->config.data;
    for (int i = 0; i < data->n; i++)
        if (data->at[i].mode == PLB_REDUCE)
            memcpy(s->memory + s->offset[i], from[i], data->at[i].bytes);
}

static void fold(struct plb_own_set *s, void *const *from)
{
    const struct plb_range none = {0, 0};
    void *into[PLB_MAX_DATA];
    if (s->config.data->on_rank0) {
        plb_dataset_fold(s->config.data, none, from);
        return;
    }
    if (s->memory == NULL)
        s->memory = plb_alloc(s->bytes);
    find(s, s->memory, into);
    if (s->empty) {
        copy(s, from);
    } else {
        const struct plb_dataset *set = s->config.data;
        const struct plb_own_cores *cores = set->kernel != NULL && set->kernel->fold != NULL ? set->cores
                                                                                             : NULL;
        plb_own_cores_leave(cores);
        plb_dataset_fold_into(set, none, into, none, from);
        plb_own_cores_return(cores);
    }
    s->empty = false;
}

/* Hands the set over as soon as all that counts is in it. */
static void give(struct plb_own_set *s, struct plb_outbox *out)
{
    const struct plb_wire *wire = &s->config.wire;
    if (s->to < 0 || s->results < s->needs || s->empty)
        return;
    plb_outbox_add(out, PLB_ARRAYS, s->config.rank, s->to, s->pass);
    wire->put(wire->context, s->to, PLB_SET_TAG, s->memory, s->bytes, &s->pending);
    s->to = -1;
}

void plb_own_set_add(struct plb_own_set *s, void *const *arrays, struct plb_outbox *out)
{
    fold(s, arrays);
    s->results++;
    give(s, out);
}

static struct coming *coming_from(const struct plb_own_set *s, int node)
{
    struct coming *c = s->all;
    while (c != NULL && c->from != node)
        c = c->next;
    return c;
}

static struct coming *add(struct plb_own_set *s, int from, enum state state)
{
    struct coming *c = plb_alloc(sizeof *c);
    *c = (struct coming){.from = from, .state = state, .next = s->all};
    s->all = c;
    return c;
}

static void answer(const struct plb_own_set *s, int from, bool folded, struct plb_outbox *out)
{
    plb_outbox_add(out, PLB_FOLDED, s->config.rank, 0, s->pass)->fold = (struct plb_fold){.node = from,
                                                                                          .counts = folded};
}

/* Where the giver is lost, DROP comes. */
static bool on_arrays(struct plb_own_set *s, int from)
{
    const struct plb_wire *wire = &s->config.wire;
    if (coming_from(s, from) != NULL || wire->is_lost(wire->context, from))
        return false;
    struct coming *c = add(s, from, COMES);
    c->memory = plb_alloc(s->bytes);
    wire->get(wire->context, from, PLB_SET_TAG, c->memory, s->bytes, &c->pending);
    return true;
}

/* A set that was folded stays in this one, whatever became of its giver: rank 0 has heard that, or will. */
static void on_drop(struct plb_own_set *s, int from, struct plb_outbox *out)
{
    struct coming *c = coming_from(s, from);
    if (c != NULL && c->state != COMES)
        return;
    if (c == NULL)
        c = add(s, from, DROPPED);
    c->state = DROPPED;
    answer(s, from, false, out);
}

bool plb_own_set_hear(struct plb_own_set *s, const struct plb_message *m, struct plb_outbox *out)
{
    int rank = s != NULL ? s->config.rank : 0;
    if (s == NULL || !s->on || m->pass != s->pass)
        return false;
    if (m->type == PLB_ARRAYS)
        return m->from != rank && on_arrays(s, m->from);
    if (m->type == PLB_DROP) {
        on_drop(s, m->fold.node, out);
        return true;
    }
    if (m->fold.serial <= s->serial || m->fold.node == rank || s->config.data->on_rank0)
        return false;
    s->serial = m->fold.serial;
    s->to = m->fold.node;
    s->needs = m->fold.results;
    give(s, out);
    return true;
}

bool plb_own_set_step(struct plb_own_set *s, struct plb_outbox *out)
{
    bool any = false;
    for (struct coming *c = s != NULL ? s->all : NULL; c != NULL; c = c->next) {
        const struct plb_wire *wire = &s->config.wire;
        void *arrays[PLB_MAX_DATA];
        /* A transfer from a lost rank looks like one that has ended. */
        if (c->state != COMES || c->pending > 0 || wire->is_lost(wire->context, c->from))
            continue;
        find(s, c->memory, arrays);
        fold(s, arrays);
        free(c->memory);
        c->memory = NULL;
        c->state = FOLDED;
        answer(s, c->from, true, out);
        any = true;
    }
    return any;
}
