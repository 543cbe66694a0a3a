/* plain: what the first GPU does with a job without plbrun's help. For the job of a conf file (and settings,
 * as for plbrun): the seconds of one call of its cuda entry over all units with all data on the device, and
 * of copying all inputs in and all results out from pinned memory, at once in two streams and alone; the
 * median of five, after one that does not count. Or, with --keep-busy SECONDS as the first argument, calls it
 * for so long.
 *
 *     plain app.conf matmul.rows=16384        kernel_s 0.1761 copy_s 0.0391 bytes 2147483648
 *
 * plain --hold BYTES, with no job, takes all of the GPU's memory but so much, says so, and keeps it until
 * killed.
 *
 * plain --pin BYTES, with no job, prints the seconds of locking the pages of so much host memory, of a copy
 * of it to the GPU then, and of one before. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/dataset.h"
#include "app/phase.h"
#include "app/reduce.h"
#include "base/clock.h"
#include "device/cuda/library.h"
#include "job/job.h"

#define TIMES 5

static void must(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "plain: %s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

struct plain {
    struct plb_dataset set;
    struct plb_phase phase;
    void *device[PLB_MAX_DATA];
    size_t bytes[PLB_MAX_DATA];
    cudaStream_t in, out;
};

static void allocate(struct plain *p)
{
    size_t offset;
    for (int i = 0; i < p->set.n; i++) {
        plb_dataset_bytes(&p->set, i, (struct plb_range){0, p->set.units}, &offset, &p->bytes[i]);
        must(cudaMalloc(&p->device[i], p->bytes[i] + 1), "device memory for a whole buffer");
        if (p->set.at[i].mode == PLB_REDUCE)
            plb_reduce_clear(&p->set.at[i], p->set.host[i]);
        must(cudaMemcpy(p->device[i], p->set.host[i], p->bytes[i], cudaMemcpyHostToDevice), "first copy");
        if (cudaHostRegister(p->set.host[i], p->bytes[i], cudaHostRegisterDefault) != cudaSuccess)
            cudaGetLastError(); /* a small one, beside another */
    }
}

static void release(struct plain *p)
{
    for (int i = 0; i < p->set.n; i++) {
        cudaFree(p->device[i]);
        if (cudaHostUnregister(p->set.host[i]) != cudaSuccess)
            cudaGetLastError();
    }
    cudaStreamDestroy(p->in);
    cudaStreamDestroy(p->out);
}

static double call(const struct plain *p)
{
    struct plb_task task = {.first = 0,
                            .count = p->set.units,
                            .data = p->device,
                            .bytes = p->bytes,
                            .args = p->set.args_bytes > 0 ? p->set.args : NULL,
                            .stream = p->in,
                            .threads = 1};
    cudaEvent_t begun, ended;
    float ms;
    must(cudaEventCreateWithFlags(&begun, cudaEventDefault), "event");
    must(cudaEventCreateWithFlags(&ended, cudaEventDefault), "event");
    must(cudaEventRecord(begun, p->in), "event");
    int status = p->phase.cuda(&task);
    if (status != 0) {
        fprintf(stderr, "plain: the entry returned %d\n", status);
        exit(1);
    }
    must(cudaEventRecord(ended, p->in), "event");
    must(cudaEventSynchronize(ended), "the kernel");
    must(cudaEventElapsedTime(&ms, begun, ended), "time");
    cudaEventDestroy(begun);
    cudaEventDestroy(ended);
    return (double)ms * 1e-3;
}

static double copy(const struct plain *p)
{
    must(cudaDeviceSynchronize(), "the device");
    double began = plb_now();
    for (int i = 0; i < p->set.n; i++) {
        if (plb_data_is_partitioned(&p->set.at[i]))
            must(cudaMemcpyAsync(p->device[i], p->set.host[i], p->bytes[i], cudaMemcpyHostToDevice, p->in),
                 "copy in");
        if (plb_data_is_result(&p->set.at[i]))
            must(cudaMemcpyAsync(p->set.host[i], p->device[i], p->bytes[i], cudaMemcpyDeviceToHost, p->out),
                 "copy out");
    }
    must(cudaStreamSynchronize(p->in), "copy in");
    must(cudaStreamSynchronize(p->out), "copy out");
    return plb_now() - began;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const struct plain *p, double (*measure)(const struct plain *))
{
    double seconds[TIMES];
    measure(p);
    for (int i = 0; i < TIMES; i++)
        seconds[i] = measure(p);
    qsort(seconds, TIMES, sizeof *seconds, ascending);
    return seconds[TIMES / 2];
}

static void measure(struct plain *p, double busy)
{
    double began = plb_now(), bytes = 0.0;
    must(cudaStreamCreateWithFlags(&p->in, cudaStreamNonBlocking), "stream");
    must(cudaStreamCreateWithFlags(&p->out, cudaStreamNonBlocking), "stream");
    allocate(p);
    if (busy > 0.0) {
        while (plb_now() - began < busy)
            call(p);
        return;
    }
    for (int i = 0; i < p->set.n; i++)
        bytes += p->set.at[i].mode != PLB_REPLICATE ? (double)p->bytes[i] : 0.0;
    double kernel = median(p, call);
    printf("kernel_s %.6f copy_s %.6f bytes %.0f\n", kernel, median(p, copy), bytes);
}

static _Noreturn void hold(double spare)
{
    size_t left, total;
    void *memory;
    must(cudaMemGetInfo(&left, &total), "free memory");
    if ((double)left > spare)
        must(cudaMalloc(&memory, left - (size_t)spare), "what is to be held");
    must(cudaMemGetInfo(&left, &total), "free memory");
    printf("held: %zu of %zu bytes are free\n", left, total);
    fflush(stdout);
    for (;;)
        pause();
}

/* Seconds of a copy of host memory to the GPU. */
static double copy_in(void *device, const void *host, size_t bytes)
{
    must(cudaDeviceSynchronize(), "the device");
    double began = plb_now();
    must(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy in");
    must(cudaDeviceSynchronize(), "copy in");
    return plb_now() - began;
}

static int pin(size_t bytes)
{
    char *host = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    void *device = NULL;
    if (host == NULL) {
        fprintf(stderr, "plain: the host has no memory left\n");
        return 1;
    }
    memset(host, 1, bytes);
    must(cudaMalloc(&device, bytes), "device memory");
    copy_in(device, host, bytes);
    double pageable = copy_in(device, host, bytes), began = plb_now();
    must(cudaHostRegister(host, bytes, cudaHostRegisterDefault), "page locks");
    double lock = plb_now() - began;
    copy_in(device, host, bytes);
    printf("pin_s %.6f copy_s %.6f pageable_s %.6f\n", lock, copy_in(device, host, bytes), pageable);
    must(cudaHostUnregister(host), "page locks");
    cudaFree(device);
    free(host);
    return 0;
}

int main(int argc, char **argv)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_job job = {0};
    struct plain p = {.set = {.on_rank0 = true}};
    bool keep_busy = argc > 2 && strcmp(argv[1], "--keep-busy") == 0;
    int first = keep_busy ? 3 : 1;
    const char *why;
    if (argc <= first) {
        fprintf(stderr, "usage: plain [--keep-busy SECONDS] app.conf [section.key=value ...]\n       plain "
                        "--hold BYTES\n       plain --pin BYTES\n");
        return 2;
    }
    if (plb_cuda_count(&why) == 0) {
        fprintf(stderr, "plain: %s\n", why);
        return 1;
    }
    if (strcmp(argv[1], "--hold") == 0 && argc == 3)
        hold(atof(argv[2]));
    if (strcmp(argv[1], "--pin") == 0 && argc == 3)
        return pin((size_t)atof(argv[2]));
    if (plb_job_read(&job, argv[first], argv + first + 1, argc - first - 1, NULL, 1, &err) == PLB_OK
        && plb_job_setup(&job, false, &err) == PLB_OK) {
        plb_dataset_describe(&p.set, &job.app);
        p.phase = plb_phase_at(job.kernel, 0);
        if (p.phase.cuda == NULL)
            plb_fail(&err, PLB_EINPUT, "kernel %s has no cuda entry", job.kernel->name);
        else
            measure(&p, keep_busy ? atof(argv[2]) : 0.0);
        release(&p);
    }
    if (err.status != PLB_OK)
        fprintf(stderr, "plain: %s\n", err.text);
    plb_job_fini(&job);
    return err.status;
}
