/* What this process may use of its host, from hwloc. */
#ifndef PLB_BASE_TOPOLOGY_H
#define PLB_BASE_TOPOLOGY_H

struct plb_topology {
    char host[32];  /* name, cut to fit */
    char cpu[48];   /* model, cut to fit, or "cpu" */
    int host_cores; /* cores of the host */
    int cores;      /* those that the launcher lets this process use */
    char where[64]; /* the same as a list, such as "0-3,8" */
};

/* Reads the topology. A host that hwloc cannot read has one core. */
void plb_topology_read(struct plb_topology *topology);

/* Divides the cores that the process may use into `parts` equal parts, and binds the calling thread to part
 * `index`, from 0. Writes these cores as a list into `where`, which has `size` bytes. Does nothing where
 * there are fewer cores than parts. */
void plb_topology_bind(int index, int parts, char *where, int size);

/* Binds the calling thread to those cores that the process may use and that are closest to a PCI device, such
 * as "0000:18:00.0". Writes them into `where` as above. Does nothing where they are not known. */
void plb_topology_bind_near(const char *pci, char *where, int size);

#endif
