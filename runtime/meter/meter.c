/* The table of meters, and which of them are used. */
#include "meter/meter.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

extern const struct plb_meter_driver plb_meter_perf, plb_meter_powercap, plb_meter_hwmon, plb_meter_nvml;

static const struct plb_meter_driver *const drivers[] = {&plb_meter_perf, &plb_meter_powercap,
                                                         &plb_meter_hwmon, &plb_meter_nvml};

const char *plb_meter_of_name(int of)
{
    static const char *const names[] = {"package", "cores", "memory", "gpu", "platform"};
    return of >= 0 && of < (int)(sizeof names / sizeof *names) ? names[of] : "other";
}

bool plb_meter_part(const char *name, enum plb_meter_of *of)
{
    static const struct {
        const char *begins;
        enum plb_meter_of of;
    } parts[] = {{"package", PLB_METER_PACKAGE}, {"pkg", PLB_METER_PACKAGE}, {"core", PLB_METER_CORES},
                 {"dram", PLB_METER_MEMORY},     {"ram", PLB_METER_MEMORY},  {"psys", PLB_METER_PLATFORM}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(name, parts[i].begins, strlen(parts[i].begins)) == 0) {
            *of = parts[i].of;
            return true;
        }
    return false;
}

/* Addresses differ in the digits of their domain: "0000:18:00.0" and "00000000:18:00.0". */
bool plb_meter_same_pci(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    return la >= 7 && lb >= 7 && strcasecmp(a + la - 7, b + lb - 7) == 0;
}

/* Whether another meter measures the same already: the packages of a host are read through one alone. */
static bool known(const struct plb_meters *meters, const struct plb_meter_domain *domain, int before)
{
    for (int i = 0; i < before; i++)
        if (meters->at[i].of == domain->of
            && (domain->of != PLB_METER_GPU || plb_meter_same_pci(meters->at[i].pci, domain->pci)))
            return true;
    return false;
}

static bool wanted(const struct plb_meter_domain *domain, bool processors, const char (*gpus)[16], int n_gpus)
{
    if (domain->of != PLB_METER_GPU)
        return processors;
    for (int i = 0; i < n_gpus; i++)
        if (plb_meter_same_pci(domain->pci, gpus[i]))
            return true;
    return false;
}

/* The domains of one driver come behind those of others. */
static void add(struct plb_meters *meters, const struct plb_meter_driver *driver, const char *root,
                bool processors, const char (*gpus)[16], int n_gpus, char why[PLB_METER_WHY])
{
    int before = meters->n, found = driver->find(root, meters->at + before, PLB_METER_DOMAINS - before, why);
    for (int i = before; i < before + found; i++) {
        struct plb_meter_domain *domain = &meters->at[i];
        domain->driver = driver;
        if (wanted(domain, processors, gpus, n_gpus) && !known(meters, domain, before))
            meters->at[meters->n++] = *domain;
        else
            driver->close(domain);
    }
}

/* Whether a domain of this kind is measured. */
static bool has(const struct plb_meters *meters, enum plb_meter_of of)
{
    for (int i = 0; i < meters->n; i++)
        if (meters->at[i].of == of)
            return true;
    return false;
}

void plb_meters_open(struct plb_meters *meters, const char *root, bool processors, const char (*gpus)[16],
                     int n_gpus)
{
    *meters = (struct plb_meters){.n = 0};
    for (size_t d = 0; d < sizeof drivers / sizeof *drivers; d++)
        if (drivers[d]->gpus ? n_gpus > 0 : processors || n_gpus > 0) /* a library takes time to start */
            add(meters, drivers[d], root, processors, gpus, n_gpus,
                drivers[d]->gpus ? meters->gpus_why : meters->why);
    if (has(meters, PLB_METER_PACKAGE) || !processors)
        meters->why[0] = '\0';
    else if (meters->why[0] == '\0')
        snprintf(meters->why, sizeof meters->why, "this host has no readable counter of processor energy");
    if (has(meters, PLB_METER_GPU))
        meters->gpus_why[0] = '\0';
}

void plb_meters_close(struct plb_meters *meters)
{
    for (int i = 0; i < meters->n; i++)
        meters->at[i].driver->close(&meters->at[i]);
    meters->n = 0;
}
