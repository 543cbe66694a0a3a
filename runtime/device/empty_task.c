/* Launches a task that has no units a few times. The device measures it as it measures every task, so that
 * the result can be compared with reports. Cost: ROUNDS empty tasks. Weak where a kernel's own start costs
 * more, such as that of its threads or of its first block on a GPU: only reports tell of that. */
#include "device/empty_task.h"

#include <math.h>

#include "model/median.h"

/* Empty tasks whose median counts; an odd number. More: a PU opens later. Fewer: an interruption counts, or
 * the first one, which may load something. A guess. */
#define ROUNDS 9

int plb_no_units(const struct plb_task *task)
{
    (void)task;
    return 0;
}

int plb_device_empty_task(const struct plb_device_ops *ops, struct plb_device *device, double *seconds)
{
    void *data[1] = {NULL};
    const int64_t none[1] = {0};
    const struct plb_task task = {.data = data, .before = none, .after = none, .threads = 1};
    double took[ROUNDS];
    *seconds = 0.0;
    if (ops->empty.name == NULL)
        return 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct plb_device_times times;
        int status = ops->launch(device, 0, &ops->empty, &task);
        status = status == 0 ? ops->wait(device, 0, &times) : status;
        if (status != 0)
            return status;
        took[i] = times.execute_s + times.transfer_s;
    }
    *seconds = fmax(plb_median(took, ROUNDS), 0.0);
    return 0;
}
