/* Audits in virtual time: a PU that computes wrongly is found, under each balancer, and nobody else is. */
#include "small_cluster.h"

#define WRONG 2 /* the PU that is */
#define PASSES 4

/* A run of PASSES passes with so many audits, in which that part of one PU's results is wrong. */
static void audit(struct fixture *f, const char *balancer, uint64_t seed, double part, bool whole)
{
    static double wrong[MAX_NODES];
    wrong[WRONG] = part;
    set_up(f, MAX_NODES, balancer);
    f->s.wrong = wrong;
    f->s.seed = f->s.master.seed = seed;
    f->s.passes = PASSES;
    f->s.master.phases = 1;
    f->s.master.audit = 0.25;
    f->s.master.whole_results = whole;
    f->s.master.task_s = f->s.migration.task_s = 0.1;
    f->s.master.migration = f->s.migration.on = true;
    f->s.master.backups = f->s.migration.backups = true;
    f->s.migration.threshold = 1.0;
    f->s.max_events = 1000000;
    run(f);
}

static const struct plb_audit_counts *counts(const struct fixture *f)
{
    return plb_audits_counts(plb_master_audits(f->result.master));
}

static void a_wrong_pu_is_found_under_each_balancer(void **state)
{
    (void)state;
    static struct fixture f;
    for (int b = 0; plb_balancers[b] != NULL; b++)
        for (int whole = 0; whole < 2; whole++) {
            audit(&f, plb_balancers[b]->name, 1, 1.0, whole);
            const struct plb_audits *audits = plb_master_audits(f.result.master);
            if (counts(&f)->differences == 0)
                fail_msg("%s: %d tasks were audited, and no difference found", plb_balancers[b]->name,
                         (int)counts(&f)->audited);
            for (int p = 0; p < MAX_NODES; p++)
                if ((plb_audits_wrong(audits, p) > 0) != (p == WRONG))
                    fail_msg("%s: PU %d was found wrong %d times", plb_balancers[b]->name, p,
                             (int)plb_audits_wrong(audits, p));
            assert_int_equal(plb_master_accepted(f.result.master), UNITS);
            tear_down(&f);
        }
}

static void nobody_is_wrong_where_nobody_is(void **state)
{
    (void)state;
    static struct fixture f;
    for (int b = 0; plb_balancers[b] != NULL; b++) {
        audit(&f, plb_balancers[b]->name, 1, 0.0, true);
        assert_true(counts(&f)->audited > 0);
        assert_int_equal(counts(&f)->differences, 0);
        assert_int_equal(counts(&f)->given_up, 0);
        tear_down(&f);
    }
}

/* Of n tasks that the PU computed, a part is audited, and a part of these is wrong. */
static void rare_mistakes_are_found_in_proportion(void **state)
{
    (void)state;
    static struct fixture f;
    double audited = 0.0, found = 0.0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        audit(&f, "gss", seed, 0.2, true);
        audited += (double)counts(&f)->audited;
        found += (double)counts(&f)->differences;
        tear_down(&f);
    }
    /* Two of four PUs execute each audit. So half of the audits meet the PU, and a fifth of these its
     * mistakes. */
    assert_true(audited > 500.0);
    if (!(found > 0.05 * audited && found < 0.15 * audited))
        fail_msg("%g differences in %g audits", found, audited);
}

static void audits_cost_their_part_of_the_makespan(void **state)
{
    (void)state;
    static struct fixture f;
    double with = 0.0, without = 0.0, audited = 0.0;
    for (int on = 0; on < 2; on++) {
        set_up(&f, MAX_NODES, "sure");
        f.s.passes = 1;
        f.s.master.phases = 1;
        f.s.master.audit = on ? 0.05 : 0.0;
        f.s.master.task_s = f.s.migration.task_s = 0.02;
        f.s.master.migration = f.s.migration.on = true;
        f.s.migration.threshold = 1.0;
        run(&f);
        *(on ? &with : &without) = f.result.makespan_s;
        audited = (double)counts(&f)->audited;
        tear_down(&f);
    }
    assert_true(audited > 0.0);
    /* Beside the part of the tasks, a last task that is audited has to be waited for. */
    if (!(with <= 1.05 * without + 2.0 * 0.02))
        fail_msg("%g s with audits, %g s without", with, without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_pu_is_found_under_each_balancer),
        cmocka_unit_test(nobody_is_wrong_where_nobody_is),
        cmocka_unit_test(rare_mistakes_are_found_in_proportion),
        cmocka_unit_test(audits_cost_their_part_of_the_makespan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
