/* Opens libcudart when a job first asks for GPUs. So one plbrun serves nodes with and without CUDA. */
#include "device/cuda/library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cuda/ranges.h"

#define OLDEST_GENERATION 8 /* compute capability: the kernels are built for this one and later ones */
#define MOST_GPUS 64        /* of one process; further ones are not used */

/* NVIDIA's driver makes this file. A container has it with any GPU; /dev/nvidia0 only with the first one. */
#define DEVICE_FILE "/dev/nvidiactl"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x) /* after expansion: some names of the header are macros */

struct plb_cuda_library plb_cuda;

static struct {
    int n, at[MOST_GPUS]; /* usable GPUs, by the number that CUDA gives them */
    bool looked;
    bool unusable; /* there is one that CUDA cannot use */
    char why[300];
} gpus;

static bool load_library(void)
{
    char name[40];
    snprintf(name, sizeof name, "libcudart.so.%d", CUDART_VERSION / 1000);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(gpus.why, sizeof gpus.why, "no GPU is used: %s", dlerror());
        gpus.unusable = access(DEVICE_FILE, F_OK) == 0;
        return false;
    }
    const char *missing = NULL;
    void *symbol;
#define RESOLVE(name) \
    if ((symbol = dlsym(library, TEXT(name))) == NULL) \
        missing = TEXT(name); \
    memcpy(&plb_cuda.name##_, &symbol, sizeof symbol);
    PLB_CUDA_CALLS(RESOLVE)
    if (missing != NULL)
        snprintf(gpus.why, sizeof gpus.why, "no GPU is used: %s has no %s", name, missing);
    return missing == NULL;
}

/* The CUDA runtime finds no GPU: says why. */
static void say_none(cudaError_t status)
{
    const char *text = status != cudaSuccess ? plb_cuda.cudaGetErrorString_(status) : "none is visible";
    gpus.unusable = status != cudaSuccess && status != cudaErrorNoDevice && access(DEVICE_FILE, F_OK) == 0;
    if (status == cudaErrorInsufficientDriver)
        snprintf(gpus.why, sizeof gpus.why, "no GPU is used: %s CUDA %d.%d%s",
                 gpus.unusable ? "the NVIDIA driver is older than"
                               : "there is no NVIDIA driver, or it is older than",
                 CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
                 gpus.unusable ? "; install a newer one, or leave GPUs out with cluster.pus=cpu" : "");
    else
        snprintf(gpus.why, sizeof gpus.why, "no GPU is used: %s", text);
}

/* Adds GPU i, by CUDA's number, to the usable ones; or says why it is none. */
static void take(int i)
{
    struct cudaDeviceProp p;
    cudaError_t status = plb_cuda.cudaGetDeviceProperties_(&p, i);
    plb_cuda.cudaGetLastError_();
    gpus.unusable = gpus.unusable || (status != cudaSuccess && access(DEVICE_FILE, F_OK) == 0);
    if (status == cudaSuccess && p.major >= OLDEST_GENERATION)
        gpus.at[gpus.n++] = i;
    else if (status != cudaSuccess)
        snprintf(gpus.why, sizeof gpus.why, "GPU %d is not used: %s", i,
                 plb_cuda.cudaGetErrorString_(status));
    else
        snprintf(gpus.why, sizeof gpus.why,
                 "a GPU is not used: %.60s has compute capability %d.%d, and the kernels are built for %d.0 "
                 "and later",
                 p.name, p.major, p.minor, OLDEST_GENERATION);
}

static void look(void)
{
    int n = 0;
    prepare_ranges();
    if (!load_library())
        return;
    cudaError_t status = plb_cuda.cudaGetDeviceCount_(&n);
    plb_cuda.cudaGetLastError_();
    if (status != cudaSuccess || n == 0) {
        say_none(status);
        return;
    }
    snprintf(gpus.why, sizeof gpus.why, "%d GPU%s visible", n, n == 1 ? "" : "s");
    for (int i = 0; i < n && gpus.n < MOST_GPUS; i++)
        take(i);
}

int plb_cuda_count(const char **why)
{
    if (!gpus.looked)
        look();
    gpus.looked = true;
    if (why != NULL)
        *why = gpus.why;
    return gpus.n;
}

bool plb_cuda_unusable(void)
{
    return gpus.unusable;
}

int plb_cuda_number(int gpu)
{
    return gpus.at[gpu];
}

void plb_cuda_select(int gpu, char text[64])
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    struct plb_cuda_gpu d;
    plb_cuda_describe(gpu, &d);
    for (int i = 0; i < gpus.at[gpu] && visible != NULL; i++)
        visible = (visible = strchr(visible, ',')) != NULL ? visible + 1 : NULL;
    if (visible != NULL && *visible != '\0')
        snprintf(text, 64, "%.*s", (int)strcspn(visible, ","), visible);
    else if (strncmp(d.uuid, "MIG", 3) == 0) /* it has no number */
        snprintf(text, 64, "%s", d.uuid);
    else
        snprintf(text, 64, "%d", gpus.at[gpu]);
}

void plb_cuda_describe(int gpu, struct plb_cuda_gpu *d)
{
    struct cudaDeviceProp p = {.name = "?"};
    int number = gpus.at[gpu];
    *d = (struct plb_cuda_gpu){.multiprocessors = 1};
    if (plb_cuda.cudaGetDeviceProperties_(&p, number) != cudaSuccess)
        return;
    if (plb_cuda.cudaDeviceGetPCIBusId_(d->pci, sizeof d->pci, number) != cudaSuccess)
        return;
    snprintf(d->model, sizeof d->model, "%.47s", p.name);
    d->multiprocessors = p.multiProcessorCount;
    /* A part of a GPU that was split (MIG) has a UUID of its own, the PCI address of the whole, and such a
     * name. */
    const char *kind = strstr(p.name, " MIG ") != NULL ? "MIG" : "GPU";
    char *end = d->uuid + snprintf(d->uuid, sizeof d->uuid, "%s-", kind);
    for (int i = 0; i < 16; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        end += sprintf(end, "%s%02x", dash, (unsigned char)p.uuid.bytes[i]);
    }
}
