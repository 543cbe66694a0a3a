/* Reports of runs (plbrun --report), to run them again in virtual time: their PUs as a cluster, and what
 * their units cost. docs/reference/report-keys.md describes the keys. */
#ifndef PLB_CONFIG_REPLAY_FILE_H
#define PLB_CONFIG_REPLAY_FILE_H

#include <stdbool.h>

#include "base/error.h"
#include "model/cluster_spec.h"

/* Units that are next to each other, and the mean cost of one, in units of average told cost. */
struct plb_replay_cost {
    int64_t first, count;
    double cost;
};

/* The work, as a report tells of it. A zeroed struct tells nothing. */
struct plb_replay {
    int64_t units;
    int n;                         /* 0: units cost what the kernel tells */
    struct plb_replay_cost *costs; /* of all units, in order */
};

/* Whether a file is a report rather than a .cluster file. */
bool plb_is_report(const char *file);

/* PLB_EINPUT and a sentence where a file can be read and is no report; else PLB_OK. */
int plb_replay_check(const char *file, struct plb_error *err);

/* Reads a report of a run of `kernel`. A PU's rate is in units of average cost per second. PUs that executed
 * nothing are left out, and nodes without PUs. Links are not in a report: they are as where a .cluster file
 * says nothing. PLB_OK, and the caller releases both; or PLB_EINPUT and a sentence, and there is nothing to
 * release. Thread-safe. */
int plb_replay_read(const char *file, const char *kernel, struct plb_cluster_spec *spec,
                    struct plb_replay *replay, struct plb_error *err);
void plb_replay_fini(struct plb_replay *replay);

#endif
