/* A pass whose shares stand, at the master: what ends that while it goes on. */
#include "master_fixture.h"

enum { NODES = 3, UNITS = 3000 };
#define UNIT_S 1e-5

static double equal(const void *context, int64_t first, int64_t count)
{
    (void)context;
    (void)first;
    return (double)count;
}

/* Every block from message `from` on is executed, at the same rate by all. */
static void execute(struct fixture *f, int from, double now)
{
    for (int i = from; i < f->out.n; i++) {
        const struct plb_message block = f->out.at[i];
        if (block.type != PLB_BLOCK)
            continue;
        struct plb_message m = done_of(f, &block, block.to, 0, block.block.range.count);
        m.done.execute_s = UNIT_S * (double)m.done.range.count;
        receive(f, &m, now);
    }
}

static void set_up(struct fixture *f, int joiners)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_master_config config = {.migration = true, .joiners = joiners, .joining_pus = joiners};
    memset(f, 0, sizeof *f);
    prepare(f, "sure", 0.0, NODES + joiners, UNITS, &config);
    plb_cost_map_fini(&f->map);
    assert_int_equal(plb_cost_map_init(&f->map, UNITS, equal, NULL, &err), PLB_OK);
    plb_master_free(f->master); /* it has the PUs of all nodes */
    config.n_nodes = NODES + joiners;
    config.balancer = plb_balancer_find("sure", "test", &err);
    config.params = f->params;
    f->master = plb_master_new(&config, f->pus, NODES);
}

/* Passes until shares stand. joiners: nodes beyond that may come. Returns when the pass began. */
static double stand(struct fixture *f, int joiners)
{
    double now = 10.0;
    set_up(f, joiners);
    do {
        f->out.n = 0;
        begin(f, 0, 0, now, NODES);
        if (plb_master_stands(f->master))
            return now;
        execute(f, 0, now + 0.01);
        assert_true(plb_master_over(f->master));
        now += 0.02;
    } while (f->pass < 20);
    fail_msg("no shares stand");
    return now;
}

/* The last units of a lost node are granted at once: nobody may take them to be a share that was planned. */
static void a_loss_ends_it(void **state)
{
    (void)state;
    struct fixture f;
    double now = stand(&f, 0);
    const struct plb_message block = block_of(&f, NODES - 1);
    struct plb_message m = done_of(&f, &block, NODES - 1, 0, block.block.range.count - 2);
    m.done.execute_s = UNIT_S * (double)m.done.range.count;
    receive(&f, &m, now + 1e-3);
    assert_true(plb_master_stands(f.master));
    assert_int_equal(sent(&f, 0, PLB_EMPTY), 0);
    int before = f.out.n;
    plb_master_lost(f.master, NODES - 1, now + 1e-3, &f.out);
    expect_sound(&f);
    assert_true(sent(&f, before, PLB_BLOCK) > 0);
    assert_false(plb_master_stands(f.master));
    assert_true(sent(&f, before, PLB_EMPTY) > 0);
    stop(&f);
}

/* A node that comes has something to do at once. */
static void a_newcomer_ends_it(void **state)
{
    (void)state;
    struct fixture f;
    double now = stand(&f, 1);
    int before = f.out.n;
    struct plb_pu_info pu = {.node = NODES, .power = 1.0, .memory = INFINITY};
    assert_true(plb_master_join(f.master, NODES, &pu, 1, 0, now + 1e-3, &f.out));
    expect_sound(&f);
    assert_false(plb_master_stands(f.master));
    bool told = false;
    for (int i = before; i < f.out.n; i++)
        told |= f.out.at[i].to == NODES && (f.out.at[i].type == PLB_EMPTY || f.out.at[i].type == PLB_BLOCK);
    assert_true(told);
    stop(&f);
}

/* Reports of a pass that stands, of shares which are larger than any before. They count where nothing but a
 * profile is known of a PU, and else tell of the first touch of memory. */
static void a_first_large_share_counts_beside_a_profile_alone(void **state)
{
    (void)state;
    struct fixture f;
    const struct plb_sample profile[] = {{.work = 100.0, .execute_s = 100.0 * UNIT_S, .tasks = 1},
                                         {.work = 900.0, .execute_s = 900.0 * UNIT_S, .tasks = 1}};
    set_up(&f, 0);
    for (int p = 0; p < NODES; p++)
        plb_history_load(plb_master_history(f.master, 0, p), profile, 2);
    struct plb_history *mixed = plb_master_history(f.master, 0, 1);
    mixed->from_profile = 1; /* as if its last report were of this run */
    begin(&f, 0, 0, 10.0, NODES);
    assert_true(plb_master_stands(f.master));
    execute(&f, 0, 10.01);
    assert_true(plb_master_over(f.master));
    assert_int_equal(plb_master_history(f.master, 0, 0)->n, 3);
    assert_int_equal(mixed->n, 2);
    stop(&f);
}

static void execute_by(struct fixture *f, struct plb_message block, int by, int64_t skip, int64_t count,
                       double now)
{
    struct plb_message m = done_of(f, &block, by, skip, count);
    m.done.execute_s = UNIT_S * (double)count;
    receive(f, &m, now);
}

/* Node 2 does 30 units, which were granted to node 0, and node 0 all that was granted to node 2. */
static void shares_grow_from_what_a_pu_has_done_itself(void **state)
{
    (void)state;
    struct fixture f;
    int64_t taken = 0;
    set_up(&f, 0);
    begin(&f, 0, 0, 10.0, NODES);
    for (int i = 0; i < f.out.n; i++) {
        const struct plb_message block = f.out.at[i];
        if (block.type != PLB_BLOCK)
            continue;
        int64_t n = block.block.range.count, stolen = block.to == 0 && n > 30 && taken == 0 ? 30 : 0;
        if (stolen > 0)
            execute_by(&f, block, 2, 0, stolen, 10.01);
        taken += stolen;
        execute_by(&f, block, block.to == 2 ? 0 : block.to, stolen, n - stolen, 10.01);
    }
    assert_true(taken == 30 && plb_master_over(f.master));
    f.out.n = 0;
    begin(&f, 0, 0, 10.02, NODES);
    assert_true(plb_master_stands(f.master));
    assert_in_range(block_of(&f, 2).block.range.count, 1, 8 * 30);
    stop(&f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loss_ends_it),
        cmocka_unit_test(a_newcomer_ends_it),
        cmocka_unit_test(a_first_large_share_counts_beside_a_profile_alone),
        cmocka_unit_test(shares_grow_from_what_a_pu_has_done_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
