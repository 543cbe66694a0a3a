/* The part of the host that this process may use. hwloc reads it once; threads are bound without another
 * look. */
#ifndef PLB_HOST_TOPOLOGY_H
#define PLB_HOST_TOPOLOGY_H

#include <sched.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/name.h"

/* CPUs of a host that threads are bound to. Larger: each set takes more memory. Smaller: the cores of a
 * larger machine beyond it stay unused where threads are bound. Linux has at most 8192. */
#define PLB_MOST_CPUS 8192

/* Kinds of cores that are told apart. More: names that nobody knows. Fewer: slow cores count as less slow
 * ones. Some laptops have three. */
#define PLB_CORE_KINDS 4

/* A set of CPUs. Zeroed: none. */
struct plb_cores {
    cpu_set_t at[PLB_MOST_CPUS / CPU_SETSIZE];
};

struct plb_topology {
    char host[PLB_HOST_NAME];          /* name, cut to fit */
    char cpu[48];                      /* model, cut to fit, or "cpu" */
    int host_cores;                    /* cores of the host */
    int cores;                         /* those that the launcher lets this process use */
    char where[64];                    /* the same as a list, such as "0-3,8" */
    double cache;                      /* bytes of the last-level cache for each core; 0: not known */
    struct plb_cores allowed;          /* the same, each as the first of its hardware threads */
    short order[PLB_MOST_CPUS];        /* the same: cores of one cache and package stand together */
    int nodes;                         /* NUMA nodes of the host */
    short node[PLB_MOST_CPUS];         /* of each of these cores, in that order; -1: not known */
    int kinds;                         /* of these cores, such as quick and slow ones; 1: they are alike */
    unsigned char kind[PLB_MOST_CPUS]; /* of each of them, in that order, from 0, the quickest */
};

/* Reads the topology. A host that hwloc cannot read has one core. */
void plb_topology_read(struct plb_topology *topology);

/* Divides the cores that the process may use, in their order, into `parts` equal parts; *cores becomes part
 * `index`, from 0. hwloc_distrib would keep each part within a package, and so make parts of 1, 2 and 3 cores
 * of two packages with 3 each, while every rank has two threads. False where there are fewer cores than
 * parts. */
bool plb_topology_share(const struct plb_topology *topology, int index, int parts, struct plb_cores *cores);

/* The cores of that part which are of this kind. Returns how many. */
int plb_topology_share_of_kind(const struct plb_topology *topology, int index, int parts, int kind,
                               struct plb_cores *cores);

/* As users call cores of a kind: "P cores", and the slower ones "E cores", "E2 cores", "E3 cores". */
const char *plb_topology_kind_name(int kind);

/* *cores becomes those that the process may use and that are closest to a PCI device, such as "0000:18:00.0".
 * False where they are not known, or where there is none. `root` is "", or in tests a folder with a sys/ of
 * its own. */
bool plb_topology_near(const struct plb_topology *topology, const char *root, const char *pci,
                       struct plb_cores *cores);

/* The NUMA node that all these cores are at. -1: they are at several, or at none that is known, or the host
 * has only one. */
int plb_topology_node(const struct plb_topology *topology, const struct plb_cores *cores);

/* Those that the calling thread may run on. False where the system does not say. */
bool plb_cores_of_thread(struct plb_cores *cores);

/* Binds the calling thread to these cores. Writes them as a list into `where`, which has `size` bytes. Where
 * the system refuses, the thread stays as it is, and so does `where`. */
void plb_cores_bind(const struct plb_cores *cores, char *where, int size);

/* A thread that stays on cores of its own, but for calls of functions that may run, and start threads, on all
 * of the process's. */
struct plb_own_cores {
    bool bound; /* else it may always run on all */
    pthread_t thread;
    struct plb_cores own, all;
};

/* The thread may run on all cores; and is back on its own. Nothing in another thread, or where it is not
 * bound or `cores` is NULL. */
void plb_own_cores_leave(const struct plb_own_cores *cores);
void plb_own_cores_return(const struct plb_own_cores *cores);

#endif
