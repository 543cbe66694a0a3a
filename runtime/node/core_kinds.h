/* Quick and slow cores of a rank's CPU. Each kind is a PU, so that its rate is that of its cores: a task is
 * cut for the kind that executes it, and quick cores get more. Pure functions. */
#ifndef PLB_NODE_CORE_KINDS_H
#define PLB_NODE_CORE_KINDS_H

#include "device/driver.h"
#include "host/topology.h"

struct plb_core_part {
    int kind, threads, n_cores;
    struct plb_cores cores; /* all of this kind that the rank has */
};

/* Divides the threads of a rank's CPU among the kinds of its cores: one for each core, the quickest first,
 * and where threads are left, once more. Returns the number of kinds that get some; 0 where its cores are
 * alike. */
int plb_core_kinds(const struct plb_topology *topology, const struct plb_device_pu *cpu,
                   struct plb_core_part parts[PLB_CORE_KINDS]);

/* The description of the whole CPU becomes that of a part. */
void plb_core_part_describe(const struct plb_core_part *part, struct plb_device_pu *cpu);

#endif
