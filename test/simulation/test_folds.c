/* Reduced arrays that go along a tree in thousands of simulated clusters, each from its seed (scenario.h).
 * The simulator itself fails where rank 0 has the arrays of a unit twice, or not at all. Here it is looked at
 * whether results that stay are all there in the end, and whether each kind of loss was met: after the seeds
 * that PLB_SEEDS asks for others follow until it was, up to those of a usual run. PLB_SEED: as in
 * test_seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "later.h"
#include "scenario.h"
#include "simulate/simulate.h"

#define SEEDS 3000

static struct scenario s;
static struct plb_rangeset there; /* results of the last pass that rank 0 has */
static int64_t arrays_to_0;

static struct {
    int64_t runs, repairs, stays, joined, zombies, gathered;
    struct plb_sets_counts sets;
} met;

static void sent(void *context, const struct plb_message *m)
{
    static int last;
    (void)context;
    arrays_to_0 += m->to == 0 && m->from != 0 && (m->type == PLB_ARRAYS || m->type == PLB_DONE);
    if (m->type != PLB_PASS || m->pass == last)
        return;
    last = m->pass;
    if (m->begin.stays != 0)
        plb_rangeset_clear(&there);
}

static void reported(void *context, const struct plb_message *m, bool given_up, enum plb_verdict verdict,
                     int64_t fresh)
{
    (void)context;
    (void)given_up;
    (void)verdict;
    if (fresh > 0 && (m->from == 0 || m->done.buffers != 0))
        plb_rangeset_add(&there, m->done.range);
}

static void gathered(void *context, const struct plb_message *m, bool given_up)
{
    (void)context;
    (void)given_up;
    const struct plb_range *range = &m->sources.at[0].range;
    assert_int_equal(m->sources.n, 1);
    assert_int_equal(plb_rangeset_add(&there, *range), range->count);
    met.gathered += range->count;
}

/* A scenario with large arrays. Where they are larger still, sets are under way for long, and more faults
 * strike then. */
static bool make(uint64_t seed)
{
    struct dice dice = {seed + 77, 0}, *d = &dice;
    make_scenario(&s, seed);
    draw_joiners(&s);
    s.sizes.task_bytes = spread(d, 1e6, 1e8);
    s.simulation.results.task_bytes = s.sizes.task_bytes;
    if (!one_in(d, 4))
        s.simulation.results.task_bytes = s.bound * s.nodes[0].bandwidth * real(d, 0.1, 10.0);
    for (int p = 0; p < s.cluster.n_pus; p++)
        s.pus[p].memory = INFINITY;
    s.simulation.master.whole_results = s.simulation.master.folds = true;
    s.simulation.master.audit = 0.0;
    s.simulation.wrong = NULL;
    plb_rangeset_clear(&s.accepted);
    if (seed % 2)
        draw_stays(&s);
    s.simulation.watch = (struct plb_watch){.sent = sent, .reported = reported, .gathered = gathered};
    for (int i = 0; i < s.simulation.n_faults; i++)
        if (s.faults[i].at > 0.0 && s.faults[i].kind != PLB_BREAKS && !one_in(d, 4)) {
            s.faults[i].when = PLB_AT;
            s.faults[i].at *= real(d, 1.0, 10.0);
        }
    return s.cluster.n_nodes > 2 && s.sizes.chunk == 0;
}

static void count(const struct plb_simulated *r)
{
    const struct plb_sets_counts *c = plb_master_set_counts(r->master);
    met.runs++;
    met.stays += s.simulation.master.stays != 0;
    met.joined += plb_master_counts(r->master)->joined > 0;
    met.zombies += r->stress.zombies;
    met.sets.stayed += c->stayed;
    met.sets.handed += c->handed;
    met.sets.to_0 += c->to_0;
    met.sets.again += c->again;
    met.sets.dropped += c->dropped;
    met.sets.lost += c->lost;
    met.sets.repairs += c->repairs;
}

static bool all_was_met(void)
{
    return met.stays > 0 && met.joined > 0 && met.zombies > 0 && met.gathered > 0 && met.sets.stayed > 0
        && met.sets.to_0 > 0 && met.sets.handed > met.sets.to_0 && met.sets.again > 0 && met.sets.dropped > 0
        && met.sets.lost > 0 && met.sets.repairs > 0;
}

static void rank_0_has_the_arrays_of_each_unit_once(void **state)
{
    (void)state;
    struct seeds all = seeds(SEEDS);
    uint64_t last = all.single ? all.end : SEEDS;
    for (uint64_t seed = all.first + 1; seed <= all.end || (seed <= last && !all_was_met()); seed++) {
        struct plb_error err = {.status = PLB_OK};
        struct plb_simulated r;
        if (make(seed)) {
            plb_rangeset_clear(&there);
            if (plb_simulate(&s.simulation, &r, &err) != PLB_OK)
                fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
            if (s.simulation.master.stays && s.simulation.n_deadly == 0
                && there.units != s.maps[s.phases[s.simulation.passes - 1]].units)
                fail_msg("seed %llu: rank 0 has results of %lld units", (unsigned long long)seed,
                         (long long)there.units);
            count(&r);
            plb_master_free(r.master);
        }
        free_scenario(&s);
    }
    plb_rangeset_fini(&there);
    print_message("# %lld runs, %lld with results that stay, %lld with joined nodes, %lld zombies; "
                  "%lld results stayed, %lld sets handed, %lld again, %lld dropped; %lld units lost, %lld "
                  "repairs; %lld gathered\n",
                  (long long)met.runs, (long long)met.stays, (long long)met.joined, (long long)met.zombies,
                  (long long)met.sets.stayed, (long long)met.sets.handed, (long long)met.sets.again,
                  (long long)met.sets.dropped, (long long)met.sets.lost, (long long)met.sets.repairs,
                  (long long)met.gathered);
    assert_true(all.single || all_was_met());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_0_has_the_arrays_of_each_unit_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
