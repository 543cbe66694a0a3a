/* The declared buffers as one rank sees them: where each is in its memory, and which bytes belong to a
 * range. */
#ifndef PLB_JOB_DATASET_H
#define PLB_JOB_DATASET_H

#include "base/rangeset.h"
#include "core/sizes.h"
#include "job/application.h"

struct plb_dataset {
    int n;
    bool owner;                      /* rank 0, which has every buffer whole */
    const struct plb_kernel *kernel; /* borrowed; of this rank */
    bool writes_all; /* the kernel writes every byte of its outputs: they need not be zero before */
    int64_t units;
    int64_t multiple; /* of the application */
    struct plb_data at[PLB_MAX_DATA];
    void *host[PLB_MAX_DATA];    /* the whole buffer; if not replicated, on the owner alone */
    void *neutral[PLB_MAX_DATA]; /* not on the owner: memory of at[i].neutral, or NULL */
    void *first[PLB_MAX_DATA];   /* not on the owner: what a task of unit 0 gets, for a first call; or NULL */
    _Alignas(64) unsigned char args[PLB_MAX_ARGS];
    size_t args_bytes;
};

/* Describes the app's buffers as their owner sees them. The buffers stay the app's. */
void plb_dataset_describe(struct plb_dataset *set, const struct plb_app *app);

/* Frees the copies of a rank that is not the owner. */
void plb_dataset_fini(struct plb_dataset *set);

/* Whether inputs or outputs of tasks travel: some buffer is not whole on this rank. */
bool plb_dataset_travels(const struct plb_dataset *set);

/* Says which bytes of buffer i belong to a range: all of them where it is replicated or reduced. */
void plb_dataset_bytes(const struct plb_dataset *set, int i, struct plb_range range, size_t *offset,
                       size_t *bytes);

/* The bytes that units and tasks have, for the core. Borrows the offsets of indexed buffers; where those are
 * not in memory, as in some simulations, such a buffer does not count. */
struct plb_sizes plb_dataset_sizes(const struct plb_dataset *set);

/* The units between two places where the parts of all buffers are aligned to 64 bytes: tasks in place should
 * begin there. 1 where parts are aligned anyhow, and where tasks have buffers of their own. */
int64_t plb_dataset_stride(const struct plb_dataset *set);

/* Whether a task pulls its part of the buffer, and whether a task sends its part back. */
bool plb_data_is_input(const struct plb_data *data);
bool plb_data_is_result(const struct plb_data *data);

/* The CRC32C of the buffers of a range that `wanted` chooses, one after the other: parts[i] is that of buffer
 * i. */
uint32_t plb_dataset_sum(const struct plb_dataset *set, struct plb_range range, void *const *parts,
                         bool (*wanted)(const struct plb_data *data));

/* Whether some buffer is reduced. */
bool plb_dataset_reduces(const struct plb_dataset *set);

/* Folds the reduced arrays of a task into the owner's: arrays[i] is that of buffer i. The main thread. */
void plb_dataset_fold(const struct plb_dataset *set, void *const *arrays);

/* Brings the reduced arrays of a task into the order in which others can be compared with them or folded into
 * them: the task may have left the pairs of a list in any order. */
void plb_dataset_sort(const struct plb_dataset *set, void *const *arrays);

/* Folds the reduced arrays of a task into those of another one. Any thread. */
void plb_dataset_fold_into(const struct plb_dataset *set, void *const *into, void *const *from);

#endif
