/* Small homes go to a neighbour where starts cost more: the map alone, and as the master makes it. */
#include "core/place/home_map.h"
#include "core/measure/history.h"
#include "core/place/residence.h"
#include "master_fixture.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static void expect_homes(const struct plb_home *map, int n, const struct plb_home *expected, int m)
{
    assert_int_equal(n, m);
    for (int i = 0; i < n; i++) {
        assert_int_equal(map[i].range.first, expected[i].range.first);
        assert_int_equal(map[i].range.count, expected[i].range.count);
        assert_int_equal(map[i].node, expected[i].node);
    }
}

static void small_homes_go_to_the_larger_neighbour(void **state)
{
    (void)state;
    struct plb_home map[] = {{{0, 4}, 1},   {{4, 40}, 2},  {{44, 5}, 1},  {{49, 60}, 3},
                             {{109, 3}, 2}, {{112, 2}, 3}, {{114, 50}, 1}};
    static const struct plb_home expected[] = {{{0, 44}, 2}, {{44, 70}, 3}, {{114, 50}, 1}};
    static const double least[] = {0.0, 10.0, 10.0, 10.0};
    expect_homes(map, plb_homes_merge(map, COUNT(map), least, 4), expected, COUNT(expected));
}

/* The third range is as small, but executing it costs its node little. */
static void each_node_has_its_own_limit(void **state)
{
    (void)state;
    struct plb_home map[] = {{{0, 40}, 1}, {{40, 5}, 2}, {{45, 5}, 3}, {{50, 20}, 2}, {{70, 20}, 3}};
    static const struct plb_home expected[] = {{{0, 45}, 1}, {{45, 5}, 3}, {{50, 20}, 2}, {{70, 20}, 3}};
    static const double least[] = {0.0, 10.0, 10.0, 5.0};
    expect_homes(map, plb_homes_merge(map, COUNT(map), least, 4), expected, COUNT(expected));
}

/* Else all would be at home on one node where starts take most of the time, and others pull in each pass. */
static void a_node_keeps_its_largest_home(void **state)
{
    (void)state;
    struct plb_home map[] = {{{0, 40}, 1}, {{40, 30}, 0}, {{70, 2}, 2}, {{72, 20}, 3}, {{92, 8}, 1}};
    static const struct plb_home expected[] = {{{0, 40}, 1}, {{40, 30}, 0}, {{70, 2}, 2}, {{72, 28}, 3}};
    static const double least[] = {1e9, 1e9, 1e9, 1e9};
    expect_homes(map, plb_homes_merge(map, COUNT(map), least, 4), expected, COUNT(expected));
}

/* Of 1,000 units node 1 has executed all but 20 in the middle and the last 400, which node 2 has. A task of
 * node 2 takes these seconds and 1 ms a unit. Returns where the 20 units are at home then. */
static int home_of_a_few(double start_s)
{
    static const double sizes[] = {1.0, 10.0, 100.0, 1000.0, 20.0, 200.0};
    struct plb_sample samples[COUNT(sizes)];
    struct fixture f;
    start(&f, "greedy", 1.0, 3, 1000, &(struct plb_master_config){.resident = true});
    struct plb_message all = f.out.at[0];
    report(&f, all, 1, 0, 300);
    report(&f, all, 2, 300, 20);
    report(&f, all, 1, 320, 280);
    report(&f, all, 2, 600, 400);
    assert_true(plb_master_over(f.master));
    for (int i = 0; i < COUNT(sizes); i++)
        samples[i] = (struct plb_sample){
            .work = sizes[i], .execute_s = start_s + 1e-3 * sizes[i], .tasks = 1};
    plb_master_load(f.master, 0, 2, samples, COUNT(sizes));
    plb_history_fit(plb_master_history(f.master, 0, 2));
    begin(&f, 0, 0, 12.0, 3);
    const struct plb_residence *r = plb_master_residence(f.master);
    int home = plb_residence_of(r, 310);
    assert_int_equal(plb_residence_of(r, 299), 1);
    assert_int_equal(plb_residence_of(r, 320), 1);
    assert_int_equal(plb_residence_of(r, 600), 2);
    stop(&f);
    return home;
}

static void the_master_weighs_starts(void **state)
{
    (void)state;
    assert_int_equal(home_of_a_few(0.0), 2);
    assert_int_equal(home_of_a_few(1e-3), 2); /* a twentieth of the task */
    assert_int_equal(home_of_a_few(50e-3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_homes_go_to_the_larger_neighbour),
        cmocka_unit_test(each_node_has_its_own_limit),
        cmocka_unit_test(a_node_keeps_its_largest_home),
        cmocka_unit_test(the_master_weighs_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
