/* .cluster files: the PUs of a cluster, to emulate with real results or to simulate. */
#ifndef PLB_CONFIG_CLUSTER_FILE_H
#define PLB_CONFIG_CLUSTER_FILE_H

#include "base/error.h"
#include "model/cluster_spec.h"

/* Reads a .cluster file; `kernel` chooses rate.KERNEL over rate, and may be NULL. With `simulate` each
 * PU in use must have a rate. PLB_EINPUT and a sentence with file and line otherwise. */
int plb_cluster_read(const char *file, const char *kernel, bool simulate, struct plb_cluster_spec *spec,
                     struct plb_error *err);
void plb_cluster_fini(struct plb_cluster_spec *spec);

#endif
