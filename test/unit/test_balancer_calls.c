/* The calls of a balancer: with what, and when (plb/balancer.h): a policy that writes down every call and
 * grants what the test tells it to, behind a real master. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/master.h"
#include "plb/kernel.h"

#define PUS 4

/* The calls that were made, and what grant answers. */
struct script {
    double answer[PUS]; /* work, PLB_WAIT or PLB_WAIT_OWN */
    bool ask_in_done;   /* done sets ask_again */
    int asked[PUS], ends[PUS], reported_ends[PUS], lost[PUS];
    int living, idle;               /* as last seen in any call */
    double granted[PUS], remaining; /* as seen when the last call came */
};

static struct script script;

static void look(const struct plb_view *view)
{
    script.living = view->living;
    script.idle = view->idle;
    script.remaining = view->remaining;
    for (int p = 0; p < view->n_pus; p++)
        script.granted[p] = view->pus[p].granted;
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    (void)params;
    look(view);
    return &script;
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    (void)state;
    look(view);
    script.asked[pu]++;
    return script.answer[pu];
}

static void done(void *state, const struct plb_view *view, int pu, const struct plb_sample *sample)
{
    (void)state;
    look(view);
    script.reported_ends[pu] += sample->block_end;
    view->stats->ask_again = script.ask_in_done;
}

static void block_end(void *state, const struct plb_view *view, int pu)
{
    (void)state;
    look(view);
    script.ends[pu]++;
}

static void lost(void *state, const struct plb_view *view, int pu)
{
    (void)state;
    look(view);
    script.lost[pu]++;
}

static void fini(void *state)
{
    (void)state;
}

static const struct plb_balancer recorder = {
    .name = "recorder",
    PLB_BALANCER_HEAD,
    .summary = "for this test",
    .init = init,
    .grant = grant,
    .done = done,
    .block_end = block_end,
    .lost = lost,
    .fini = fini,
};

struct fixture {
    struct plb_cost_map map;
    struct plb_outbox out;
    struct plb_master *master;
};

/* Two nodes of two PUs, 1000 units; every PU that is asked gets this much, at first. */
static void start(struct fixture *f, double work)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_pu_info pus[PUS];
    struct plb_master_config config = {.balancer = &recorder, .n_nodes = 2, .migration = true};
    memset(f, 0, sizeof *f);
    memset(&script, 0, sizeof script);
    for (int p = 0; p < PUS; p++) {
        pus[p] = (struct plb_pu_info){.node = p / 2, .local = p % 2, .power = 1.0, .memory = INFINITY};
        script.answer[p] = work;
    }
    plb_cost_map_init(&f->map, 1000, NULL, NULL, &err);
    f->master = plb_master_new(&config, pus, PUS);
    plb_master_begin(f->master, 1, 0, 0, &f->map, 0.0, &f->out);
}

static void stop(struct fixture *f)
{
    plb_master_free(f->master);
    plb_outbox_fini(&f->out);
    plb_cost_map_fini(&f->map);
}

static void answer_all(double work)
{
    for (int p = 0; p < PUS; p++)
        script.answer[p] = work;
}

static void forget_calls(void)
{
    memset(script.asked, 0, sizeof script.asked);
    memset(script.ends, 0, sizeof script.ends);
}

/* The first block that was sent to this PU. */
static struct plb_message block_of(const struct fixture *f, int pu)
{
    for (int i = 0; i < f->out.n; i++)
        if (f->out.at[i].type == PLB_BLOCK && f->out.at[i].to == pu / 2 && f->out.at[i].pu == pu % 2)
            return f->out.at[i];
    fail_msg("PU %d has no block", pu);
    return f->out.at[0];
}

/* PU `by` reports units [skip, skip + count) of a block. */
static void report(struct fixture *f, struct plb_message block, int by, int64_t skip, int64_t count)
{
    struct plb_message m = {.type = PLB_DONE, .from = by / 2, .pu = by % 2, .pass = block.pass};
    struct plb_range range = {block.block.range.first + skip, count};
    m.done = (struct plb_done){
        .range = range, .block = block.block.id, .slot = PLB_NO_SLOT, .tasks = 1, .execute_s = 1.0};
    plb_master_receive(f->master, &m, 1.0, &f->out);
}

static void move(struct fixture *f, struct plb_message block, int from, int to, int64_t skip, int64_t count)
{
    struct plb_message m = {.type = PLB_MOVED, .from = from, .pass = 1};
    struct plb_gift gift = {{block.block.range.first + skip, count}, block.block.id, 1};
    m.gifts = (struct plb_gifts){.at = {gift}, .n = 1, .thief = to};
    plb_master_receive(f->master, &m, 1.0, &f->out);
}

static int asked(void)
{
    int n = 0;
    for (int p = 0; p < PUS; p++)
        n += script.asked[p];
    return n;
}

static void living_and_idle_are_counted(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 10.0);
    assert_int_equal(script.living, PUS);
    assert_int_equal(script.idle, 0); /* at the last question all but the one that is asked again have two */
    answer_all(PLB_WAIT);
    for (int p = 0; p < PUS; p++)
        report(&f, block_of(&f, p), p, 0, 10);
    assert_int_equal(script.idle, 0); /* each has its second block */
    plb_master_lost(f.master, 1, 2.0, &f.out);
    assert_int_equal(script.living, 2);
    assert_int_equal(script.idle, 0);
    for (int p = 0; p < 2; p++) {
        struct plb_message second = block_of(&f, p);
        for (int i = 0; i < f.out.n; i++)
            if (f.out.at[i].type == PLB_BLOCK && f.out.at[i].to == 0 && f.out.at[i].pu == p)
                second = f.out.at[i];
        report(&f, second, p, 0, 10);
        assert_int_equal(script.idle, p + 1);
    }
    stop(&f);
}

static void a_report_asks_that_pu_alone(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        struct fixture f;
        start(&f, 10.0);
        answer_all(PLB_WAIT);
        report(&f, block_of(&f, 0), 0, 0, 10);
        report(&f, block_of(&f, 1), 1, 0, 10);
        forget_calls();
        script.ask_in_done = again;
        report(&f, block_of(&f, 2), 2, 0, 10);
        assert_true(script.asked[2] >= 1);
        assert_int_equal(script.asked[0], again); /* they wait, and are asked where the balancer wants it */
        assert_int_equal(script.asked[1], again);
        assert_int_equal(script.asked[3], 0); /* it has two blocks */
        stop(&f);
    }
}

static void wait_own_is_not_asked_on_request(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 10.0);
    answer_all(PLB_WAIT_OWN);
    report(&f, block_of(&f, 0), 0, 0, 10);
    forget_calls();
    script.ask_in_done = true;
    report(&f, block_of(&f, 2), 2, 0, 10);
    assert_int_equal(script.asked[0], 0);
    plb_master_lost(f.master, 1, 2.0, &f.out);
    assert_int_equal(script.asked[0], 1); /* a loss has everybody asked */
    stop(&f);
}

static void a_moved_block_ends_for_its_pu(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 10.0);
    struct plb_message block = block_of(&f, 0);
    answer_all(PLB_WAIT);
    move(&f, block, 0, 1, 4, 6);
    report(&f, block, 0, 0, 4);
    assert_int_equal(script.reported_ends[0], 0);
    forget_calls();
    report(&f, block, 2, 4, 6);
    assert_int_equal(script.reported_ends[2], 0); /* never for the thief */
    assert_int_equal(script.ends[2], 0);
    assert_int_equal(script.ends[0], 1);
    assert_int_equal(script.asked[0], 1); /* it may have another block now */
    stop(&f);
}

static void a_loss_is_told_once_and_shown_in_full(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 10.0);
    struct plb_message block = block_of(&f, 0);
    answer_all(PLB_WAIT);
    move(&f, block, 0, 1, 4, 6);
    report(&f, block, 0, 0, 4);
    forget_calls();
    plb_master_lost(f.master, 1, 2.0, &f.out);
    assert_int_equal(script.lost[2], 1);
    assert_int_equal(script.lost[3], 1);
    assert_int_equal(script.ends[0], 1); /* what was left of its block had moved to the lost node */
    assert_int_equal(script.ends[1], 0);
    assert_true(script.granted[0] == 14.0); /* 20, less the 6 that the loss took back */
    assert_true(script.granted[2] == 0.0);
    assert_true(script.remaining == 1000.0 - 80.0 + 40.0 + 6.0);
    move(&f, block_of(&f, 1), 0, 1, 7, 3); /* it was on its way */
    assert_int_equal(script.lost[2], 1);
    assert_true(script.granted[1] == 17.0);
    assert_true(asked() > 0);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(living_and_idle_are_counted),
        cmocka_unit_test(a_report_asks_that_pu_alone),
        cmocka_unit_test(wait_own_is_not_asked_on_request),
        cmocka_unit_test(a_moved_block_ends_for_its_pu),
        cmocka_unit_test(a_loss_is_told_once_and_shown_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
