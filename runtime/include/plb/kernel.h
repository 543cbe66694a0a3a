/* The kernel API: all that the author of a kernel sees.
 *
 * A kernel is a shared object that exports one constant,
 *
 *     const struct plb_kernel plb_kernel = { PLB_KERNEL_HEAD, .name = "mine", ... };
 *
 * plbrun runs its cpu (or cuda) entry over all units of the job, range by range, on any processing
 * unit, in any order, and perhaps twice for one range: an entry is a pure function of its inputs.
 * The other functions run on rank 0 alone, one at a time, in this order:
 * setup, then for each pass the entries everywhere and `next`, then verify (with --verify), finish.
 *
 * A pass runs one entry over all units once. An application may have several kernels over the same
 * units and buffers, say `assign` then `smooth`: its phases, of which each pass runs one. What is
 * learnt of a PU's speed is kept for each phase on its own, from one pass of it to the next.
 *
 * All sizes are 64-bit. Buffers named in this header are aligned to 64 bytes. */
#ifndef PLB_KERNEL_H
#define PLB_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plb/option.h"
#include "plb/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLB_KERNEL_ABI 3u

/* The running application, as its kernel sees it. Opaque; owned by plbrun; only valid in the
 * thread and for the duration of the call it is handed to. */
struct plb_app;

/* ------------------------------------------------------------------ data */

enum plb_data_mode {
    PLB_REPLICATE,         /* the whole buffer on every node and device */
    PLB_PARTITION,         /* unit_bytes per unit, pulled by whoever executes the unit */
    PLB_PARTITION_INDEXED, /* unit u owns elements offsets[u] .. offsets[u+1], as rows of a CSR matrix */
    PLB_OUTPUT,            /* unit_bytes per unit, written by the entry, gathered on rank 0 */
    PLB_REDUCE,            /* a small array folded over all tasks: sum, min or max per element */
};

enum plb_reduce_op { PLB_SUM, PLB_MIN, PLB_MAX };
enum plb_reduce_type { PLB_FLOAT64, PLB_INT64 };

/* One declared buffer. `data` is rank 0's memory and is borrowed until the run ends; it may be
 * NULL in a simulation, where no entry runs (plb_app_simulated). */
struct plb_data {
    const char *name;           /* for messages and traces; static storage */
    enum plb_data_mode mode;
    void *data;                 /* rank 0's buffer: whole input, or where the output goes */
    size_t bytes;               /* REPLICATE, REDUCE: size of the buffer */
    size_t unit_bytes;          /* PARTITION, OUTPUT: bytes of one unit */
    int offsets;                /* PARTITION_INDEXED: the handle of a REPLICATE buffer of int64_t,
                                   units + 1 of them, not decreasing */
    size_t element_bytes;       /* PARTITION_INDEXED: bytes of one element */
    enum plb_reduce_op op;      /* REDUCE */
    enum plb_reduce_type type;  /* REDUCE */
};

/* What one call of an entry works on. Everything is owned by the caller and lasts for the call. */
struct plb_task {
    int64_t first, count;       /* the range: units [first, first + count) */
    void *const *data;          /* one pointer per declared buffer, in order of declaration, already
                                   in the PU's memory. REPLICATE: its start. PARTITION and OUTPUT:
                                   the bytes of unit `first`. PARTITION_INDEXED: element
                                   offsets[first]. REDUCE: this task's own array, set to the
                                   neutral element */
    const size_t *bytes;        /* how many bytes each of them has from there: of the range, or of the whole
                                   buffer where it is replicated or reduced */
    const void *args;           /* the constant block given to plb_app_args, or NULL */
    void *stream;               /* the CUDA stream of a cuda entry, else NULL */
    int threads;                /* threads a cpu entry may use; the OpenMP default is set to it */
};

/* ---------------------------------------------------------------- kernel */

/* Runs one task. Returns 0, or any other number to fail the run: plbrun names the kernel, the PU,
 * the range and the number, and exits with status 1. Called concurrently from several threads. */
typedef int (*plb_entry_fn)(const struct plb_task *task);

/* One of several kernels of an application: what a pass runs. It works on the buffers that setup
 * declared, all of them, whether it needs them or not: outputs are gathered after every pass, and
 * reduced arrays start each pass at their neutral element. */
struct plb_phase {
    const char *name;           /* for messages and the report */
    plb_entry_fn cpu, cuda;     /* as in struct plb_kernel; at least one of the two */
    double (*cost)(const struct plb_app *app, int64_t first, int64_t count); /* as there; asked after
                                   setup for all passes; in the same measure in every phase */
};

struct plb_kernel {
    uint32_t abi;               /* PLB_KERNEL_ABI, and */
    uint32_t size;              /* sizeof(struct plb_kernel): both through PLB_KERNEL_HEAD */
    const char *name;           /* also the name of the kernel's conf section */
    const char *unit;           /* what one unit is, in the plural: "rows", "genes" */
    const char *summary;        /* one line for people */
    const struct plb_option *options; /* keys of the conf section, ended by a NULL name; or NULL */
    plb_entry_fn cpu;           /* at least one of the two entries, unless there are phases */
    plb_entry_fn cuda;          /* enqueues on task->stream and returns without waiting */

    /* Optional: up to 32 phases, ended by a NULL name; `cpu`, `cuda` and `cost` of the kernel itself
     * are then NULL. NULL = these three are the only phase. Static storage. */
    const struct plb_phase *phases;

    /* Reads input, declares data and says how many units there are. Returns PLB_OK or what
     * plb_app_error returned. */
    int (*setup)(struct plb_app *app);

    /* Optional: the work in units [first, first + count), in any one measure that is proportional
     * to time (flops, stored entries); additive and not negative. NULL = one per unit. Called on
     * rank 0 after setup. The `rate` and `half` of .cluster files are in this measure. */
    double (*cost)(const struct plb_app *app, int64_t first, int64_t count);

    /* Optional: called after each pass with its number from 0. May change REPLICATE buffers in
     * place (then call plb_app_replace for each). Sets *again to run another pass, and says which
     * phase that is with plb_app_phase. NULL = one pass. A simulation, which has no results to decide
     * by, does not call it and runs each phase once, in their order. */
    int (*next)(struct plb_app *app, int64_t pass, bool *again);

    /* Optional: compares the outputs with an independent reference computed in double precision.
     * Returns PLB_OK, or PLB_EVERIFY after plb_app_error has said where they differ. */
    int (*verify)(struct plb_app *app);

    /* Optional: writes the results. */
    int (*finish)(struct plb_app *app);
};

/* The only phase of a kernel that lists none. */
static inline struct plb_phase plb_only_phase(const struct plb_kernel *kernel)
{
    struct plb_phase phase = {kernel->name, kernel->cpu, kernel->cuda, kernel->cost};
    return phase;
}

#define PLB_KERNEL_HEAD .abi = PLB_KERNEL_ABI, .size = sizeof(struct plb_kernel)

/* Declares a cuda entry, so that it can be named in the descriptor whether it is there or not:
 *
 *     PLB_CUDA_ENTRY(mine_cuda);      ... .cuda = mine_cuda,
 *
 * It may be linked into NAME.so, or into NAME.cuda.so in the same folder, which plbrun loads first, and
 * only where the job may use a GPU: so a node with no CUDA libraries runs the rest of NAME.so. Where the
 * entry is not there, its name is NULL. Helpers in NAME.cuda.so are static: its functions would replace those of
 * the same name in NAME.so. Link CUDA's runtime as a shared library (nvcc -cudart shared):
 * the stream of a task is plbrun's. */
#define PLB_CUDA_ENTRY(fn) extern __attribute__((weak)) int fn(const struct plb_task *task)

/* ----------------------------------------------- what a kernel can ask for
 * For setup, cost, next, verify and finish; never from an entry. Not thread-safe. */

/* The value of one of the kernel's options, checked against its bounds before setup ran. The name must
 * be in the table and of the type that the function names; else plbrun ends with a message for the author.
 * plb_app_text serves PLB_TEXT, PLB_INPUT_FILE and PLB_OUTPUT_FILE and returns NULL for a value that is not
 * set and has no fallback; the text lasts until the run ends. plb_app_choice serves PLB_TEXT with `choices`
 * and returns the place of the value in that list, from 0, so that an enum in the same order can name it;
 * -1 for a value that is not set and has no fallback. */
int64_t plb_app_int(const struct plb_app *app, const char *name);
double plb_app_real(const struct plb_app *app, const char *name);
bool plb_app_flag(const struct plb_app *app, const char *name);
const char *plb_app_text(const struct plb_app *app, const char *name);
int plb_app_choice(const struct plb_app *app, const char *name);
bool plb_app_given(const struct plb_app *app, const char *name); /* set by the user, not a fallback */

/* True under --simulate: units, cost and sizes matter, contents of buffers do not. */
bool plb_app_simulated(const struct plb_app *app);

/* How many units the job has; at least 1. */
void plb_app_units(struct plb_app *app, int64_t units);

/* Declares a buffer and returns its handle: 0, 1, 2 … in order, the index into plb_task.data. */
int plb_app_data(struct plb_app *app, const struct plb_data *data);

/* Copies the constant block that every task gets; at most 4096 bytes. */
void plb_app_args(struct plb_app *app, const void *args, size_t bytes);

/* Says that the REPLICATE buffer with this handle has changed, so that it is sent again. */
void plb_app_replace(struct plb_app *app, int handle);

/* The phase of the coming pass, as an index into `phases`: from setup for the first pass, from next for
 * the one after. 0 unless said otherwise, and kept until changed. An index that is not there fails the
 * run as plb_app_error does. */
void plb_app_phase(struct plb_app *app, int phase);

/* Memory that plbrun frees when the run ends, aligned to 64 bytes, zeroed. Never NULL: plbrun ends
 * the run with a sentence where there is none left. */
void *plb_app_alloc(struct plb_app *app, size_t bytes);

/* A pointer of the kernel's own, kept between its calls. */
void plb_app_set_state(struct plb_app *app, void *state);
void *plb_app_state(const struct plb_app *app);

/* Describes a mistake in one sentence (printf format, no newline). The first one counts.
 * Returns PLB_EINPUT, so that `return plb_app_error(app, ...)` reads well. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int plb_app_error(struct plb_app *app, const char *format, ...);

/* Element `index` of the repeatable random sequence `seed`: 64 random bits, and a real in [0, 1).
 * Pure functions, so that any part of a synthetic input can be made anywhere, in any order. */
uint64_t plb_random_bits(uint64_t seed, uint64_t index);
double plb_random_real(uint64_t seed, uint64_t index);

/* ------------------------------------------------------------------ files
 * Readers put their result into memory of the app (plb_app_alloc) and write their outputs only on
 * success. Every failure is described through plb_app_error with file and, for text, line. */

/* A dense array of one or two dimensions. */
struct plb_array {
    void *data;
    size_t element_bytes;       /* 4: float32, 8: float64 */
    int64_t rows, columns;      /* one dimension: columns = 1 */
    bool column_major;          /* NumPy's fortran_order */
};

enum plb_order { PLB_ROW_MAJOR, PLB_COLUMN_MAJOR };

/* Reads a .npy file of little-endian float32 or float64, version 1 to 3, and gives it in `order`,
 * transposing in memory where the file has the other one. In a simulation only the header is read
 * and array->data is NULL. */
int plb_read_npy(struct plb_app *app, const char *path, enum plb_order order,
                 struct plb_array *array);

/* Writes a .npy file under a temporary name in the same folder, then renames it. */
int plb_write_npy(struct plb_app *app, const char *path, const struct plb_array *array);

/* A sparse matrix in compressed sparse row form. */
struct plb_csr {
    int64_t rows, columns, nonzeros;
    int64_t *offsets;           /* rows + 1 */
    int32_t *indices;           /* column of each entry, ascending in a row */
    double *values;             /* pattern files: 1.0 */
};

/* Reads a Matrix Market coordinate file: real, integer or pattern; general, symmetric or
 * skew-symmetric (expanded to both triangles). Duplicate entries are summed. Also in a simulation. */
int plb_read_mtx(struct plb_app *app, const char *path, struct plb_csr *matrix);

#ifdef __cplusplus
}
#endif

#endif
