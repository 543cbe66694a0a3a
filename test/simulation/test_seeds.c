/* Thousands of simulated clusters, each from its seed (scenario.h), each watched from outside (watch.h).
 * Every run must end with every unit's result accepted exactly once, from a PU that has executed it. The
 * events that the seeds have met are counted and printed, and must not be none: a test of losses that lose
 * nothing would test nothing. PLB_SEEDS: how many (default 5000); PLB_SEED: only this one, to look at a
 * failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "watch.h"

#define SEEDS 5000

/* The events that all seeds together have met. */
struct coverage {
    const char *name;
    int64_t count;
};

static struct coverage coverage[64];

static void met(const char *name, int64_t count)
{
    int i = 0;
    while (coverage[i].name != NULL && strcmp(coverage[i].name, name) != 0)
        i++;
    coverage[i].name = name;
    coverage[i].count += count;
}

/* Units that a PU has taken from another one of its node. */
static int64_t stolen_locally(const struct plb_master *master)
{
    int64_t stolen = 0;
    for (int p = 0; p < plb_master_pus(master); p++)
        stolen += plb_master_totals(master, p)->stolen_in;
    return stolen - plb_master_counts(master)->moved_units;
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

static void count(const struct scenario *s, const struct watch *w, const struct plb_simulated *result)
{
    const struct plb_master_counts *c = plb_master_counts(result->master);
    const struct plb_backup_counts *backups = plb_backups_counts(plb_master_backups(result->master));
    const struct plb_audit_counts *audits = plb_audits_counts(plb_master_audits(result->master));
    const struct plb_stress_counts *stress = &result->stress;
    met("runs of several passes", s->simulation.passes > 1);
    met("runs that went on where an earlier one broke", s->accepted.n > 0);
    met("and had reduced arrays", s->accepted.n > 0 && s->simulation.master.whole_results);
    met("runs with reduced arrays", s->simulation.master.whole_results);
    met("runs with units of unequal size", s->sizes.n_indexed > 0);
    met("runs with untrue costs", s->simulation.cost_error > 0.0);
    met("PUs refused for lack of memory", w->refused);
    met("nodes that died", stress->deaths);
    met("nodes that hung", stress->hangs);
    met("PUs that hung", stress->hung_pus);
    met("PUs given up by their node, as they hung", stress->given_up);
    met("nodes taken for dead", stress->zombies);
    met("devices that failed", stress->broken_pus);
    met("PUs used no more, as their device had failed", failed_pus(result->master));
    met("losses that the master heard of", c->losses);
    met("losses before the first pass", stress->before_first_pass);
    met("faults just after giving", stress->at_moment[PLB_AFTER_GIVING]);
    met("faults just after taking", stress->at_moment[PLB_AFTER_TAKING]);
    met("faults just after EMPTY", stress->at_moment[PLB_AFTER_EMPTY]);
    met("units freed by losses", c->freed);
    met("units freed late, by a MOVED to the lost", c->freed_late);
    met("gifts between nodes", c->gifts);
    met("units moved between nodes", c->moved_units);
    met("units moved within a node", stolen_locally(result->master));
    met("MOVED to nodes given up", stress->moved_to_lost);
    met("MOVED from nodes given up", stress->moved_from_lost);
    met("GIFTs that reached the dead", stress->to_the_dead);
    met("GIFTs of the dead lost on their way", stress->lost_gifts);
    met("MOVED of the dead lost on their way", stress->lost_moved);
    met("other messages of the dead lost", stress->lost_others);
    met("messages of nodes given up", stress->from_zombies);
    met("messages dropped", c->dropped);
    met("reports of an older pass", c->stale);
    met("units reported twice", c->twice);
    met("results torn", c->torn);
    met("messages before their PASS", stress->early);
    met("audits", audits->audited);
    met("audits with reduced arrays", s->simulation.master.whole_results ? audits->audited : 0);
    met("audits in which results differed", audits->differences);
    met("audits given up", audits->given_up);
    met("backups", backups->copies);
    met("backups that came first", backups->won);
    met("backups with reduced arrays", s->simulation.master.whole_results ? backups->copies : 0);
}

static void check_seed(uint64_t seed)
{
    static struct scenario s;
    static struct watch w;
    struct plb_simulated result;
    make_scenario(&s, seed);
    simulate_watched(&s, &w, "as drawn", &result);
    if (result.stress.given_up_slow > 0) /* up to fifty times, and with noise and untrue costs */
        fail_msg("seed %llu: a PU that was only slow was taken for hung", (unsigned long long)seed);
    count(&s, &w, &result);
    count_deadly(&s, &result);
    plb_master_free(result.master);
    free_scenario(&s);
}

static void every_unit_is_accepted_once(void **state)
{
    (void)state;
    const char *number = getenv("PLB_SEEDS"), *only = getenv("PLB_SEED");
    uint64_t seeds = number != NULL ? strtoull(number, NULL, 10) : SEEDS;
    bool never = false;
    if (only != NULL) {
        check_seed(strtoull(only, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= seeds; seed++)
        check_seed(seed);
    for (int i = 0; coverage[i].name != NULL; i++) {
        print_message("%10lld %s\n", (long long)coverage[i].count, coverage[i].name);
        never |= coverage[i].count <= 0;
    }
    if (never && seeds >= SEEDS)
        fail_msg("something above was never met; draw more of it in scenario.h");
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
