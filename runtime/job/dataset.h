/* The declared buffers as one rank sees them: where each is in its memory, and which bytes belong to a
 * range. */
#ifndef PLB_JOB_DATASET_H
#define PLB_JOB_DATASET_H

#include "base/rangeset.h"
#include "core/sizes.h"
#include "job/application.h"

struct plb_dataset {
    int n;
    bool owner; /* rank 0, which has every buffer whole */
    int64_t units;
    struct plb_data at[PLB_MAX_DATA];
    void *host[PLB_MAX_DATA]; /* the whole buffer; if not replicated, on the owner alone */
    _Alignas(64) unsigned char args[PLB_MAX_ARGS];
    size_t args_bytes;
};

/* Describes the app's buffers as their owner sees them. The buffers stay the app's. */
void plb_dataset_describe(struct plb_dataset *set, const struct plb_app *app);

/* Frees the copies of a rank that is not the owner. */
void plb_dataset_fini(struct plb_dataset *set);

/* Whether tasks need buffers of their own: some buffer is not whole on this rank, or is reduced. */
bool plb_dataset_travels(const struct plb_dataset *set);

/* Says which bytes of buffer i belong to a range: all of them where it is replicated or reduced. */
void plb_dataset_bytes(const struct plb_dataset *set, int i, struct plb_range range, size_t *offset,
                       size_t *bytes);

/* The bytes that units and tasks have, for the core. Borrows the offsets of indexed buffers; where those are
 * not in memory, as in some simulations, such a buffer does not count. */
struct plb_sizes plb_dataset_sizes(const struct plb_dataset *set);

/* Whether a task pulls its part of the buffer, and whether a task sends its part back. */
bool plb_data_is_input(const struct plb_data *data);
bool plb_data_is_result(const struct plb_data *data);

/* Sets a task's reduced array to the neutral element of its operation. */
void plb_reduce_clear(const struct plb_data *data, void *array);

/* Folds one reduced array into another, element by element. Sums of whole numbers wrap around. */
void plb_reduce_fold(const struct plb_data *data, void *into, const void *from);

#endif
