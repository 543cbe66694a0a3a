/* The fake CUDA runtime keeps its promises about devices, errors, handles, and what it is told. */
#ifndef WITH_CUDA_HEADERS
#include <stdio.h>
int main(void)
{
    puts("ok 1 - devices of the fake CUDA runtime # SKIP no CUDA headers\n1..1");
    return 0;
}
#else
#include "cases.h"

#include <pthread.h>

static void nothing(void *argument)
{
    (void)argument;
}

static void devices_are_distinct(void)
{
    int count = 0, value = 0;
    OK(cudaGetDeviceCount(&count));
    EXPECT(count, 3);
    struct cudaDeviceProp p[3];
    char bus[3][16];
    for (int d = 0; d < 3; d++) {
        OK(cudaGetDeviceProperties(&p[d], d));
        OK(cudaDeviceGetPCIBusId(bus[d], 16, d));
        EXPECT(strcmp(p[d].name, "Fake GPU"), 0);
        EXPECT(p[d].totalGlobalMem, 1 << 30);
        EXPECT(strlen(bus[d]), 12);
        unsigned number = 0;
        EXPECT(sscanf(bus[d], "0000:%x:00.0", &number), 1);
        EXPECT(number, p[d].pciBusID);
        for (int e = 0; e < d; e++) {
            EXPECT(memcmp(&p[d].uuid, &p[e].uuid, sizeof p[d].uuid) == 0, 0);
            EXPECT(strcmp(bus[d], bus[e]) == 0, 0);
        }
    }
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 2));
    EXPECT(value, 9);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrHostRegisterSupported, 2));
    EXPECT(value, 1);
    EXPECT(cudaDeviceGetPCIBusId(bus[0], 12, 0), cudaErrorInvalidValue);
    EXPECT(cudaGetDeviceProperties(&p[0], 3), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1), cudaErrorInvalidDevice);
    OK(cudaRuntimeGetVersion(&value));
    EXPECT(value, CUDART_VERSION);
}

static void capability(void)
{
    struct cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    EXPECT(p.major * 10 + p.minor, 86);
}

static void no_device(void)
{
    int count = 7;
    void *p = NULL;
    EXPECT(cudaGetDeviceCount(&count), cudaErrorNoDevice);
    EXPECT(count, 0);
    EXPECT(cudaMalloc(&p, 1), cudaErrorNoDevice);
    EXPECT(cudaSetDevice(0), cudaErrorNoDevice);
    OK(cudaDriverGetVersion(&count));
}

static void only_visible_devices(void) /* 2,0 of 3 */
{
    int count = 0;
    OK(cudaGetDeviceCount(&count));
    EXPECT(count, 2);
    char id[16];
    OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    EXPECT(strcmp(id, "0000:38:00.0"), 0);
    OK(cudaDeviceGetPCIBusId(id, sizeof id, 1));
    EXPECT(strcmp(id, "0000:1A:00.0"), 0);
}

static void *is_on_device_0(void *unused)
{
    int device = 7;
    OK(cudaGetDevice(&device));
    EXPECT(device, 0);
    EXPECT(cudaGetLastError(), cudaSuccess);
    return unused;
}

static void device_and_error_are_the_threads_own(void)
{
    int device = 7;
    OK(cudaSetDevice(1));
    EXPECT(cudaSetDevice(2), cudaErrorInvalidDevice);
    pthread_t other;
    EXPECT(pthread_create(&other, NULL, is_on_device_0, NULL), 0);
    pthread_join(other, NULL);
    OK(cudaGetDevice(&device));
    EXPECT(device, 1);
    EXPECT(cudaGetLastError(), cudaErrorInvalidDevice);
}

static void last_error_is_kept_until_asked(void)
{
    void *p = NULL;
    EXPECT(cudaGetLastError(), cudaSuccess);
    EXPECT(cudaMalloc(&p, SIZE_MAX), cudaErrorMemoryAllocation);
    OK(cudaFree(NULL)); /* success does not cover it */
    EXPECT(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError(), cudaSuccess);
    EXPECT(strcmp(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady"), 0);
    EXPECT(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"), 0);
    EXPECT(cudaMemcpyAsync(&p, &p, 1, (enum cudaMemcpyKind)9, NULL), cudaErrorInvalidMemcpyDirection);
}

static void count(void *argument)
{
    ++*(int *)argument;
}

/* The second host function fails: what is behind it is dropped, on all streams. */
static void failing_kernel_is_sticky(void)
{
    static char host[64];
    int ran = 0;
    void *d = new_device(64), *p = NULL, *pinned = new_pinned(64);
    cudaStream_t s = new_stream(), t = new_stream();
    cudaEvent_t e = new_event(0);
    OK(cudaHostRegister(host, sizeof host, 0));
    for (int i = 0; i < 3; i++)
        OK(cudaLaunchHostFunc(s, count, &ran));
    OK(cudaLaunchHostFunc(t, count, &ran));
    OK(cudaMemcpyAsync(pinned, d, 64, cudaMemcpyDeviceToHost, t));
    OK(cudaEventRecord(e, s));
    EXPECT(cudaEventSynchronize(e), cudaErrorIllegalAddress);
    EXPECT(ran, 1);
    for (int i = 0; i < 2; i++)
        EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT(cudaStreamSynchronize(t), cudaErrorIllegalAddress);
    EXPECT(ran, 1);
    EXPECT(cudaEventQuery(e), cudaErrorIllegalAddress);
    EXPECT(cudaMalloc(&p, 1), cudaErrorIllegalAddress);
    EXPECT(cudaMemsetAsync(d, 0, 1, s), cudaErrorIllegalAddress);
    EXPECT(cudaMemcpyAsync(d, host, 1, cudaMemcpyHostToDevice, s), cudaErrorIllegalAddress);
    EXPECT(cudaLaunchHostFunc(s, count, &ran), cudaErrorIllegalAddress);
    EXPECT(cudaEventRecord(e, s), cudaErrorIllegalAddress);
    EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT(cudaFree(d), cudaErrorIllegalAddress); /* and it is gone, as are the rest */
    EXPECT(cudaFreeHost(pinned), cudaErrorIllegalAddress);
    EXPECT(cudaHostUnregister(host), cudaErrorIllegalAddress);
    EXPECT(cudaStreamDestroy(s), cudaErrorIllegalAddress);
    EXPECT(cudaStreamDestroy(t), cudaErrorIllegalAddress);
    EXPECT(cudaEventDestroy(e), cudaErrorIllegalAddress);
    EXPECT(cudaSetDevice(1), cudaErrorIllegalAddress); /* all devices are lost to the process */
    EXPECT(cudaMalloc(&p, 64), cudaErrorIllegalAddress);
    EXPECT(cudaSetDevice(0), cudaErrorIllegalAddress);
}

static void the_third_call_fails(void)
{
    void *a = new_device(1), *b = new_device(1), *c = NULL;
    EXPECT(cudaMalloc(&c, 1), cudaErrorMemoryAllocation);
    OK(cudaMalloc(&c, 1));
    EXPECT(cudaFree(a), cudaErrorLaunchFailure); /* but given back */
    OK(cudaFree(b));
    OK(cudaFree(c));
}

static void handles_of_nothing(void)
{
    float ms = 0.0f;
    cudaEvent_t e = new_event(0);
    cudaStream_t s = NULL;
    EXPECT(cudaEventRecord(NULL, NULL), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventQuery(NULL), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventSynchronize(NULL), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventDestroy(NULL), cudaErrorInvalidResourceHandle);
    EXPECT(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
    EXPECT(cudaStreamWaitEvent(NULL, NULL, 0), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventElapsedTime(&ms, e, NULL), cudaErrorInvalidResourceHandle);
    EXPECT(cudaLaunchHostFunc(NULL, NULL, NULL), cudaErrorInvalidValue);
    EXPECT(cudaStreamCreateWithFlags(&s, 8), cudaErrorInvalidValue);
    OK(cudaEventDestroy(e));
}

static void destroyed_stream(void)
{
    cudaStream_t s = new_stream();
    OK(cudaStreamDestroy(s));
    cudaStreamSynchronize(s);
}

static void destroyed_event(void)
{
    cudaEvent_t e = new_event(0);
    OK(cudaEventDestroy(e));
    cudaEventDestroy(e);
}

static void invented_stream(void)
{
    static char memory[256];
    cudaStreamSynchronize((cudaStream_t)(void *)memory);
}

static void blocking_stream(void)
{
    cudaStream_t s = NULL;
    cudaStreamCreateWithFlags(&s, cudaStreamDefault);
}

static void call_cuda(void *argument)
{
    cudaFree(argument);
}

static void cuda_in_a_host_function(void)
{
    OK(cudaLaunchHostFunc(NULL, call_cuda, NULL));
    cudaDeviceSynchronize();
}

/* Access is enabled in one direction, by the device that is current. */
static void copies_between_devices(void)
{
    int can = 0;
    char in[64] = "by way of no host", out[64] = "";
    char *from = new_device(64);
    OK(cudaMemcpy(from, in, 64, cudaMemcpyHostToDevice));
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(1));
    char *to = new_device(64);
    cudaStream_t s = new_stream();
    OK(cudaDeviceCanAccessPeer(&can, 1, 0));
    EXPECT(can, 1);
    OK(cudaDeviceCanAccessPeer(&can, 1, 1));
    EXPECT(can, 0);
    EXPECT(cudaDeviceCanAccessPeer(&can, 1, 2), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceEnablePeerAccess(2, 0), cudaErrorInvalidDevice);
    OK(cudaDeviceEnablePeerAccess(0, 0));
    EXPECT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
    OK(cudaMemcpyPeerAsync(to, 1, from, 0, 64, s));
    OK(cudaMemcpyAsync(out, to, 64, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(strcmp(in, out), 0);
    OK(cudaStreamDestroy(s));
    OK(cudaFree(to));
    OK(cudaFree(from));
}

static void devices_that_are_apart(void)
{
    int can = 1;
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT(can, 0);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
}

static void copy_without_access(void)
{
    char *to = new_device(64);
    OK(cudaSetDevice(1));
    OK(cudaDeviceEnablePeerAccess(0, 0)); /* the other direction */
    char *from = new_device(64);
    OK(cudaSetDevice(0));
    cudaMemcpyPeerAsync(to, 0, from, 1, 64, new_stream());
}

static void copy_of_another_device_s_memory(void)
{
    char *to = new_device(64), *from = new_device(64);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    cudaMemcpyPeerAsync(to, 0, from, 1, 64, new_stream());
}

static void free_under_a_copy(void)
{
    char *to = new_device(64);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    OK(cudaSetDevice(1));
    char *from = new_device(64);
    OK(cudaSetDevice(0));
    OK(cudaMemcpyPeerAsync(to, 0, from, 1, 64, new_stream()));
    cudaFree(from);
}

static void any_call(void)
{
    int count = 0;
    cudaGetDeviceCount(&count);
}

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

static void kernels_load_but_do_not_run(void)
{
    void **handle = __cudaRegisterFatBinary(NULL);
    EXPECT(handle != NULL, 1);
    EXPECT(__cudaInitModule(handle), 1);
    __cudaRegisterFatBinaryEnd(handle);
    cudaStream_t s = new_stream(), got = NULL;
    dim3 grid = {3, 2, 1}, block = {64, 1, 1};
    size_t shared = 0;
    EXPECT(__cudaPushCallConfiguration(grid, block, 12, s), 0);
    memset(&grid, 0, sizeof grid);
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, (void *)&got));
    EXPECT(got == s && shared == 12 && grid.x == 3 && grid.y == 2 && block.x == 64, 1);
    EXPECT(cudaLaunchKernel((const void *)"k", grid, block, NULL, shared, s), cudaErrorInvalidDeviceFunction);
    EXPECT(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
    OK(cudaLaunchHostFunc(s, nothing, NULL));
    OK(cudaStreamSynchronize(s));
    OK(cudaStreamDestroy(s));
    __cudaUnregisterFatBinary(handle);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE("devices are distinct", devices_are_distinct, .told = "devices=3"),
        CASE("capability", capability, .told = "capability=8.6"),
        CASE("no device", no_device, .told = "devices=0"),
        CASE("no visible device", no_device, .visible = ""),
        CASE("only visible devices", only_visible_devices, .told = "devices=3", .visible = "2,0,5,1"),
        CASE("device and error are the thread's own", device_and_error_are_the_threads_own,
             .told = "devices=2"),
        CASE("last error", last_error_is_kept_until_asked, .told = NULL),
        CASE("sticky error", failing_kernel_is_sticky, .told = "fail=kernel:2,devices=2"),
        CASE("failing calls", the_third_call_fails, .told = "fail=cudaMalloc:3,fail=cudaFree:1"),
        CASE("handles of nothing", handles_of_nothing, .told = NULL),
        CASE("destroyed stream", destroyed_stream, .status = FOUND,
             .output = "stream used after it was destroyed"),
        CASE("destroyed event", destroyed_event, .status = FOUND,
             .output = "event used after it was destroyed"),
        CASE("invented stream", invented_stream, .status = FOUND, .output = "no such stream"),
        CASE("blocking stream", blocking_stream, .status = FOUND,
             .output = "a blocking stream is not modelled"),
        CASE("CUDA in a host function", cuda_in_a_host_function, .status = FOUND,
             .output = "CUDA call in a host function"),
        CASE("copies between devices", copies_between_devices, .told = "devices=2"),
        CASE("devices that are apart", devices_that_are_apart, .told = "devices=2,peers=no"),
        CASE("copy without access", copy_without_access, .told = "devices=2", .status = FOUND,
             .output = "without access"),
        CASE("copy of another device's memory", copy_of_another_device_s_memory, .told = "devices=2",
             .status = FOUND, .output = "do not have the memory"),
        CASE("free of what another device still copies", free_under_a_copy, .told = "devices=2",
             .status = FOUND, .output = "that unfinished work uses"),
        CASE("unknown key", any_call, .told = "device=2", .status = FOUND, .output = "unknown key"),
        CASE("unknown call", any_call, .told = "fail=cudaMaloc:1", .status = FOUND,
             .output = "not understood"),
        CASE("bad number", any_call, .told = "memory=1G", .status = FOUND, .output = "not understood"),
        CASE("kernels load but do not run", kernels_load_but_do_not_run, .told = NULL),
    };
    if (argc == 2)
        return run_case(tests, sizeof tests / sizeof tests[0], argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
