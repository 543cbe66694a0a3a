/* A file of each thread, which stays open. */
#include "device/core_time.h"

#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* Seconds between two looks, which take a microsecond for each thread. Larger: a short run says nothing.
 * Smaller: short tasks on many threads pay for it. */
#define LOOK 0.05

#define OF_THREAD "/proc/thread-self/schedstat"

/* The threads are those of the team that entries get: the runtime of OpenMP keeps them for the thread. */
static void open_files(struct plb_core_time *t, int threads)
{
    t->files = plb_alloc((size_t)threads * sizeof *t->files);
    t->n = threads;
    for (int i = 0; i < threads; i++)
        t->files[i] = -1;
#pragma omp parallel num_threads(threads) if (threads > 1)
    t->files[omp_get_thread_num()] = open(OF_THREAD, O_RDONLY | O_CLOEXEC);
}

/* Seconds on a core, and of waiting for one. Both are zero where nothing is known. */
static void read_file(int file, double *cpu_s, double *waited_s)
{
    char text[80], *end;
    ssize_t n = file >= 0 ? pread(file, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = '\0';
    *cpu_s += 1e-9 * (double)strtoull(text, &end, 10);
    *waited_s += 1e-9 * (double)strtoull(end, NULL, 10);
}

void plb_core_time_init(struct plb_core_time *t)
{
    *t = (struct plb_core_time){.read_at = plb_now()};
}

void plb_core_time_add(struct plb_core_time *t, int threads, struct plb_device_times *times)
{
    double now = plb_now(), cpu_s = 0.0, waited_s = 0.0;
    if (now - t->read_at < LOOK)
        return;
    if (t->files == NULL)
        open_files(t, threads);
    t->read_at = now;
    for (int i = 0; i < t->n; i++)
        read_file(t->files[i], &cpu_s, &waited_s);
    times->cpu_s += cpu_s - t->cpu_s;
    times->waited_s += waited_s - t->waited_s;
    t->cpu_s = cpu_s;
    t->waited_s = waited_s;
}

void plb_core_time_fini(struct plb_core_time *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->files[i] >= 0)
            close(t->files[i]);
    free(t->files);
    t->files = NULL;
}

double plb_core_time_waited(void)
{
    double cpu_s = 0.0, waited_s = 0.0;
    int file = open(OF_THREAD, O_RDONLY | O_CLOEXEC);
    read_file(file, &cpu_s, &waited_s);
    if (file >= 0)
        close(file);
    return waited_s;
}
