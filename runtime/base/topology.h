/* What this process may use of its host, from hwloc. */
#ifndef PLB_BASE_TOPOLOGY_H
#define PLB_BASE_TOPOLOGY_H

struct plb_topology {
    char host[32];              /* name, cut to fit */
    char cpu[48];               /* model, cut to fit, or "cpu" */
    int host_cores;             /* cores of the host */
    int cores;                  /* of those, the ones that the launcher lets this process use */
    char where[64];             /* these cores as a list, such as "0-3,8" */
};

/* Reads the topology; a host that hwloc cannot read counts as one core. */
void plb_topology_read(struct plb_topology *topology);

/* Binds the calling thread to part `index` of `parts` equal parts of the cores that the process may
 * use, and says which those are; does nothing where there are fewer cores than parts. */
void plb_topology_bind(int index, int parts, char *where, int size);

/* Binds the calling thread to the cores that are closest to a PCI device ("0000:18:00.0") among those that
 * the process may use, and says which those are; does nothing where that is not known. */
void plb_topology_bind_near(const char *pci, char *where, int size);

#endif
