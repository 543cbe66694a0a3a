/* A master for tests: one PU on each node, a real balancer, and every message to the master by hand. After
 * each event all invariants are checked. */
#ifndef TEST_MASTER_FIXTURE_H
#define TEST_MASTER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/master.h"
#include "job/balancer_table.h"
#include "params.h"

#define MOST_NODES 4

struct fixture {
    struct plb_cost_map map;
    struct plb_param params[MAX_PARAMS];
    struct plb_pu_info pus[MOST_NODES];
    struct plb_outbox out; /* all that the master has sent, but for PASS */
    struct plb_master *master;
    int nodes, pass;
};

static inline void expect_sound(const struct fixture *f)
{
    const char *wrong = plb_master_check(f->master);
    if (wrong != NULL)
        fail_msg("%s", wrong);
    for (int i = 0; i < f->out.n; i++) {
        wrong = plb_message_check(&f->out.at[i], f->out.at[i].size, f->nodes);
        if (wrong != NULL)
            fail_msg("the master sent a %s %s", plb_message_name(f->out.at[i].type), wrong);
    }
}

/* Begins a pass: every living node hears of it first, rank 0 last. */
static inline void begin(struct fixture *f, int phase, int64_t replaced, double now, int living)
{
    int from = f->out.n, last = f->nodes;
    plb_master_begin(f->master, ++f->pass, phase, replaced, &f->map, now, &f->out);
    assert_true(f->out.n >= from + living);
    for (int i = from; i < from + living; i++) {
        const struct plb_message *m = &f->out.at[i];
        assert_true(m->type == PLB_PASS && m->pass == f->pass && m->to < last);
        assert_true(m->begin.phase == phase && m->begin.replaced == replaced);
        last = m->to;
    }
    f->out.n -= living;
    if (f->out.n > from)
        memmove(&f->out.at[from], &f->out.at[from + living], (size_t)(f->out.n - from) * sizeof *f->out.at);
    expect_sound(f);
}

/* A master that has not begun. Nodes have equal power, and the memory and watts that f->pus says, or no end
 * of memory. The
 * balancer's first parameter has this value. base: NULL, or more of the configuration. */
static inline void prepare(struct fixture *f, const char *balancer, double parameter, int nodes,
                           int64_t units, const struct plb_master_config *base)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_master_config config = base != NULL ? *base : (struct plb_master_config){0};
    memset(&f->out, 0, sizeof f->out);
    memset(f->params, 0, sizeof f->params);
    f->nodes = nodes;
    f->pass = 0;
    config.balancer = plb_balancer_find(balancer, "test", &err);
    assert_non_null(config.balancer);
    default_params(config.balancer, f->params);
    f->params[0].value = parameter;
    config.params = f->params;
    config.n_nodes = nodes;
    assert_int_equal(plb_cost_map_init(&f->map, units, NULL, NULL, &err), PLB_OK);
    for (int n = 0; n < nodes; n++) {
        double memory = f->pus[n].memory > 0.0 ? f->pus[n].memory : INFINITY;
        f->pus[n] = (struct plb_pu_info){
            .node = n, .power = 1.0, .memory = memory, .dynamic_watts = f->pus[n].dynamic_watts};
    }
    f->master = plb_master_new(&config, f->pus, nodes);
}

/* The same, and its first pass begins at 10 s. */
static inline void start(struct fixture *f, const char *balancer, double parameter, int nodes, int64_t units,
                         const struct plb_master_config *base)
{
    memset(f, 0, sizeof *f);
    prepare(f, balancer, parameter, nodes, units, base);
    begin(f, 0, 0, 10.0, nodes);
}

static inline void stop(struct fixture *f)
{
    plb_master_free(f->master);
    plb_cost_map_fini(&f->map);
    plb_outbox_fini(&f->out);
}

/* Hands a message to the master as a driver does. Returns the units that a DONE made accepted. */
static inline int64_t receive(struct fixture *f, const struct plb_message *m, double now)
{
    assert_null(plb_message_check(m, m->size, f->nodes));
    int64_t fresh = plb_master_receive(f->master, m, now, &f->out);
    expect_sound(f);
    return fresh;
}

static inline struct plb_message message(const struct fixture *f, enum plb_message_type type, int from)
{
    struct plb_outbox box = {0};
    struct plb_message m = *plb_outbox_add(&box, type, from, 0, f->pass);
    plb_outbox_fini(&box);
    return m;
}

/* Node `by` has executed the units [skip, skip + count) of this block in a second. */
static inline struct plb_message done_of(const struct fixture *f, const struct plb_message *block, int by,
                                         int64_t skip, int64_t count)
{
    struct plb_message m = message(f, PLB_DONE, by);
    assert_int_equal(block->type, PLB_BLOCK);
    m.done = (struct plb_done){.range = {block->block.range.first + skip, count},
                               .block = block->block.id,
                               .slot = PLB_NO_SLOT,
                               .tasks = 1,
                               .execute_s = 1.0};
    return m;
}

static inline int64_t report(struct fixture *f, struct plb_message block, int by, int64_t skip, int64_t count)
{
    struct plb_message m = done_of(f, &block, by, skip, count);
    return receive(f, &m, 11.0);
}

/* The i-th message is a block, which its node finishes. */
static inline int64_t finish(struct fixture *f, int i)
{
    return report(f, f->out.at[i], f->out.at[i].to, 0, f->out.at[i].block.range.count);
}

/* Every block from message `from` on is finished, but for those of a dead node. Grants append meanwhile. */
static inline void finish_rest(struct fixture *f, int from, int dead)
{
    for (int i = from; i < f->out.n; i++)
        if (f->out.at[i].type == PLB_BLOCK && f->out.at[i].to != dead)
            finish(f, i);
}

/* The first block that was sent to a node. */
static inline struct plb_message block_of(const struct fixture *f, int node)
{
    for (int i = 0; i < f->out.n; i++)
        if (f->out.at[i].type == PLB_BLOCK && f->out.at[i].to == node)
            return f->out.at[i];
    fail_msg("node %d has no block", node);
    return f->out.at[0];
}

/* A node tells that it has given the units [skip, skip + count) of a block to another. */
static inline void move(struct fixture *f, struct plb_message block, int from, int to, int64_t skip,
                        int64_t count, int64_t hop)
{
    struct plb_message m = message(f, PLB_MOVED, from);
    m.gifts = (struct plb_gifts){.thief = to, .n = 1};
    m.gifts.at[0] = (struct plb_gift){{block.block.range.first + skip, count}, block.block.id, hop};
    receive(f, &m, 11.0);
}

static inline void lose(struct fixture *f, int node)
{
    plb_master_lost(f->master, node, 12.0, &f->out);
    expect_sound(f);
}

/* How many messages of a type were sent, from message `from` on. */
static inline int sent(const struct fixture *f, int from, enum plb_message_type type)
{
    int n = 0;
    for (int i = from; i < f->out.n; i++)
        n += f->out.at[i].type == (int)type;
    return n;
}

#endif
