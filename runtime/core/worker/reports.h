/* The reports of a node that wait to be sent. Neighbours of one block that one PU has executed become one
 * report, unless their outputs wait in slots. Part of the worker. O(1) per task. Not thread-safe. */
#ifndef PLB_CORE_WORKER_REPORTS_H
#define PLB_CORE_WORKER_REPORTS_H

#include "core/worker/queue.h"

/* How a task failed. */
struct plb_device_failure {
    int status;             /* that the kernel returned, or the device */
    const char *text;       /* of the device; "" where the kernel itself returned the status */
    struct plb_range among; /* units of all tasks that the device had then */
    bool lost;              /* results of tasks that were reported are lost with it */
    const char *why;        /* what the kernel said of its status; NULL or "": nothing */
};

struct plb_reports {
    struct plb_outbox box;
    int *merging;                 /* by PU: its latest report, which may grow; or -1 */
    double *began;                /* by PU: when that was first kept back; NAN: it was not */
    struct plb_pu_so_far *so_far; /* by PU: for its next reports */
    int n_pus, node;
};

void plb_reports_init(struct plb_reports *reports, int n_pus, int node);
void plb_reports_fini(struct plb_reports *reports);

/* A pass begins: what was reported of the one before counts no more. Devices that have failed are still
 * told of, since the master has to hear why. */
void plb_reports_clear(struct plb_reports *reports);

/* A PU has executed a task in these seconds. slot: where its outputs wait, or PLB_NO_SLOT. */
void plb_reports_add(struct plb_reports *reports, int pu, const struct plb_slice *task, double execute_s,
                     double transfer_s, int slot);

/* A PU will not execute the units of this task: the kernel has failed, or the device. */
void plb_reports_fail(struct plb_reports *reports, int pu, const struct plb_slice *task,
                      const struct plb_device_failure *failure);

/* A task of a PU has crashed by this signal, and the PU goes on. */
void plb_reports_crash(struct plb_reports *reports, int pu, const struct plb_slice *task, int signal);

/* Moves reports to the end of an outbox. One that may grow, since the PU's queue goes on with its block,
 * stays for `hold_s` seconds. queues: by PU; not looked at where hold_s is 0. */
void plb_reports_collect(struct plb_reports *reports, const struct plb_queue *const *queues, double now,
                         double hold_s, struct plb_outbox *out);

#endif
