/* Opens libOpenCL when a job first asks for such devices. So one plbrun serves nodes with and without OpenCL.
 */
#include "device/opencl/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MOST 64 /* devices of one process; further ones are not used */
#define PLATFORMS 16
#define SIGNALS 32 /* those that are not for real time */

/* Extensions, whose headers may be missing. */
#define DEVICE_UUID 0x106A /* cl_khr_device_uuid */
#define UUID_BYTES 16
#define PCI_INFO 0x410F /* cl_khr_pci_bus_info: domain, bus, device, function, each a cl_uint */

struct plb_opencl_library plb_opencl;

static struct {
    struct plb_opencl_device at[MOST];
    int n;
    bool looked;
    char why[200];
} devices;

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction handlers[SIGNALS];

void plb_opencl_keep_signals(void)
{
    pthread_mutex_lock(&one);
    for (int s = 1; s < SIGNALS; s++)
        sigaction(s, NULL, &handlers[s]);
}

void plb_opencl_restore_signals(void)
{
    for (int s = 1; s < SIGNALS; s++)
        if (s != SIGKILL && s != SIGSTOP)
            sigaction(s, &handlers[s], NULL);
    pthread_mutex_unlock(&one);
}

static pthread_mutex_t on_cpu = PTHREAD_MUTEX_INITIALIZER;

void plb_opencl_begin_on_cpu(void)
{
    pthread_mutex_lock(&on_cpu);
}

void plb_opencl_end_on_cpu(void)
{
    pthread_mutex_unlock(&on_cpu);
}

static bool load_library(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL), *symbol;
    if (library == NULL) {
        snprintf(devices.why, sizeof devices.why, "no OpenCL device is used: %.150s", dlerror());
        return false;
    }
    const char *missing = NULL;
#define RESOLVE(name) \
    if ((symbol = dlsym(library, #name)) == NULL) \
        missing = #name; \
    memcpy(&plb_opencl.name##_, &symbol, sizeof symbol);
    PLB_OPENCL_CALLS(RESOLVE)
    if (missing != NULL)
        snprintf(devices.why, sizeof devices.why,
                 "no OpenCL device is used: libOpenCL.so.1 is older than "
                 "OpenCL 2.0: it has no %s",
                 missing);
    return missing == NULL;
}

/* Whether the device answers the question. Without an answer *value stays as it is. */
static bool ask(cl_device_id id, cl_device_info what, void *value, size_t bytes)
{
    return plb_opencl.clGetDeviceInfo_(id, what, bytes, value, NULL) == CL_SUCCESS;
}

/* Why a device can execute no tasks; NULL where it can. */
static const char *lacks(cl_device_id id)
{
    cl_uint bits = 0;
    cl_bool available = CL_FALSE, compiles = CL_FALSE;
    cl_device_fp_config doubles = 0;
    cl_device_svm_capabilities shared = 0;
    ask(id, CL_DEVICE_ADDRESS_BITS, &bits, sizeof bits);
    ask(id, CL_DEVICE_AVAILABLE, &available, sizeof available);
    ask(id, CL_DEVICE_COMPILER_AVAILABLE, &compiles, sizeof compiles);
    ask(id, CL_DEVICE_DOUBLE_FP_CONFIG, &doubles, sizeof doubles);
    ask(id, CL_DEVICE_SVM_CAPABILITIES, &shared, sizeof shared);
    return !available                                        ? "is not available"
         : !compiles                                         ? "has no compiler"
         : doubles == 0                                      ? "has no double precision"
         : bits != 64                                        ? "has no 64-bit addresses"
         : (shared & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) == 0 ? "has no shared virtual memory"
                                                             : NULL;
}

static void describe(cl_device_id id, struct plb_opencl_device *d)
{
    unsigned char uuid[UUID_BYTES];
    cl_uint units = 1, pci[4];
    cl_ulong memory = 0, most = 0;
    char name[200] = "?";
    *d = (struct plb_opencl_device){.id = id, .type = CL_DEVICE_TYPE_CPU};
    ask(id, CL_DEVICE_TYPE, &d->type, sizeof d->type);
    ask(id, CL_DEVICE_NAME, name, sizeof name);
    ask(id, CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units);
    ask(id, CL_DEVICE_GLOBAL_MEM_SIZE, &memory, sizeof memory);
    ask(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &most, sizeof most);
    snprintf(d->model, sizeof d->model, "%.47s", name);
    d->kind = (d->type & CL_DEVICE_TYPE_GPU) != 0 ? PLB_GPU : PLB_ACCELERATOR;
    d->compute_units = units > 0 ? (int)units : 1;
    d->memory = (double)memory;
    d->most = (double)most;
    if (ask(id, DEVICE_UUID, uuid, sizeof uuid))
        for (int i = 0; i < UUID_BYTES; i++)
            snprintf(d->uuid + 2 * i, 3, "%02x", uuid[i]);
    if (ask(id, PCI_INFO, pci, sizeof pci))
        snprintf(d->pci, sizeof d->pci, "%04x:%02x:%02x.%x", pci[0] & 0xffff, pci[1] & 0xff, pci[2] & 0xff,
                 pci[3] & 0xf);
    for (int i = 0; i < devices.n; i++)
        d->number += strcmp(devices.at[i].model, d->model) == 0;
}

static void take(cl_platform_id platform)
{
    cl_device_id found[MOST];
    cl_uint n = 0;
    if (plb_opencl.clGetDeviceIDs_(platform, CL_DEVICE_TYPE_ALL, MOST, found, &n) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < n && i < MOST && devices.n < MOST; i++) {
        const char *why = lacks(found[i]);
        char name[100] = "?";
        if (why == NULL) {
            describe(found[i], &devices.at[devices.n]);
            devices.n++;
            continue;
        }
        ask(found[i], CL_DEVICE_NAME, name, sizeof name);
        snprintf(devices.why, sizeof devices.why, "an OpenCL device is not used: %.99s %s", name, why);
    }
}

static void look(void)
{
    cl_platform_id platforms[PLATFORMS];
    cl_uint n = 0;
    if (!load_library())
        return;
    if (plb_opencl.clGetPlatformIDs_(PLATFORMS, platforms, &n) != CL_SUCCESS)
        n = 0;
    for (cl_uint i = 0; i < n && i < PLATFORMS; i++)
        take(platforms[i]);
    if (devices.why[0] == '\0')
        snprintf(devices.why, sizeof devices.why, "%d OpenCL device%s found", devices.n,
                 devices.n == 1 ? "" : "s");
}

int plb_opencl_count(const char **why)
{
    if (!devices.looked) {
        plb_opencl_keep_signals();
        look();
        plb_opencl_restore_signals();
    }
    devices.looked = true;
    if (why != NULL)
        *why = devices.why;
    return devices.n;
}

const struct plb_opencl_device *plb_opencl_device(int device)
{
    return &devices.at[device];
}

const char *plb_opencl_error(cl_int status)
{
    static const struct {
        cl_int status;
        const char *name;
    } known[] = {
        {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
        {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
        {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
        {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
        {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == status)
            return known[i].name;
    return "an error";
}
