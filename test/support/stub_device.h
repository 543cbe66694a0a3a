/* A device driver for tests of a node: it runs the cpu entry in host memory, in one lane. A test may tell it
 * what else to do before each task. Only static functions, so that each test has its own. */
#ifndef TEST_STUB_DEVICE_H
#define TEST_STUB_DEVICE_H

#include "device/driver.h"

struct plb_device {
    void (*before)(const struct plb_task *task); /* or NULL; in the PU's thread */
};
static struct plb_device stub_device;

static int stub_open(const struct plb_device_config *config, struct plb_device **opened,
                     struct plb_error *err)
{
    (void)config;
    (void)err;
    *opened = &stub_device;
    return PLB_OK;
}

static void stub_close(struct plb_device *d)
{
    (void)d;
}

static double stub_memory(const struct plb_device *d)
{
    (void)d;
    return 1e9;
}

static int stub_launch(struct plb_device *d, int lane, const struct plb_phase *phase,
                       const struct plb_task *task)
{
    (void)lane;
    if (d->before != NULL)
        d->before(task);
    return phase->cpu(task);
}

static int stub_wait(struct plb_device *d, int lane, struct plb_device_times *times)
{
    (void)d;
    (void)lane;
    if (times != NULL)
        *times = (struct plb_device_times){.execute_s = 1e-3};
    return 0;
}

static plb_entry_fn stub_entry(const struct plb_phase *phase)
{
    return phase->cpu;
}

#define STUB_OPS \
    .lanes = 1, .open = stub_open, .close = stub_close, .memory = stub_memory, .launch = stub_launch, \
    .wait = stub_wait

#endif
