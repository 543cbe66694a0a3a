/* The fake CUDA runtime keeps its promises about memory: what may be used how, what is left at the end. */
#ifndef WITH_CUDA_HEADERS
#include <stdio.h>
int main(void)
{
    puts("ok 1 - memory of the fake CUDA runtime # SKIP no CUDA headers\n1..1");
    return 0;
}
#else
#include "cases.h"

#include <pthread.h>

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

static size_t left(void)
{
    size_t free_bytes = 0, total = 0;
    OK(cudaMemGetInfo(&free_bytes, &total));
    return free_bytes;
}

/* Memory of the pool is given back at a wait, beyond the threshold. */
static void pool_keeps_up_to_its_threshold(void)
{
    const size_t all = left();
    uint64_t threshold = 1024;
    cudaStream_t s = new_stream();
    cudaMemPool_t pool = NULL;
    unsigned char *p = NULL, first = 0;
    OK(cudaMallocAsync((void **)&p, 4096, s));
    OK(cudaMemcpyAsync(&first, p + 4095, 1, cudaMemcpyDeviceToHost, s));
    OK(cudaFreeAsync(p, s));
    EXPECT(all - left(), 4096); /* the stream has not come to it */
    OK(cudaStreamSynchronize(s));
    EXPECT(first, 0xff);
    EXPECT(all - left(), 0);
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMallocAsync((void **)&p, 4096, s));
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(all - left(), 1024);
    OK(cudaMallocAsync((void **)&p, 512, s)); /* from what it has */
    EXPECT(all - left(), 1024);
    OK(cudaMemPoolTrimTo(pool, 0));
    EXPECT(all - left(), 512);
    OK(cudaDeviceSynchronize());
    OK(cudaFree(p));
    OK(cudaMemPoolTrimTo(pool, 0));
    EXPECT(all - left(), 0);
    EXPECT(cudaMallocAsync((void **)&p, all + 1, s), cudaErrorMemoryAllocation);
    EXPECT(cudaMallocAsync((void **)&p, 0, s), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(s));
}

static void use_after_free_async(void)
{
    cudaStream_t s = new_stream();
    void *p = NULL;
    OK(cudaMallocAsync(&p, 64, s));
    OK(cudaFreeAsync(p, s));
    cudaMemsetAsync(p, 0, 64, s);
}

static void double_free_async(void)
{
    cudaStream_t s = new_stream();
    void *p = NULL;
    OK(cudaMallocAsync(&p, 64, s));
    OK(cudaFreeAsync(p, s));
    cudaFreeAsync(p, s);
}

static void leaks_of_a_pool(void)
{
    cudaStream_t s = new_stream();
    void *p = NULL;
    OK(cudaMallocAsync(&p, 64, s));
    OK(cudaStreamDestroy(s));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE("memory", memory_is_garbage_aligned_and_limited, .told = "devices=2,memory=1048576"),
        CASE("double free", double_free, .status = FOUND, .output = "not a live device allocation (cudaFree"),
        CASE("freed by two threads", freed_by_two_threads, .status = FOUND, .output = "free of what"),
        CASE("free of the middle", free_of_the_middle, .status = FOUND,
             .output = "not a live device allocation"),
        CASE("pinned as device", free_of_pinned_as_device, .status = FOUND,
             .output = "not a live device allocation"),
        CASE("device as pinned", free_of_device_as_pinned, .status = FOUND,
             .output = "not live pinned memory"),
        CASE("copy past the end", copy_past_the_end, .status = FOUND, .output = "not inside its allocation"),
        CASE("copy before", copy_from_before_the_start, .status = FOUND,
             .output = "not inside its allocation"),
        CASE("set past the end", set_past_the_end, .status = FOUND, .output = "not inside its allocation"),
        CASE("copy to freed", copy_to_freed, .status = FOUND, .output = "outside every live allocation"),
        CASE("wrong source", host_copy_of_device_memory, .status = FOUND, .output = "direction: device"),
        CASE("wrong target", device_copy_of_host_memory, .status = FOUND, .output = "wrong direction: host"),
        CASE("partly registered", partly_registered, .status = FOUND, .output = "only partly"),
        CASE("write to read-only", write_to_read_only, .status = FOUND, .output = "read-only"),
        CASE("overlap", overlapping_copy, .status = FOUND, .output = "overlapping"),
        CASE("other device's memory", memory_of_another_device, .told = "devices=2", .status = FOUND,
             .output = "copy in a stream of another device"),
        CASE("set of another device", set_of_another_device, .told = "devices=2", .status = FOUND,
             .output = "set in a stream of another device"),
        CASE("copies between devices", copies_between_devices, .told = "devices=2"),
        CASE("pinned in use", unfinished_work_on_pinned, .status = FOUND,
             .output = "unfinished work uses (cudaFreeHost"),
        CASE("registered in use", unfinished_work_on_registered, .status = FOUND,
             .output = "unfinished work uses (cudaHostUnregister, 64 bytes"),
        CASE("registration", registration_has_rules, .told = NULL),
        CASE("pin=no", no_pinning, .told = "pin=no"),
        CASE("pool", pool_keeps_up_to_its_threshold, .told = NULL),
        CASE("use after cudaFreeAsync", use_after_free_async, .status = FOUND,
             .output = "used after it was freed in a stream"),
        CASE("double cudaFreeAsync", double_free_async, .status = FOUND,
             .output = "allocation (cudaFreeAsync"),
        CASE("leak of a pool", leaks_of_a_pool, .status = FOUND, .output = "device memory never freed"),
        CASE("leak of device memory", leaks_device, .status = FOUND,
             .output = "device memory never freed (at exit, 2 blocks, 100 bytes)"),
        CASE("leak of pinned memory", leaks_pinned, .status = FOUND,
             .output = "pinned host memory never freed"),
        CASE("leak of registration", leaks_registration, .status = FOUND, .output = "never unregistered"),
        CASE("leak of stream", leaks_stream, .status = FOUND, .output = "streams never destroyed"),
        CASE("leak of event", leaks_event, .status = FOUND, .output = "events never destroyed"),
    };
    if (argc == 2)
        return run_case(tests, sizeof tests / sizeof tests[0], argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
