/* The orders that the fake is given: PLB_FAKE_CUDA, a comma separated list of key=value, and
 * CUDA_VISIBLE_DEVICES as a list of indices.
 *
 *   devices=N  memory=BYTES  capability=MAJOR.MINOR  copy=BYTES_PER_SECOND  pin=no|yes
 *   others=BYTES     of each device's memory, what other processes have
 *   fail=CALL:N      the N-th call of CALL gives its typical error (repeatable)
 *   fail=kernel:N    the N-th host function does not run; the process gets cudaErrorIllegalAddress
 *   pageable=late    device-to-host copies to pageable memory also run late, see copies.c
 *   count=yes        a line at the end: allocations, page-locks, the most memory they had, and copies
 *   mig=yes          the devices are parts of one GPU: they have its address, and UUIDs of their own
 *   peers=no         no device can access the memory of another one
 *   order=SEED       threads of a block take turns in an order that follows from this number (default 1)
 *
 * A word that is not understood is a finding: a test that believes to have asked for a failure must have. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

struct typical {
    const char *call;
    cudaError_t error;
};

/* Where the documentation of a call names no error of its own, that of earlier asynchronous work, which
 * nearly every call may return. */
static const struct typical calls[] = {
    {"cudaGetDeviceCount", cudaErrorInsufficientDriver},
    {"cudaGetDeviceProperties", cudaErrorInvalidDevice},
    {"cudaDeviceGetAttribute", cudaErrorInvalidDevice},
    {"cudaDeviceGetPCIBusId", cudaErrorInvalidDevice},
    {"cudaSetDevice", cudaErrorDevicesUnavailable},
    {"cudaGetDevice", cudaErrorDevicesUnavailable},
    {"cudaDeviceSynchronize", cudaErrorLaunchFailure},
    {"cudaRuntimeGetVersion", cudaErrorInvalidValue},
    {"cudaDriverGetVersion", cudaErrorInvalidValue},
    {"cudaMemGetInfo", cudaErrorLaunchFailure},
    {"cudaMalloc", cudaErrorMemoryAllocation},
    {"cudaFree", cudaErrorLaunchFailure},
    {"cudaMallocAsync", cudaErrorMemoryAllocation},
    {"cudaFreeAsync", cudaErrorLaunchFailure},
    {"cudaDeviceGetDefaultMemPool", cudaErrorNotSupported},
    {"cudaMemPoolSetAttribute", cudaErrorInvalidValue},
    {"cudaMemPoolTrimTo", cudaErrorInvalidValue},
    {"cudaHostAlloc", cudaErrorMemoryAllocation},
    {"cudaMallocHost", cudaErrorMemoryAllocation},
    {"cudaFreeHost", cudaErrorLaunchFailure},
    {"cudaHostRegister", cudaErrorMemoryAllocation},
    {"cudaHostUnregister", cudaErrorLaunchFailure},
    {"cudaStreamCreateWithFlags", cudaErrorMemoryAllocation},
    {"cudaStreamDestroy", cudaErrorLaunchFailure},
    {"cudaStreamSynchronize", cudaErrorLaunchFailure},
    {"cudaStreamQuery", cudaErrorLaunchFailure},
    {"cudaStreamWaitEvent", cudaErrorLaunchFailure},
    {"cudaEventCreateWithFlags", cudaErrorMemoryAllocation},
    {"cudaEventDestroy", cudaErrorLaunchFailure},
    {"cudaEventRecord", cudaErrorLaunchFailure},
    {"cudaEventQuery", cudaErrorLaunchFailure},
    {"cudaEventSynchronize", cudaErrorLaunchFailure},
    {"cudaEventElapsedTime", cudaErrorLaunchFailure},
    {"cudaMemcpyAsync", cudaErrorLaunchFailure},
    {"cudaMemcpy", cudaErrorLaunchFailure},
    {"cudaMemcpyPeerAsync", cudaErrorLaunchFailure},
    {"cudaDeviceCanAccessPeer", cudaErrorInvalidDevice},
    {"cudaDeviceEnablePeerAccess", cudaErrorPeerAccessUnsupported},
    {"cudaMemsetAsync", cudaErrorLaunchFailure},
    {"cudaMemset", cudaErrorLaunchFailure},
    {"cudaLaunchHostFunc", cudaErrorLaunchFailure},
    {"kernel", cudaErrorIllegalAddress},
};

static const struct typical *typical_of(const char *call)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strcmp(calls[i].call, call) == 0)
            return &calls[i];
    return NULL;
}

static uint64_t whole(const char *key, const char *text, uint64_t largest)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value > largest)
        fake_finding("value not understood", "%s=%s", key, text);
    return value;
}

static void read_failure(struct fake_config *config, char *text)
{
    char *colon = strchr(text, ':');
    if (colon == NULL || config->failure_count == FAKE_FAILURES)
        fake_finding("value not understood", "fail=%s", text);
    *colon = '\0';
    struct fake_failure *f = &config->failures[config->failure_count++];
    f->at = whole("fail", colon + 1, UINT64_MAX);
    if (typical_of(text) == NULL || f->at == 0)
        fake_finding("value not understood", "fail=%s:%s", text, colon + 1);
    snprintf(f->call, sizeof f->call, "%s", text);
}

static void read_capability(struct fake_config *config, char *text)
{
    char *dot = strchr(text, '.');
    if (dot == NULL)
        fake_finding("value not understood", "capability=%s", text);
    *dot = '\0';
    config->major = (int)whole("capability", text, 99);
    config->minor = (int)whole("capability", dot + 1, 9);
}

static void read_rate(struct fake_config *config, const char *text)
{
    char *end = NULL;
    config->copy_rate = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(config->copy_rate) || config->copy_rate <= 0.0)
        fake_finding("value not understood", "copy=%s", text);
}

static void read_key(struct fake_config *config, const char *key, char *value)
{
    if (strcmp(key, "devices") == 0)
        config->devices = (int)whole(key, value, FAKE_DEVICES);
    else if (strcmp(key, "memory") == 0)
        config->memory = whole(key, value, SIZE_MAX / 2);
    else if (strcmp(key, "mig") == 0 && strcmp(value, "yes") == 0)
        config->mig = true;
    else if (strcmp(key, "order") == 0)
        config->order = whole(key, value, UINT64_MAX);
    else if (strcmp(key, "others") == 0)
        config->others = whole(key, value, SIZE_MAX / 2);
    else if (strcmp(key, "capability") == 0)
        read_capability(config, value);
    else if (strcmp(key, "fail") == 0)
        read_failure(config, value);
    else if (strcmp(key, "copy") == 0)
        read_rate(config, value);
    else if (strcmp(key, "pin") == 0 && (strcmp(value, "no") == 0 || strcmp(value, "yes") == 0))
        config->pin = value[0] == 'y';
    else if (strcmp(key, "peers") == 0 && strcmp(value, "no") == 0)
        config->peers = false;
    else if (strcmp(key, "pageable") == 0 && strcmp(value, "late") == 0)
        config->late = true;
    else if (strcmp(key, "count") == 0 && strcmp(value, "yes") == 0)
        config->count = true;
    else
        fake_finding("unknown key or value in PLB_FAKE_CUDA", "%s=%s", key, value);
}

/* As CUDA does, the list ends at the first index that is no device, and none is left where an index comes
 * twice. Its other forms (UUIDs) are not modelled. */
static void read_visible(struct fake_config *config)
{
    const int there = config->devices;
    for (int i = 0; i < there; i++)
        config->physical[i] = i;
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (list == NULL)
        return;
    bool taken[FAKE_DEVICES] = {false};
    config->devices = 0;
    while (*list != '\0') {
        char *end = NULL;
        long index = strtol(list, &end, 10);
        if (end == list || (*end != ',' && *end != '\0'))
            fake_finding("CUDA_VISIBLE_DEVICES is not a list of indices", "%s", list);
        if (index < 0 || index >= there)
            return;
        if (taken[index]) {
            config->devices = 0;
            return;
        }
        taken[index] = true;
        config->physical[config->devices++] = (int)index;
        list = *end == ',' ? end + 1 : end;
    }
}

void fake_config_read(struct fake_config *config)
{
    *config = (struct fake_config){
        .devices = 1, .memory = (size_t)1 << 30, .major = 9, .pin = true, .peers = true, .order = 1};
    const char *told = getenv("PLB_FAKE_CUDA");
    char *text = strdup(told != NULL ? told : ""), *rest = text;
    if (text == NULL)
        fake_finding("the host has no memory left", "0 bytes");
    while (rest != NULL && *rest != '\0') {
        char *item = strsep(&rest, ","), *value = strchr(item, '=');
        if (value == NULL)
            fake_finding("unknown key or value in PLB_FAKE_CUDA", "%s", item);
        *value = '\0';
        read_key(config, item, value + 1);
    }
    free(text);
    read_visible(config);
}

static bool count_call(struct fake_config *config, const char *call)
{
    bool fails = false;
    for (int i = 0; i < config->failure_count; i++)
        if (strcmp(config->failures[i].call, call) == 0
            && ++config->failures[i].count == config->failures[i].at)
            fails = true;
    return fails;
}

cudaError_t fake_config_fails(struct fake_config *config, const char *call)
{
    return config->failure_count > 0 && count_call(config, call) ? typical_of(call)->error : cudaSuccess;
}

bool fake_config_kernel_fails(struct fake_config *config)
{
    return count_call(config, "kernel");
}
