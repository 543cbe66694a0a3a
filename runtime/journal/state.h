/* Snapshots of what a pass begins with, and of reduced arrays: which memory they have, and in which order. */
#ifndef PLB_JOURNAL_STATE_H
#define PLB_JOURNAL_STATE_H

#include "app/application.h"
#include "app/dataset.h"
#include "base/rangeset.h"
#include "journal/snapshot.h"

/* The begin of a pass, beside the contents of the buffers. */
struct plb_pass_state {
    int64_t changed;                /* buffers that `next` has changed in any pass, as a mask */
    int64_t records;                /* bytes of FILE.records that earlier passes have made */
    int32_t passes[PLB_MAX_PHASES]; /* passes begun before, by phase */
};

/* Writes the begin of a pass: the changed buffers and the kept memory too. False, and errno, where it
 * cannot. */
bool plb_state_write_pass(const char *path, const struct plb_snapshot *head,
                          const struct plb_pass_state *state, const struct plb_app *app);

/* Brings the begin of the pass back into the app's memory, and into *state. *pass is the pass, and 0 where
 * there is no such file. PLB_OK; or PLB_EINPUT, where the file is of another job or cannot be read. */
int plb_state_read_pass(const char *path, uint64_t id, struct plb_app *app, struct plb_pass_state *state,
                        int *pass);

/* Bytes of all reduced arrays, and a copy of them into memory of so many bytes, or out of it. */
size_t plb_state_sums_bytes(const struct plb_dataset *set);
void plb_state_copy_sums(const struct plb_dataset *set, char *copy, bool out);

/* Writes reduced arrays, with the units that are folded into them. False, and errno, where it cannot. */
bool plb_state_write_sums(const char *path, const struct plb_snapshot *head,
                          const struct plb_rangeset *folded, const char *sums, size_t bytes);

/* Reads them, where they are of this pass. False where there are none. */
bool plb_state_read_sums(const char *path, const struct plb_snapshot *of, int64_t units,
                         struct plb_rangeset *folded, char *sums, size_t bytes);

#endif
