/* Device drivers: a folder for each kind of device, in runtime/device/ or anywhere else (make DRIVER=folder,
 * docs/reference/device-drivers.md).
 *
 * The folder NAME defines
 *
 *     const struct plb_device_driver plb_device_NAME = { .name = "NAME", ... };
 *
 * The build makes the table of drivers from the folders, so a new driver edits no file outside its folder.
 * One limit remains: struct plb_kernel and struct plb_phase name their entries `cpu`, `cuda` and `opencl`. A
 * driver that cannot run one of them needs a new field there, and with it a new PLB_KERNEL_ABI.
 *
 * The main thread of a process makes all calls of this header, one at a time. */
#ifndef PLB_DEVICE_DRIVER_H
#define PLB_DEVICE_DRIVER_H

#include <stdint.h>

#include "device/device.h"
#include "host/topology.h"
#include "plb/option.h"

/* Keys of [cluster] that all drivers together may have. */
#define PLB_DRIVER_OPTIONS 16

/* The kinds of PUs that a run may use. */
enum plb_pus_wanted { PLB_PUS_AUTO, PLB_PUS_CPU, PLB_PUS_GPU };
#define PLB_PUS_CHOICES "auto|cpu|gpu"

/* The user's words about a run's PUs. Plain data: rank 0 reads it and sends it to the others. */
struct plb_pu_settings {
    enum plb_pus_wanted wanted;
    bool master_only;                   /* rank 0 has no PUs */
    int programs;                       /* for each GPU; 0: the job starts no programs (plb_app_use_gpus) */
    double options[PLB_DRIVER_OPTIONS]; /* values of the drivers' keys, in the order of the table */
};

/* A driver's knowledge when it describes a PU of this rank. */
struct plb_device_site {
    int rank;                   /* in the run */
    int local_rank, local_size; /* among the ranks of this host */
    const struct plb_topology *topology;
    const double *options; /* values of the driver's own keys, in their order */
    int cores_kept;        /* cores for communication and for the threads of other PUs of this rank */
    int sharers;           /* ranks that use the device, this one included */
    bool streams;          /* memory limits the kernel (plb_kernel.streams) */
    const struct plb_pu_spec *spec; /* of a .cluster file; for the driver that emulates */
};

/* One PU, as its driver describes it. */
struct plb_device_pu {
    struct plb_device_config config; /* for plb_device_ops.open */
    enum plb_pu_kind kind;
    double power;      /* as given, or a guess from the hardware; only ratios matter */
    double memory;     /* bytes; infinite where it is the host's, or not known before open */
    double task_bytes; /* inputs and results of one task, in bytes; 0 where the device has no wish */
    double static_watts, dynamic_watts; /* all the time, and besides while it works; NAN: not known */
    char name[PLB_NAME];                /* cut to fit */
    char model[PLB_NAME];               /* of the hardware, cut to fit */
    char id[60];  /* tells this device from others of its model; "" where nothing does */
    char pci[16]; /* the PU's thread is bound close to this PCI device; "": it is not */
    int cores;    /* that its threads may use; 0: as many as there are threads */
    bool by_kind; /* its threads are on cores of the rank's own, so that each kind of cores may be a PU */
    int bind_index, bind_parts; /* the thread is bound to this share of the rank's cores; parts <= 1: all */
};

struct plb_device_driver {
    const char *name;                 /* of its folder, and of the kernel entry that messages speak of */
    enum plb_pu_kind kind;            /* of its PUs, as users see them */
    const char *object;               /* "x": the entries may be in NAME.x.so, which is loaded before NAME.so;
                                         NULL: they are in NAME.so */
    const struct plb_option *options; /* its keys of [cluster]: numbers, flags or choices; ended by a NULL
                                   name; or NULL */
    struct plb_device_ops ops;
    bool programs; /* its PUs start programs on GPUs of other drivers, for kernels that want it */
    bool isolates; /* a child of the process that opened the device may call zero and launch: the device's
                      state is in shared memory */

    /* The entry of a phase that runs on such devices; NULL where the phase has none. */
    plb_entry_fn (*entry)(const struct plb_phase *phase);

    /* How many devices this process can use. Looks once. *why, where neither pointer is NULL, becomes a
     * phrase for --verbose that says what was found; static storage. NULL: .cluster files list the PUs of
     * this driver, which then take the place of all real ones. */
    int (*count)(const char **why);

    /* Whether there is such hardware that this process cannot use; *why of `count` says why. After `count`.
     * NULL: never. */
    bool (*unusable)(void);

    /* The name of a device that is the same in all ranks which see the device. The ranks of a host then share
     * its devices out. NULL: no two ranks see the same device. */
    void (*identify)(int device, char id[60]);

    /* The value of a variable such as CUDA_VISIBLE_DEVICES with which a program sees this device alone. NULL:
     * there is no such variable. */
    void (*select)(int device, char text[64]);

    /* Describes a device as a PU of this rank: returns NULL. Or the device is no PU here: returns a phrase
     * for --verbose that says why; static storage. */
    const char *(*describe)(const struct plb_device_site *here, int device, struct plb_device_pu *pu);
};

/* Every driver, ended by NULL; the build writes this table from the folders. */
extern const struct plb_device_driver *const plb_device_drivers[];

/* The driver whose PUs a .cluster file lists; NULL where none was built in. */
const struct plb_device_driver *plb_driver_emulated(void);

/* Whether real PUs of this driver are wanted. */
bool plb_driver_wanted(const struct plb_device_driver *driver, enum plb_pus_wanted wanted);

/* How many keys a driver has, and where their values begin in struct plb_pu_settings. */
int plb_driver_option_count(const struct plb_device_driver *driver);
int plb_driver_first_option(const struct plb_device_driver *driver);

/* Whether some driver has an entry in this phase. */
bool plb_driver_runs(const struct plb_phase *phase);

#endif
