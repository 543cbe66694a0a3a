/* Which tasks the master has executed a second time, by whom, and what follows from the comparison. */
#include "master_fixture.h"

static const struct plb_master_config all = {.migration = true, .audit = 1.0, .whole_results = true};

static struct plb_audits *audits(const struct fixture *f)
{
    return plb_master_audits(f->master);
}

/* The latest AUDIT. */
static const struct plb_message *latest(const struct fixture *f)
{
    for (int i = f->out.n - 1; i >= 0; i--)
        if (f->out.at[i].type == PLB_AUDIT)
            return &f->out.at[i];
    fail_msg("nothing is audited");
    return NULL;
}

static int asked(const struct fixture *f)
{
    int n = 0;
    for (int i = 0; i < f->out.n; i++)
        n += f->out.at[i].type == PLB_AUDIT;
    return n;
}

/* Nodes with a unit each, of which the one of node 0 has been executed. */
static void start_audit(struct fixture *f, int nodes)
{
    start(f, "static", 0.0, nodes, nodes, &all);
    report(f, block_of(f, 0), 0, 0, 1);
}

/* The DONE of an audit. */
static struct plb_message answer(const struct fixture *f, const struct plb_message *audit)
{
    struct plb_message m = message(f, PLB_DONE, audit->to);
    m.pu = audit->pu;
    m.done = (struct plb_done){.range = audit->block.range,
                               .block = audit->block.id,
                               .slot = 0,
                               .tasks = 1,
                               .audit = 1,
                               .execute_s = 1.0};
    return m;
}

static enum plb_audit_verdict compare(struct fixture *f, bool first, bool second)
{
    const struct plb_message m = answer(f, latest(f));
    assert_non_null(plb_audits_find(audits(f), &m));
    return plb_audits_compared(audits(f), &m, (bool[]){first, second}, 12.0, &f->out);
}

static void another_node_executes_the_task_again(void **state)
{
    (void)state;
    struct fixture f;
    start_audit(&f, 3);
    const struct plb_message *m = latest(&f);
    assert_true(m->to != 0 && m->block.range.first == block_of(&f, 0).block.range.first);
    assert_int_equal(m->block.range.count, 1);
    assert_int_equal(asked(&f), 1);
    assert_int_equal(plb_master_accepted(f.master), 1);
    stop(&f);
}

static void nothing_is_audited_unless_it_is_asked_for(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 0.0, 3, 300, NULL);
    finish_rest(&f, 0, -1);
    assert_int_equal(asked(&f), 0);
    assert_true(plb_master_over(f.master));
    stop(&f);
}

static void a_pass_is_over_when_its_audits_are(void **state)
{
    (void)state;
    struct fixture f;
    start_audit(&f, 2);
    report(&f, block_of(&f, 1), 1, 0, 1);
    assert_int_equal(plb_master_accepted(f.master), 2);
    assert_int_equal(asked(&f), 2);
    assert_int_equal(compare(&f, true, false), PLB_AUDIT_AGREES);
    assert_false(plb_master_over(f.master));
    f.out.n--; /* the other one */
    assert_int_equal(compare(&f, true, false), PLB_AUDIT_AGREES);
    assert_true(plb_master_over(f.master));
    assert_int_equal(plb_audits_counts(audits(&f))->audited, 2);
    assert_int_equal(plb_audits_counts(audits(&f))->differences, 0);
    stop(&f);
}

/* `judged`: the third result is like the first one's, or like the second one's. */
static void a_third_decides(bool like_first, bool like_second, enum plb_audit_verdict verdict, int wrong)
{
    struct fixture f;
    start_audit(&f, 3);
    int second = latest(&f)->to;
    assert_int_equal(compare(&f, false, false), PLB_AUDIT_DIFFERS);
    assert_int_equal(asked(&f), 2);
    assert_int_equal(latest(&f)->to, 3 - second);
    assert_int_equal(compare(&f, like_first, like_second), verdict);
    assert_int_equal(plb_audits_open(audits(&f)), 0);
    assert_int_equal(plb_audits_counts(audits(&f))->differences, 1);
    for (int p = 0; p < 3; p++)
        assert_int_equal(plb_audits_wrong(audits(&f), p), wrong == 0 ? p == 0 : wrong == 1 && p == second);
    stop(&f);
}

static void a_third_pu_says_who_is_wrong(void **state)
{
    (void)state;
    a_third_decides(true, false, PLB_AUDIT_SECOND, 1);
    a_third_decides(false, true, PLB_AUDIT_FIRST, 0);
    a_third_decides(false, false, PLB_AUDIT_UNDECIDED, -1);
}

static void two_pus_cannot_decide(void **state)
{
    (void)state;
    struct fixture f;
    start_audit(&f, 2);
    assert_int_equal(compare(&f, false, false), PLB_AUDIT_UNDECIDED);
    assert_int_equal(plb_audits_open(audits(&f)), 0);
    assert_int_equal(plb_audits_counts(audits(&f))->differences, 1);
    stop(&f);
}

static void one_pu_audits_nothing(void **state)
{
    (void)state;
    struct fixture f;
    start_audit(&f, 1);
    assert_int_equal(asked(&f), 0);
    assert_int_equal(plb_audits_candidates(audits(&f)), 1);
    assert_int_equal(plb_audits_counts(audits(&f))->given_up, 1);
    assert_true(plb_master_over(f.master));
    stop(&f);
}

static void a_lost_node_s_audit_goes_to_another(void **state)
{
    (void)state;
    struct fixture f;
    start_audit(&f, 3);
    int second = latest(&f)->to;
    const struct plb_message late = answer(&f, latest(&f));
    plb_master_lost(f.master, second, 12.0, &f.out);
    assert_int_equal(latest(&f)->to, 3 - second);
    assert_null(plb_audits_find(audits(&f), &late));
    plb_master_lost(f.master, 3 - second, 13.0, &f.out);
    assert_int_equal(plb_audits_open(audits(&f)), 0);
    assert_int_equal(plb_audits_counts(audits(&f))->given_up, 1);
    stop(&f);
}

/* No message comes any more: the pass ends all the same. */
static void a_pu_that_does_not_answer_is_not_waited_for(void **state)
{
    (void)state;
    struct fixture f;
    start_audit(&f, 3);
    assert_true(plb_master_due(f.master) == INFINITY); /* units are missing anyway */
    for (int n = 1; n < 3; n++)
        report(&f, block_of(&f, n), n, 0, 1);
    assert_false(plb_master_over(f.master));
    for (int looks = 0; !plb_master_over(f.master); looks++) {
        double due = plb_master_due(f.master);
        assert_true(looks < 20 && isfinite(due) && due > 11.0);
        plb_master_tick(f.master, due, &f.out);
    }
    assert_int_equal(plb_audits_counts(audits(&f))->audited, 0);
    assert_int_equal(plb_audits_counts(audits(&f))->given_up, 3);
    stop(&f);
}

/* Rank 1 dies with its unit, which nobody may try, and the PU that audits the other one is silent. */
static void an_audit_gets_a_time_where_the_last_units_are_set_aside(void **state)
{
    (void)state;
    struct fixture f;
    start_audit(&f, 3);
    int auditor = latest(&f)->to, other = 3 - auditor;
    report(&f, block_of(&f, auditor), auditor, 0, 1);
    struct plb_message first = block_of(&f, other), m = message(&f, PLB_CRASH, other);
    m.crash = (struct plb_crashed){first.block.range, first.block.id, 0, 11, 0, 0};
    receive(&f, &m, 12.0);
    m = message(&f, PLB_CRASH, auditor);
    m.crash = (struct plb_crashed){first.block.range, first.block.id, 0, 11, 1, 0};
    receive(&f, &m, 12.0); /* with a copy */
    assert_int_equal(plb_suspects_units(plb_master_suspects(f.master)), 1);
    assert_true(plb_audits_open(audits(&f)) > 0 && !plb_master_over(f.master));
    assert_true(plb_master_due(f.master) < 1000.0);
    for (int i = 0; i < 3 && !plb_master_over(f.master); i++)
        plb_master_tick(f.master, plb_master_due(f.master), &f.out);
    assert_true(plb_master_over(f.master));
    stop(&f);
}

static void a_damaged_result_is_computed_again_by_the_same_pu(void **state)
{
    (void)state;
    struct fixture f;
    start_audit(&f, 3);
    int second = latest(&f)->to;
    const struct plb_message m = answer(&f, latest(&f));
    plb_audits_ask_again(audits(&f), &m, 12.0, &f.out);
    assert_int_equal(asked(&f), 2);
    assert_int_equal(latest(&f)->to, second);
    assert_int_equal(compare(&f, true, false), PLB_AUDIT_AGREES);
    stop(&f);
}

/* The result of an audit does not count as work, whatever its DONE says. */
static void an_answer_accepts_no_units(void **state)
{
    (void)state;
    struct fixture f;
    start_audit(&f, 3);
    struct plb_message m = answer(&f, latest(&f));
    m.done.range = block_of(&f, m.from).block.range;
    assert_null(plb_audits_find(audits(&f), &m));
    assert_int_equal(receive(&f, &m, 12.0), 0);
    assert_int_equal(plb_master_accepted(f.master), 1);
    stop(&f);
}

/* The units of the audits of a run, as bits. */
static uint64_t sample(uint64_t seed, double fraction)
{
    struct fixture f;
    uint64_t units = 0;
    start(&f, "gss", 0.0, 3, 60,
          &(struct plb_master_config){.audit = fraction, .seed = seed, .whole_results = true, .grain = 1.0});
    for (int i = 0; i < f.out.n; i++)
        for (int64_t u = 0; f.out.at[i].type == PLB_BLOCK && u < f.out.at[i].block.range.count; u++)
            report(&f, f.out.at[i], f.out.at[i].to, u, 1);
    for (int i = 0; i < f.out.n; i++)
        if (f.out.at[i].type == PLB_AUDIT)
            units |= (uint64_t)1 << f.out.at[i].block.range.first;
    stop(&f);
    return units;
}

static void the_seed_decides_which_tasks(void **state)
{
    (void)state;
    uint64_t first = sample(1, 0.2);
    int n = __builtin_popcountll(first);
    assert_true(n > 3 && n < 25);
    assert_true(sample(1, 0.2) == first);
    assert_true(sample(2, 0.2) != first);
    assert_true((sample(1, 0.5) & first) == first); /* more tasks, the same among them */
    assert_int_equal(__builtin_popcountll(sample(1, 1.0)), 60);
}

/* A PU that is ten times slower executes a tenth of the units, where results can be divided. */
static void a_slow_pu_executes_a_part(void **state)
{
    (void)state;
    struct fixture f;
    const struct plb_master_config config = {.audit = 1.0};
    start(&f, "static", 0.0, 2, 2000, &config);
    struct plb_message slow = block_of(&f, 1), fast = block_of(&f, 0);
    assert_int_equal(slow.block.range.count, 1000);
    report(&f, slow, 1, 0, 100);
    int before = asked(&f);
    report(&f, fast, 0, 0, 1000);
    assert_int_equal(asked(&f), before + 1);
    const struct plb_message *m = latest(&f);
    assert_int_equal(m->block.range.count, 100);
    assert_true(m->block.range.first >= fast.block.range.first
                && m->block.range.first + 100 <= fast.block.range.first + 1000);
    stop(&f);
}

/* Tasks of 3 s and 5 ms a unit: who audits one is waited for as long as its start takes, too. */
static void starts_count_where_audits_are_waited_for(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 10, 50, 39};
    struct fixture f;
    start(&f, "static", 0.0, 3, 300, &all);
    for (int n = 0; n < 3; n++) {
        const struct plb_message block = block_of(&f, n);
        int64_t first = 0;
        assert_int_equal(block.block.range.count, 100);
        for (int i = 0; i < 4; first += sizes[i++]) {
            struct plb_message m = done_of(&f, &block, n, first, sizes[i]);
            m.done.execute_s = 3.0 + 0.005 * (double)sizes[i];
            receive(&f, &m, 11.0);
        }
    }
    assert_int_equal(plb_master_accepted(f.master), 300);
    assert_true(plb_master_due(f.master) > 11.0 + 4.0 * 3.0);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_count_where_audits_are_waited_for),
        cmocka_unit_test(another_node_executes_the_task_again),
        cmocka_unit_test(nothing_is_audited_unless_it_is_asked_for),
        cmocka_unit_test(a_pass_is_over_when_its_audits_are),
        cmocka_unit_test(a_third_pu_says_who_is_wrong),
        cmocka_unit_test(two_pus_cannot_decide),
        cmocka_unit_test(one_pu_audits_nothing),
        cmocka_unit_test(a_lost_node_s_audit_goes_to_another),
        cmocka_unit_test(a_pu_that_does_not_answer_is_not_waited_for),
        cmocka_unit_test(an_audit_gets_a_time_where_the_last_units_are_set_aside),
        cmocka_unit_test(a_damaged_result_is_computed_again_by_the_same_pu),
        cmocka_unit_test(an_answer_accepts_no_units),
        cmocka_unit_test(the_seed_decides_which_tasks),
        cmocka_unit_test(a_slow_pu_executes_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
