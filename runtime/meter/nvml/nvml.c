/* NVIDIA's GPUs, through the library that comes with their driver. It is opened where the job has GPUs, and a
 * host without it has no such domains. From Volta on a GPU counts millijoules. Its power is an average over a
 * second on some models; where the library tells the present one, that is taken. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "meter/meter.h"

#define REFRESH 0.1 /* seconds; the counter is refreshed every 20 to 100 ms, by the model */

#define SUCCESS 0
#define POWER_INSTANT 186 /* NVML_FI_DEV_POWER_INSTANT */

/* As in nvml.h; declared here, since the header is not needed on the machine that builds. */
struct pci {
    char short_id[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char id[32];
};

struct field {
    unsigned field, scope;
    long long timestamp, latency;
    unsigned type; /* of the value: 1 is an unsigned int */
    int status;
    union {
        double d;
        unsigned ui;
        unsigned long long ull;
    } value;
};

static struct {
    void *library;
    int users; /* domains that are open */
    int (*init)(void), (*shutdown)(void);
    int (*count)(unsigned *count);
    int (*handle)(unsigned index, void **device);
    int (*pci)(void *device, struct pci *pci);
    int (*energy)(void *device, unsigned long long *millijoules);
    int (*power)(void *device, unsigned *milliwatts);
    int (*fields)(void *device, int n, struct field *fields); /* NULL: an old library */
} nvml;

static bool symbol(const char *name, void *function)
{
    void *address = dlsym(nvml.library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static bool load(char why[PLB_METER_WHY])
{
    if (nvml.users > 0)
        return true;
    nvml.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (nvml.library == NULL) {
        snprintf(why, PLB_METER_WHY, "GPUs are not measured: %s", dlerror());
        return false;
    }
    bool all = symbol("nvmlInit_v2", &nvml.init) && symbol("nvmlShutdown", &nvml.shutdown)
            && symbol("nvmlDeviceGetCount_v2", &nvml.count)
            && symbol("nvmlDeviceGetHandleByIndex_v2", &nvml.handle)
            && symbol("nvmlDeviceGetPciInfo_v3", &nvml.pci)
            && symbol("nvmlDeviceGetTotalEnergyConsumption", &nvml.energy)
            && symbol("nvmlDeviceGetPowerUsage", &nvml.power);
    symbol("nvmlDeviceGetFieldValues", &nvml.fields);
    int status = all ? nvml.init() : -1;
    if (status == SUCCESS)
        return true;
    if (all)
        snprintf(why, PLB_METER_WHY, "GPUs are not measured: nvmlInit returns %d", status);
    else
        snprintf(why, PLB_METER_WHY,
                 "GPUs are not measured: libnvidia-ml.so.1 is too old for energy counters; install a newer "
                 "driver");
    dlclose(nvml.library);
    return false;
}

static void *device(int index)
{
    void *handle = NULL;
    return nvml.handle((unsigned)index, &handle) == SUCCESS ? handle : NULL;
}

/* The power at present, or as an average over the last second. */
static bool read_power(void *handle, double *watts)
{
    struct field now = {.field = POWER_INSTANT};
    unsigned milliwatts;
    if (nvml.fields != NULL && nvml.fields(handle, 1, &now) == SUCCESS && now.status == SUCCESS)
        *watts = 1e-3 * (double)now.value.ui;
    else if (nvml.power(handle, &milliwatts) == SUCCESS)
        *watts = 1e-3 * (double)milliwatts;
    else
        return false;
    return true;
}

static bool take(int index, struct plb_meter_domain *domain)
{
    void *handle = device(index);
    struct pci pci = {.id = ""};
    unsigned long long millijoules;
    double watts;
    if (handle == NULL || nvml.pci(handle, &pci) != SUCCESS)
        return false;
    bool counts = nvml.energy(handle, &millijoules) == SUCCESS;
    *domain = (struct plb_meter_domain){.of = PLB_METER_GPU,
                                        .joules = counts ? 1e-3 : 0.0,
                                        .refresh = REFRESH,
                                        .watts = read_power(handle, &watts),
                                        .at = {index, -1}};
    pci.id[sizeof pci.id - 1] = '\0';
    size_t length = strlen(pci.id);
    /* sysfs has four digits of the domain, the library eight. */
    snprintf(domain->pci, sizeof domain->pci, "%.12s", length > 12 ? pci.id + length - 12 : pci.id);
    snprintf(domain->name, sizeof domain->name, "gpu %s", domain->pci);
    return counts || domain->watts;
}

static int find(const char *root, struct plb_meter_domain *domains, int room, char why[PLB_METER_WHY])
{
    (void)root; /* a test has a library of its own */
    unsigned gpus = 0;
    int n = 0;
    if (!load(why))
        return 0;
    nvml.users++;
    if (nvml.count(&gpus) == SUCCESS)
        for (unsigned g = 0; g < gpus && n < room; g++)
            n += take((int)g, &domains[n]);
    nvml.users += n;
    if (n == 0)
        snprintf(why, PLB_METER_WHY, "GPUs are not measured: none of them reports its power");
    if (--nvml.users == 0) {
        nvml.shutdown();
        dlclose(nvml.library);
    }
    return n;
}

static bool read_domain(const struct plb_meter_domain *domain, uint64_t *count, double *watts)
{
    void *handle = device(domain->at[0]);
    unsigned long long millijoules = 0;
    if (handle == NULL || (domain->joules > 0.0 && nvml.energy(handle, &millijoules) != SUCCESS))
        return false;
    *count = millijoules;
    return !domain->watts || read_power(handle, watts);
}

static void close_domain(struct plb_meter_domain *domain)
{
    (void)domain;
    if (--nvml.users == 0) {
        nvml.shutdown();
        dlclose(nvml.library);
    }
}

const struct plb_meter_driver plb_meter_nvml = {
    .name = "nvml", .gpus = true, .find = find, .read = read_domain, .close = close_domain};
