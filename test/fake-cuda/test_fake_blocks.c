/* Kernels that were compiled for the CPU run as on a GPU: turns of threads, barriers, shared memory, launches
 * that a device refuses. And our own kernels where a block takes several options, which no run of the tests
 * is large enough for (test/system/test_cuda_kernels.sh has those). */
#ifndef WITH_CUDA_HEADERS
#include <stdio.h>
int main(void)
{
    puts("ok 1 - kernels on the CPU # SKIP no CUDA headers\n1..1");
    return 0;
}
#else
#include "cases.h"

#include <dlfcn.h>
#include <libgen.h>
#include <math.h>

#include "plb/kernel.h"

enum { THREADS = 96 };

static void *function_of(const char *library, const char *name)
{
    char path[4096] = "", all[4200];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    EXPECT(n > 0, true);
    snprintf(all, sizeof all, "%s/../cuda-on-cpu/%s.cuda.so", dirname(path), library);
    void *opened = dlopen(all, RTLD_NOW);
    if (opened == NULL)
        fprintf(stderr, "%s\n", dlerror());
    void *found = opened != NULL ? dlsym(opened, name) : NULL;
    EXPECT(found != NULL, true);
    return found;
}

/* Launches a kernel of blocks.cu, with `count` numbers that begin as 0; returns the error that is left. */
static cudaError_t launch(const char *name, int *numbers, size_t count)
{
    void (*call)(cudaStream_t, int *);
    void *found = function_of("blocks", name);
    memcpy(&call, &found, sizeof call);
    const size_t bytes = count * sizeof *numbers;
    int *on_device = new_device(bytes);
    cudaStream_t s = new_stream();
    OK(cudaMemsetAsync(on_device, 0, bytes, s));
    call(s, on_device);
    cudaError_t error = cudaGetLastError();
    cudaMemcpyAsync(numbers, on_device, bytes, cudaMemcpyDeviceToHost, s);
    cudaError_t later = cudaStreamSynchronize(s);
    cudaFree(on_device);
    cudaStreamDestroy(s);
    return error == cudaSuccess ? later : error;
}

static void turns_are_random_and_repeatable(void)
{
    int turn[2][2 * THREADS];
    for (int run = 0; run < 2; run++) {
        OK(launch("launch_take_turns", turn[run], 2 * THREADS));
        for (int block = 0; block < 2; block++) {
            bool ran[THREADS] = {false};
            int in_order = 0;
            for (int i = 0; i < THREADS; i++) {
                int thread = turn[run][block * THREADS + i];
                EXPECT(thread >= 0 && thread < THREADS && !ran[thread], true);
                ran[thread] = true;
                in_order += thread == i;
            }
            EXPECT(in_order < THREADS / 4, true);
        }
    }
    EXPECT(memcmp(turn[0], turn[1], sizeof turn[0]), 0);
    EXPECT(memcmp(turn[0], turn[0] + THREADS, sizeof turn[0] / 2) == 0, false);
}

static void threads_add_up(void)
{
    int sums[4];
    OK(launch("launch_add_up", sums, 4));
    EXPECT(sums[0], THREADS * (THREADS - 1) / 2);
    EXPECT(sums[1], THREADS * (THREADS - 1) / 2);
    EXPECT(sums[2], -1); /* garbage */
    EXPECT(sums[3], THREADS);
}

static void shared_memory_is_garbage(void)
{
    int seen[2];
    OK(launch("launch_read_unwritten", seen, 2));
    EXPECT(seen[0], -1);
    EXPECT(seen[1], -1);
}

static void different_barriers(void)
{
    int unused;
    launch("launch_part_ways", &unused, 1);
}

static void warps_wait_for_themselves(void)
{
    int seen[2];
    OK(launch("launch_wait_in_warps", seen, 2));
    EXPECT(seen[0], 0);
    EXPECT(seen[1], 24 * (1 + 2 + 3));
}

static void different_barriers_in_a_warp(void)
{
    int unused;
    launch("launch_part_in_a_warp", &unused, 1);
}

static void some_threads_end_early(void)
{
    int left;
    OK(launch("launch_end_early", &left, 1));
    EXPECT(left, 16);
}

static void too_many_threads(void)
{
    int unused;
    EXPECT(launch("launch_too_many", &unused, 1), cudaErrorInvalidConfiguration);
}

static void kernel_that_fails(void)
{
    int sums[4];
    EXPECT(launch("launch_add_up", sums, 4), cudaErrorIllegalAddress);
}

/* ----------------------------------------------------------------- our kernels, many options in a block */

static void fill_contracts(double (*c)[7],
                           int64_t n) /* spot, strike, rate, dividend, volatility, time, call */
{
    for (int64_t i = 0; i < n; i++)
        memcpy(c[i], (double[]){80.0 + (double)(i % 41), 100.0, 0.03, 0.01, 0.2, 1.0, (double)(i % 2)},
               sizeof *c);
}

/* Runs units first to first + n - 1 on the GPU, whose contracts begin at c. */
static void run_entry(plb_entry_fn entry, const void *args, int64_t first, int64_t n, double (*c)[7],
                      double *results, size_t result_bytes)
{
    cudaStream_t s = new_stream();
    const size_t bytes[] = {(size_t)n * sizeof *c, (size_t)n * result_bytes};
    void *data[] = {new_device(bytes[0]), new_device(bytes[1])};
    const int64_t none[2] = {0, 0};
    const struct plb_task task = {.first = first,
                                  .count = n,
                                  .data = data,
                                  .bytes = bytes,
                                  .before = none,
                                  .after = none,
                                  .args = args,
                                  .stream = s};
    OK(cudaMemcpyAsync(data[0], c, bytes[0], cudaMemcpyHostToDevice, s));
    EXPECT(entry(&task), 0);
    OK(cudaMemcpyAsync(results, data[1], bytes[1], cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaFree(data[0]));
    OK(cudaFree(data[1]));
    OK(cudaStreamDestroy(s));
}

/* The first and last `few` of n options have the same bits in a task of all, where blocks take several
 * options, and in tasks of few. */
static void same_in_large_tasks(const char *kernel, const char *name, const void *args, int64_t n,
                                int64_t few, size_t result_bytes)
{
    plb_entry_fn entry;
    void *found = function_of(kernel, name);
    memcpy(&entry, &found, sizeof entry);
    double(*c)[7] = malloc((size_t)n * sizeof *c);
    char *all = malloc((size_t)n * result_bytes), *part = malloc((size_t)few * result_bytes);
    fill_contracts(c, n);
    run_entry(entry, args, 0, n, c, (double *)(void *)all, result_bytes);
    for (int64_t first = 0; first < n; first += n - few) {
        run_entry(entry, args, first, few, c + first, (double *)(void *)part, result_bytes);
        EXPECT(memcmp(all + (size_t)first * result_bytes, part, (size_t)few * result_bytes), 0);
        double value;
        memcpy(&value, part, sizeof value);
        EXPECT(isfinite(value) && value >= 0.0, true);
    }
    free(c);
    free(all);
    free(part);
}

static void binomial_options_share_a_block(void)
{
    const struct {
        int64_t steps;
        int32_t kind, american;
    } args = {.steps = 3, .american = 1};
    same_in_large_tasks("binomial", "binomial_cuda", &args, 4096 + 200, 200, sizeof(double));
}

#ifndef __SANITIZE_ADDRESS__ /* 50 million turns; the others show it all that there is to see */
static void blackscholes_options_share_a_block(void)
{
    const struct {
        int64_t paths;
        uint64_t seed;
    } args = {.paths = 16, .seed = 1};
    same_in_large_tasks("blackscholes", "blackscholes_cuda", &args, 65535 + 50, 50, 7 * sizeof(double));
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE("turns", turns_are_random_and_repeatable, .told = "order=7"),
        CASE("sums", threads_add_up, .told = NULL),
        CASE("shared memory", shared_memory_is_garbage, .told = NULL),
        CASE("different barriers", different_barriers, .status = FOUND,
             .output = "threads of a block wait at different barriers"),
        CASE("barriers of warps", warps_wait_for_themselves, .told = NULL),
        CASE("different barriers in a warp", different_barriers_in_a_warp, .status = FOUND,
             .output = "threads of a block wait at different barriers"),
        CASE("threads that end early", some_threads_end_early, .told = NULL),
        CASE("too many threads", too_many_threads, .told = NULL),
        CASE("a kernel that fails", kernel_that_fails, .told = "fail=kernel:1"),
        CASE("binomial: options share a block", binomial_options_share_a_block, .told = NULL),
#ifndef __SANITIZE_ADDRESS__
        CASE("blackscholes: options share a block", blackscholes_options_share_a_block, .told = NULL),
#endif
    };
    if (argc == 2)
        return run_case(tests, sizeof tests / sizeof tests[0], argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
