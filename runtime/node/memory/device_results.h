/* Results that feed the next pass, and are in the memory of a device alone.
 *
 * A device with memory of its own keeps such results there (node/pu/device_places.h), as the input of its
 * next tasks. They are not copied to the host, whose memory for them has any bytes. Here is noted which units
 * these are. Whoever reads fed inputs, or results that feed, in host memory brings them before: then those
 * are copied that are not on the host, each of them once.
 *
 * As the device does, this has two places for each input, which change with each pass. Results of a pass are
 * its inputs where they counted (COUNTED). Nobody asks for inputs of an earlier pass, so a device may write
 * over them.
 *
 * A device that fails takes with it what is noted here. Readers are told, the pass is given up, and passes
 * are executed again as after the loss of a rank (rank0/rank0_redo.h).
 *
 * Any thread may call these functions. A lock for each device is held while its bytes are copied; a thread
 * that holds it waits for no other lock but those of page_locks.h. */
#ifndef PLB_NODE_MEMORY_DEVICE_RESULTS_H
#define PLB_NODE_MEMORY_DEVICE_RESULTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "app/dataset.h"
#include "core/message/message.h"
#include "device/device.h"
#include "node/memory/page_locks.h"

/* Units of a place, and where they are. */
struct plb_device_units {
    struct plb_rangeset only; /* that are not on the host */
    const char *device;       /* the place, and from its begin the byte of unit 0 */
    ptrdiff_t lead;
    char *host; /* of unit 0 */
};

/* An input that results feed. */
struct plb_device_fed {
    int output;
    struct plb_device_units results, inputs;
    struct plb_rangeset last; /* results of the pass before: those that counted are inputs */
};

/* Of a PU. A zeroed struct, but for the lock, has none. */
struct plb_device_results {
    pthread_mutex_t lock;
    const struct plb_device_ops *ops; /* NULL: results never stay */
    struct plb_device *device;
    const struct plb_dataset *set; /* borrowed, as the locks */
    struct plb_page_locks *locks;
    int pass;
    bool stay; /* results of this pass do; else rank 0 wants all of them soon */
    struct plb_device_fed at[PLB_MAX_DATA];
    atomic_llong left; /* units of all sets */
    atomic_llong out;  /* bytes that were copied until now */
    atomic_bool lost;  /* the device has failed */
};

/* Of all PUs of a node. */
struct plb_node_device_results {
    struct plb_device_results *of;
    int n;
};

struct plb_node_device_results plb_device_results_new(int n);
void plb_device_results_free(struct plb_node_device_results *all);

/* The PU's device is open, which must be able to read. */
void plb_device_results_open(struct plb_device_results *d, const struct plb_device_ops *ops,
                             struct plb_device *device, const struct plb_dataset *set,
                             struct plb_page_locks *locks);

/* The device is closed next: it has none any more. */
void plb_device_results_close(struct plb_device_results *d);

/* Whether results of tasks of this pass may stay. */
bool plb_device_results_may_stay(struct plb_device_results *d, int pass);

/* Results of a task are complete that feed the input, in this place. Of a pass that is over, they are
 * dropped. */
void plb_device_results_made(struct plb_device_results *d, int pass, int input, int output,
                             struct plb_range task, const struct plb_device_units *where);

/* Nobody wants the results of that task. */
void plb_device_results_unmade(struct plb_device_results *d, int pass, struct plb_range task);

/* PASS, and COUNTED of one PU. Before anybody asks for inputs of the pass. */
void plb_device_results_begin(struct plb_node_device_results *all, const struct plb_message *m);
void plb_device_results_counted(struct plb_node_device_results *all, const struct plb_message *m);

/* All COUNTED of this pass have come. Waits for nobody: to be called again. */
void plb_device_results_settle(struct plb_node_device_results *all);

/* Units of this fed input, or of this output, are on the host from now on. pu: only what this one has; -1:
 * all. own: of the PU whose thread calls; NULL: it has no device that reads. False: some are lost. */
bool plb_device_results_bring_input(struct plb_node_device_results *all, int input, struct plb_range units,
                                    const struct plb_device_results *own);
bool plb_device_results_bring(struct plb_node_device_results *all, int pu, int output,
                              struct plb_range units);

/* Brings all, since the places are given up. By the thread that has opened the device. */
void plb_device_results_bring_all(struct plb_device_results *d);

/* The device has failed. Returns whether anything is lost. Waits for nobody. */
bool plb_device_results_lose(struct plb_device_results *d);

#endif
