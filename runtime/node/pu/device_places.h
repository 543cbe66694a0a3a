/* The places of the job's buffers in a device's own memory, which holds bytes as a node does.
 *
 * A replicated buffer has a place for all of it. A partitioned input has one for the whole of it, or for as
 * many units as there is memory, from those of the first task on; inputs that results feed get what others
 * leave. A task finds its units there, and only what is not there yet is copied. Contents stay right until a
 * pass says that they have changed. A task may need units that a task in another lane brings: its lane then
 * waits for that one's copies, on the device.
 *
 * An input that results feed (plb_app_feed) has a second place, where entries write these results. The two
 * change places when that pass begins. Units stay there that this PU has executed once in the pass before, in
 * that place, and whose result counted (COUNTED). All others are copied in: those that it has executed twice
 * or elsewhere, those of other PUs, and all where it has missed a pass or one was executed again. Such
 * results may be nowhere else (node/memory/device_results.h).
 *
 * Places of inputs are given up, once and for all, where a task that is alone on the device finds no memory.
 * Called by the thread that opened the device. */
#ifndef PLB_NODE_PU_DEVICE_PLACES_H
#define PLB_NODE_PU_DEVICE_PLACES_H

#include "app/dataset.h"
#include "app/parts.h"
#include "device/device.h"
#include "host/child.h"
#include "node/memory/device_results.h"
#include "node/memory/page_locks.h"

/* Of a replicated buffer, whose ranges are bytes; or of an input that is split, whose ranges are units. */
struct plb_place {
    char *memory; /* on the device, and its bytes; NULL: parts of the input come with each task */
    size_t bytes;
    struct plb_range units;                          /* that have a place; count = 0: no task has come yet */
    struct plb_rangeset here, coming[PLB_MAX_LANES]; /* coming: copied in by the tasks of a lane */
    struct plb_range read[PLB_MAX_LANES]; /* what the tasks of a lane find here; count = 0: nothing */
    const char *host[PLB_MAX_LANES];      /* where the first of it is on the host */
    char *results; /* of the output that feeds it in the next pass: a second place; NULL: there is none */
    int output;
    struct plb_rangeset made, elsewhere; /* units of this pass whose results are in `results`, and are not */
    struct plb_range
        stays[PLB_MAX_LANES]; /* of a lane's task, results that are there alone; count = 0: none */
    char *results_host;       /* where unit 0 of these results would be on the host */
};

/* The status of a task some of whose inputs are lost with a device. Its pass is given up. */
#define PLB_INPUT_LOST (-110)

/* A zeroed struct, but for device and set, has no places. */
struct plb_device_places {
    const struct plb_device_ops *ops; /* of the device */
    struct plb_device *device;
    const struct plb_dataset *set; /* borrowed */
    struct plb_child *child;       /* borrowed; it shares the memory of lanes, as tasks run there. Or NULL */
    struct plb_page_locks *locks;  /* of the node, borrowed; NULL: no pages are locked */
    struct plb_node_device_results
        *all;                       /* of the node, borrowed; NULL: results are always copied to the host */
    struct plb_device_results *own; /* of them, those of this PU */
    int64_t in, out;                /* bytes that were copied until now */
    double locking_s;               /* seconds of plb_copies_lock until now */
    double room;                    /* bytes of device memory that further places may take */
    int pass;                       /* of the results; 0: none of them may become inputs */
    int stays_pass[PLB_MAX_LANES];  /* of the lane's results that stay */
    bool noted[PLB_MAX_LANES];      /* results of the lane's latest task, which has ended, have stayed */
    struct plb_place at[PLB_MAX_DATA];
    char *lane[PLB_MAX_LANES]; /* memory for what of a task has no place, and kept; or NULL */
    size_t lane_bytes[PLB_MAX_LANES];
};

/* News for a PU since its latest task: passes have begun. A zeroed struct has none. */
struct plb_renewal {
    bool any;               /* the PU takes it over before its next task */
    int64_t stale;          /* mask of the buffers that have other contents, or are elsewhere on the host */
    struct plb_parts parts; /* of these: only parts of them have other contents */
    int64_t fed;            /* mask of the inputs that results have become */
    int pass;               /* the latest one; 0: no results of it become inputs */
    int n_feeds;
    struct plb_feed feeds[PLB_FEEDS]; /* of that pass */
    struct plb_rangeset counted;      /* units of the pass before it whose result is that of this PU */
};

/* A pass begins with this PASS. on_rank0: there buffers may have moved. parts: of the buffers that
 * have changed in part. on_host: the device works in host memory, and copies none. */
void plb_renewal_begin(struct plb_renewal *next, const struct plb_message *pass, bool on_rank0, bool on_host,
                       const struct plb_parts *parts);

/* COUNTED of this PU. */
void plb_renewal_counted(struct plb_renewal *next, const struct plb_message *message);

/* Takes over what is new, and leaves nothing. */
void plb_renewal_take(struct plb_renewal *next, struct plb_renewal *from);
void plb_renewal_fini(struct plb_renewal *next);

/* Takes at most so many bytes of device memory for places of inputs. */
void plb_device_places_open(struct plb_device_places *places, double room);

/* Gives up the places of inputs; nothing is in flight. False: there were none. */
bool plb_device_places_give_up(struct plb_device_places *places);
void plb_device_places_fini(struct plb_device_places *places);

/* Before the next task: the two places of fed inputs change, and replicated buffers are copied, from host[i].
 * Nothing is in flight. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_device_places_renew(struct plb_device_places *places, const struct plb_renewal *next,
                            void *const *host, struct plb_error *err);

/* Says which buffers of a task have a place here, as a mask, and where its first unit is, in data[i]. Units
 * that are not aligned there need memory of the lane: data[i] stays NULL. wanted: else it only calls the
 * entry, and has replicated buffers here alone. */
int64_t plb_device_places_find(struct plb_device_places *places, int lane, struct plb_range task, bool wanted,
                               void *data[PLB_MAX_DATA]);

/* Units of an input that a task reads are on the host from now on. False: some are lost
 * (node/memory/device_results.h). */
bool plb_device_places_on_host(struct plb_device_places *places, int i, struct plb_range units);

/* Then: copies what is not here yet of input i, in the lane. host: where the first unit of the task is, with
 * its halo around it. data: the same, of the entry: elsewhere than here it gets a copy. Returns the device's
 * status, or PLB_INPUT_LOST. */
int plb_device_places_bring(struct plb_device_places *places, int lane, int i, struct plb_range task,
                            const char *host, char *data);

/* The outputs of tasks of this pass that may stay here alone, as a mask. */
int64_t plb_device_places_may_stay(const struct plb_device_places *places, int pass);

/* The entry of a task was launched that found these buffers here. Results that it has elsewhere, in data[i],
 * are copied to their place. stay: of the outputs found, those that were not copied to host[i]. Returns the
 * device's status. */
int plb_device_places_launched(struct plb_device_places *places, int lane, struct plb_range task,
                               int64_t found, int64_t stay, void *const *data, void *const *host);

/* The lane is empty. well: all that was enqueued there is complete. */
void plb_device_places_end(struct plb_device_places *places, int lane, bool well);

/* Where units from `first` on of input i are, on the device. */
char *plb_device_place(const struct plb_device_places *places, int i, int64_t first);

/* -------------------------------------------------------------------------------- memory */

/* Takes memory for an input, or for a part of it where the device has no piece as large; and gives some
 * back. */
void plb_device_take(struct plb_device_places *places, struct plb_place *in, size_t bytes);
void plb_device_give_back(struct plb_device_places *places, char **memory, size_t bytes);

/* Memory of a lane for a task that needs so much of it, within the limit; NULL: there is none. room: bytes
 * that replicated buffers leave. */
char *plb_device_lane(struct plb_device_places *places, int lane, size_t needed, double room,
                      const struct plb_task_limit *limit);

/* Frees the memory of a lane, or of all; nothing is in flight there. A task of heavy units that has found no
 * memory may need that of all lanes. */
void plb_device_lane_free(struct plb_device_places *places, int lane);
void plb_device_lanes_free(struct plb_device_places *places);

/* ------------------------------------------------- copies between the host and the device */

/* Locks pages of a whole buffer before they are copied, or some of them. The same for the parts of a task
 * that are in whole buffers: host[i], where buffers, or buffers[i], is NULL. */
void plb_copies_lock(struct plb_device_places *places, const void *memory, size_t bytes);
void plb_copies_lock_task(struct plb_device_places *places, void *const *host, struct plb_range task,
                          void *const *buffers);

/* The buffers of a task that are zero before it begins; results: they are wanted. Outputs hold nothing of
 * earlier tasks, whoever executes. Sums begin as zero, so that no device copies them in. */
int64_t plb_zeroed_buffers(const struct plb_dataset *set, bool results, bool on_host);

/* Copies in the order of the lane, in the pieces that page-locked memory asks for. Returns the device's
 * status. */
int plb_copy_in(struct plb_device_places *places, int lane, void *to, const void *from_host, size_t bytes);
int plb_copy_out(struct plb_device_places *places, int lane, void *to_host, const void *from, size_t bytes);

#endif
