/* The promises of every balancer, whatever its policy: cover the work exactly, terminate, and survive
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

/* The user's words about the PUs' speeds, which are 7 : 6 : … : 1. UPSIDE_DOWN: the slower half is said to be
 * 10⁴ times the faster, and two of the faster half are said to be 10⁴ apart. */
enum powers { TRUE_POWERS, NO_POWER, SOME_NO_POWER, NEGATIVE, UPSIDE_DOWN, POWERS };

struct trial {
    int n_pus;
    int64_t units;
    enum times times;
    int silent;   /* this PU's node never answers; lost when nobody else has work; -1 none */
    int losses;   /* nodes lost one by one while running */
    bool at_once; /* all of them after the first report, before anybody is asked in between */
    enum powers powers;
    int silents;       /* with `silent`: so many from that PU on never answer; 0: it alone */
    int passes;        /* over the same units; 0: one */
    bool unlike_units; /* one in ten costs a hundred times the others */
    bool otherwise;    /* balancers with the other value of each option of yes or no */
};

static double power(enum powers powers, int pu)
{
    switch (powers) {
    case NO_POWER: return 0.0;
    case SOME_NO_POWER: return pu % 2;
    case NEGATIVE: return pu % 3 - 1.0;
    case UPSIDE_DOWN: return pu % 7 > 3 ? 1e4 : pu % 2 == 0 ? 1.0 : 1e-4;
    case TRUE_POWERS:
    case POWERS: break;
    }
    return 1.0 / (1.0 + pu % 7);
}

static double seconds(enum times times, uint64_t draw, int pu, int64_t units)
{
    double normal = (1.0 + pu % 7) * 1e-6 * (double)units + 1e-5;
    enum times now = times == MIXED ? (enum times)(draw % 4) : times;
    return now == ZERO         ? 0.0
         : now == NOT_A_NUMBER ? (double)NAN
         : now == INFINITE     ? (double)INFINITY
                               : normal;
}

static bool yes_or_no(const struct plb_option *o)
{
    return o->type == PLB_FLAG || (o->type == PLB_INT && o->min == 0.0 && o->max == 1.0);
}

static bool has_readings(const struct plb_balancer *b)
{
    for (const struct plb_option *o = b->options; o != NULL && o->name != NULL; o++)
        if (yes_or_no(o))
            return true;
    return false;
}

/* The other value of each option that is a question of yes or no: the other reading of a paper. */
static void read_otherwise(const struct plb_balancer *b, struct plb_param *params)
{
    for (int i = 0; b->options != NULL && b->options[i].name != NULL; i++)
        if (yes_or_no(&b->options[i]))
            params[i].value = 1.0 - params[i].value;
}

static struct plb_master *new_master(const struct plb_balancer *b, const struct trial *t,
                                     struct plb_param *params)
{
    struct plb_pu_info *pus = calloc((size_t)t->n_pus, sizeof *pus);
    for (int p = 0; p < t->n_pus; p++)
        pus[p] = (struct plb_pu_info){.node = p,
                                      .kind = (enum plb_pu_kind)(p % 3),
                                      .power = power(t->powers, p),
                                      .memory = p % 7 == 6 ? 10.0 : INFINITY,
                                      .name = "pu"};
    default_params(b, params);
    if (t->otherwise)
        read_otherwise(b, params);
    static const struct plb_sizes sizes = {.unit_bytes = 8.0}; /* some are refused */
    struct plb_master_config config = {
        .balancer = b, .params = params, .n_nodes = t->n_pus, .sizes = &sizes, .units = t->units};
    struct plb_master *m = plb_master_new(&config, pus, t->n_pus);
    free(pus);
    return m;
}

static double cost(const void *context, int64_t first, int64_t count)
{
    double sum = 0.0;
    (void)context;
    for (int64_t unit = first; unit < first + count; unit++)
        sum += unit % 10 == 3 ? 100.0 : 1.0;
    return sum;
}

/* A run under way. */
struct course {
    const struct trial *t;
    struct plb_master *master;
    struct plb_outbox out;
    double now;
    int pass, at;      /* the message that is answered next */
    int lost, unheard; /* nodes lost of `losses`, and of the silent ones */
};

static bool is_silent(const struct trial *t, int node)
{
    return t->silent >= 0 && node >= t->silent && node < t->silent + (t->silents > 0 ? t->silents : 1);
}

/* Everybody waits for silent nodes: the next of them is lost, and others must get work, or another silent one
 * has it. */
static void lose_a_silent_one(struct course *c)
{
    assert_true(is_silent(c->t, c->t->silent + c->unheard));
    plb_master_lost(c->master, c->t->silent + c->unheard++, c->now, &c->out);
    assert_true(c->at < c->out.n || plb_master_over(c->master) || is_silent(c->t, c->t->silent + c->unheard));
}

/* Nodes are lost from the last one down; node 0 stays. */
static void lose_some(struct course *c)
{
    const struct trial *t = c->t;
    while (c->lost < t->losses && (t->at_once || c->at % 3 == 2)) {
        plb_master_lost(c->master, t->n_pus - 1 - c->lost++, c->now, &c->out);
        if (!t->at_once)
            break;
    }
}

/* Answers the messages in the order they were sent, until the pass is over. */
static void answer_all(struct course *c)
{
    for (; !plb_master_over(c->master) && plb_master_failure(c->master) == NULL; c->at++) {
        while (c->at == c->out.n && !plb_master_over(c->master))
            lose_a_silent_one(c);
        if (c->at == c->out.n)
            return;
        struct plb_message sent = c->out.at[c->at];
        if (sent.type != PLB_BLOCK || is_silent(c->t, sent.to))
            continue;
        double took = seconds(c->t->times, plb_random_bits(1, (uint64_t)c->at), sent.to,
                              sent.block.range.count);
        struct plb_message done = {.type = PLB_DONE, .from = sent.to, .pass = c->pass};
        done.done = (struct plb_done){.range = sent.block.range,
                                      .block = sent.block.id,
                                      .slot = PLB_NO_SLOT,
                                      .tasks = 1,
                                      .execute_s = took,
                                      .transfer_s = 0.1 * took};
        c->now += 1e-3;
        plb_master_receive(c->master, &done, c->now, &c->out);
        lose_some(c);
    }
}

static void run(const struct plb_balancer *b, const struct trial *t)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_cost_map map;
    struct plb_param params[MAX_PARAMS];
    struct course c = {.t = t};
    plb_cost_map_init(&map, t->units, t->unlike_units ? cost : NULL, NULL, &err);
    c.master = new_master(b, t, params);
    do {
        c.at = c.out.n;
        plb_master_begin(c.master, ++c.pass, 0, 0, &map, c.now, &c.out);
        answer_all(&c);
        if (plb_master_failure(c.master) != NULL)
            fail_msg("%s: %s", b->name, plb_master_failure(c.master));
        assert_int_equal(plb_master_accepted(c.master), t->units);
    } while (c.pass < t->passes);
    plb_master_free(c.master);
    plb_outbox_fini(&c.out);
    plb_cost_map_fini(&map);
}

static void all(const struct trial *t)
{
    struct trial other = *t;
    other.otherwise = true;
    for (int i = 0; plb_balancers[i] != NULL; i++) {
        run(plb_balancers[i], t);
        if (has_readings(plb_balancers[i]))
            run(plb_balancers[i], &other);
    }
}

static void covers_the_work(void **state)
{
    (void)state;
    static const int64_t units[] = {1, 2, 3, 7, 100, 12345};
    for (int u = 0; u < 6; u++)
        for (int n = 1; n <= 9; n += 2)
            all(&(struct trial){.n_pus = n, .units = units[u], .silent = -1});
}

static void survives_any_measurement(void **state)
{
    (void)state;
    for (int times = ZERO; times <= MIXED; times++)
        all(&(struct trial){.n_pus = 5, .units = 5000, .times = (enum times)times, .silent = -1});
}

static void one_pu(void **state)
{
    (void)state;
    all(&(struct trial){.n_pus = 1, .units = 100000, .silent = -1});
}

static void a_thousand_pus(void **state)
{
    (void)state;
    all(&(struct trial){.n_pus = 1000, .units = 100000, .silent = -1});
    all(&(struct trial){.n_pus = 1000, .units = 10, .silent = -1});
}

/* Every balancer answers 10,000 PUs of mixed kinds, a seventh of them refused, whatever they report. */
static void ten_thousand_pus(void **state)
{
    (void)state;
    all(&(struct trial){.n_pus = 10000, .units = 1, .silent = -1});
    all(&(struct trial){.n_pus = 10000, .units = 30000, .silent = -1});
    all(&(struct trial){.n_pus = 10000, .units = 300000, .times = MIXED, .silent = -1});
    all(&(struct trial){.n_pus = 10000, .units = 50000, .silent = -1, .losses = 30, .powers = UPSIDE_DOWN});
}

static void one_unit(void **state)
{
    (void)state;
    for (int times = NORMAL; times <= MIXED; times++)
        for (int n = 1; n <= 200; n *= 5)
            all(&(struct trial){.n_pus = n, .units = 1, .times = (enum times)times, .silent = -1});
}

static void all_lost_but_one(void **state)
{
    (void)state;
    for (int times = NORMAL; times <= MIXED; times++)
        for (int n = 2; n <= 500; n *= 6)
            all(&(struct trial){.n_pus = n,
                                .units = 3000,
                                .times = (enum times)times,
                                .silent = -1,
                                .losses = n - 1,
                                .at_once = true});
}

static void lost_pus(void **state)
{
    (void)state;
    for (int n = 2; n <= 8; n++)
        all(&(struct trial){.n_pus = n, .units = 3000, .silent = -1, .losses = n - 1});
}

static void a_pu_that_never_returns(void **state)
{
    (void)state;
    for (int silent = 0; silent < 4; silent++)
        all(&(struct trial){.n_pus = 4, .units = 3000, .silent = silent});
}

/* All but one, or many of them; they are lost one by one when nobody else has work. */
static void pus_that_never_return(void **state)
{
    (void)state;
    for (int n = 2; n <= 200; n *= 10)
        for (int times = NORMAL; times <= MIXED; times++)
            all(&(struct trial){.n_pus = n, .units = 3000, .times = (enum times)times, .silents = n - 1});
    all(&(struct trial){.n_pus = 50, .units = 3000, .silent = 10, .silents = 30, .losses = 5});
    all(&(struct trial){.n_pus = 50, .units = 3000, .silents = 40, .powers = UPSIDE_DOWN});
}

static void any_powers(void **state)
{
    (void)state;
    static const int64_t units[] = {1, 20, 30000};
    for (int powers = TRUE_POWERS; powers < POWERS; powers++)
        for (int times = NORMAL; times <= MIXED; times++)
            for (int u = 0; u < 3; u++)
                for (int n = 1; n <= 49; n *= 7)
                    all(&(struct trial){.n_pus = n,
                                        .units = units[u],
                                        .times = (enum times)times,
                                        .silent = -1,
                                        .powers = (enum powers)powers});
}

/* The passes before tell of the PUs, rightly or wrongly, while some nodes are lost. */
static void later_passes(void **state)
{
    (void)state;
    for (int times = NORMAL; times <= MIXED; times++)
        for (int powers = TRUE_POWERS; powers < POWERS; powers++)
            all(&(struct trial){.n_pus = 9,
                                .units = 2000,
                                .times = (enum times)times,
                                .silent = -1,
                                .losses = 4,
                                .powers = (enum powers)powers,
                                .passes = 3});
}

static void unlike_units(void **state)
{
    (void)state;
    static const int64_t units[] = {4, 50, 100000};
    for (int u = 0; u < 3; u++)
        for (int n = 1; n <= 49; n *= 7)
            all(&(struct trial){
                .n_pus = n, .units = units[u], .silent = -1, .passes = 2, .unlike_units = true});
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
        cmocka_unit_test(pus_that_never_return),
        cmocka_unit_test(any_powers),
        cmocka_unit_test(later_passes),
        cmocka_unit_test(unlike_units),
        cmocka_unit_test(ten_thousand_pus),
        cmocka_unit_test(one_unit),
        cmocka_unit_test(all_lost_but_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
