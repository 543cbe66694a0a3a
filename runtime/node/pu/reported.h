/* Parts of a task that its entry reports while it goes on with the rest (plb_task_report). Such a part
 * becomes a task of its own, which has ended, with its results in a slot of its own. The task that runs is
 * the rest. Or the entry leaves units that have not begun to others (plb_task_shorten): they go back to the
 * PU's queue.
 *
 * Only tasks whose results can be divided: outputs by unit, which a device in host memory has written, and
 * records. No PU of a .cluster file: it waits when the entry has returned, and so the entry's times are not
 * its times. */
#ifndef PLB_NODE_PU_REPORTED_H
#define PLB_NODE_PU_REPORTED_H

#include "node/pu/runner_state.h"

/* Entries may report parts from now on, where tasks of this job can be divided. After the device is open. */
void plb_reported_init(struct plb_runner *runner);

/* A task begins; has ended, and `times` become those of the units that were not reported. By the PU's thread,
 * under the lock. */
void plb_reported_begin(struct plb_runner *runner, struct plb_slot *slot, double idle_since);
void plb_reported_end(const struct plb_runner *runner, struct plb_device_times *times, double *idle_since);

#endif
