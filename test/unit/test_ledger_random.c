/* The ledger beside an array that has an element for each unit: thousands of seeds of grants, results, moves
 * in any order and losses. After every operation both tell the same.
 * PLB_SEEDS: how many; PLB_SEED: only this one, to look at a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/ledger/ledger.h"
#include "dice.h"

#define MOST_UNITS 4000
#define MOST_PUS 12
#define MOST_NODES 6
#define MOVES 64 /* that are remembered, to arrive later, or again */
#define CHANGED (2 * MOST_PUS)

enum state { FREE, HELD, ACCEPTED };

struct unit {
    enum state state;
    int64_t block, hop;
    int node, giver;
};

struct move {
    struct plb_gift gift;
    int giver, thief;
};

struct change {
    int64_t block;
    double settled, freed;
    int over;
};

struct fixture {
    struct dice dice;
    struct plb_ledger *ledger;
    struct plb_cost_map costs;
    struct unit units[MOST_UNITS];
    int64_t n, youngest_block;
    int n_pus, n_nodes;
    bool lost[MOST_NODES];
    struct move moves[MOVES];
    int n_moves;
    struct change changes[CHANGED]; /* of the last operation, as the array says */
    int n_changes;
};

/* ------------------------------------------------------------------ the array's ledger */

static bool holds(const struct fixture *f, int64_t block)
{
    for (int64_t u = 0; u < f->n; u++)
        if (f->units[u].state == HELD && f->units[u].block == block)
            return true;
    return false;
}

static struct change *change_of(struct fixture *f, int64_t block)
{
    for (int i = 0; i < f->n_changes; i++)
        if (f->changes[i].block == block)
            return &f->changes[i];
    f->changes[f->n_changes] = (struct change){.block = block};
    return &f->changes[f->n_changes++];
}

/* A unit leaves its block. */
static void let_go(struct fixture *f, int64_t u, enum state state)
{
    if (f->units[u].state == HELD) {
        struct change *c = change_of(f, f->units[u].block);
        *(state == FREE ? &c->freed : &c->settled) += plb_cost_work(&f->costs, u, 1);
    }
    f->units[u] = (struct unit){.state = state};
}

static int64_t accept_each(struct fixture *f, struct plb_range r)
{
    int64_t fresh = 0;
    f->n_changes = 0;
    for (int64_t u = r.first; u < r.first + r.count; u++) {
        fresh += f->units[u].state != ACCEPTED;
        let_go(f, u, ACCEPTED);
    }
    return fresh;
}

static int64_t drop_each(struct fixture *f, struct plb_range r, int64_t block)
{
    int64_t freed = 0;
    f->n_changes = 0;
    for (int64_t u = r.first; u < r.first + r.count; u++)
        if (f->units[u].state == HELD && f->units[u].block == block) {
            let_go(f, u, FREE);
            freed++;
        }
    return freed;
}

static int64_t move_each(struct fixture *f, const struct move *m)
{
    int64_t changed = 0;
    f->n_changes = 0;
    for (int64_t u = m->gift.range.first; u < m->gift.range.first + m->gift.range.count; u++) {
        struct unit *unit = &f->units[u];
        if (unit->state != HELD || unit->block != m->gift.block || unit->hop >= m->gift.hop)
            continue;
        changed++;
        if (f->lost[m->thief])
            let_go(f, u, FREE);
        else
            *unit = (struct unit){HELD, m->gift.block, m->gift.hop, m->thief, m->giver};
    }
    return changed;
}

static int64_t lose_each(struct fixture *f, int node)
{
    int64_t freed = 0;
    f->n_changes = 0;
    f->lost[node] = true;
    for (int64_t u = 0; u < f->n; u++)
        if (f->units[u].state == HELD && (f->units[u].node == node || f->units[u].giver == node)) {
            let_go(f, u, FREE);
            freed++;
        }
    return freed;
}

static struct plb_range front_of(const struct fixture *f)
{
    struct plb_range front = {0, 0};
    while (front.first < f->n && f->units[front.first].state != FREE)
        front.first++;
    while (front.first + front.count < f->n && f->units[front.first + front.count].state == FREE)
        front.count++;
    return front;
}

/* -------------------------------------------------------------------------- comparison */

static void same(const struct fixture *f, const char *what, int64_t got, int64_t expected)
{
    if (got != expected)
        fail_msg("seed %llu: %s: got %lld, expected %lld", (unsigned long long)f->dice.seed, what,
                 (long long)got, (long long)expected);
}

static void near(const struct fixture *f, const char *what, double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * (double)f->n))
        fail_msg("seed %llu: %s: got %.12g, expected %.12g", (unsigned long long)f->dice.seed, what, got,
                 expected);
}

static void expect_same_sums(const struct fixture *f)
{
    int64_t units[3] = {0};
    double left[MOST_NODES] = {0.0}, free_work = 0.0;
    for (int64_t u = 0; u < f->n; u++) {
        const struct unit *unit = &f->units[u];
        double work = plb_cost_work(&f->costs, u, 1);
        units[unit->state]++;
        free_work += unit->state == FREE ? work : 0.0;
        left[unit->node] += unit->state == HELD ? work : 0.0;
    }
    same(f, "free units", plb_ledger_free_units(f->ledger), units[FREE]);
    same(f, "held units", plb_ledger_held_units(f->ledger), units[HELD]);
    same(f, "accepted units", plb_ledger_accepted_units(f->ledger), units[ACCEPTED]);
    near(f, "free work", plb_ledger_free_work(f->ledger), free_work);
    for (int n = 0; n < f->n_nodes; n++) {
        near(f, "work left", plb_ledger_left(f->ledger, n), left[n]);
        same(f, "lost", plb_ledger_lost(f->ledger, n), f->lost[n]);
    }
}

static void expect_same_front(const struct fixture *f)
{
    struct plb_range front = plb_ledger_front(f->ledger), expected = front_of(f);
    same(f, "free units at the front", front.count, expected.count);
    if (expected.count > 0)
        same(f, "first free unit", front.first, expected.first);
}

/* The accepted, freed and ended parts of each PU's blocks; each change is of one part. */
static void expect_same_changes(const struct fixture *f)
{
    int n;
    struct change of[MOST_PUS] = {{0}};
    const struct plb_block_change *c = plb_ledger_changes(f->ledger, &n);
    for (int i = 0; i < n; i++) {
        *(c[i].freed ? &of[c[i].pu].freed : &of[c[i].pu].settled) += c[i].work;
        of[c[i].pu].over += c[i].over;
    }
    for (int i = 0; i < f->n_changes; i++) {
        const struct change *expected = &f->changes[i];
        of[expected->block % f->n_pus].settled -= expected->settled;
        of[expected->block % f->n_pus].freed -= expected->freed;
        of[expected->block % f->n_pus].over -= !holds(f, expected->block);
    }
    for (int p = 0; p < f->n_pus; p++) {
        near(f, "work that was accepted", of[p].settled, 0.0);
        near(f, "work that was freed", of[p].freed, 0.0);
        same(f, "blocks that ended", of[p].over, 0);
    }
}

static void expect_same_blocks(const struct fixture *f)
{
    int64_t seen[MOST_PUS][2];
    int open[MOST_PUS] = {0};
    memset(seen, -1, sizeof seen);
    for (int64_t u = 0; u < f->n; u++) {
        int64_t block = f->units[u].block, p = block % f->n_pus;
        if (f->units[u].state == HELD && seen[p][0] != block && seen[p][1] != block)
            seen[p][open[p]++ % 2] = block;
    }
    for (int p = 0; p < f->n_pus; p++)
        same(f, "open blocks", plb_ledger_open_blocks(f->ledger, p), open[p]);
}

static void expect_same(struct fixture *f)
{
    struct plb_range r = some_range(&f->dice, f->n, f->n);
    int64_t open = 0;
    const char *wrong = plb_ledger_check(f->ledger);
    if (wrong != NULL)
        fail_msg("seed %llu: %s", (unsigned long long)f->dice.seed, wrong);
    for (int64_t u = r.first; u < r.first + r.count; u++)
        open += f->units[u].state != ACCEPTED;
    same(f, "open units", plb_ledger_open_units(f->ledger, r, f->units[r.first].block), open);
    expect_same_sums(f);
    expect_same_front(f);
    expect_same_changes(f);
    expect_same_blocks(f);
}

/* -------------------------------------------------------------------------- operations */

static int64_t some_block(struct fixture *f)
{
    int64_t u = whole(&f->dice, 0, f->n - 1);
    return f->units[u].state == HELD ? f->units[u].block : whole(&f->dice, -1, f->youngest_block);
}

static int living_node(struct fixture *f)
{
    int node = (int)whole(&f->dice, 0, f->n_nodes - 1);
    while (f->lost[node])
        node = (node + 1) % f->n_nodes;
    return node;
}

/* PU p is on node p % n_nodes. */
static void grant(struct fixture *f, int64_t longest)
{
    int pu = (int)whole(&f->dice, 0, f->n_pus - 1), node = pu % f->n_nodes;
    struct plb_range front = front_of(f);
    if (front.count == 0 || f->lost[node] || plb_ledger_open_blocks(f->ledger, pu) == PLB_BLOCKS_AHEAD)
        return;
    int64_t count = whole(&f->dice, 1, front.count < longest ? front.count : longest);
    int64_t block = plb_ledger_grant(f->ledger, pu, node, count);
    same(f, "PU of a block's number", block % f->n_pus, pu);
    bool new = f->youngest_block < 0 || block / f->n_pus > f->youngest_block / f->n_pus;
    same(f, "a block's number is new", new, true);
    f->youngest_block = block;
    f->n_changes = 0;
    for (int64_t u = front.first; u < front.first + count; u++)
        f->units[u] = (struct unit){HELD, block, 0, node, node};
}

/* A move of units that somebody holds, whose MOVED arrives now or later; or one of before again. */
static void move(struct fixture *f, int64_t longest)
{
    struct move m;
    if (f->n_moves > 0 && one_in(&f->dice, 3)) {
        m = f->moves[whole(&f->dice, 0, f->n_moves - 1)];
    } else {
        struct plb_range r = some_range(&f->dice, f->n, longest);
        const struct unit *unit = &f->units[r.first];
        int64_t hop = unit->state == HELD ? unit->hop + whole(&f->dice, 0, 2) : whole(&f->dice, 0, 3);
        m = (struct move){{r, unit->state == HELD ? unit->block : some_block(f), hop + one_in(&f->dice, 2)},
                          living_node(f),
                          (int)whole(&f->dice, 0, f->n_nodes - 1)};
        m.gift.hop = m.gift.hop > 0 ? m.gift.hop : 1;
        f->moves[f->n_moves < MOVES ? f->n_moves++ : whole(&f->dice, 0, MOVES - 1)] = m;
        if (one_in(&f->dice, 3))
            return; /* it is late */
    }
    if (!f->lost[m.giver]) /* the master hears no dead node */
        same(f, "moved units", plb_ledger_move(f->ledger, &m.gift, m.giver, m.thief), move_each(f, &m));
}

static void lose(struct fixture *f)
{
    int node = living_node(f);
    bool last = true;
    for (int n = 0; n < f->n_nodes; n++)
        last = last && (n == node || f->lost[n]);
    if (!last)
        same(f, "units of a lost node", plb_ledger_lose(f->ledger, node), lose_each(f, node));
}

static void step(struct fixture *f, int64_t longest)
{
    struct plb_range r = some_range(&f->dice, f->n, longest);
    int64_t block = one_in(&f->dice, 2) ? some_block(f) : f->units[r.first].block;
    int64_t what = whole(&f->dice, 0, 11);
    if (what < 4)
        grant(f, longest);
    else if (what < 7)
        same(f, "accepted units", plb_ledger_accept(f->ledger, r, block), accept_each(f, r));
    else if (what < 8)
        same(f, "dropped units", plb_ledger_drop(f->ledger, r, block, PLB_REGRANT_DAMAGED),
             drop_each(f, r, block));
    else if (what < 11)
        move(f, longest);
    else if (one_in(&f->dice, 8))
        lose(f);
}

static double from_array(const void *context, int64_t first, int64_t count)
{
    double sum = 0.0;
    for (int64_t u = first; u < first + count; u++)
        sum += ((const double *)context)[u];
    return sum;
}

static void start(struct fixture *f, uint64_t seed, int64_t most_units)
{
    struct plb_error err = {.status = PLB_OK};
    static double costs[MOST_UNITS];
    memset(f, 0, sizeof *f);
    f->dice.seed = seed;
    f->youngest_block = -1;
    f->n = whole(&f->dice, most_units / 50, most_units);
    f->n_nodes = (int)whole(&f->dice, 1, MOST_NODES);
    f->n_pus = (int)whole(&f->dice, 1, MOST_PUS);
    for (int64_t u = 0; u < f->n; u++) /* some cost nothing */
        costs[u] = one_in(&f->dice, 10) ? 0.0 : real(&f->dice, 0.0, 5.0);
    plb_cost_fn cost = seed % 2 == 0 ? NULL : from_array;
    assert_int_equal(plb_cost_map_init(&f->costs, f->n, cost, costs, &err), PLB_OK);
    f->ledger = plb_ledger_new(f->n_pus, f->n_nodes);
}

static void run(struct fixture *f, int passes, int steps, int64_t longest)
{
    for (int pass = 0; pass < passes; pass++) {
        memset(f->units, 0, sizeof f->units);
        plb_ledger_begin(f->ledger, &f->costs, NULL);
        f->n_changes = 0;
        for (int i = 0; i < steps; i++) {
            step(f, longest);
            expect_same(f);
        }
        int64_t open = plb_ledger_free_units(f->ledger) + plb_ledger_held_units(f->ledger);
        same(f, "units of the rest", plb_ledger_accept(f->ledger, (struct plb_range){0, f->n}, 0), open);
        same(f, "open units at the end", plb_ledger_open_units(f->ledger, (struct plb_range){0, f->n}, 0), 0);
    }
    plb_ledger_free(f->ledger);
    plb_cost_map_fini(&f->costs);
}

static void small_passes(void **state)
{
    static struct fixture f;
    (void)state;
    for (uint64_t seed = seeds(3000).first; seed < seeds(3000).end; seed++) {
        start(&f, seed, 150);
        run(&f, 2, 60, whole(&f.dice, 1, f.n));
    }
}

/* Many parts, and many free ranges. */
static void large_passes(void **state)
{
    static struct fixture f;
    (void)state;
    for (uint64_t seed = seeds(15).first; seed < seeds(15).end; seed++) {
        start(&f, seed, MOST_UNITS);
        run(&f, 2, 1500, whole(&f.dice, 4, 200));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_passes),
        cmocka_unit_test(large_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
