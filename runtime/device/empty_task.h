/* The cost of a task on a device before its work counts. */
#ifndef PLB_DEVICE_EMPTY_TASK_H
#define PLB_DEVICE_EMPTY_TASK_H

#include "device/device.h"

/* An entry that does nothing, for a driver's `empty`. */
int plb_no_units(const struct plb_task *task);

/* The seconds that a device reports of a task without units: the median of a few. A task with units costs no
 * less to start. The thread that opened the device calls it, while nothing is in flight. Returns 0, or the
 * status that the device failed with. *seconds is 0 then, and where the driver has no empty phase. */
int plb_device_empty_task(const struct plb_device_ops *ops, struct plb_device *device, double *seconds);

#endif
