/* What every balancer promises, whatever its policy: cover the work exactly, terminate, and survive
 * what measurements may say. Runs over all registered balancers, through the master. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/master.h"
#include "params.h"
#include "plb/kernel.h"
#include "job/balancer_table.h"

enum times { NORMAL, ZERO, NOT_A_NUMBER, INFINITE, MIXED };

struct trial {
    int n_pus;
    int64_t units;
    enum times times;
    int silent;   /* this PU's node never answers; lost when nobody else has work; -1 none */
    int losses;   /* nodes lost one by one while running */
    bool at_once; /* all of them after the first report, before anybody is asked in between */
};

static double seconds(enum times times, uint64_t draw, int pu, int64_t units)
{
    double normal = (1.0 + pu % 7) * 1e-6 * (double)units + 1e-5;
    enum times now = times == MIXED ? (enum times)(draw % 4) : times;
    return now == ZERO         ? 0.0
         : now == NOT_A_NUMBER ? (double)NAN
         : now == INFINITE     ? (double)INFINITY
                               : normal;
}

static struct plb_master *begin(const struct plb_balancer *b, const struct trial *t, struct plb_param *params,
                                const struct plb_cost_map *map, struct plb_outbox *out)
{
    struct plb_pu_info *pus = calloc((size_t)t->n_pus, sizeof *pus);
    for (int p = 0; p < t->n_pus; p++)
        pus[p] = (struct plb_pu_info){.node = p,
                                      .kind = (enum plb_pu_kind)(p % 3),
                                      .power = 1.0 + p % 3,
                                      .memory = p % 7 == 6 ? 10.0 : INFINITY,
                                      .name = "pu"};
    default_params(b, params);
    static const struct plb_sizes sizes = {.unit_bytes = 8.0}; /* some are refused */
    struct plb_master_config config = {
        .balancer = b, .params = params, .n_nodes = t->n_pus, .sizes = &sizes, .units = t->units};
    struct plb_master *m = plb_master_new(&config, pus, t->n_pus);
    free(pus);
    plb_master_begin(m, 1, 0, 0, map, 0.0, out);
    return m;
}

/* Answers the messages in the order they were sent. Returns how many blocks that took. */
static int64_t run(const struct plb_balancer *b, const struct trial *t)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_cost_map map;
    struct plb_param params[MAX_PARAMS];
    struct plb_outbox out = {0};
    plb_cost_map_init(&map, t->units, NULL, NULL, &err);
    struct plb_master *m = begin(b, t, params, &map, &out);
    double now = 0.0;
    int lost = 0;
    int64_t blocks = 0;
    for (int i = 0; !plb_master_over(m) && plb_master_failure(m) == NULL; i++) {
        if (i == out.n) { /* everybody waits for the silent one */
            assert_true(t->silent >= 0);
            plb_master_lost(m, t->silent, now, &out);
            assert_true(i < out.n || plb_master_over(m));
            i--;
            continue;
        }
        struct plb_message sent = out.at[i], done = {.type = PLB_DONE, .from = sent.to, .pass = 1};
        if (sent.type != PLB_BLOCK || sent.to == t->silent)
            continue;
        double took = seconds(t->times, plb_random_bits(1, (uint64_t)i), sent.to, sent.block.range.count);
        done.done = (struct plb_done){sent.block.range, sent.block.id, PLB_NO_SLOT, 1, took, 0.1 * took};
        now += 1e-3;
        blocks++;
        plb_master_receive(m, &done, now, &out);
        while (lost < t->losses && (t->at_once || i % 3 == 2)) { /* from the last node down; node 0 stays */
            plb_master_lost(m, t->n_pus - 1 - lost++, now, &out);
            if (!t->at_once)
                break;
        }
    }
    if (plb_master_failure(m) != NULL)
        fail_msg("%s: %s", b->name, plb_master_failure(m));
    assert_int_equal(plb_master_accepted(m), t->units);
    plb_master_free(m);
    plb_outbox_fini(&out);
    return blocks;
}

static void all(const struct trial *t)
{
    for (int i = 0; plb_balancers[i] != NULL; i++)
        run(plb_balancers[i], t);
}

static void covers_the_work(void **state)
{
    (void)state;
    static const int64_t units[] = {1, 2, 3, 7, 100, 12345};
    for (int u = 0; u < 6; u++)
        for (int n = 1; n <= 9; n += 2)
            all(&(struct trial){n, units[u], NORMAL, -1, 0, false});
}

static void survives_any_measurement(void **state)
{
    (void)state;
    for (int times = ZERO; times <= MIXED; times++)
        all(&(struct trial){5, 5000, (enum times)times, -1, 0, false});
}

static void one_pu(void **state)
{
    (void)state;
    all(&(struct trial){1, 100000, NORMAL, -1, 0, false});
}

static void a_thousand_pus(void **state)
{
    (void)state;
    all(&(struct trial){1000, 100000, NORMAL, -1, 0, false});
    all(&(struct trial){1000, 10, NORMAL, -1, 0, false});
}

/* Every balancer answers 10,000 PUs of mixed kinds, a seventh of them refused, whatever they report. */
static void ten_thousand_pus(void **state)
{
    (void)state;
    all(&(struct trial){10000, 1, NORMAL, -1, 0, false});
    all(&(struct trial){10000, 30000, NORMAL, -1, 0, false});
    all(&(struct trial){10000, 300000, MIXED, -1, 0, false});
}

static void one_unit(void **state)
{
    (void)state;
    for (int times = NORMAL; times <= MIXED; times++)
        for (int n = 1; n <= 200; n *= 5)
            all(&(struct trial){n, 1, (enum times)times, -1, 0, false});
}

static void all_lost_but_one(void **state)
{
    (void)state;
    for (int times = NORMAL; times <= MIXED; times++)
        for (int n = 2; n <= 500; n *= 6)
            all(&(struct trial){n, 3000, (enum times)times, -1, n - 1, true});
}

static void lost_pus(void **state)
{
    (void)state;
    for (int n = 2; n <= 8; n++)
        all(&(struct trial){n, 3000, NORMAL, -1, n - 1, false});
}

static void a_pu_that_never_returns(void **state)
{
    (void)state;
    for (int silent = 0; silent < 4; silent++)
        all(&(struct trial){4, 3000, NORMAL, silent, 0, false});
}

static void describes_itself(void **state)
{
    (void)state;
    for (int i = 0; plb_balancers[i] != NULL; i++) {
        const struct plb_balancer *b = plb_balancers[i];
        assert_int_equal(b->abi, PLB_BALANCER_ABI);
        assert_int_equal(b->size, sizeof *b);
        assert_true(b->name[0] != '\0' && b->summary[0] != '\0');
        for (const struct plb_option *o = b->options; o != NULL && o->name != NULL; o++)
            assert_true(o->help != NULL && o->fallback != NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_itself),
        cmocka_unit_test(covers_the_work),
        cmocka_unit_test(survives_any_measurement),
        cmocka_unit_test(one_pu),
        cmocka_unit_test(a_thousand_pus),
        cmocka_unit_test(lost_pus),
        cmocka_unit_test(a_pu_that_never_returns),
        cmocka_unit_test(ten_thousand_pus),
        cmocka_unit_test(one_unit),
        cmocka_unit_test(all_lost_but_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
