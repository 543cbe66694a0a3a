/* A fake CUDA runtime library on host memory: the same header, the same symbols, no GPU.
 * It is a reading of CUDA's documentation that is independent of the code under test and as unkind as the
 * documentation allows: work runs as late as it may, device memory begins as garbage, and what CUDA
 * leaves undefined ends the process.
 *
 * A finding prints "fake cuda: WHAT (call, numbers)" and ends the process with status 86.
 * config.c says what it can be told. This file has the begin and end of each call and of the process;
 * memory.c, pool.c, copies.c, peers.c, execute.c (when work runs), streams.c (and events), blocks.c
 * (kernels), nvcc.c and device.c the rest.
 *
 * A kernel is a host function, or CUDA code that was compiled for the CPU (test/cuda-on-cpu). Weak at:
 * graphs, streams that synchronise with stream 0. One lock orders the threads more than CUDA would, which can
 * hide a race between host threads from the thread sanitizer. */
#include "fake.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FOUND = 86 };

struct fake fake;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool begun; /* guarded by the lock */

static _Thread_local struct {
    const char *call;
    int device;
    cudaError_t last;
    bool in_host_function;
} thread;

static void print_finding(const char *what, const char *call, const char *numbers, va_list list)
{
    char text[512];
    int n = snprintf(text, sizeof text, "fake cuda: %s (%s, ", what, call);
    size_t used = n > 0 ? (size_t)n : 0;
    if (used < sizeof text)
        vsnprintf(text + used, sizeof text - used, numbers, list);
    fprintf(stderr, "%s)\n", text); /* at once, so that lines of several threads or ranks stay whole */
    fflush(stderr);
}

_Noreturn void fake_finding(const char *what, const char *numbers, ...)
{
    va_list list;
    va_start(list, numbers);
    print_finding(what, thread.call != NULL ? thread.call : "at exit", numbers, list);
    va_end(list);
    _exit(FOUND);
}

static void begin_once(void)
{
    if (begun)
        return;
    begun = true;
    fake_config_read(&fake.config);
    for (int d = 0; d < FAKE_DEVICES; d++)
        fake.devices[d].legacy.device = d;
}

cudaError_t fake_enter(const char *call)
{
    if (thread.in_host_function) /* "must not make any CUDA API calls", cudaLaunchHostFunc */
        fake_finding("a CUDA call in a host function", "%s", call);
    fake_lock();
    thread.call = call;
    begin_once();
    if (fake.config.devices == 0)
        return cudaErrorNoDevice;
    return fake_config_fails(&fake.config, call);
}

cudaError_t fake_enter_device(const char *call)
{
    cudaError_t status = fake_enter(call);
    return status != cudaSuccess ? status : fake.devices[thread.device].sticky;
}

cudaError_t fake_leave(cudaError_t status)
{
    if (status != cudaSuccess)
        thread.last = status;
    fake_unlock();
    return status;
}

int fake_current(void)
{
    return thread.device;
}

/* The device becomes the current one also where it is refused because of its sticky error: the thread
 * has to be able to name it in what it releases. */
cudaError_t fake_set_current(int device)
{
    if (device < 0 || device >= fake.config.devices)
        return cudaErrorInvalidDevice;
    thread.device = device;
    return fake.devices[device].sticky;
}

void fake_lock(void)
{
    pthread_mutex_lock(&lock);
}

void fake_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void fake_wait(void)
{
    pthread_cond_wait(&changed, &lock);
}

void fake_wake(void)
{
    pthread_cond_broadcast(&changed);
}

void fake_run_host(cudaHostFn_t function, void *argument)
{
    thread.in_host_function = true;
    function(argument);
    thread.in_host_function = false;
}

double fake_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A sticky error is not cleared: cudaGetLastError gives it again and again. */
static cudaError_t last_error(bool reset)
{
    fake_lock();
    cudaError_t status = fake.devices[thread.device].sticky;
    if (status == cudaSuccess)
        status = thread.last;
    if (reset)
        thread.last = cudaSuccess;
    fake_unlock();
    return status;
}

cudaError_t cudaGetLastError(void)
{
    return last_error(true);
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error(false);
}

/* A process that ends owes everything back. Where a thread still runs work nothing is freed under it. */
__attribute__((destructor)) static void end(void)
{
    fake_lock();
    thread.call = NULL;
    if (fake.config.count)
        fake_memory_print_counts();
    int findings = fake_memory_leaks() + fake_streams_leaks();
    if (findings == 0 && fake_streams_free())
        fake_memory_free();
    fake_unlock();
    if (findings == 0)
        return;
    fflush(NULL);
    _exit(FOUND);
}
