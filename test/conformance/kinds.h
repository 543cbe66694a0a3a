/* All kinds of PUs that the drivers of this build have here, and an entry for them. For one test alone. */
#ifndef TEST_KINDS_H
#define TEST_KINDS_H

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/driver.h"

#define N 10000
#define MOST_KINDS 16

/* A PU of a driver, as the driver describes it. */
struct kind {
    char name[64];
    const struct plb_device_driver *driver;
    const struct plb_device_ops *ops;
    struct plb_device_config config;
};

static struct kind kinds[MOST_KINDS];
static int n_kinds;
static void *entries; /* the shared object with entries for the devices of drivers that have an extra one */

/* data[1][i] = 2 · data[0][i] + first; the range's first unit shows that the range arrives. */
static int twice(const struct plb_task *task)
{
    const double *in = task->data[0];
    double *out = task->data[1];
    for (int64_t i = 0; i < task->count; i++)
        out[i] = 2.0 * in[i] + (double)task->first;
    return 0;
}

/* The entry NAME_cuda, say, of the shared object; NULL where it has none. */
static plb_entry_fn entry_of(const char *name, const char *driver)
{
    char symbol[40];
    plb_entry_fn entry = NULL;
    snprintf(symbol, sizeof symbol, "%s_%s", name, driver);
    void *found = entries != NULL ? dlsym(entries, symbol) : NULL;
    memcpy(&entry, &found, sizeof entry);
    return entry;
}

/* A phase with an entry for every kind of device. */
static struct plb_phase phase_of(plb_entry_fn cpu, const char *name)
{
    return (struct plb_phase){
        .name = "test", .cpu = cpu, .cuda = entry_of(name, "cuda"), .opencl = entry_of(name, "opencl")};
}

/* A PU as a .cluster file describes it. */
static struct plb_pu_spec spec_of(const char *name, enum plb_pu_kind kind, double slowdown, double bandwidth,
                                  double latency)
{
    struct plb_pu_spec spec = {.kind = kind, .power = 1.0, .memory = INFINITY, .slowdown = slowdown};
    spec.copy_bandwidth = bandwidth;
    spec.copy_latency = latency;
    snprintf(spec.name, sizeof spec.name, "%s", name);
    return spec;
}

/* Describes a device of a driver. spec: for the driver that emulates. */
static struct kind kind_of(const struct plb_device_driver *driver, int device, const struct plb_pu_spec *spec)
{
    struct plb_topology topology;
    double options[PLB_DRIVER_OPTIONS]; /* 1: a power, a thread, every device of OpenCL */
    struct plb_device_site here = {.local_size = 1, .topology = &topology, .sharers = 1, .spec = spec};
    here.options = options + plb_driver_first_option(driver);
    struct plb_device_pu pu = {.kind = driver->kind, .power = 1.0, .memory = INFINITY};
    for (int i = 0; i < PLB_DRIVER_OPTIONS; i++)
        options[i] = 1.0;
    plb_topology_read(&topology);
    pu.config = (struct plb_device_config){.threads = 1, .number = device, .sharers = 1};
    assert_null(driver->describe(&here, device, &pu));
    pu.config.threads = 1;
    assert_true(pu.power > 0.0 && pu.memory > 0.0 && pu.task_bytes >= 0.0 && pu.name[0] != '\0');
    struct kind k = {.driver = driver, .ops = &driver->ops, .config = pu.config};
    snprintf(k.name, sizeof k.name, "%s '%s'", driver->name, pu.name);
    return k;
}

static struct plb_device *open_kind(const struct kind *k)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_device *d;
    assert_int_equal(k->ops->open(&k->config, &d, &err), PLB_OK);
    return d;
}

/* Every kind of PU that a driver has here and that this test has entries for. */
static void find_kinds(void)
{
    const struct plb_phase phase = phase_of(twice, "twice");
    const struct plb_pu_spec specs[] = {
        spec_of("on the host", PLB_CPU, 1.0, INFINITY, 0.0),
        spec_of("with memory", PLB_GPU, 2.0, 1e9, 1e-4),
    };
    for (int d = 0; plb_device_drivers[d] != NULL; d++) {
        const struct plb_device_driver *driver = plb_device_drivers[d];
        const char *why = "a .cluster file lists its PUs";
        int n = driver->count != NULL ? driver->count(&why) : 2;
        if (n == 0 || driver->entry(&phase) == NULL)
            fprintf(stderr, "# %s is not tried: %s\n", driver->name,
                    n == 0 ? why : "there is no entry for it");
        else if (driver->count != NULL) {
            kinds[n_kinds++] = kind_of(driver, 0, NULL);
            fprintf(stderr, "# %s is tried\n", driver->name);
        }
        for (int i = 0; i < n && driver->count == NULL; i++)
            kinds[n_kinds++] = kind_of(driver, i, &specs[i]);
    }
}

#endif
