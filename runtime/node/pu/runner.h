/* A runner: one PU of a node, with the thread that drives its device.
 *
 * The thread opens the device and runs tasks until the node stops. Where all data is on this node, it takes
 * tasks from the worker itself; else it takes slots that the communication thread has made ready. It starts
 * tasks while a lane of the device is free and there are tasks; else it waits for the oldest one and reports
 * it to the worker. A task that nobody wants any more is not waited for: see plb_node_stop.
 *
 * A device that fails drops out: its tasks go back to the master, its lanes are waited for, and the thread
 * ends. A task that crashes in a child process goes back alone. The device is closed with the others. So does
 * one that hangs (node/pu/hung.h), but for the wait. */
#ifndef PLB_NODE_PU_RUNNER_H
#define PLB_NODE_PU_RUNNER_H

#include "node/pu/runner_state.h"

/* For number `number` of the node; starts nothing. The runner stays where it is. */
void plb_runner_init(struct plb_runner *runner, struct plb_node_shared *shared, const struct plb_node_pu *pu,
                     int number);
void plb_runner_fini(struct plb_runner *runner); /* its thread has ended */

/* Starts the thread; false where the system has none left. */
bool plb_runner_start(struct plb_runner *runner);

/* Waits for the thread to end, which it does once the node is stopping and no task runs. Then closes the
 * device: what a kernel keeps for the thread, such as a library's handle of a stream, has gone before. False:
 * it has not ended until then, on plb_now()'s clock. */
bool plb_runner_join(struct plb_runner *runner, double until);

/* The device has failed in a task, or hangs in it. It drops out, and so do the tasks that wait in slots.
 * task == NULL: it has failed without one. Under the lock. */
void plb_runner_leave(struct plb_runner *runner, const struct plb_slice *task,
                      const struct plb_device_failure *given);

/* Whether results in the device's memory could not be read: then it has failed, too. Under the lock. */
void plb_runner_look(struct plb_runner *runner);

/* Forgets an obsolete task that waits in a slot. Under the lock. */
void plb_runner_drop(struct plb_runner *runner, struct plb_slot *slot);

/* Forgets the obsolete tasks that wait in slots. One whose inputs are on their way is forgotten when they are
 * there. One that runs is told, and forgotten when it ends. Under the lock. */
void plb_runner_forget(struct plb_runner *runner);

/* Tells all tasks that run that nobody wants their results. Under the lock. */
void plb_runner_cancel(struct plb_runner *runner);

/* A pass begins: the worker knows, so that tasks of earlier passes are obsolete. The changed
 * bytes of replicated buffers are copied again. Under the lock. */
void plb_runner_begin_pass(struct plb_runner *runner, const struct plb_message *pass);

#endif
