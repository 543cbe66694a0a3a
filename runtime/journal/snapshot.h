/* Files that are written whole: under another name first, which then becomes theirs. So a reader finds the
 * old one or the new one. A head has the journal and the pass that it belongs to, and a checksum. Not
 * thread-safe. */
#ifndef PLB_JOURNAL_SNAPSHOT_H
#define PLB_JOURNAL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct plb_snapshot {
    uint64_t id; /* of the journal */
    int32_t pass, phase;
};

/* Memory that a snapshot has, one after the other. */
struct plb_snapshot_part {
    void *data;
    size_t bytes;
};

/* Writes a snapshot, and syncs it. False, and errno, where it cannot; then the older one stays. */
bool plb_snapshot_write(const char *path, const struct plb_snapshot *head,
                        const struct plb_snapshot_part *parts, int n);

/* Opens a snapshot of this journal whose checksum is right, and fills in its head. The stream stands at the
 * first part, and *bytes is the length of all parts. NULL: there is none. */
FILE *plb_snapshot_open(const char *path, uint64_t id, struct plb_snapshot *about, size_t *bytes);

#endif
