/* Suspects that more than one node has: copies, and units that have moved. */
#include "deadly_cluster.h"

/* CANCELs of this range to a node, from message `from` on. */
static int cancels(const struct cluster *c, int from, int node, struct plb_range range,
                   enum plb_cancel_why why)
{
    int n = 0;
    for (int i = from; i < c->f.out.n; i++) {
        const struct plb_message *m = &c->f.out.at[i];
        n += m->type == PLB_CANCEL && m->to == node && m->cancel.why == (int64_t)why
          && m->cancel.range.first == range.first && m->cancel.range.count == range.count;
    }
    return n;
}

/* Node 3 dies with a copy of units that rank 0 holds: rank 0 forgets them, and another one tries. */
static void a_holder_forgets_units_that_a_copy_died_with(void **state)
{
    struct cluster c;
    const struct plb_range units = {5, 2};
    (void)state;
    begin_cluster(&c, 4, false);
    struct plb_message of_rank0 = c.f.out.at[0];
    struct plb_message m = crash_of(&c, 3, units, of_rank0.block.id);
    c.dead[3] = true;
    receive(&c.f, &m, 11.0);
    assert_int_equal(cancels(&c, 0, 0, units, PLB_UNDER_SUSPICION), 1);
    assert_int_equal(report(&c.f, of_rank0, 0, 0, 5), 5);
    assert_int_equal(report(&c.f, of_rank0, 0, 7, 3), 3);
    c.next = 1;
    c.bad[5] = true;
    play(&c);
    assert_true(plb_master_over(c.f.master));
    assert_true(c.deaths[5] == 1 && set_aside(&c) == 1); /* the copy was the other one */
    assert_true(!c.dead[0] && c.trials[0] == 0);
    stop(&c.f);
}

/* Its task had begun already, and did not crash. */
static void a_holder_that_ends_suspect_units_is_believed(void **state)
{
    struct cluster c;
    (void)state;
    begin_cluster(&c, 4, false);
    struct plb_message of_rank0 = c.f.out.at[0];
    struct plb_message m = crash_of(&c, 3, (struct plb_range){5, 2}, of_rank0.block.id);
    c.dead[3] = true;
    receive(&c.f, &m, 11.0);
    assert_int_equal(report(&c.f, of_rank0, 0, 0, 10), 10);
    c.next = 1;
    play(&c);
    assert_true(plb_master_over(c.f.master) && set_aside(&c) == 0);
    stop(&c.f);
}

/* A gift of these units may be on its way, or a copy. */
static void where_units_move_every_rank_hears_of_suspects(void **state)
{
    struct plb_master_config config = {.migration = true, .phases = 2};
    const struct plb_range units = {12, 3};
    struct cluster c;
    (void)state;
    memset(&c, 0, sizeof c);
    prepare(&c.f, "static", 0.0, 4, 4 * TENS, &config);
    begin(&c.f, 0, 0, 10.0, 4);
    int from = c.f.out.n;
    struct plb_message m = crash_of(&c, 1, units, block_of(&c.f, 1).block.id);
    receive(&c.f, &m, 11.0);
    for (int n = 0; n < 4; n++)
        assert_int_equal(cancels(&c, from, n, units, PLB_UNDER_SUSPICION), 1);
    from = c.f.out.n;
    m = crash_of(&c, 2, units, 1);
    receive(&c.f, &m, 11.0); /* they have heard already */
    assert_int_equal(cancels(&c, from, 0, units, PLB_UNDER_SUSPICION), 0);
    stop(&c.f);
}

/* A copy that has begun dies while another rank tries the unit alone. */
static void a_unit_that_is_put_aside_is_not_tried_any_more(void **state)
{
    struct cluster c;
    const struct plb_range unit = {13, 1};
    (void)state;
    begin_cluster(&c, 4, false);
    int64_t block = c.f.out.at[1].block.id;
    struct plb_message m = crash_of(&c, 1, unit, block);
    receive(&c.f, &m, 11.0);
    c.dead[1] = true;
    struct plb_message trial = c.f.out.at[0];
    for (int i = 0; i < c.f.out.n; i++)
        if (c.f.out.at[i].type == PLB_BLOCK && c.f.out.at[i].block.alone)
            trial = c.f.out.at[i];
        else if (c.f.out.at[i].type == PLB_BLOCK && c.f.out.at[i].to % 2 == 0)
            finish(&c.f, i);
    assert_true(trial.type == PLB_BLOCK && trial.block.alone && trial.to == 2);
    int from = c.f.out.n;
    m = crash_of(&c, 3, unit, block);
    receive(&c.f, &m, 12.0);
    assert_int_equal(cancels(&c, from, trial.to, unit, PLB_PUT_ASIDE), 1);
    assert_int_equal(set_aside(&c), 1);
    stop(&c.f);
}

static void trials_from(const struct cluster *c, int from, int node, int expected)
{
    int n = 0;
    for (int i = from; i < c->f.out.n; i++)
        n += c->f.out.at[i].type == PLB_BLOCK && c->f.out.at[i].to == node && c->f.out.at[i].block.alone;
    assert_int_equal(n, expected);
}

/* The last unit has killed its executor once. Whoever tries it may be late, and nobody tries it beside. */
static void nobody_executes_a_suspect_unit_beside(void **state)
{
    struct plb_master_config config = {.migration = true, .backups = true, .isolated = true};
    struct cluster c;
    (void)state;
    memset(&c, 0, sizeof c);
    prepare(&c.f, "static", 0.0, 3, 3, &config);
    begin(&c.f, 0, 0, 10.0, 3);
    c.isolated = true;
    report(&c.f, block_of(&c.f, 0), 0, 0, 1);
    report(&c.f, block_of(&c.f, 2), 2, 0, 1);
    int from = c.f.out.n, tries = -1;
    struct plb_message m = crash_of(&c, 1, block_of(&c.f, 1).block.range, block_of(&c.f, 1).block.id);
    receive(&c.f, &m, 12.0);
    for (int i = from; i < c.f.out.n; i++)
        tries = c.f.out.at[i].type == PLB_BLOCK && c.f.out.at[i].block.alone ? c.f.out.at[i].to : tries;
    assert_true(tries >= 0);
    for (int node = 0; node < 3; node++) {
        m = message(&c.f, PLB_IDLE, node);
        if (node != tries)
            receive(&c.f, &m, 13.0);
    }
    for (int i = 0; i < 100 && isfinite(plb_master_due(c.f.master)); i++)
        plb_master_tick(c.f.master, plb_master_due(c.f.master), &c.f.out);
    assert_int_equal(sent(&c.f, from, PLB_BACKUP), 0);
    stop(&c.f);
}

/* PU 1 hangs. A copy of its units comes first, so it has no block, and says nothing. A suspect unit is tried
 * by PU 2, however often PU 2 is asked. */
static void a_pu_that_may_hang_tries_nothing(void **state)
{
    struct plb_master_config config = {.migration = true, .backups = true, .isolated = true, .phases = 2};
    struct cluster c;
    (void)state;
    memset(&c, 0, sizeof c);
    prepare(&c.f, "static", 0.0, 3, 3, &config);
    begin(&c.f, 0, 0, 10.0, 3);
    c.isolated = true;
    report(&c.f, block_of(&c.f, 2), 2, 0, 1);
    struct plb_message m = message(&c.f, PLB_IDLE, 2);
    receive(&c.f, &m, 11.0);
    int from = c.f.out.n;
    for (int i = 0; i < 100 && sent(&c.f, from, PLB_BACKUP) == 0; i++)
        plb_master_tick(c.f.master, plb_master_due(c.f.master), &c.f.out);
    const struct plb_message *copy = NULL;
    for (int i = from; i < c.f.out.n; i++)
        copy = c.f.out.at[i].type == PLB_BACKUP ? &c.f.out.at[i] : copy;
    assert_non_null(copy);
    assert_int_equal(copy->to, 2);
    int late = copy->block.range.first == block_of(&c.f, 1).block.range.first, other = 1 - late;
    assert_int_equal(report(&c.f, block_of(&c.f, late), 2, 0, 1), 1); /* the copy */
    assert_true(plb_backups_doubts(plb_master_backups(c.f.master), late));
    assert_false(plb_backups_doubts(plb_master_backups(c.f.master), other));
    from = c.f.out.n;
    struct plb_range unit = block_of(&c.f, other).block.range;
    m = crash_of(&c, other, unit, block_of(&c.f, other).block.id);
    receive(&c.f, &m, 50.0);
    trials_from(&c, from, late, 0);
    trials_from(&c, from, 2, 1);
    m = message(&c.f, PLB_IDLE, late);
    receive(&c.f, &m, 51.0);
    assert_false(plb_backups_doubts(plb_master_backups(c.f.master), late));
    stop(&c.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_holder_forgets_units_that_a_copy_died_with),
        cmocka_unit_test(a_holder_that_ends_suspect_units_is_believed),
        cmocka_unit_test(nobody_executes_a_suspect_unit_beside),
        cmocka_unit_test(where_units_move_every_rank_hears_of_suspects),
        cmocka_unit_test(a_unit_that_is_put_aside_is_not_tried_any_more),
        cmocka_unit_test(a_pu_that_may_hang_tries_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
