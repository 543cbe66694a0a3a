/* The CUDA stand-in keeps its promises: devices, memory, what it finds, errors, what it is told. */
#ifndef WITH_CUDA_HEADERS
#include <stdio.h>
int main(void)
{
    puts("ok 1 - the CUDA stand-in # SKIP no CUDA headers\n1..1");
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
        EXPECT(strcmp(p[d].name, "Stand-in GPU"), 0);
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

static void memory_is_garbage_aligned_and_limited(void) /* 1 MiB */
{
    size_t unused = 0, total = 0;
    char *a = new_device(1000);
    void *b = new_device((1 << 20) - 2048), *c = NULL;
    EXPECT((uintptr_t)a % 256, 0);
    void *small[16];
    OK(cudaSetDevice(1));
    for (int i = 0; i < 16; i++) {
        small[i] = new_device(100);
        EXPECT((uintptr_t)small[i] % 256, 0);
    }
    for (int i = 0; i < 16; i++)
        OK(cudaFree(small[i]));
    OK(cudaSetDevice(0));
    unsigned char back[1000] = {0};
    OK(cudaMemcpy(back, a, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1000; i++)
        EXPECT(back[i], 0xff);
    OK(cudaMemGetInfo(&unused, &total));
    EXPECT(total, 1 << 20);
    EXPECT(unused, 1024);
    EXPECT(cudaMalloc(&c, 1025), cudaErrorMemoryAllocation);
    EXPECT(cudaMalloc(&c, SIZE_MAX), cudaErrorMemoryAllocation);
    OK(cudaMalloc(&c, 1024));
    OK(cudaSetDevice(1)); /* which has its own */
    void *d = new_device(1 << 20);
    OK(cudaFree(a)); /* from whatever device is current */
    OK(cudaFree(b));
    OK(cudaFree(c));
    OK(cudaFree(d));
    OK(cudaFree(NULL));
    OK(cudaMemGetInfo(&unused, &total));
    EXPECT(unused, total);
}

static void double_free(void)
{
    void *p = new_device(64);
    OK(cudaFree(p));
    cudaFree(p);
}

static pthread_barrier_t gate;

static void wait_at_the_gate(void *argument)
{
    (void)argument;
    pthread_barrier_wait(&gate);
}

static void *free_it(void *memory)
{
    cudaFree(memory);
    return NULL;
}

/* Both find it there, and wait for the device. */
static void freed_by_two_threads(void)
{
    void *p = new_device(64);
    pthread_t threads[2];
    EXPECT(pthread_barrier_init(&gate, NULL, 2), 0);
    OK(cudaLaunchHostFunc(NULL, wait_at_the_gate, NULL));
    for (int i = 0; i < 2; i++)
        EXPECT(pthread_create(&threads[i], NULL, free_it, p), 0);
    usleep(50000); /* so that both are there; it is a finding in any case */
    pthread_barrier_wait(&gate);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void free_of_the_middle(void)
{
    cudaFree((char *)new_device(64) + 8);
}

static void free_of_pinned_as_device(void)
{
    cudaFree(new_pinned(64));
}

static void free_of_device_as_pinned(void)
{
    cudaFreeHost(new_device(64));
}

static void copy_past_the_end(void)
{
    char host[65] = {0};
    cudaMemcpyAsync(new_device(64), host, sizeof host, cudaMemcpyHostToDevice, NULL);
}

static void copy_from_before_the_start(void)
{
    char host[16];
    cudaMemcpyAsync(host, (char *)new_device(64) - 8, sizeof host, cudaMemcpyDeviceToHost, NULL);
}

static void set_past_the_end(void)
{
    cudaMemsetAsync((char *)new_device(64) + 1, 0, 64, NULL);
}

static void copy_to_freed(void)
{
    char host[64] = {0};
    void *p = new_device(64);
    OK(cudaFree(p));
    cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, NULL);
}

static void host_copy_of_device_memory(void)
{
    void *a = new_device(64), *b = new_device(64);
    cudaMemcpyAsync(a, b, 64, cudaMemcpyHostToDevice, NULL);
}

static void device_copy_of_host_memory(void)
{
    void *host = new_pinned(64);
    cudaMemcpyAsync(host, new_device(64), 64, cudaMemcpyDeviceToDevice, NULL);
}

static void partly_registered(void)
{
    static char host[128];
    OK(cudaHostRegister(host, 64, cudaHostRegisterDefault));
    cudaMemcpyAsync(new_device(128), host + 32, 64, cudaMemcpyHostToDevice, NULL);
}

static void write_to_read_only(void)
{
    static char host[64];
    OK(cudaHostRegister(host, sizeof host, cudaHostRegisterReadOnly));
    cudaMemcpyAsync(host, new_device(64), 64, cudaMemcpyDeviceToHost, NULL);
}

static void overlapping_copy(void)
{
    char *p = new_device(64);
    cudaMemcpyAsync(p + 8, p, 32, cudaMemcpyDeviceToDevice, NULL);
}

static void memory_of_another_device(void)
{
    char host[64] = {0};
    void *p = new_device(64);
    OK(cudaSetDevice(1));
    cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, new_stream());
}

static void set_of_another_device(void)
{
    void *p = new_device(64);
    OK(cudaSetDevice(1));
    cudaMemset(p, 0, 64);
}

static void copies_between_devices(void)
{
    int *a = new_device(sizeof *a), value = 5, back = 0;
    OK(cudaMemcpy(a, &value, sizeof value, cudaMemcpyDefault));
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(1));
    int *b = new_device(sizeof *b);
    OK(cudaMemcpy(b, a, sizeof value, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(&back, b, sizeof value, cudaMemcpyDefault));
    EXPECT(back, 5);
    OK(cudaFree(a));
    OK(cudaFree(b));
}

static void unfinished_work_on_pinned(void)
{
    void *host = new_pinned(64);
    OK(cudaMemcpyAsync(new_device(64), host, 64, cudaMemcpyHostToDevice, new_stream()));
    cudaFreeHost(host);
}

static void unfinished_work_on_registered(void)
{
    static char host[64];
    OK(cudaHostRegister(host, sizeof host, 0));
    OK(cudaMemcpyAsync(host + 8, new_device(64), 8, cudaMemcpyDeviceToHost, new_stream()));
    cudaHostUnregister(host);
}

static void registration_has_rules(void)
{
    static char host[128];
    OK(cudaHostRegister(host, 64, cudaHostRegisterPortable));
    EXPECT(cudaHostRegister(host + 63, 2, 0), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT(cudaHostRegister(host, 64, 0), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostRegister(host + 64, 64, 0));
    EXPECT(cudaHostUnregister(host + 1), cudaErrorHostMemoryNotRegistered);
    EXPECT(cudaHostRegister(NULL, 64, 0), cudaErrorInvalidValue);
    EXPECT(cudaHostRegister(host, 0, 0), cudaErrorInvalidValue);
    OK(cudaHostUnregister(host));
    OK(cudaHostUnregister(host + 64));
    EXPECT(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
}

static void no_pinning(void)
{
    static char host[64];
    int value = 7;
    EXPECT(cudaHostRegister(host, sizeof host, 0), cudaErrorNotSupported);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrHostRegisterSupported, 0));
    EXPECT(value, 0);
}

static void leaks_device(void)
{
    new_device(64);
    new_device(36);
}

static void leaks_pinned(void)
{
    new_pinned(64);
}

static void leaks_registration(void)
{
    static char host[64];
    OK(cudaHostRegister(host, sizeof host, 0));
}

static void leaks_stream(void)
{
    new_stream();
}

static void leaks_event(void)
{
    new_event(0);
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

/* The second host function fails: what is behind it is dropped, on all streams of the device. */
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
    OK(cudaSetDevice(1)); /* the other device lives */
    OK(cudaFree(new_device(64)));
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
        CASE("device and error are the thread's own", device_and_error_are_the_threads_own, .told = "devices=2"),
        CASE("memory", memory_is_garbage_aligned_and_limited, .told = "devices=2,memory=1048576"),
        CASE("double free", double_free, .status = FOUND, .output = "not a live device allocation (cudaFree"),
        CASE("freed by two threads", freed_by_two_threads, .status = FOUND, .output = "free of what"),
        CASE("free of the middle", free_of_the_middle, .status = FOUND, .output = "not a live device allocation"),
        CASE("pinned as device", free_of_pinned_as_device, .status = FOUND, .output = "not a live device allocation"),
        CASE("device as pinned", free_of_device_as_pinned, .status = FOUND, .output = "not live pinned memory"),
        CASE("copy past the end", copy_past_the_end, .status = FOUND, .output = "not inside its allocation"),
        CASE("copy before", copy_from_before_the_start, .status = FOUND, .output = "not inside its allocation"),
        CASE("set past the end", set_past_the_end, .status = FOUND, .output = "not inside its allocation"),
        CASE("copy to freed", copy_to_freed, .status = FOUND, .output = "outside every live allocation"),
        CASE("wrong source", host_copy_of_device_memory, .status = FOUND, .output = "wrong direction: device"),
        CASE("wrong target", device_copy_of_host_memory, .status = FOUND, .output = "wrong direction: host"),
        CASE("partly registered", partly_registered, .status = FOUND, .output = "only partly"),
        CASE("write to read-only", write_to_read_only, .status = FOUND, .output = "read-only"),
        CASE("overlap", overlapping_copy, .status = FOUND, .output = "overlapping"),
        CASE("other device's memory", memory_of_another_device, .told = "devices=2", .status = FOUND,
             .output = "copy in a stream of another device"),
        CASE("set of another device", set_of_another_device, .told = "devices=2", .status = FOUND,
             .output = "set in a stream of another device"),
        CASE("copies between devices", copies_between_devices, .told = "devices=2"),
        CASE("pinned in use", unfinished_work_on_pinned, .status = FOUND, .output = "unfinished work uses (cudaFreeHost"),
        CASE("registered in use", unfinished_work_on_registered, .status = FOUND,
             .output = "unfinished work uses (cudaHostUnregister, 64 bytes"),
        CASE("registration", registration_has_rules, .told = NULL),
        CASE("pin=no", no_pinning, .told = "pin=no"),
        CASE("leak of device memory", leaks_device, .status = FOUND,
             .output = "device memory never freed (at exit, 2 blocks, 100 bytes)"),
        CASE("leak of pinned memory", leaks_pinned, .status = FOUND, .output = "pinned host memory never freed"),
        CASE("leak of registration", leaks_registration, .status = FOUND, .output = "never unregistered"),
        CASE("leak of stream", leaks_stream, .status = FOUND, .output = "streams never destroyed"),
        CASE("leak of event", leaks_event, .status = FOUND, .output = "events never destroyed"),
        CASE("last error", last_error_is_kept_until_asked, .told = NULL),
        CASE("sticky error", failing_kernel_is_sticky, .told = "fail=kernel:2,devices=2"),
        CASE("failing calls", the_third_call_fails, .told = "fail=cudaMalloc:3,fail=cudaFree:1"),
        CASE("handles of nothing", handles_of_nothing, .told = NULL),
        CASE("destroyed stream", destroyed_stream, .status = FOUND, .output = "stream used after it was destroyed"),
        CASE("destroyed event", destroyed_event, .status = FOUND, .output = "event used after it was destroyed"),
        CASE("invented stream", invented_stream, .status = FOUND, .output = "no such stream"),
        CASE("blocking stream", blocking_stream, .status = FOUND, .output = "a blocking stream is not modelled"),
        CASE("CUDA in a host function", cuda_in_a_host_function, .status = FOUND, .output = "CUDA call in a host function"),
        CASE("unknown key", any_call, .told = "device=2", .status = FOUND, .output = "unknown key"),
        CASE("unknown call", any_call, .told = "fail=cudaMaloc:1", .status = FOUND, .output = "not understood"),
        CASE("bad number", any_call, .told = "memory=1G", .status = FOUND, .output = "not understood"),
        CASE("kernels load but do not run", kernels_load_but_do_not_run, .told = NULL),
    };
    if (argc == 2)
        return run_case(tests, sizeof tests / sizeof tests[0], argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
