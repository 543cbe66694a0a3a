/* The declared buffers as one rank sees them: where each is in its memory, and which bytes belong to a
 * range. */
#ifndef PLB_APP_DATASET_H
#define PLB_APP_DATASET_H

#include "app/application.h"
#include "base/rangeset.h"
#include "core/work/sizes.h"

struct plb_own_cores;

struct plb_dataset {
    int n;
    bool on_rank0; /* which has every buffer whole */
    int64_t whole; /* these buffers are whole in this rank's address space, though they are split by unit, or
                      all ranks have them without a broadcast. Their memory belongs to who has set the bit */
    const struct plb_kernel *kernel; /* borrowed; of this rank */
    bool writes_all; /* the kernel writes every byte of its outputs: they need not be zero before */
    const struct plb_own_cores *cores; /* of the communication thread; NULL: it may run on all */
    int64_t units;
    int64_t fed;                    /* mask of the inputs that may be at ranks other than 0 (app/feeds.h) */
    int64_t named;                  /* mask of the inputs that setup said results feed */
    int64_t multiple;               /* of the application */
    int64_t chunk;                  /* units of a chunk (app/chunks.h); 0: there are none */
    struct plb_fold_tree *tree;     /* of rank 0, where there are chunks */
    struct plb_record_store *store; /* of rank 0's application, where there are records; borrowed */
    struct plb_data at[PLB_MAX_DATA];
    void *host[PLB_MAX_DATA];      /* the whole buffer, where this rank has it */
    size_t mapped[PLB_MAX_DATA];   /* bytes of the whole buffer, where ranks of this host share it; else 0 */
    bool shared[PLB_MAX_DATA];     /* on rank 0: isolated tasks share the whole buffer with it */
    int file[PLB_MAX_DATA];        /* the application's file that has the buffer, from 1; 0: none */
    int64_t file_at[PLB_MAX_DATA]; /* the byte of the file at which the buffer begins */
    int64_t file_in[PLB_MAX_DATA]; /* the same from the begin of the file's data */
    int64_t stored;                /* not on rank 0: these outputs are written to their files by this rank */
    int fd[PLB_MAX_DATA];          /* of such a file */
    void *target[PLB_MAX_DATA];    /* the whole of it, in memory of rank 0; NULL: fd writes it */
    void *neutral[PLB_MAX_DATA];   /* not on rank 0: memory of at[i].neutral, or NULL */
    void *first[PLB_MAX_DATA];     /* not on rank 0: what a task of unit 0 gets, for a first call; or NULL */
    _Alignas(64) unsigned char args[PLB_MAX_ARGS];
    size_t args_bytes;
};

/* Describes the app's buffers as rank 0 has them. The buffers stay the app's. */
void plb_dataset_describe(struct plb_dataset *set, const struct plb_app *app);

/* Frees the copies of a rank other than 0, and rank 0's tree. */
void plb_dataset_fini(struct plb_dataset *set);

/* Whether tasks of this rank find their part of a buffer in the whole buffer. Never where it is reduced: each
 * task has an array of its own. */
bool plb_dataset_in_place(const struct plb_dataset *set, int i);

/* Masks of the inputs that tasks read a part of (PLB_PARTITION*), and of the results. */
int64_t plb_dataset_partitioned(const struct plb_dataset *set);
int64_t plb_dataset_results(const struct plb_dataset *set);

/* Masks of buffers: those of which tasks of this rank have parts of their own, because they are not in place;
 * inputs among them, which are pulled; and the results that are sent to rank 0, none on rank 0 itself. */
int64_t plb_dataset_apart(const struct plb_dataset *set);
int64_t plb_dataset_pulled(const struct plb_dataset *set);
int64_t plb_dataset_sent(const struct plb_dataset *set);

/* Whether inputs or outputs of tasks travel: some of them are not in place on this rank. */
bool plb_dataset_travels(const struct plb_dataset *set);

/* The units of buffer i that a task of this range reads: its own and, of a partition, its halo. */
struct plb_range plb_dataset_around(const struct plb_dataset *set, int i, struct plb_range range);

/* Says which bytes of buffer i belong to a range, without a halo: all of them where it is replicated or
 * reduced. Where there are chunks, a reduced buffer has an array for each node of the range's forest. */
void plb_dataset_bytes(const struct plb_dataset *set, int i, struct plb_range range, size_t *offset,
                       size_t *bytes);

/* The bytes that units and tasks have, for the core. Borrows the offsets of indexed buffers; where those are
 * not in memory, as in some simulations, such a buffer does not count. */
struct plb_sizes plb_dataset_sizes(const struct plb_dataset *set);

/* Whether ranks that see the file of this output may write their parts of it: no late task of an earlier pass
 * may, and on another system than rank 0's only whole pages. */
bool plb_dataset_may_store(const struct plb_dataset *set, int i, bool same_system);

/* The bytes of inputs, or of results, that cross rank 0's link where each rank is on another machine and sees
 * all files. */
struct plb_sizes plb_dataset_link_sizes(const struct plb_dataset *set, bool results);

/* The units between two places where the parts of all buffers in place, and of those of the mask, are aligned
 * to 64 bytes: tasks should begin there. 1 where parts are aligned anyhow, and where tasks have buffers of
 * their own. */
int64_t plb_dataset_stride(const struct plb_dataset *set, int64_t also);

/* Whether a task reads its part of the buffer as an input, and whether it makes its part of it. */
bool plb_data_is_partitioned(const struct plb_data *data);
bool plb_data_is_result(const struct plb_data *data);

/* The CRC32C of these buffers of a range, one after the other: parts[i] is that of buffer i. halo: each of
 * them with its halo. */
uint32_t plb_dataset_sum(const struct plb_dataset *set, struct plb_range range, bool halo, void *const *parts,
                         int64_t buffers);

/* The buffers with records, as a mask. Their bytes are nowhere in the dataset: see app/records.h. */
int64_t plb_dataset_records(const struct plb_dataset *set);

/* Whether some buffer is reduced. */
bool plb_dataset_reduces(const struct plb_dataset *set);

/* Folds the reduced arrays of a range into rank 0's: arrays[i] is that of buffer i. The main thread. */
void plb_dataset_fold(const struct plb_dataset *set, struct plb_range range, void *const *arrays);

/* The pass has ended: folds what waits for chunks that were set aside. The main thread. */
void plb_dataset_fold_rest(const struct plb_dataset *set);

/* Brings the reduced arrays of a range into the order in which others can be compared with them or folded
 * into them: a task may have left the pairs of a list in any order. */
void plb_dataset_sort(const struct plb_dataset *set, struct plb_range range, void *const *arrays);

/* Folds the reduced arrays of a range into those of the one before it, which then are those of both. Any
 * thread. */
void plb_dataset_fold_into(const struct plb_dataset *set, struct plb_range before, void *const *into,
                           struct plb_range range, void *const *from);

/* A task has made the arrays of a chunk, which stand behind those of the chunks of the range before it. */
void plb_dataset_add_chunk(const struct plb_dataset *set, struct plb_range before, void *const *arrays,
                           struct plb_range chunk);

/* Arrays of a reduced buffer of so many units; 1 where there are no chunks. And the bytes from one of them to
 * the next. */
int plb_dataset_arrays(const struct plb_dataset *set, struct plb_range range);
size_t plb_dataset_step(const struct plb_dataset *set, int i);

/* Rank 0: makes the tree into which the arrays of chunks are folded, where there are chunks. */
void plb_dataset_make_tree(struct plb_dataset *set);

#endif
