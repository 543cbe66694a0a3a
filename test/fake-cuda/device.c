/* Devices and their properties, names of errors, and what objects compiled by nvcc call. */
#include <string.h>

#include "fake.h"

enum { VERSION = CUDART_VERSION, PROCESSORS = 4 };

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t status = fake_enter("cudaGetDeviceCount");
    if (count == NULL)
        return fake_leave(cudaErrorInvalidValue);
    *count = status == cudaSuccess ? fake.config.devices : 0;
    return fake_leave(status);
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t status = fake_enter("cudaSetDevice");
    return fake_leave(status == cudaSuccess ? fake_set_current(device) : status);
}

cudaError_t cudaGetDevice(int *device)
{
    cudaError_t status = fake_enter("cudaGetDevice");
    if (status == cudaSuccess && device == NULL)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *device = fake_current();
    return fake_leave(status);
}

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t status = fake_enter_device("cudaDeviceSynchronize");
    return fake_leave(status == cudaSuccess ? fake_run_device(fake_current()) : status);
}

static cudaError_t known_device(cudaError_t status, const void *out, int device)
{
    if (status != cudaSuccess)
        return status;
    if (out == NULL)
        return cudaErrorInvalidValue;
    return device < 0 || device >= fake.config.devices ? cudaErrorInvalidDevice : cudaSuccess;
}

/* Capital letters occur, as in those of real ones. */
static int bus_of(int device)
{
    return 0x1a + 0x0f * (fake.config.mig ? 0 : fake.config.physical[device]);
}

static void fill_uuid(cudaUUID_t *uuid, int device)
{
    static const char made_up[] = "plbrun fake GPU"; /* 15 bytes, and the device's number */
    memcpy(uuid->bytes, made_up, sizeof made_up);
    uuid->bytes[15] = (char)fake.config.physical[device];
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    cudaError_t status = known_device(fake_enter("cudaGetDeviceProperties"), prop, device);
    if (status != cudaSuccess)
        return fake_leave(status);
    *prop = (struct cudaDeviceProp){.name = "Fake GPU",
                                    .totalGlobalMem = fake.config.memory,
                                    .sharedMemPerBlock = 48 << 10,
                                    .regsPerBlock = 65536,
                                    .warpSize = 32,
                                    .memPitch = 0x7fffffff,
                                    .maxThreadsPerBlock = 1024,
                                    .maxThreadsDim = {1024, 1024, 64},
                                    .maxGridSize = {0x7fffffff, 65535, 65535},
                                    .totalConstMem = 65536,
                                    .major = fake.config.major,
                                    .minor = fake.config.minor,
                                    .textureAlignment = 512,
                                    .texturePitchAlignment = 32,
                                    .multiProcessorCount = PROCESSORS,
                                    .canMapHostMemory = 1,
                                    .concurrentKernels = 1,
                                    .pciBusID = bus_of(device),
                                    .asyncEngineCount = 2,
                                    .unifiedAddressing = 1,
                                    .memoryBusWidth = 256,
                                    .l2CacheSize = 1 << 20,
                                    .maxThreadsPerMultiProcessor = 2048,
                                    .sharedMemPerMultiprocessor = 100 << 10,
                                    .regsPerMultiprocessor = 65536,
                                    .computePreemptionSupported = 1,
                                    .canUseHostPointerForRegisteredMem = 1,
                                    .maxBlocksPerMultiProcessor = 16,
                                    .hostRegisterSupported = fake.config.pin,
                                    .hostRegisterReadOnlySupported = fake.config.pin,
                                    .hostNumaId = -1};
    if (fake.config.mig)
        snprintf(prop->name, sizeof prop->name, "Fake GPU MIG 1g.10gb");
    fill_uuid(&prop->uuid, device);
    return fake_leave(cudaSuccess);
}

static int attribute(enum cudaDeviceAttr attr, int device)
{
    switch ((int)attr) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: return 1024;
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxGridDimX: return 0x7fffffff;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock: return 48 << 10;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrClockRate: return 1000000;
    case cudaDevAttrMemoryClockRate: return 2000000;
    case cudaDevAttrGlobalMemoryBusWidth: return 256;
    case cudaDevAttrL2CacheSize: return 1 << 20;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrMultiProcessorCount: return PROCESSORS;
    case cudaDevAttrAsyncEngineCount: return 2;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem: return 1;
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrHostRegisterReadOnlySupported: return fake.config.pin;
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrComputeMode:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrTccDriver:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrGPUDirectRDMASupported:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrPciDeviceId: return 0;
    case cudaDevAttrPciBusId: return bus_of(device);
    case cudaDevAttrComputeCapabilityMajor: return fake.config.major;
    case cudaDevAttrComputeCapabilityMinor: return fake.config.minor;
    case cudaDevAttrHostNumaId: return -1;
    default: fake_finding("device attribute that is not modelled", "number %d", (int)attr);
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    cudaError_t status = known_device(fake_enter("cudaDeviceGetAttribute"), value, device);
    if (status == cudaSuccess)
        *value = attribute(attr, device);
    return fake_leave(status);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    cudaError_t status = known_device(fake_enter("cudaDeviceGetPCIBusId"), id, device);
    char text[16];
    if (status == cudaSuccess) {
        int needed = snprintf(text, sizeof text, "0000:%02X:00.0", (unsigned)bus_of(device) & 0xffU) + 1;
        if (needed > length)
            status = cudaErrorInvalidValue;
        else
            memcpy(id, text, (size_t)needed);
    }
    return fake_leave(status);
}

static cudaError_t version(const char *call, int *out)
{
    cudaError_t status = fake_enter(call);
    if (status == cudaErrorNoDevice) /* the libraries are there */
        status = cudaSuccess;
    if (status == cudaSuccess && out == NULL)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *out = VERSION;
    return fake_leave(status);
}

cudaError_t cudaRuntimeGetVersion(int *out)
{
    return version("cudaRuntimeGetVersion", out);
}

cudaError_t cudaDriverGetVersion(int *out)
{
    return version("cudaDriverGetVersion", out);
}

static const struct error {
    cudaError_t status;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

static const struct error *find_error(cudaError_t status)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].status == status)
            return &errors[i];
    return NULL;
}

const char *cudaGetErrorName(cudaError_t status)
{
    const struct error *e = find_error(status);
    return e != NULL ? e->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t status)
{
    const struct error *e = find_error(status);
    return e != NULL ? e->text : "unrecognized error code";
}
