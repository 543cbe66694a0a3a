/* gpu_slot: a place for a program on a GPU, for kernels that start programs (plb_app_use_gpus).
 *
 * The GPUs are those that other drivers find. Where these find none, they are those that a variable of the
 * environment lists, or that the system shows: a program may bring its own library. This process opens no
 * GPU, and takes no memory of one. The kernel's cpu entry runs in host memory, and a launch is a call. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/driver.h"
#include "device/empty_task.h"

#define MOST 64 /* GPUs of a host */

extern const struct plb_device_driver plb_device_gpu_slot;

struct plb_device { /* in shared memory */
    double began;   /* plb_now() when the first task since the last wait was begun; 0: none was */
};

static plb_entry_fn entry(const struct plb_phase *phase)
{
    return phase->cpu;
}

/* ------------------------------------------------------------------- finding GPUs */

/* The driver whose GPUs these are; NULL: none finds any. */
static const struct plb_device_driver *lender(void)
{
    for (int d = 0; plb_device_drivers[d] != NULL; d++) {
        const struct plb_device_driver *driver = plb_device_drivers[d];
        if (driver->select != NULL && !driver->programs && driver->count(NULL) > 0)
            return driver;
    }
    return NULL;
}

/* A list of GPUs in the environment; NULL: there is none. */
static const char *list(void)
{
    static const char *const variables[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                            "HIP_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL)
            return value;
    }
    return NULL;
}

/* Item i of a list; false: it has fewer. */
static bool item(const char *text, int i, char out[64])
{
    for (; i > 0 && text != NULL; i--)
        text = (text = strchr(text, ',')) != NULL ? text + 1 : NULL;
    if (text == NULL || *text == '\0' || *text == ',' || strncmp(text, "-1", 2) == 0
        || strncmp(text, "NoDevFiles", 10) == 0)
        return false;
    snprintf(out, 64, "%.*s", (int)strcspn(text, ","), text);
    return true;
}

/* Folders of this one, which has one for each GPU of NVIDIA. */
static int count_folders(const char *path)
{
    DIR *folder = opendir(path);
    int n = 0;
    for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;)
        n += e->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return n;
}

/* GPUs of AMD: nodes of its driver that have an identity. */
static int count_kfd(void)
{
    char path[100], text[32];
    int n = 0;
    for (int i = 0; i < MOST; i++) {
        snprintf(path, sizeof path, "/sys/class/kfd/kfd/topology/nodes/%d/gpu_id", i);
        FILE *file = fopen(path, "re");
        if (file == NULL)
            break;
        n += fgets(text, sizeof text, file) != NULL && strtol(text, NULL, 10) != 0;
        fclose(file);
    }
    return n;
}

static int gpu_count(const char **why)
{
    char text[64];
    const struct plb_device_driver *driver = lender();
    int n = 0;
    if (driver != NULL)
        return driver->count(why);
    if (list() != NULL)
        while (n < MOST && item(list(), n, text))
            n++;
    else if ((n = count_folders("/proc/driver/nvidia/gpus")) == 0)
        n = count_kfd();
    if (why != NULL)
        *why = n > 0 ? "GPUs were found for programs" : "no GPU was found for programs";
    return n < MOST ? n : MOST;
}

static void gpu_select(int device, char text[64])
{
    const struct plb_device_driver *driver = lender();
    if (driver != NULL && driver->select != NULL)
        driver->select(device, text);
    else if (list() == NULL || !item(list(), device, text))
        snprintf(text, 64, "%d", device);
}

static void identify(int device, char id[60])
{
    const struct plb_device_driver *driver = lender();
    char text[64];
    if (driver != NULL && driver->identify != NULL) {
        driver->identify(device, id);
        return;
    }
    gpu_select(device, text);
    snprintf(id, 60, "%.59s", text);
}

/* As its own driver describes it. But how quick it is with a program is measured, so it counts as a CPU's
 * core until then. */
static const char *describe(const struct plb_device_site *here, int device, struct plb_device_pu *pu)
{
    const struct plb_device_driver *driver = lender();
    struct plb_device_site there = *here;
    const char *why = NULL;
    if (driver != NULL) {
        there.options += plb_driver_first_option(driver) - plb_driver_first_option(&plb_device_gpu_slot);
        why = driver->describe(&there, device, pu);
    }
    gpu_select(device, pu->config.gpu);
    pu->power = 1.0;
    pu->task_bytes = 0.0;
    if (driver == NULL)
        snprintf(pu->name, sizeof pu->name, "GPU %.40s", pu->config.gpu);
    return why;
}

/* --------------------------------------------------------------------- running it */

static int gpu_open(const struct plb_device_config *config, struct plb_device **device, struct plb_error *err)
{
    (void)config;
    (void)err;
    *device = plb_shared_alloc(sizeof **device);
    return PLB_OK;
}

static void gpu_close(struct plb_device *device)
{
    plb_shared_free(device, sizeof *device);
}

static int launch(struct plb_device *device, int lane, const struct plb_phase *phase,
                  const struct plb_task *task)
{
    (void)lane;
    if (device->began == 0.0)
        device->began = plb_now();
    return phase->cpu(task);
}

static int wait_for(struct plb_device *device, int lane, struct plb_device_times *times)
{
    (void)lane;
    if (times != NULL)
        *times = (struct plb_device_times){.execute_s = device->began > 0.0 ? plb_now() - device->began
                                                                            : 0.0};
    device->began = 0.0;
    return 0;
}

const struct plb_device_driver plb_device_gpu_slot = {
    .name = "gpu_slot",
    .kind = PLB_GPU,
    .programs = true,
    .entry = entry,
    .count = gpu_count,
    .identify = identify,
    .select = gpu_select,
    .describe = describe,
    .isolates = true,
    .ops =
        {
            .lanes = 1,
            .open = gpu_open,
            .close = gpu_close,
            .launch = launch,
            .empty = {.name = "empty", .cpu = plb_no_units},
            .wait = wait_for,
        },
};
