/* Partitioned inputs that stay in a device's own memory, from pass to pass.
 *
 * Each such input has one place on the device: for the whole of it, or for as many units as there is memory,
 * from those of the first task on. Inputs that results feed get what others leave. A task whose units have a
 * place there reads them in that place, and only what is not there yet is copied. Inputs do not change while
 * a pass runs, so units stay right until results feed the input (plb_app_feed). Places are given up, once and
 * for all, where a task that is alone on the device finds no memory.
 *
 * A task may need units that a task in another lane brings: its lane then waits for that one's copies, on the
 * device. Called by the thread that opened the device. */
#ifndef PLB_NODE_PU_UPLOADED_H
#define PLB_NODE_PU_UPLOADED_H

#include "app/dataset.h"
#include "node/pu/device_copies.h"

struct plb_uploaded_input {
    char *memory; /* on the device, and its bytes; NULL: parts of the input come with each task */
    size_t bytes;
    struct plb_range units;                          /* that have a place; count = 0: no task has come yet */
    struct plb_rangeset here, coming[PLB_MAX_LANES]; /* coming: copied in by the tasks of a lane */
    struct plb_range read[PLB_MAX_LANES]; /* units that the tasks of a lane find here; count = 0: none */
    const char *host[PLB_MAX_LANES];      /* where the first of them is on the host */
};

/* A zeroed struct has no places. */
struct plb_uploaded {
    struct plb_uploaded_input at[PLB_MAX_DATA];
};

/* Takes at most so many bytes of device memory for places. */
void plb_uploaded_open(struct plb_uploaded *uploaded, const struct plb_device_copies *copies,
                       const struct plb_dataset *set, double room);

/* Gives all places up. Nothing is in flight. False: there were none. */
bool plb_uploaded_close(struct plb_uploaded *uploaded, const struct plb_device_copies *copies);

/* Says which inputs of a task have a place here, as a mask, and where its first unit is, in data[i]. */
int64_t plb_uploaded_find(struct plb_uploaded *uploaded, const struct plb_device_copies *copies,
                          const struct plb_dataset *set, int lane, struct plb_range task,
                          void *data[PLB_MAX_DATA]);

/* Then: copies what is not here yet of input i, in the lane. host: where the first unit of the task is, with
 * its halo around it. Returns the device's status. */
int plb_uploaded_bring(struct plb_uploaded *uploaded, struct plb_device_copies *copies,
                       const struct plb_dataset *set, int lane, int i, struct plb_range task,
                       const char *host);

/* The lane is empty. here: all that was enqueued there is complete. */
void plb_uploaded_end(struct plb_uploaded *uploaded, int lane, bool here);

/* These buffers have changed: such inputs are copied again. Nothing is in flight. */
void plb_uploaded_forget(struct plb_uploaded *uploaded, int64_t buffers);

/* Where units from `first` on of input i are, on the device. */
char *plb_uploaded_place(const struct plb_uploaded *uploaded, const struct plb_dataset *set, int i,
                         int64_t first);

#endif
