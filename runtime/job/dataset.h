/* The declared buffers as one node sees them: where each is, and which bytes belong to a range. */
#ifndef PLB_JOB_DATASET_H
#define PLB_JOB_DATASET_H

#include "base/rangeset.h"
#include "job/application.h"

struct plb_dataset {
    int n;
    bool owner;                 /* rank 0, which has every buffer whole */
    int64_t units;
    struct plb_data at[PLB_MAX_DATA];
    void *host[PLB_MAX_DATA];   /* the whole buffer: REPLICATE everywhere, the others at the owner */
    unsigned char args[PLB_MAX_ARGS];
    size_t args_bytes;
};

/* Describes the app's buffers, as their owner sees them. */
void plb_dataset_describe(struct plb_dataset *set, const struct plb_app *app);

void plb_dataset_fini(struct plb_dataset *set);

/* Whether some buffer is not whole here, so that tasks need buffers of their own. */
bool plb_dataset_travels(const struct plb_dataset *set);

/* Which bytes of buffer i belong to a range; the whole buffer where it is replicated or reduced. */
void plb_dataset_bytes(const struct plb_dataset *set, int i, struct plb_range range, size_t *offset,
                       size_t *bytes);

bool plb_data_is_input(const struct plb_data *data);  /* split by unit, pulled */
bool plb_data_is_result(const struct plb_data *data); /* comes back with DONE */

/* Sets a task's reduce array to the neutral element, and folds one such array into another. */
void plb_reduce_clear(const struct plb_data *data, void *array);
void plb_reduce_fold(const struct plb_data *data, void *into, const void *from);

#endif
