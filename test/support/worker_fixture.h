/* A worker for tests: node 1 of three, its messages and its PUs' calls by hand. */
#ifndef TEST_WORKER_FIXTURE_H
#define TEST_WORKER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/worker/worker.h"

#define NODES 3
#define OWN 1
#define PHASES 2
#define UNITS 1000 /* of phase 0; phase 1 has as many, whose costs differ */

struct fixture {
    struct plb_cost_map maps[PHASES];
    struct plb_sizes sizes;
    struct plb_worker *worker;
    struct plb_outbox out;
};

static inline double later_units_cost_more(const void *context, int64_t first, int64_t count)
{
    (void)context;
    return (double)(first < UNITS / 2 ? count : 3 * count);
}

static const struct plb_migration migration_on = {.on = true, .threshold = 1.0, .backups = true};

/* No pass has begun. */
static inline void prepare(struct fixture *f, int n_pus, const struct plb_worker_pu *pus,
                           const struct plb_sizes *sizes, const struct plb_migration *migration)
{
    struct plb_error err = {.status = PLB_OK};
    memset(f, 0, sizeof *f);
    f->sizes = sizes != NULL ? *sizes : (struct plb_sizes){0};
    assert_int_equal(plb_cost_map_init(&f->maps[0], UNITS, NULL, NULL, &err), PLB_OK);
    assert_int_equal(plb_cost_map_init(&f->maps[1], UNITS, later_units_cost_more, NULL, &err), PLB_OK);
    struct plb_worker_config config = {.node = OWN,
                                       .n_nodes = NODES,
                                       .n_pus = n_pus,
                                       .pus = pus,
                                       .sizes = &f->sizes,
                                       .maps = f->maps,
                                       .n_phases = PHASES,
                                       .migration = *migration};
    f->worker = plb_worker_new(&config);
}

static inline void stop(struct fixture *f)
{
    plb_worker_free(f->worker);
    plb_outbox_fini(&f->out);
    for (int i = 0; i < PHASES; i++)
        plb_cost_map_fini(&f->maps[i]);
}

static inline struct plb_message message(enum plb_message_type type, int from, int pass)
{
    struct plb_outbox box = {0};
    struct plb_message m = *plb_outbox_add(&box, type, from, OWN, pass);
    plb_outbox_fini(&box);
    return m;
}

/* Hands a message to the worker as a driver does. False: it was dropped. */
static inline bool receive(struct fixture *f, const struct plb_message *m)
{
    assert_null(plb_message_check(m, m->size, NODES));
    bool taken = plb_worker_receive(f->worker, m, &f->out);
    for (int i = 0; i < f->out.n; i++)
        assert_null(plb_message_check(&f->out.at[i], f->out.at[i].size, NODES));
    return taken;
}

static inline bool begin(struct fixture *f, int pass, int phase)
{
    struct plb_message m = message(PLB_PASS, 0, pass);
    m.begin.phase = phase;
    return receive(f, &m);
}

/* PUs without limits, of powers 1 and 3; pass 1 of phase 0 has begun. */
static inline void start(struct fixture *f, int n_pus, const struct plb_migration *migration)
{
    static const struct plb_worker_pu pus[2] = {{1.0, {INT64_MAX, INFINITY}, false},
                                                {3.0, {INT64_MAX, INFINITY}, false}};
    prepare(f, n_pus, pus, NULL, migration);
    assert_true(begin(f, 1, 0));
}

static inline bool block(struct fixture *f, int pass, int pu, int64_t id, int64_t first, int64_t count,
                         int64_t grain)
{
    struct plb_message m = message(PLB_BLOCK, 0, pass);
    m.pu = pu;
    m.block = (struct plb_block){{first, count}, id, grain, 0, 0.0, 0};
    return receive(f, &m);
}

/* Nothing is left to grant; node 0 and node 2 have this much. */
static inline bool empty(struct fixture *f, int pass, double node0, double node2)
{
    struct plb_message m = message(PLB_EMPTY, 0, pass);
    double left[2] = {node0, node2};
    for (int i = 0; i < 2; i++)
        if (left[i] > 0.0) {
            m.empty.victims[m.empty.n_victims] = 2 * i;
            m.empty.amounts[m.empty.n_victims++] = left[i];
        }
    return receive(f, &m);
}

/* Node `from` gives units of block 9, or none. */
static inline bool gift(struct fixture *f, int pass, int from, int64_t first, int64_t count)
{
    struct plb_message m = message(PLB_GIFT, from, pass);
    m.gifts = (struct plb_gifts){.thief = OWN, .n = count > 0};
    m.gifts.at[0] = (struct plb_gift){{first, count}, 9, 2};
    return receive(f, &m);
}

static inline void expect(struct fixture *f, int pu, int64_t id, int64_t first, int64_t count)
{
    struct plb_slice task;
    assert_true(plb_worker_take(f->worker, pu, &task));
    assert_int_equal(task.block, id);
    assert_int_equal(task.range.first, first);
    assert_int_equal(task.range.count, count);
    assert_int_equal(task.pass, plb_worker_pass(f->worker));
}

static inline void expect_nothing(struct fixture *f, int pu)
{
    struct plb_slice task;
    assert_false(plb_worker_take(f->worker, pu, &task));
}

/* The units of the next task, or 0 where there is none. */
static inline int64_t taken(struct fixture *f, int pu)
{
    struct plb_slice task;
    return plb_worker_take(f->worker, pu, &task) ? task.range.count : 0;
}

/* A PU ends a task of the pass that runs, in 1 s and 0.25 s. */
static inline bool done(struct fixture *f, int pu, int64_t id, int64_t first, int64_t count, int slot)
{
    struct plb_slice task = {.range = {first, count}, .block = id, .pass = plb_worker_pass(f->worker)};
    return plb_worker_done(f->worker, pu, &task, 1.0, 0.25, slot);
}

/* A PU that has been granted nothing may not be used. This one gets a block of one unit, and takes it. */
static inline void serve(struct fixture *f, int pu)
{
    assert_true(block(f, plb_worker_pass(f->worker), pu, 99, UNITS - 1, 1, 1));
    assert_int_equal(taken(f, pu), 1);
}

#endif
