/* make bench-passes: the time of a pass of a kernel without a runtime around it. As many processes as there
 * would be ranks execute the entry on equal parts of the units, whose data is in memory, and wait for each
 * other after each pass. Prints the seconds of each pass but the first one.
 *
 *     passes CONF PROCESSES THREADS PASSES [SECTION.KEY=VALUE...] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "job/job.h"

struct shared {
    pthread_barrier_t all;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Executes the entry on a part of the units, and writes the seconds of each pass until all have ended. */
static int execute(const struct plb_job *job, struct shared *shared, int part, int parts, int threads,
                   double *seconds, int passes)
{
    const struct plb_app *app = &job->app;
    int64_t first = app->units * part / parts, end = app->units * (part + 1) / parts;
    void *data[PLB_MAX_DATA];
    size_t bytes[PLB_MAX_DATA];
    struct plb_task task = {.first = first,
                            .count = end - first,
                            .data = data,
                            .bytes = bytes,
                            .args = app->args,
                            .cancelled = &(const int32_t){0},
                            .threads = threads};
    for (int i = 0; i < app->n_data; i++) {
        const struct plb_data *d = &app->data[i];
        bool split = d->mode == PLB_PARTITION || d->mode == PLB_OUTPUT;
        data[i] = (char *)d->data + (split ? d->unit_bytes * (size_t)first : 0);
        bytes[i] = split ? d->unit_bytes * (size_t)task.count : d->bytes;
    }
    for (int pass = 0; pass < passes; pass++) {
        pthread_barrier_wait(&shared->all);
        double begin = now();
        if (job->kernel->cpu(&task) != 0)
            return 1;
        pthread_barrier_wait(&shared->all);
        seconds[pass] = now() - begin;
    }
    return 0;
}

/* The first part is that of this process, which prints. */
static int measure(const struct plb_job *job, int processes, int threads, int passes)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                                 0);
    double *seconds = calloc((size_t)passes, sizeof *seconds);
    pthread_barrierattr_t between;
    int status = 0, ended;
    if (shared == MAP_FAILED || seconds == NULL)
        return 1;
    pthread_barrierattr_init(&between);
    pthread_barrierattr_setpshared(&between, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->all, &between, (unsigned)processes);
    for (int part = 1; part < processes; part++)
        if (fork() == 0)
            _exit(execute(job, shared, part, processes, threads, seconds, passes));
    status = execute(job, shared, 0, processes, threads, seconds, passes);
    while (wait(&ended) > 0)
        status |= ended;
    for (int pass = 1; pass < passes; pass++)
        printf("%.6f\n", seconds[pass]);
    free(seconds);
    return status != 0;
}

int main(int argc, char **argv)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_job job = {0};
    if (argc < 5 || atoi(argv[2]) < 1 || atoi(argv[3]) < 1 || atoi(argv[4]) < 2) {
        fprintf(stderr, "passes CONF PROCESSES THREADS PASSES [SECTION.KEY=VALUE...]\n");
        return 2;
    }
    int status = plb_job_read(&job, argv[1], argv + 5, argc - 5, NULL, 1, &err);
    if (status == PLB_OK)
        status = plb_job_setup(&job, false, &err);
    if (status == PLB_OK)
        status = measure(&job, atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    else
        fprintf(stderr, "passes: %s\n", err.text);
    plb_job_fini(&job);
    return status;
}
