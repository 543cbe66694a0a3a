/* Messages to the master that have the right form and make no sense, in any order, between those that do: it
 * neither crashes nor breaks an invariant, whatever the balancer. Run under a sanitizer this says most. */
#include "dice.h"
#include "master_fixture.h"

#define UNITS 500

static const char *const balancers[] = {"greedy", "static", "gss",     "factoring", "hdss",
                                        "awf",    "acosta", "plb-hec", "plb-hac",   "af"};
enum { BALANCERS = sizeof balancers / sizeof *balancers };

static struct plb_range any_range(struct dice *d)
{
    static const int64_t edges[] = {0, 1, UNITS - 1, UNITS, INT32_MAX, INT64_MAX - 1};
    struct plb_range r = {one_in(d, 9) ? edges[whole(d, 0, 5)] : whole(d, 0, UNITS - 1), whole(d, 1, 40)};
    r.count = one_in(d, 9) ? edges[whole(d, 1, 5)] : r.count;
    r.count = r.count <= INT64_MAX - r.first ? r.count : INT64_MAX - r.first;
    return r;
}

/* Seconds that a broken clock may measure. */
static double any_time(struct dice *d)
{
    static const double edges[] = {0.0, -1.0, NAN, INFINITY, 1e300, 1e-300};
    return one_in(d, 5) ? edges[whole(d, 0, 5)] : real(d, 1e-3, 2.0);
}

/* The number of a block that was sent, or of none. */
static int64_t any_block(const struct fixture *f, struct dice *d)
{
    int i = f->out.n > 0 ? (int)whole(d, 0, f->out.n - 1) : -1;
    if (i < 0 || f->out.at[i].type != PLB_BLOCK || one_in(d, 9))
        return one_in(d, 3) ? INT64_MAX - whole(d, 0, 9) : whole(d, 0, 99);
    return f->out.at[i].block.id;
}

static struct plb_message any_message(const struct fixture *f, struct dice *d)
{
    int type = one_in(d, 9) ? (int)whole(d, 1, PLB_MESSAGE_TYPES - 1)
             : one_in(d, 2) ? PLB_DONE
             : one_in(d, 5) ? PLB_CRASH
                            : PLB_MOVED;
    struct plb_message m = message(f, (enum plb_message_type)type, (int)whole(d, 0, f->nodes - 1));
    m.pass = one_in(d, 9) ? (int)whole(d, 0, 3) : f->pass;
    m.pu = one_in(d, 9) ? (int)whole(d, 0, INT32_MAX) : 0;
    if (type == PLB_DONE) {
        m.done = (struct plb_done){.range = any_range(d), .block = any_block(f, d), .slot = PLB_NO_SLOT};
        m.done.tasks = whole(d, 1, m.done.range.count);
        m.done.execute_s = any_time(d);
        m.done.transfer_s = any_time(d);
    } else if (type == PLB_CRASH) {
        m.crash = (struct plb_crashed){.range = any_range(d), .block = any_block(f, d), .signal = 11};
        m.crash.alive = !one_in(d, 9);
        m.crash.audit = one_in(d, 9);
        m.crash.others = one_in(d, 9);
    } else if (type == PLB_MOVED) {
        m.gifts.thief = (int32_t)whole(d, 0, f->nodes - 1);
        m.gifts.n = (int32_t)whole(d, 0, PLB_GIFTS);
        for (int i = 0; i < m.gifts.n; i++) {
            int64_t hop = one_in(d, 9) ? PLB_HOPS : whole(d, 1, 4);
            m.gifts.at[i] = (struct plb_gift){any_range(d), any_block(f, d), hop};
        }
    }
    return m;
}

/* One PU on each node but the last, which may have none. */
static void prepare_any(struct fixture *f, struct dice *d)
{
    static struct plb_error err;
    static const struct plb_sizes sizes = {.task_bytes = 16.0, .unit_bytes = 8.0};
    memset(f, 0, sizeof *f);
    f->nodes = (int)whole(d, 1, MOST_NODES);
    struct plb_master_config config = {
        .balancer = plb_balancer_find(balancers[whole(d, 0, BALANCERS - 1)], "test", &err),
        .params = f->params,
        .n_nodes = f->nodes,
        .sizes = &sizes,
        .phases = 2,
        .migration = one_in(d, 2),
        .whole_results = one_in(d, 2),
    };
    default_params(config.balancer, f->params);
    for (int n = 0; n < f->nodes; n++) {
        double memory = one_in(d, 9) ? 100.0 : INFINITY;
        f->pus[n] = (struct plb_pu_info){.node = n, .power = real(d, 0.1, 10.0), .memory = memory};
    }
    assert_int_equal(plb_cost_map_init(&f->map, whole(d, 1, UNITS), NULL, NULL, &err), PLB_OK);
    f->master = plb_master_new(&config, f->pus, f->nodes > 1 && one_in(d, 3) ? f->nodes - 1 : f->nodes);
}

static void one_event(struct fixture *f, struct dice *d, double now)
{
    if (one_in(d, 60)) {
        plb_master_lost(f->master, (int)whole(d, -1, f->nodes), now, &f->out);
    } else if (one_in(d, 3)) { /* a right one */
        int i = f->out.n > 0 ? (int)whole(d, 0, f->out.n - 1) : 0;
        if (f->out.n == 0 || f->out.at[i].type != PLB_BLOCK)
            return;
        struct plb_message m = done_of(f, &f->out.at[i], f->out.at[i].to, 0, f->out.at[i].block.range.count);
        m.done.execute_s = any_time(d);
        plb_master_receive(f->master, &m, now, &f->out);
    } else {
        struct plb_message m = any_message(f, d);
        if (plb_message_check(&m, m.size, f->nodes) == NULL)
            plb_master_receive(f->master, &m, now, &f->out);
    }
}

static void nonsense_does_no_harm(void **state)
{
    (void)state;
    for (uint64_t seed = seeds(1500).first; seed < seeds(1500).end; seed++) {
        struct dice d = {seed, 0};
        struct fixture f;
        prepare_any(&f, &d);
        for (int i = 0; i < 5; i++)
            one_event(&f, &d, 0.0);
        for (f.pass = 1; f.pass <= 2; f.pass++) {
            f.out.n = 0;
            plb_master_begin(f.master, f.pass, f.pass - 1, 0, &f.map, f.pass, &f.out);
            for (int i = 0; i < 60; i++) {
                one_event(&f, &d, f.pass + 0.01 * i);
                const char *wrong = plb_master_check(f.master);
                if (wrong != NULL)
                    fail_msg("seed %llu: %s", (unsigned long long)seed, wrong);
            }
            assert_in_range(plb_master_accepted(f.master), 0, f.map.units);
        }
        for (int i = 0; i < f.out.n; i++)
            assert_null(plb_message_check(&f.out.at[i], f.out.at[i].size, f.nodes));
        stop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonsense_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
