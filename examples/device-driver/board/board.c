/* board: a device driver built outside plbrun's tree. It stands for a board with memory of its own, on a host
 * that has up to 8 of them. The board is pretended: its memory is the host's, and its processor a thread of
 * the host, which runs a kernel's cpu entry. Where a real driver calls its vendor's library, a comment says
 * what it would call. docs/reference/device-drivers.md explains it part by part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/driver.h"
#include "device/empty_task.h"

#define BOARDS 8
#define MEMORY ((size_t)64 << 20) /* bytes of a board */
#define ALIGNMENT 64              /* that device.h promises to kernels */

/* ---------------------------------------------------------- 1. its keys of [cluster] */

enum { COUNT };
static const struct plb_option options[] = {
    [COUNT] = {"boards", PLB_INT, "0", 0, BOARDS, NULL, "boards of each rank that are PUs"},
    {0},
};

/* ---------------------------------------------------------- 2. which boards are there */

static int board_count(const char **why)
{
    (void)why; /* "no board is plugged in", say; the vendor's library would be opened here, once */
    return BOARDS;
}

static const char *board_describe(const struct plb_device_site *here, int device, struct plb_device_pu *pu)
{
    if (device >= (int)here->options[COUNT])
        return "cluster.boards wants fewer";
    pu->kind = PLB_ACCELERATOR;
    pu->power = 1.0; /* a guess, where a thread of a CPU has 1, until rates are measured */
    pu->memory = (double)MEMORY;
    pu->task_bytes = (double)MEMORY / 16; /* a task's data, so that the next one's fit beside them */
    snprintf(pu->name, sizeof pu->name, "board %d", device);
    snprintf(pu->model, sizeof pu->model, "pretended board");
    return NULL;
}

/* Which of a kernel's entries the board runs. */
static plb_entry_fn board_entry(const struct plb_phase *phase)
{
    return phase->cpu;
}

/* ---------------------------------------------------------- 3. an open board */

struct plb_device {
    size_t used; /* bytes of its memory */
    struct plb_device_times times;
};

/* Before each piece of memory, so that `free` knows how long it is. */
struct header {
    size_t bytes;
    char padding[ALIGNMENT - sizeof(size_t)];
};

static int board_open(const struct plb_device_config *config, struct plb_device **device,
                      struct plb_error *err)
{
    (void)config; /* ->number says which; plb_fail(err, PLB_EFAILED, "a sentence") where it does not open */
    (void)err;
    *device = plb_alloc(sizeof **device);
    return PLB_OK;
}

static void board_close(struct plb_device *device)
{
    free(device);
}

static double board_memory(const struct plb_device *device)
{
    (void)device;
    return (double)MEMORY;
}

static void *board_alloc(struct plb_device *device, size_t bytes)
{
    size_t whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + sizeof(struct header);
    if (whole < bytes || whole > MEMORY - device->used)
        return NULL; /* plbrun waits for memory, or makes smaller tasks */
    struct header *h = aligned_alloc(ALIGNMENT, whole);
    if (h == NULL)
        return NULL;
    h->bytes = whole;
    device->used += whole;
    return h + 1;
}

static void board_free(struct plb_device *device, void *memory)
{
    struct header *h = (struct header *)memory - 1;
    device->used -= h->bytes;
    free(h);
}

/* ---------------------------------------------------------- 4. tasks */

/* The lane is always 0. A board that copies while it computes has more lanes, and returns at once. */
static int board_copy(struct plb_device *device, int lane, void *to, const void *from, size_t bytes)
{
    double began = plb_now();
    (void)lane;
    memcpy(to, from, bytes); /* the vendor's copy; a status other than 0 says that the board has failed */
    device->times.transfer_s += plb_now() - began;
    return 0;
}

static int board_launch(struct plb_device *device, int lane, const struct plb_phase *phase,
                        const struct plb_task *task)
{
    double began = plb_now();
    (void)lane;
    int status = phase->cpu(task); /* task->data points into the board's memory */
    device->times.execute_s += plb_now() - began;
    return status;
}

static int board_wait(struct plb_device *device, int lane, struct plb_device_times *times)
{
    (void)lane;
    if (times != NULL)
        *times = device->times;
    device->times = (struct plb_device_times){0};
    return 0;
}

/* ---------------------------------------------------------- 5. the driver, named after its folder */

const struct plb_device_driver plb_device_board = {
    .name = "board",
    .kind = PLB_ACCELERATOR,
    .options = options,
    .entry = board_entry,
    .count = board_count,
    .describe = board_describe,
    .ops =
        {
            .lanes = 1,
            .open = board_open,
            .close = board_close,
            .memory = board_memory,
            .alloc = board_alloc,
            .free = board_free,
            .copy_in = board_copy,
            .copy_out = board_copy,
            .launch = board_launch,
            .empty = {.name = "empty", .cpu = plb_no_units},
            .wait = board_wait,
        },
};
