/* make bench-kernels: how fast the cpu entry of a kernel is on OMP_NUM_THREADS cores, without a runtime
 * around it. The best of several tries.
 *
 *     kernels CONF [SECTION.KEY=VALUE...]     units a second */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "job/job.h"

/* Tries at least, and seconds of them: a short one may be disturbed each time in a few milliseconds. */
#define TRIES 12
#define SECONDS 0.3

static size_t bytes_of(const struct plb_app *app, int i)
{
    const struct plb_data *d = &app->data[i];
    switch (d->mode) {
    case PLB_PARTITION:
    case PLB_OUTPUT: return d->unit_bytes * (size_t)app->units;
    case PLB_PARTITION_INDEXED:
        return d->element_bytes * (size_t)((const int64_t *)app->data[d->offsets].data)[app->units];
    default: return d->bytes;
    }
}

/* Runs the entry on all units of the job. */
static double rate_of(const struct plb_job *job)
{
    const struct plb_app *app = &job->app;
    void *data[PLB_MAX_DATA];
    size_t bytes[PLB_MAX_DATA];
    struct plb_task task = {.count = app->units,
                            .data = data,
                            .bytes = bytes,
                            .args = app->args,
                            .threads = omp_get_max_threads()};
    double best = INFINITY;
    for (int i = 0; i < app->n_data; i++) {
        data[i] = app->data[i].data;
        bytes[i] = bytes_of(app, i);
    }
    for (double k = 0.0, sum = 0.0; k < TRIES || sum < SECONDS; k++) {
        double begin = now(), took;
        if (job->kernel->cpu(&task) != 0)
            return 0.0;
        took = now() - begin;
        best = fmin(best, took);
        sum += took;
    }
    return (double)app->units / best;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct plb_error err = {.status = PLB_OK};
    struct plb_job job = {0};
    if (plb_job_read(&job, argv[1], argv + 2, argc - 2, NULL, 1, &err) == PLB_OK
        && plb_job_setup(&job, false, &err) == PLB_OK)
        printf("%.4g\n", rate_of(&job));
    else
        fprintf(stderr, "kernels: %s\n", err.text);
    plb_job_fini(&job);
    return err.status;
}
