/* Which states a PU may take, and how many are in each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "core/pus/pus.h"

static void refused_and_lost_pus_stay_so(void **state)
{
    (void)state;
    for (enum plb_pu_state to = 0; to < PLB_PU_STATES; to++) {
        assert_false(plb_pu_may_become(PLB_PU_REFUSED, to));
        assert_false(plb_pu_may_become(PLB_PU_LOST, to));
        assert_false(plb_pu_may_become(to, PLB_PU_AWAITED));
        assert_int_equal(plb_pu_may_become(to, PLB_PU_LOST), plb_pu_usable(to));
    }
}

/* Only a PU that comes is new, and only a usable one is ever left out. */
static void arrows_are_those_of_the_picture(void **state)
{
    (void)state;
    for (enum plb_pu_state from = 0; from < PLB_PU_STATES; from++) {
        assert_int_equal(plb_pu_may_become(from, PLB_PU_NEW), from == PLB_PU_AWAITED);
        assert_int_equal(plb_pu_may_become(from, PLB_PU_REFUSED), from == PLB_PU_AWAITED);
        assert_int_equal(plb_pu_may_become(from, PLB_PU_LEFT_OUT),
                         plb_pu_usable(from) && from != PLB_PU_LEFT_OUT);
        assert_int_equal(plb_pu_may_become(from, PLB_PU_SERVED),
                         from == PLB_PU_AWAITED || from == PLB_PU_NEW || plb_pu_waits(from));
    }
}

static void each_state_is_counted(void **state)
{
    struct plb_pus pus;
    (void)state;
    plb_pus_init(&pus, 4);
    assert_int_equal(pus.in[PLB_PU_AWAITED], 4);
    assert_int_equal(plb_pus_add(&pus, &(struct plb_pu_info){.node = 0}, PLB_PU_NEW), 0);
    assert_int_equal(plb_pus_add(&pus, &(struct plb_pu_info){.node = 1}, PLB_PU_REFUSED), 1);
    assert_int_equal(plb_pus_add(&pus, &(struct plb_pu_info){.node = 2}, PLB_PU_NEW), 2);
    assert_int_equal(pus.in[PLB_PU_NEW], 2);
    plb_pus_become(&pus, 0, PLB_PU_SERVED);
    plb_pus_become(&pus, 2, PLB_PU_LEFT_OUT);
    assert_int_equal(pus.in[PLB_PU_NEW] + pus.in[PLB_PU_SERVED], 1);
    assert_true(plb_pus_works(&pus, 0) && plb_pus_usable(&pus, 2) && !plb_pus_works(&pus, 2));
    assert_false(plb_pus_usable(&pus, 1) || plb_pus_usable(&pus, 3));
    assert_null(plb_pus_check(&pus));
    plb_pus_become(&pus, 2, PLB_PU_LOST);
    assert_int_equal(pus.in[PLB_PU_LOST] + pus.in[PLB_PU_REFUSED] + pus.in[PLB_PU_AWAITED], 3);
    assert_null(plb_pus_check(&pus));
    plb_pus_fini(&pus);
}

static void the_check_sees_a_state_that_was_not_counted(void **state)
{
    struct plb_pus pus;
    (void)state;
    plb_pus_init(&pus, 2);
    plb_pus_add(&pus, &(struct plb_pu_info){.node = 0}, PLB_PU_NEW);
    pus.states[0] = PLB_PU_LOST;
    assert_non_null(plb_pus_check(&pus));
    pus.states[0] = PLB_PU_NEW;
    assert_null(plb_pus_check(&pus));
    pus.n = 2; /* one that is awaited has not come */
    assert_non_null(plb_pus_check(&pus));
    plb_pus_fini(&pus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_and_lost_pus_stay_so),
        cmocka_unit_test(arrows_are_those_of_the_picture),
        cmocka_unit_test(each_state_is_counted),
        cmocka_unit_test(the_check_sees_a_state_that_was_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
