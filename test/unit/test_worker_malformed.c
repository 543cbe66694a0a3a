/* Messages to a node that have the right form and make no sense, in any order: it neither crashes nor writes
 * where it must not, and its PUs get no task that cannot be. Run under a sanitizer this says most. */
#include "dice.h"
#include "worker_fixture.h"

#define MOST_PUS 3

static const struct plb_worker_pu pus[MOST_PUS] = {
    {1.0, {INT64_MAX, INFINITY}, false},
    {2.0, {4, INFINITY}, true},
    {0.5, {INT64_MAX, 80.0}, false},
};

static const int64_t edges[] = {1, 2, UNITS - 1, UNITS, UNITS + 1, INT32_MAX, INT64_MAX / 2, INT64_MAX - 1};

/* Mostly within the pass, sometimes at an edge of what a number can be. */
static int64_t amount(struct dice *d)
{
    return one_in(d, 6) ? edges[whole(d, 0, 7)] : whole(d, 1, 50);
}

static struct plb_range any_range(struct dice *d)
{
    struct plb_range r = {one_in(d, 6) ? edges[whole(d, 0, 7)] : whole(d, 0, UNITS - 1), amount(d)};
    r.count = r.count <= INT64_MAX - r.first ? r.count : INT64_MAX - r.first;
    return r;
}

static double any_work(struct dice *d)
{
    return one_in(d, 8) ? 1e308 : one_in(d, 4) ? 0.0 : real(d, 0.0, 100.0);
}

static void fill(struct dice *d, struct plb_message *m)
{
    switch ((enum plb_message_type)m->type) {
    case PLB_PASS: m->begin.phase = one_in(d, 5) ? amount(d) : whole(d, 0, PHASES - 1); break;
    case PLB_BLOCK:
        m->block = (struct plb_block){any_range(d), amount(d),         amount(d),
                                      amount(d),    (double)amount(d), one_in(d, 9)};
        break;
    case PLB_EMPTY:
        m->empty.n_victims = (int32_t)whole(d, 0, PLB_VICTIMS);
        for (int i = 0; i < PLB_VICTIMS; i++) { /* a node may be named twice, and by itself */
            m->empty.victims[i] = (int32_t)whole(d, 0, NODES - 1);
            m->empty.amounts[i] = any_work(d);
            m->empty.rates[i] = any_work(d);
        }
        for (int i = 0; i < PLB_LEAST; i++)
            m->empty.least[i] = one_in(d, 2) ? 0 : amount(d);
        break;
    case PLB_STEAL: m->steal = (struct plb_steal){any_work(d), any_work(d), any_work(d)}; break;
    case PLB_GIFT:
    case PLB_MOVED:
        m->gifts.n = (int32_t)whole(d, 0, PLB_GIFTS);
        m->gifts.thief = (int32_t)whole(d, 0, NODES - 1);
        m->gifts.left = any_work(d);
        m->gifts.rate = any_work(d);
        for (int i = 0; i < m->gifts.n; i++) {
            int64_t hop = one_in(d, 9) ? PLB_HOPS : whole(d, 1, 3);
            m->gifts.at[i] = (struct plb_gift){any_range(d), amount(d), hop};
        }
        break;
    case PLB_DONE:
        m->done = (struct plb_done){
            .range = any_range(d), .block = amount(d), .slot = PLB_NO_SLOT, .tasks = 1};
        break;
    case PLB_FAIL: m->fail.range = m->fail.among = any_range(d); break;
    case PLB_RECALL:
        m->recall = (struct plb_recall){any_work(d), (int32_t)whole(d, 0, NODES - 1),
                                        (int32_t)whole(d, 0, MOST_PUS), PLB_WORKS};
        break;
    case PLB_FETCH: m->fetch.range = any_range(d); break;
    default: break;
    }
}

static struct plb_message any_message(struct dice *d, int pass)
{
    int type = (int)whole(d, 1, PLB_MESSAGE_TYPES - 1);
    struct plb_message m = message((enum plb_message_type)type, (int)whole(d, 0, NODES - 1), 0);
    m.pass = type == PLB_PASS ? pass + (int)whole(d, 0, 2) : (int)whole(d, pass > 0 ? pass - 1 : 0, pass + 1);
    m.pass = one_in(d, 200) ? INT32_MAX - 1 : one_in(d, 3) ? pass : m.pass;
    m.pu = one_in(d, 9) ? INT32_MAX : (int)whole(d, 0, MOST_PUS);
    fill(d, &m);
    return m;
}

/* A task that the worker hands out is one of this pass, within the limit of its PU. */
static void take_some(struct fixture *f, struct dice *d, int n_pus)
{
    struct plb_slice task;
    int pu = (int)whole(d, 0, n_pus - 1);
    if (!plb_worker_take(f->worker, pu, &task))
        return;
    const struct plb_task_limit *limit = &pus[pu].limit;
    assert_int_equal(task.pass, plb_worker_pass(f->worker));
    assert_true(task.range.first >= 0 && task.range.count > 0 && task.range.count <= limit->units);
    assert_true(task.range.first + task.range.count <= UNITS);
    assert_true(task.range.count == 1 || plb_sizes_bytes(&f->sizes, task.range) <= limit->bytes);
    if (one_in(d, 10))
        plb_worker_fail(f->worker, pu, &task,
                        &(struct plb_device_failure){.status = 1, .text = "", .among = task.range});
    else
        plb_worker_done(f->worker, pu, &task, one_in(d, 5) ? NAN : any_work(d), any_work(d),
                        one_in(d, 3) ? 0 : PLB_NO_SLOT);
}

static void nonsense_does_no_harm(void **state)
{
    static const struct plb_sizes sizes = {.task_bytes = 8.0, .unit_bytes = 10.0};
    (void)state;
    for (uint64_t seed = seeds(4000).first; seed < seeds(4000).end; seed++) {
        struct dice d = {seed, 0};
        struct fixture f;
        struct plb_migration m = {.on = !one_in(&d, 6),
                                  .victim = (enum plb_victim)whole(&d, 0, 3),
                                  .threshold = any_work(&d),
                                  .by_power = one_in(&d, 3),
                                  .seed = seed};
        int n_pus = (int)whole(&d, 0, MOST_PUS), right = 0;
        prepare(&f, n_pus, pus, &sizes, &m);
        for (int i = 0; i < 80; i++) {
            int pass = plb_worker_pass(f.worker);
            struct plb_message any = any_message(&d, pass < INT32_MAX - 9 ? pass : 1);
            if (plb_message_check(&any, any.size, NODES) == NULL)
                right += receive(&f, &any);
            if (n_pus > 0 && one_in(&d, 2))
                take_some(&f, &d, n_pus);
            if (one_in(&d, 4))
                plb_worker_collect(f.worker, (double)i * PLB_PATIENCE, &f.out);
            assert_true(plb_worker_queued(f.worker) >= 0.0);
        }
        for (int i = 0; i < f.out.n; i++)
            assert_null(plb_message_check(&f.out.at[i], f.out.at[i].size, NODES));
        assert_true(right > 0);
        stop(&f);
    }
}

/* A node without PUs is asked for work, and is given some that it cannot execute. */
static void a_node_without_pus_takes_nothing(void **state)
{
    (void)state;
    struct fixture f;
    prepare(&f, 0, pus, NULL, &migration_on);
    assert_true(begin(&f, 1, 0));
    assert_true(empty(&f, 1, 5.0, 5.0));
    assert_false(block(&f, 1, 0, 1, 0, 10, 10));
    assert_false(gift(&f, 1, 2, 40, 2));
    struct plb_message m = message(PLB_STEAL, 2, 1);
    m.steal.power = 1.0;
    assert_true(receive(&f, &m));
    assert_true(f.out.n == 1 && f.out.at[0].type == PLB_GIFT && f.out.at[0].gifts.n == 0);
    assert_false(plb_worker_collect(f.worker, 0.0, &f.out));
    assert_int_equal(f.out.n, 1);
    stop(&f);
}

/* A gift of which one part lies beyond the pass is dropped whole. */
static void a_gift_that_cannot_be_is_dropped(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, &migration_on);
    struct plb_message m = message(PLB_GIFT, 2, 1);
    m.gifts = (struct plb_gifts){.thief = OWN, .n = 2, .at = {{{0, 5}, 1, 1}, {{UNITS - 1, 2}, 1, 1}}};
    assert_false(receive(&f, &m));
    assert_false(gift(&f, 1, OWN, 0, 5)); /* from itself */
    assert_true(plb_worker_queued(f.worker) == 0.0);
    m.gifts.at[1].range.count = 1;
    assert_true(receive(&f, &m));
    assert_true(plb_worker_queued(f.worker) == 6.0);
    stop(&f);
}

/* A rate without limit would make a gift that its receiver drops, and its units with it. */
static void a_rate_that_cannot_be_is_not_told(void **state)
{
    (void)state;
    struct fixture f;
    struct plb_slice task;
    start(&f, 1, &migration_on);
    assert_true(block(&f, 1, 0, 1, 500, 10, 10));
    assert_true(plb_worker_take(f.worker, 0, &task));
    plb_worker_done(f.worker, 0, &task, 5e-324, 0.0, PLB_NO_SLOT);
    assert_true(block(&f, 1, 0, 9, 0, 100, 100));
    struct plb_message m = message(PLB_STEAL, 2, 1);
    m.steal = (struct plb_steal){5.0, 1.0, 5.0};
    assert_true(receive(&f, &m)); /* which checks the answers */
    assert_true(f.out.at[0].gifts.n == 1 && f.out.at[0].gifts.rate == 0.0);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonsense_does_no_harm),
        cmocka_unit_test(a_node_without_pus_takes_nothing),
        cmocka_unit_test(a_gift_that_cannot_be_is_dropped),
        cmocka_unit_test(a_rate_that_cannot_be_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
