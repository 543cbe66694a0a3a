/* Thousands of simulated clusters, each from its seed (scenario.h), each watched from outside (watch.h).
 * Every run must end with every unit's result accepted exactly once, from a PU that has executed it. A table
 * says in how many seeds each event was met, and how often. None may be missing: a test of losses that lose
 * nothing would test nothing. So where a few seeds have not met one, others follow, up to 5000. PLB_SEEDS:
 * how many (default 5000); PLB_FIRST_SEED: the first of them (default 1); PLB_SEED: only this one, to look at
 * a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/overdue.h"
#include "goals.h"
#include "later.h"
#include "shapes.h"
#include "watch.h"

#define SEEDS 5000
#define FEW 100 /* where PLB_SEEDS asks for fewer, as under valgrind, no event need be met */

#define EVENTS 120

/* The events that all seeds together have met, in the order in which a seed's are counted. */
struct coverage {
    const char *name;
    int64_t seeds, count;
};

static struct coverage coverage[EVENTS + 1];
static int next;          /* the event of this seed that is counted next */
static int64_t only_slow; /* PUs taken for hung that were not: there need not be one */

static void met(const char *name, int64_t count)
{
    assert_true(next < EVENTS);
    coverage[next].name = name;
    coverage[next].seeds += count > 0;
    coverage[next++].count += count;
}

/* Tasks' units beyond the first execution of each. */
static int64_t executed_again(const struct scenario *s, const struct watch *w)
{
    int64_t again = 0;
    for (int pass = 0; pass < passes_of(w); pass++)
        for (int64_t u = 0; u < s->maps[0].units; u++)
            again += w->executions[pass][u] > 1 ? w->executions[pass][u] - 1 : 0;
    return again;
}

/* Units that a PU has taken from another one of its node. */
static int64_t stolen_locally(const struct plb_master *master)
{
    int64_t stolen = 0;
    if (plb_backups_counts(plb_master_backups(master))->copies > 0)
        return 0; /* units of copies for other nodes are not told apart */
    for (int p = 0; p < plb_master_pus(master); p++)
        stolen += plb_master_totals(master, p)->stolen_in;
    return stolen - plb_master_counts(master)->moved_units;
}

/* Passes whose units were all granted before they began. */
static void count_standing(const struct plb_master *master)
{
    const struct plb_standing_counts *c = plb_master_standing(master);
    met("passes whose shares stood", c->passes);
    met("until somebody was late", c->late);
    met("until units were freed", c->freed);
}

/* Grants of passes in which some node had kept inputs. */
static void count_residence(const struct plb_master *master)
{
    const struct plb_residence *residence = plb_master_residence(master);
    struct plb_residence_counts counts = {0};
    if (residence != NULL)
        counts = *plb_residence_counts(residence);
    met("units granted to the node that had their inputs", counts.at_home);
    met("and to another one", counts.away);
    met("losses of nodes that had kept inputs", residence != NULL ? counts.lost : 0);
}

/* Results that stayed, and what became of them. */
static void count_stays(const struct watch *w, const struct plb_master *master)
{
    struct plb_owners_counts c = *plb_master_owners(master);
    met("units whose results stayed at their node", c.kept);
    met("of which rank 0 got in the end", c.gathered);
    met("units whose results were lost", c.lost);
    met("units executed in a pass for lost results alone", w->repaired);
    met("losses of nodes that were asked for results", c.asked_lost);
}

/* Units that were set aside since nobody was left to try them. */
static int64_t set_aside_untried(const struct plb_master *master)
{
    int n;
    int64_t units = 0;
    const struct plb_set_aside *list = plb_suspects_list(plb_master_suspects(master), &n);
    for (int i = 0; i < n; i++)
        units += list[i].nobody ? list[i].range.count : 0;
    return units;
}

/* Units whose result the master has of nodes that have joined. */
static int64_t executed_by_joiners(const struct scenario *s, const struct plb_master *master)
{
    int64_t units = 0;
    for (int p = 0; p < plb_master_pus(master); p++)
        if (plb_master_pu(master, p)->node >= s->cluster.n_nodes - s->simulation.n_joiners)
            units += plb_master_totals(master, p)->units;
    return units;
}

static void count_goal(const struct scenario *s, const struct plb_master *master)
{
    const struct plb_goal *goal = &s->simulation.master.goal;
    bool any = goal->objective != PLB_OBJECTIVE_TIME || goal->power_cap > 0.0;
    int left_out = 0;
    for (int p = 0; p < plb_master_pus(master); p++)
        left_out += plb_pu_waits(plb_master_state(master, p));
    met("runs with an objective or a cap", any);
    met("PUs that were left out in the end", left_out);
    met("in runs with losses", plb_master_counts(master)->losses > 0 ? left_out : 0);
    met("in runs with nodes that joined", plb_master_counts(master)->joined > 0 ? left_out : 0);
    met("in runs with audits", s->simulation.master.audit > 0.0 ? left_out : 0);
    met("in runs of several passes", s->simulation.passes > 1 ? left_out : 0);
}

static void count_deadly(const struct scenario *s, const struct plb_simulated *result)
{
    const struct plb_stress_counts *stress = &result->stress;
    const struct plb_master_counts *c = plb_master_counts(result->master);
    met("nodes that deadly units killed", stress->killed_nodes);
    met("child processes that they killed", stress->killed_children);
    met("crashes in jobs with reduced arrays", s->simulation.master.whole_results ? c->crashes : 0);
    met("units set aside", plb_suspects_units(plb_master_suspects(result->master)));
    met("of which nobody was left to try", set_aside_untried(result->master));
}

static void count_job(const struct scenario *s, const struct watch *w)
{
    const struct plb_simulation *sim = &s->simulation;
    for (int b = 0; plb_balancers[b] != NULL; b++)
        met(plb_balancers[b]->name, sim->master.balancer == plb_balancers[b]);
    met("runs with inputs of each unit", sim->inputs.unit_bytes > 0.0);
    met("runs with inputs of unequal size", s->sizes.n_indexed > 0);
    met("runs with replicated inputs", s->sizes.replicated_bytes > 0.0);
    met("runs with outputs of each unit", sim->results.unit_bytes > 0.0);
    met("runs with reduced arrays", sim->master.whole_results);
    met("runs in which these are reproducible", s->sizes.chunk > 0);
    met("results of several tasks with reduced arrays", w->held);
    met("runs in which arrays are large", plb_sizes_arrays_seconds(&s->sizes, s->cluster.n_nodes) > 5e-3);
    met("runs with a halo", s->sizes.halo_bytes > 0.0);
    met("units around those of tasks that were there", w->halos);
    met("runs with tasks of whole multiples or strides", s->sizes.multiple > 0 || s->sizes.stride > 0);
    met("runs of several passes", sim->passes > 1);
    met("runs that went on where an earlier one broke", s->accepted.n > 0);
    met("and had reduced arrays", s->accepted.n > 0 && s->simulation.master.whole_results);
    met("runs with untrue costs", sim->cost_error > 0.0);
    met("PUs refused for lack of memory", w->refused);
}

static void count_faults(const struct plb_stress_counts *stress)
{
    met("nodes that died", stress->deaths);
    met("nodes that hung", stress->hangs);
    met("nodes that stopped for a while", stress->stops);
    met("nodes that rank 0 did not hear for a while", stress->unheard);
    met("nodes that became suspects", stress->suspects);
    met("questions about suspects", stress->questions);
    met("answers", stress->answers);
    met("nodes that were heard again in time", stress->recovered);
    met("nodes whose end their host has seen", stress->ended_seen);
    met("nodes lost by their silence", stress->lost_silent);
    met("and their process ran, as their host had said", stress->lost_running);
    met("nodes taken for dead", stress->zombies);
    met("looks of rank 0 that came late", stress->late_looks);
    met("PUs that hung", stress->hung_pus);
    met("PUs given up by their node, as they hung", stress->given_up);
    met("devices that failed", stress->broken_pus);
    met("losses before the first pass", stress->before_first_pass);
    met("faults just after giving", stress->at_moment[PLB_AFTER_GIVING]);
    met("faults just after taking", stress->at_moment[PLB_AFTER_TAKING]);
    met("faults just after EMPTY", stress->at_moment[PLB_AFTER_EMPTY]);
    met("MOVED to nodes given up", stress->moved_to_lost);
    met("MOVED from nodes given up", stress->moved_from_lost);
    met("GIFTs that reached the dead", stress->to_the_dead);
    met("GIFTs of the dead lost on their way", stress->lost_gifts);
    met("MOVED of the dead lost on their way", stress->lost_moved);
    met("other messages of the dead lost", stress->lost_others);
    met("messages of nodes given up", stress->from_zombies);
    met("messages before their PASS", stress->early);
}

static void count(const struct scenario *s, const struct watch *w, const struct plb_simulated *result)
{
    const struct plb_master_counts *c = plb_master_counts(result->master);
    const struct plb_backup_counts *backups = plb_backups_counts(plb_master_backups(result->master));
    const struct plb_audit_counts *audits = plb_audits_counts(plb_master_audits(result->master));
    next = 0;
    count_job(s, w);
    count_faults(&result->stress);
    met("PUs used no more, as their device had failed", failed_pus(result->master));
    met("nodes that joined", c->joined);
    met("of which nothing was left to grant", c->joined_late);
    met("units that they executed", executed_by_joiners(s, result->master));
    met("losses that the master heard of", c->losses);
    met("units executed again", executed_again(s, w));
    const int64_t *regrants = plb_master_regrants(result->master)->units;
    met("units of lost ranks", regrants[PLB_REGRANT_LOST_RANK]);
    met("units of failed PUs", regrants[PLB_REGRANT_FAILED_PU]);
    met("units of tasks that crashed", regrants[PLB_REGRANT_CRASH]);
    met("units whose results were lost, to be granted again", regrants[PLB_REGRANT_LOST_RESULT]);
    met("gifts between nodes", c->gifts);
    met("units moved between nodes", c->moved_units);
    met("units moved within a node", stolen_locally(result->master));
    met("messages dropped", c->dropped);
    met("reports of an older pass", c->stale);
    met("units reported twice", c->twice);
    met("results partly new", c->partly_new);
    met("audits", audits->audited);
    met("audits with reduced arrays", s->simulation.master.whole_results ? audits->audited : 0);
    met("audits in which results differed", audits->differences);
    met("audits given up", audits->given_up);
    met("backups", backups->copies);
    met("backups that came first", backups->won);
    met("backups with reduced arrays", s->simulation.master.whole_results ? backups->copies : 0);
}

/* Whether a PU may be up to fifty times slower at times, with noise and untrue costs beside it, or hang. */
static bool may_seem_hung(const struct scenario *s, int pu)
{
    const struct plb_pu_spec *spec = &s->pus[pu];
    double fastest = 1.0, slowest = 1.0;
    for (int i = 0; i < spec->n_slow; i++) {
        fastest = fmin(fastest, spec->slow_by[i]);
        slowest = fmax(slowest, spec->slow_by[i]);
    }
    for (int i = 0; i < s->simulation.n_faults; i++)
        if (s->faults[i].kind == PLB_HANGS && s->faults[i].pu == pu)
            return true;
    return s->simulation.cost_error > 0.0
        || slowest * exp(6.0 * spec->noise) >= PLB_LATE_TIMES * PLB_HUNG_TIMES * fastest;
}

static void check_given_up(const struct scenario *s, const struct plb_simulated *result)
{
    for (int p = 0; p < plb_master_pus(result->master) && result->stress.given_up_slow > 0; p++)
        if (strstr(plb_master_totals(result->master, p)->failure, "hangs") != NULL && !may_seem_hung(s, p))
            fail_msg("seed %llu: PU %d was only slow, and was taken for hung",
                     (unsigned long long)s->simulation.seed, p);
    only_slow += result->stress.given_up_slow;
}

static void check_seed(uint64_t seed)
{
    static struct scenario s;
    static struct watch w;
    struct plb_simulated result;
    make_scenario(&s, seed);
    draw_joiners(&s);
    draw_stays(&s);
    draw_feeds(&s);
    draw_shapes(&s);
    draw_goal(&s);
    simulate_watched(&s, &w, "as drawn", &result);
    check_given_up(&s, &result);
    count(&s, &w, &result);
    count_deadly(&s, &result);
    count_goal(&s, result.master);
    count_standing(result.master);
    count_residence(result.master);
    count_stays(&w, result.master);
    met("inputs that went from the node that had computed them", result.stress.lent);
    met("runs with several inputs that are fed", s.simulation.feeds > 1);
    met("inputs read that were fed before the last pass", w.versions.old);
    plb_master_free(result.master);
    free_scenario(&s);
}

/* The number that a variable of the environment has, or another one. */
static uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *value = getenv(variable);
    return value != NULL ? strtoull(value, NULL, 10) : otherwise;
}

/* The first event that no seed has met; NULL: there is none. */
static const char *never_met(void)
{
    for (int i = 0; coverage[i].name != NULL; i++)
        if (coverage[i].count <= 0)
            return coverage[i].name;
    return coverage[0].name == NULL ? "anything" : NULL;
}

static void every_unit_is_accepted_once(void **state)
{
    (void)state;
    uint64_t seeds = number_of("PLB_SEEDS", SEEDS), first = number_of("PLB_FIRST_SEED", 1);
    if (getenv("PLB_SEED") != NULL) {
        check_seed(number_of("PLB_SEED", 0));
        return;
    }
    uint64_t end = first + seeds, last = seeds >= FEW ? first + SEEDS : end;
    for (uint64_t seed = first; seed < end || (seed < last && never_met() != NULL); seed++)
        check_seed(seed);
    print_message("%10s %12s\n", "seeds", "how often");
    for (int i = 0; coverage[i].name != NULL; i++)
        print_message("%10lld %12lld %s\n", (long long)coverage[i].seeds, (long long)coverage[i].count,
                      coverage[i].name);
    print_message("%10s %12lld PUs taken for hung that were only slow\n", "", (long long)only_slow);
    if (seeds >= FEW && never_met() != NULL)
        fail_msg("never met: %s; draw more of it in scenario.h", never_met());
}

static void the_same_seed_gives_the_same_run(void **state)
{
    (void)state;
    static struct scenario s;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct plb_simulated runs[2];
        for (int i = 0; i < 2; i++) {
            struct plb_error err = {.status = PLB_OK};
            make_scenario(&s, seed);
            draw_joiners(&s);
            draw_stays(&s);
            draw_feeds(&s);
            draw_shapes(&s);
            draw_goal(&s);
            assert_int_equal(plb_simulate(&s.simulation, &runs[i], &err), PLB_OK);
            plb_master_free(runs[i].master);
            free_scenario(&s);
        }
        assert_memory_equal(&runs[0].makespan_s, &runs[1].makespan_s, sizeof runs[0].makespan_s);
        assert_memory_equal(&runs[0].rank0_s, &runs[1].rank0_s, sizeof runs[0].rank0_s);
        assert_memory_equal(&runs[0].stress, &runs[1].stress, sizeof runs[0].stress);
        assert_int_equal(runs[0].messages, runs[1].messages);
        assert_int_equal(runs[0].events, runs[1].events);
    }
}

static void losing_every_node_ends_the_run(void **state)
{
    (void)state;
    static struct scenario s;
    make_scenario(&s, 77);
    for (int n = 0; n < s.cluster.n_nodes; n++)
        s.faults[n] = (struct plb_fault){.kind = PLB_DIES, .node = n, .pu = -1};
    s.simulation.n_faults = s.cluster.n_nodes;
    simulate_to_no_pu(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_is_accepted_once),
        cmocka_unit_test(the_same_seed_gives_the_same_run),
        cmocka_unit_test(losing_every_node_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
