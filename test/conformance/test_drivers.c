/* The promises of every device driver, whether its devices are here or not: a table that fits together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/kernel_identity.h"
#include "config/ini.h"
#include "device/driver.h"

/* The key is in one driver's table alone, and its value is a number. */
static void check_option(const struct plb_device_driver *driver, const struct plb_option *o)
{
    double value;
    assert_true(o->type == PLB_INT || o->type == PLB_REAL || o->type == PLB_FLAG
                || (o->type == PLB_TEXT && o->choices != NULL));
    assert_true(o->fallback != NULL && o->help != NULL);
    assert_true(o->type == PLB_TEXT || plb_parse_real(o->fallback, &value)
                || plb_parse_flag(o->fallback, &value));
    for (int d = 0; plb_device_drivers[d] != driver; d++)
        for (int i = 0; i < plb_driver_option_count(plb_device_drivers[d]); i++)
            assert_string_not_equal(plb_device_drivers[d]->options[i].name, o->name);
}

static void the_table_fits_together(void **state)
{
    (void)state;
    int options = 0, objects = 0, emulating = 0;
    for (int d = 0; plb_device_drivers[d] != NULL; d++) {
        const struct plb_device_driver *driver = plb_device_drivers[d];
        assert_true(driver->name != NULL && driver->entry != NULL);
        assert_true(driver->ops.lanes >= 1 && driver->ops.lanes <= PLB_MAX_LANES);
        assert_int_equal(plb_driver_first_option(driver), options);
        for (int i = 0; i < plb_driver_option_count(driver); i++)
            check_option(driver, &driver->options[i]);
        options += plb_driver_option_count(driver);
        objects += driver->object != NULL;
        emulating += driver->count == NULL;
        assert_int_equal(plb_driver_wanted(driver, PLB_PUS_AUTO), driver->count != NULL);
        assert_int_equal(plb_driver_wanted(driver, PLB_PUS_CPU),
                         driver->count != NULL && driver->kind == PLB_CPU);
        assert_int_equal(plb_driver_wanted(driver, PLB_PUS_GPU),
                         driver->count != NULL && driver->kind == PLB_GPU);
    }
    assert_true(options <= PLB_DRIVER_OPTIONS && objects <= PLB_EXTRA_OBJECTS);
    assert_true(emulating == 1 && plb_driver_emulated()->count == NULL);
}

/* Devices have names that tell them apart. */
static void devices_have_names_of_their_own(void **state)
{
    (void)state;
    for (int d = 0; plb_device_drivers[d] != NULL; d++) {
        const struct plb_device_driver *driver = plb_device_drivers[d];
        int n = driver->count != NULL && driver->identify != NULL ? driver->count(NULL) : 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                char one[60], other[60];
                driver->identify(i, one);
                driver->identify(j, other);
                assert_string_not_equal(one, other);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_fits_together),
        cmocka_unit_test(devices_have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
