/* places: units with large outputs, which rank 0 writes in place while nobody else can have executed them.
 * Says at the end whether most tasks of rank 0 did, and whether the last one did.
 * PLACES_EXIT in the environment: another rank that ends by exit() in the middle. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plb/kernel.h"

/* A copy of a unit takes 33 us, and a unit half a millisecond: far more than a hundredth, also where the
 * machine is busy, so that no unit is copied for being long. */
enum { UNITS = 4000, UNIT_BYTES = 131072 };

static char *all;
static int in_place, in_places, copies;

static int entry(const struct plb_task *task)
{
    const struct timespec unit = {.tv_nsec = 500000};
    char *to = task->data[0];
    const char *victim = getenv("PLACES_EXIT"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (victim != NULL && rank != NULL && strcmp(victim, rank) == 0 && task->first > UNITS / 4)
        exit(7);
    for (int64_t i = 0; i < task->count && !plb_task_cancelled(task); i++) {
        memset(to + i * UNIT_BYTES, 1, UNIT_BYTES);
        nanosleep(&unit, NULL);
    }
    bool here = to == all + task->first * UNIT_BYTES;
    __atomic_store_n(&in_place, here, __ATOMIC_RELAXED);
    __atomic_fetch_add(here ? &in_places : &copies, 1, __ATOMIC_RELAXED);
    return 0;
}

static int setup(struct plb_app *app)
{
    all = plb_app_alloc_array(app, UNITS, UNIT_BYTES);
    plb_app_units(app, UNITS);
    plb_app_data(
        app, &(struct plb_data){.name = "all", .mode = PLB_OUTPUT, .data = all, .unit_bytes = UNIT_BYTES});
    return PLB_OK;
}

static int finish(struct plb_app *app)
{
    int64_t missing = 0;
    for (int64_t i = 0; i < (int64_t)UNITS * UNIT_BYTES; i += 512)
        missing += all[i] != 1;
    printf("most tasks of rank 0 wrote %s\n", in_places > copies ? "in place" : "copies");
    printf("the last task of rank 0 wrote %s\n", in_place ? "in place" : "a copy");
    if (missing > 0)
        plb_app_error(app, "%lld pieces are missing", (long long)missing);
    return missing > 0 ? PLB_EFAILED : PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "places",
    PLB_KERNEL_HEAD,
    .unit = "places",
    .summary = "large outputs, written in place where that is safe",
    .cpu = entry,
    .setup = setup,
    .finish = finish,
};
