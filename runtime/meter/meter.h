/* Meters: what a host can tell about the energy that it uses. One folder of runtime/meter/ for each kind.
 *
 * The folder NAME defines
 *
 *     const struct plb_meter_driver plb_meter_NAME = { .name = "NAME", ... };
 *
 * and has a row in meter.c. Rows that come first are preferred where two meters read the same counter.
 *
 * A meter has domains: a package, its memory, a GPU. A domain counts joules, tells watts, or both. All calls
 * for one domain come from one thread at a time. */
#ifndef PLB_METER_METER_H
#define PLB_METER_METER_H

#include <stdbool.h>
#include <stdint.h>

/* Domains of one host that are read at most. More: a larger array in each rank. Fewer: a host with many GPUs
 * is measured in part. */
#define PLB_METER_DOMAINS 32
#define PLB_METER_WHY 300 /* bytes of a sentence */

/* The thing that a domain measures. Cores are a part of their package, and a platform has all others in it:
 * joules of these two are shown, and added to nothing. */
enum plb_meter_of { PLB_METER_PACKAGE, PLB_METER_CORES, PLB_METER_MEMORY, PLB_METER_GPU, PLB_METER_PLATFORM };

struct plb_meter_domain {
    const struct plb_meter_driver *driver;
    char name[32]; /* such as "package-0", "dram-0", "gpu 0000:18:00.0" */
    enum plb_meter_of of;
    char pci[16];   /* of a GPU: its address as in sysfs; "": not known */
    double joules;  /* of one count; 0: it has no counter */
    double range;   /* counts after which the counter begins again; 0: it does not within any run */
    double refresh; /* seconds after which there is something new: to read it more often is of no use */
    bool watts;     /* it tells watts, too */
    int at[2];      /* its driver's own: file descriptors, or the number of a device; -1: none */
};

struct plb_meter_driver {
    const char *name; /* of its folder, and in reports */
    bool gpus;        /* it measures GPUs alone */

    /* Finds the domains of this host, at most `room`, opens them, and sets all but `driver`. Returns how
     * many. `root` is "", or in tests a folder that takes the place of /. Where hardware is there and cannot
     * be read, `why` gets a sentence that names file or setting; else it stays as it is. */
    int (*find)(const char *root, struct plb_meter_domain *domains, int room, char why[PLB_METER_WHY]);

    /* Reads the domain. *count is the counter, *watts the power now. False where that failed. */
    bool (*read)(const struct plb_meter_domain *domain, uint64_t *count, double *watts);

    void (*close)(struct plb_meter_domain *domain);
};

/* The domains of a host. */
struct plb_meters {
    struct plb_meter_domain at[PLB_METER_DOMAINS];
    int n;
    char why[PLB_METER_WHY];      /* why no package is measured, as a sentence; "": one is */
    char gpus_why[PLB_METER_WHY]; /* why no GPU is, though the job has some; "": one is, or it has none */
};

/* Finds and opens what this host has. Of meters that read the same counter one is used: the processor's own
 * counters through perf or powercap, and hwmon where neither can be read. GPUs other than those at the
 * `n_gpus` addresses are left out, since other jobs may use them. processors: what is no GPU, too. */
void plb_meters_open(struct plb_meters *meters, const char *root, bool processors, const char (*gpus)[16],
                     int n_gpus);
void plb_meters_close(struct plb_meters *meters);

/* Whether two addresses are of one GPU. */
bool plb_meter_same_pci(const char *a, const char *b);

/* "package", "cores", "memory", "gpu", "platform"; "other" for a number that is none of these. */
const char *plb_meter_of_name(int of);

/* The processor's own domain of this name, as perf, powercap and hwmon call it: "package-0", "pkg", "core",
 * "dram", "ram", "psys". False for another one, such as a built-in GPU. */
bool plb_meter_part(const char *name, enum plb_meter_of *of);

#endif
