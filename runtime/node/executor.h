/* Runs pieces of the job on one device: keeps replicated data there, gives each lane buffers for the
 * rest, copies in, launches, copies out. Where the device works in host memory only the launch is left.
 * Belongs to the thread that opened it. */
#ifndef PLB_NODE_EXECUTOR_H
#define PLB_NODE_EXECUTOR_H

#include "device/driver.h"
#include "job/dataset.h"
#include "job/phase.h"

struct plb_executor {
    const struct plb_device_driver *driver;
    const struct plb_device_ops *ops; /* the driver's */
    struct plb_device *device;
    const struct plb_dataset *set;
    int threads;
    bool on_host;
    double room;                /* bytes of the device's memory that the replicated buffers leave */
    void *resident[PLB_MAX_DATA];
    void *memory[PLB_MAX_LANES][PLB_MAX_DATA]; /* grown to the largest piece, and kept */
    size_t capacity[PLB_MAX_LANES][PLB_MAX_DATA];
    plb_entry_fn warm[PLB_MAX_LANES][PLB_MAX_PHASES]; /* entries that have run in the lane */
    bool full;                  /* the last submit found no device memory */
    char failure[80];           /* of its own making; "": the device's */
};

/* Opens the device for a dataset, which is borrowed. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_executor_open(struct plb_executor *executor, const struct plb_device_driver *driver,
                      const struct plb_device_config *config, const struct plb_dataset *set, struct plb_error *err);
void plb_executor_close(struct plb_executor *executor); /* nothing is in flight */

/* Copies the replicated buffers of this mask (bit i: buffer i) to the device. Nothing is in flight.
 * PLB_OK, or PLB_EFAILED and a sentence that begins with `name`. */
int plb_executor_update(struct plb_executor *executor, int64_t mask, const char *name, struct plb_error *err);

/* Runs the first few units of a range in every lane, and drops the results: the first call in a lane may load
 * libraries and create handles, which would be taken for work. submit does it where it has not been done, but
 * then within the pass. Nothing is in flight. Returns 0, or what the device failed with; the range becomes the
 * units that were tried. */
int plb_executor_warm_up(struct plb_executor *executor, const struct plb_phase *phase, struct plb_range *range);

/* Starts a piece in a lane where nothing is in flight. buffers[i]: where buffer i of the range is on the
 * host, or NULL: in its place in the whole buffer. They stay valid until the wait. Returns 0, or what the
 * kernel or the device failed with: then nothing is in flight in the lane. */
int plb_executor_submit(struct plb_executor *executor, int lane, const struct plb_phase *phase,
                        struct plb_range range, void *const *buffers);

/* Gives back what the lanes have; nothing is in flight. To be tried where submit has failed and `full` is set: a
 * piece of heavy units may need the room of all of them. */
void plb_executor_shrink(struct plb_executor *executor);

/* Whether the lane's piece has ended; waiting for it, with its status as above. */
bool plb_executor_done(struct plb_executor *executor, int lane);
int plb_executor_wait(struct plb_executor *executor, int lane, struct plb_device_times *times);

/* What the device says of the last failure; "" where the kernel itself returned the status. */
const char *plb_executor_failure(const struct plb_executor *executor);

#endif
