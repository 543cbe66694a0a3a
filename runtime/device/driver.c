/* Questions to the table of drivers. */
#include "device/driver.h"

const struct plb_device_driver *plb_driver_emulated(void)
{
    for (int d = 0; plb_device_drivers[d] != NULL; d++)
        if (plb_device_drivers[d]->count == NULL)
            return plb_device_drivers[d];
    return NULL;
}

bool plb_driver_wanted(const struct plb_device_driver *driver, enum plb_pus_wanted wanted)
{
    if (driver->count == NULL)
        return false;
    return wanted == PLB_PUS_AUTO || driver->kind == (wanted == PLB_PUS_CPU ? PLB_CPU : PLB_GPU);
}

int plb_driver_option_count(const struct plb_device_driver *driver)
{
    int n = 0;
    while (driver->options != NULL && driver->options[n].name != NULL)
        n++;
    return n;
}

int plb_driver_first_option(const struct plb_device_driver *driver)
{
    int first = 0;
    for (int d = 0; plb_device_drivers[d] != driver; d++)
        first += plb_driver_option_count(plb_device_drivers[d]);
    return first;
}

bool plb_driver_runs(const struct plb_phase *phase)
{
    for (int d = 0; plb_device_drivers[d] != NULL; d++)
        if (plb_device_drivers[d]->entry(phase) != NULL)
            return true;
    return false;
}
