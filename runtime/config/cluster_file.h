/* .cluster files: the PUs of a cluster, to emulate with real results or to simulate.
 * docs/reference/cluster-files.md describes the format. */
#ifndef PLB_CONFIG_CLUSTER_FILE_H
#define PLB_CONFIG_CLUSTER_FILE_H

#include "base/error.h"
#include "model/cluster_spec.h"

/* Reads a .cluster file. `kernel` chooses the key rate.KERNEL over rate, and may be NULL. With `simulate`,
 * each PU in use must have a rate. PLB_OK, and the caller releases the cluster; or PLB_EINPUT and a sentence
 * with file and line, and there is nothing to release. Thread-safe. */
int plb_cluster_read(const char *file, const char *kernel, bool simulate, struct plb_cluster_spec *spec,
                     struct plb_error *err);
void plb_cluster_fini(struct plb_cluster_spec *spec);

#endif
