/* A device with memory of its own (late_device.h), a job with a halo and lists, and tasks that are
 * compared. */
#ifndef TEST_DEVICE_PLACES_H
#define TEST_DEVICE_PLACES_H

#include "late_device.h"
#include "node/pu/executor.h"

enum { UNITS = 1024, ELEMENTS = 3 * UNITS };

static double in[UNITS], out[UNITS], wrong;
static int64_t offsets[UNITS + 1];
static int32_t list[ELEMENTS];

struct fixture {
    struct plb_executor e;
    struct plb_dataset set;
};

static inline void start(struct fixture *f, const struct plb_device_driver *driver, int64_t halo, double room)
{
    struct plb_error err = {.status = PLB_OK};
    f->set = (struct plb_dataset){.n = 4, .on_rank0 = true, .units = UNITS, .host = {in, out, offsets, list}};
    f->set.at[IN] = (struct plb_data){
        .mode = PLB_PARTITION, .unit_bytes = sizeof *in, .before = halo, .after = halo};
    f->set.at[OUT] = (struct plb_data){.mode = PLB_OUTPUT, .unit_bytes = sizeof *out};
    f->set.at[OFFSETS] = (struct plb_data){.mode = PLB_REPLICATE, .bytes = sizeof offsets};
    f->set.at[LIST] = (struct plb_data){
        .mode = PLB_PARTITION_INDEXED, .offsets = OFFSETS, .element_bytes = sizeof *list};
    f->set.writes_all = true;
    writes = false;
    for (int u = 0; u < UNITS; u++) {
        in[u] = u;
        offsets[u + 1] = offsets[u] + u % 3;
    }
    for (int e = 0; e < ELEMENTS; e++)
        list[e] = 7 * e % 101;
    assert_int_equal(
        plb_executor_open(&f->e, driver, &(struct plb_device_config){.threads = 1}, &f->set, &err), PLB_OK);
    assert_int_equal(plb_executor_renew(&f->e, &err), PLB_OK);
    plb_device_places_open(&f->e.places, room);
}

static inline void end(struct fixture *f)
{
    plb_executor_close(&f->e);
}

static inline int submit(struct fixture *f, int lane, int64_t first, int64_t count)
{
    static const struct plb_phase phase = {.name = "sum", .cpu = no_entry};
    f->e.warm[lane][0] = no_entry;
    return plb_executor_submit(&f->e, lane, &phase, (struct plb_range){first, count}, NULL);
}

/* Waits for a task, and compares its results. */
static inline void is_right(struct fixture *f, int lane, int64_t first, int64_t count)
{
    struct plb_device_times times;
    assert_int_equal(plb_executor_wait(&f->e, lane, &times), 0);
    for (int64_t u = first; u < first + count; u++) {
        bool halo = f->set.at[IN].before > 0;
        double y = in[u] + ((halo || u > first) && u > 0 ? in[u - 1] : 0.0)
                 + ((halo || u + 1 < first + count) && u + 1 < UNITS ? in[u + 1] : 0.0);
        for (int64_t e = offsets[u]; e < offsets[u + 1]; e++)
            y += list[e];
        wrong += out[u] != y;
    }
    assert_true(wrong == 0.0);
}

/* A task alone; returns the bytes that it brought. */
static inline int64_t brought(struct fixture *f, int lane, int64_t first, int64_t count)
{
    const int64_t before = f->e.places.in;
    assert_int_equal(submit(f, lane, first, count), 0);
    is_right(f, lane, first, count);
    return f->e.places.in - before;
}

static inline int64_t list_bytes(int64_t first, int64_t count)
{
    return (offsets[first + count] - offsets[first]) * (int64_t)sizeof *list;
}

#endif
