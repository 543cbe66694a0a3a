/* The kernel API: all that the author of a kernel sees.
 *
 * A kernel is a shared object that exports one constant,
 *
 *     const struct plb_kernel plb_kernel = { PLB_KERNEL_HEAD, .name = "mine", ... };
 *
 * A job has a number of units. plbrun cuts the units into ranges and runs the kernel's entry on each range,
 * on any processing unit and in any order. It may run a range twice, and then counts it once. So an entry
 * must be a pure function of its inputs.
 *
 * The other functions of a kernel run only on rank 0, one at a time: `setup` first, then `cost`; `next` after
 * each pass; `verify` (with --verify) and `finish` after the last pass; `agree` (with [run] audit) and
 * `heard` during passes; `redo` with a journal, before the first pass of a resumed run, and after each pass.
 *
 * A pass runs one entry over all units once. A kernel may have several entries over the same units and
 * buffers, such as `assign` and `smooth`: its phases. Each pass runs one of them. plbrun measures the speed
 * of a PU separately for each phase, and keeps it from one pass of the phase to the next.
 *
 * All sizes are 64-bit and in bytes unless a comment says otherwise. */
#ifndef PLB_KERNEL_H
#define PLB_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plb/clones.h"
#include "plb/csv.h"
#include "plb/data_file.h"
#include "plb/image.h"
#include "plb/option.h"
#include "plb/records.h"
#include "plb/reduce.h"
#include "plb/status.h"
#include "plb/task.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLB_KERNEL_ABI 12u

/* The running application, as its kernel sees it. Opaque, and owned by plbrun. Valid only in the thread that
 * gets it, and only during that call. */
struct plb_app;

/* ------------------------------------------------------------------ data */

enum plb_data_mode {
    PLB_REPLICATE,         /* input: the whole buffer is on every node and device */
    PLB_PARTITION,         /* input: unit_bytes per unit; a PU gets the part of the units that it executes */
    PLB_PARTITION_INDEXED, /* input: unit u has elements offsets[u] to offsets[u+1] - 1, as rows of CSR */
    PLB_OUTPUT,            /* unit_bytes per unit; the entry writes them, and rank 0 gathers them */
    PLB_REDUCE,            /* a small array; all tasks' arrays are folded, element by element, into one */
    PLB_RECORDS,           /* any number of bytes per unit, by plb_task_record; only for cpu entries */
};

/* One declared buffer. `data` is rank 0's memory, or that of a file (plb_app_file). plbrun borrows it until
 * the run ends. In a simulation no entry runs, and it may be NULL (plb_app_simulated). */
struct plb_data {
    const char *name; /* for messages and traces; not empty; static storage */
    enum plb_data_mode mode;
    void *data;                /* the whole input, or the place for the whole output */
    size_t bytes;              /* REPLICATE, REDUCE: of the buffer; REDUCE: a multiple of an element.
                                  PARTITION, OUTPUT: 0, or that of all units */
    size_t unit_bytes;         /* PARTITION, OUTPUT: of one unit; above 0. REPLICATE: 0, but beside `bytes` */
    int offsets;               /* PARTITION_INDEXED: the handle of a REPLICATE buffer of units + 1 int64_t,
                                  which begin at 0 or more and do not decrease */
    size_t element_bytes;      /* PARTITION_INDEXED: of one element; above 0 */
    enum plb_reduce_op op;     /* REDUCE */
    enum plb_reduce_type type; /* REDUCE; not used by PLB_OWN_FOLD */
    size_t top;                /* PLB_TOP_MIN, PLB_TOP_MAX: pairs of each list; the lists stand one after the
                                  other. 0: the buffer is one list */
    const void *neutral;       /* PLB_OWN_FOLD: `bytes` bytes, which each task's array holds before; folded
                                  with another array they leave that one unchanged. Borrowed. NULL: zeros */
    bool stays; /* OUTPUT of a kernel with `next`: not read before the last pass has ended. Until then
                   results stay at the nodes that computed them. `next` finds them in `data` only after
                   plb_app_gather */
    int64_t before, after; /* PARTITION: the halo. An entry that executes units first to last also reads
                              so many units before `first` and after `last`, where the job has them; 0
                              to 2147483647. plb_task.before says how many there are */
};

/* ---------------------------------------------------------------- kernel */

/* Runs one task. Its outputs are zero before, unless the kernel promises to write all of them
 * (plb_kernel.writes_all). It returns 0, or any other number to fail the run: plbrun names the kernel, the
 * PU, the range and the number, and exits with status 1. Several threads call it at the same time. */
typedef int (*plb_entry_fn)(const struct plb_task *task);

/* Two results of the same units, from two PUs: one buffer of each. plbrun owns all of it, and it lasts for
 * the call. */
struct plb_twice {
    int64_t first, count; /* the range: units first to first + count - 1 */
    int buffer;           /* handle of an OUTPUT or REDUCE buffer */
    const void *one,
        *other;   /* OUTPUT: the bytes of the range; REDUCE: the array of a task with these units */
    size_t bytes; /* of each */
};

/* Two arrays of a buffer with PLB_OWN_FOLD, of tasks without a common unit. plbrun owns all of it, and it
 * lasts for the call. */
struct plb_folding {
    int buffer; /* handle */
    void *into; /* becomes the array of the units of both; aligned to 64 bytes, where it is not rank 0's */
    const void *from; /* stays as it is; aligned in the same way */
    size_t bytes;     /* of each */
    const void *args; /* the block given to plb_app_args, or NULL */
};

#define PLB_SAME (-1) /* what plb_kernel.agree returns for results that agree */

/* One phase of a kernel. It works on all buffers that setup declared. Rank 0 gathers the outputs after every
 * pass, and reduced arrays begin each pass with their neutral element. */
struct plb_phase {
    const char *name;               /* for messages and the report; static storage */
    plb_entry_fn cpu, cuda, opencl; /* as in struct plb_kernel; at least one of them */
    double (*cost)(const struct plb_app *app, int64_t first, int64_t count); /* as there, and called for all
                                   phases after setup; every phase uses the same measure */
};

struct plb_kernel {
    uint32_t abi;                     /* PLB_KERNEL_ABI; set through PLB_KERNEL_HEAD */
    uint32_t size;                    /* sizeof(struct plb_kernel); set through PLB_KERNEL_HEAD */
    const char *name;                 /* also the name of the kernel's conf section */
    const char *unit;                 /* what a unit is, in the plural: "rows", "genes" */
    const char *summary;              /* one line for people */
    const struct plb_option *options; /* keys of the conf section, ended by a NULL name; or NULL */
    plb_entry_fn cpu;    /* for CPUs; a kernel without phases has at least one of these entries */
    plb_entry_fn cuda;   /* for GPUs; enqueues its work on task->stream and returns without waiting */
    plb_entry_fn opencl; /* for GPUs and accelerators by OpenCL; in the same way (plb/opencl.h) */

    /* Optional: up to 32 phases, ended by a NULL name. Then the entries and `cost` of the kernel itself are
     * NULL. NULL: they are the only phase. Static storage. */
    const struct plb_phase *phases;

    /* Reads inputs, declares buffers and says how many units there are. Its OpenMP threads end before the
     * first pass, with their threadprivate data. Returns PLB_OK, or what plb_app_error returned. */
    int (*setup)(struct plb_app *app);

    /* Optional: the work in units first to first + count - 1, in any measure in proportion to time, such as
     * flops or stored entries. Finite, not negative, and additive. NULL: 1 per unit. `rate` and `half` of
     * .cluster files are in this measure. */
    double (*cost)(const struct plb_app *app, int64_t first, int64_t count);

    /* Optional: called after each pass with its number, from 0. Sets *again to run another pass, and says
     * with plb_app_phase which phase that is. It may change REPLICATE buffers in place, and calls
     * plb_app_replace for each. It must not change other inputs, because ranks keep their parts of them from
     * pass to pass; only plb_app_feed does. Returns as setup does. NULL: one pass. A simulation has no
     * results to decide by, so it does not call `next` and runs each phase once, in their order. */
    int (*next)(struct plb_app *app, int64_t pass, bool *again);

    /* Optional: compares the outputs with an independent reference computed in double precision. Returns
     * PLB_OK, or PLB_EVERIFY after plb_app_error has said where they differ. */
    int (*verify)(struct plb_app *app);

    /* Optional: writes results that setup has not declared with plb_app_save_npy. Not called after a wrong
     * result. Returns as setup does. */
    int (*finish)(struct plb_app *app);

    /* Every entry writes every byte of its outputs in every task. Then plbrun does not set them to zero
     * before. A byte that an entry leaves out all the same has any value. false is always right; a
     * memory-bound entry then takes up to half as long again. */
    bool writes_all;

    /* Optional: compares two results of the same units, which an audit ([run] audit) had two PUs compute. It
     * is called once for each OUTPUT and REDUCE buffer, and returns PLB_SAME if rounding explains all
     * differences; else the byte at which the first other difference begins. NULL: bytes are compared. A
     * kernel of floating-point numbers needs it where PUs round differently: a GPU, other threads, another
     * instruction set. */
    int64_t (*agree)(struct plb_app *app, const struct plb_twice *results);

    /* Optional: folds one array of a buffer with PLB_OWN_FOLD into another one. plbrun folds the arrays of
     * tasks in any order and in any groups. So the fold must be associative and commutative, apart from
     * rounding: fold(a, fold(b, c)) is fold(fold(a, b), c), and fold(a, b) is fold(b, a). It is a pure
     * function of what it gets. Any thread on any rank may call it, several at the same time. */
    void (*fold)(const struct plb_folding *folding);

    /* A cpu entry reads and writes each byte about once, so that memory limits it, and not arithmetic. Then
     * tasks of CPUs on other ranks than 0 have only a part of the last-level cache, as bytes of inputs and
     * outputs. The entry finds there what has just arrived. false is always right. */
    bool streams;

    bool once;   /* units are re-executed only after a loss: no backups, no audits */
    bool single; /* a cpu entry uses one thread: each thread of a rank's CPU is a separate PU */

    /* Optional: called during a pass. Units first to first + count - 1 are accepted, and their outputs are in
     * their place; some of them perhaps not for the first time. It may end the run (plb_app_halt). */
    void (*heard)(struct plb_app *app, int64_t first, int64_t count);

    /* Optional: whether a run that resumes in this pass re-executes an accepted unit. Its outputs are in
     * their place. Also asked after a pass, before `next`: false has the journal keep the pass's results. */
    bool (*redo)(const struct plb_app *app, int64_t unit);

    const char *source; /* Optional: the file of which a host has made the kernel (plb/host.h) */

    /* Optional: whether a unit failed in the earlier run; --resume-failed executes it anew. Not in sums. */
    bool (*retry)(struct plb_app *app, int64_t unit);
};

#define PLB_KERNEL_HEAD .abi = PLB_KERNEL_ABI, .size = sizeof(struct plb_kernel)

/* The only phase of a kernel that lists none. */
static inline struct plb_phase plb_only_phase(const struct plb_kernel *kernel)
{
    struct plb_phase phase = {kernel->name, kernel->cpu, kernel->cuda, kernel->opencl, kernel->cost};
    return phase;
}

/* Declares a cuda entry, so that the descriptor can name it whether it is there or not:
 *
 *     PLB_CUDA_ENTRY(mine_cuda);      ... .cuda = mine_cuda,
 *
 * The entry may be linked into NAME.so, or into NAME.cuda.so in the same folder. plbrun loads NAME.cuda.so
 * first, and only where the job may use a GPU. So a node without CUDA's libraries runs the rest of NAME.so.
 * If the entry is missing, its name is NULL. Helper functions in NAME.cuda.so must be static, or they replace
 * functions of the same name in NAME.so. Link CUDA's runtime as a shared library (nvcc -cudart
 * shared), because the stream of a task is plbrun's. */
#define PLB_CUDA_ENTRY(fn) extern __attribute__((weak)) int fn(const struct plb_task *task)

/* In the same way an opencl entry, in NAME.so or NAME.opencl.so. */
#define PLB_OPENCL_ENTRY(fn) PLB_CUDA_ENTRY(fn)

/* ----------------------------------------------- what a kernel can ask for
 * Every function of struct plb_kernel but entries and `fold` may call these. Not thread-safe. */

/* The value of one of the kernel's options. plbrun has checked it before setup. The name must be in the
 * kernel's table, with the type that the function serves. Else the function notes the mistake and returns 1,
 * true or "". plbrun then ends the run with a sentence, as after plb_app_error. */
int64_t plb_app_int(const struct plb_app *app, const char *name); /* PLB_INT */
double plb_app_real(const struct plb_app *app, const char *name); /* PLB_REAL; PLB_DURATION in seconds */
bool plb_app_flag(const struct plb_app *app, const char *name);   /* PLB_FLAG */

/* The text of a PLB_TEXT, or the path of a PLB_INPUT_FILE or PLB_OUTPUT_FILE. NULL where the value is not set
 * and has no fallback. It lasts until the run ends. */
const char *plb_app_text(const struct plb_app *app, const char *name);

/* The place of a PLB_TEXT among its `choices`, from 0, so that an enum in the same order names it. -1 where
 * the value is not set and has no fallback. */
int plb_app_choice(const struct plb_app *app, const char *name);

/* Whether the user has set the option: its value is not the fallback. */
bool plb_app_given(const struct plb_app *app, const char *name);

/* True under --simulate: units, cost and sizes count, and the contents of buffers do not. */
bool plb_app_simulated(const struct plb_app *app);

/* True under --dry-run: nothing is going to be computed. */
bool plb_app_dry_run(const struct plb_app *app);

/* Whether an earlier run may have done a part of the job (--resume, --resume-failed). */
bool plb_app_resumes(const struct plb_app *app);

/* Says how many units the job has; at least 1. */
void plb_app_units(struct plb_app *app, int64_t units);

/* Says in setup that an entry works best on multiples of so many units, such as the 128 columns of a GPU's
 * tile; at least 1. plbrun then cuts tasks of whole multiples. A task that is smaller than one stays as it
 * is, and so does the last one of a range. 1 until said. */
void plb_app_multiple(struct plb_app *app, int64_t units);

/* Says in setup what each unit costs, in place of plb_kernel.cost and that of phases: as many finite numbers,
 * not negative, in any unit. Borrowed until the run ends. */
void plb_app_unit_costs(struct plb_app *app, const double *costs);

/* Says in setup that the cpu entry starts programs, and that each GPU of a host is a PU, or `programs`
 * PUs if several programs share it; at least 1. There the cpu entry runs; plb_task.gpu names the GPU. */
void plb_app_use_gpus(struct plb_app *app, int programs);

/* Seconds until a time limit or the batch system ends the run; infinite without a limit, and in a
 * simulation. */
double plb_app_time_left(const struct plb_app *app);

/* Declares a buffer, of which it copies the description. Returns the handle, which is the index into
 * plb_task.data: 0, 1, 2 … in the order of the calls. At most 32 buffers. */
int plb_app_data(struct plb_app *app, const struct plb_data *data);

/* Copies the constant block that every task gets; at most 4096 bytes. */
void plb_app_args(struct plb_app *app, const void *args, size_t bytes);

/* Says that the REPLICATE buffer with this handle has changed. plbrun sends it to all nodes again before the
 * next pass. Offsets of a PARTITION_INDEXED buffer cannot change: that is a mistake, PLB_EINPUT. */
void plb_app_replace(struct plb_app *app, int handle);

/* The same, where only `bytes` bytes from byte `first` of the buffer on have changed since the last pass:
 * only these are sent. The parts of several calls add up. A buffer of which more than half has changed is
 * sent whole. A call with 0 bytes says nothing. */
void plb_app_replace_part(struct plb_app *app, int handle, size_t first, size_t bytes);

/* Says in `next` that the results of the pass that has ended are an input of the next one, as in a stencil
 * in time. `output` is an OUTPUT. `input` is a PARTITION of the same unit_bytes, or a REPLICATE
 * of as many bytes, and in no file. Once `next` has returned, and a further pass follows, plbrun copies one
 * into the other on rank 0. A rank keeps what it has computed itself, so `next` must change neither of the
 * two. At most 8 inputs; those that a call of `next` does not name keep their contents. A call in setup,
 * after the units and buffers, announces such calls, so that ranks keep results of the first pass as well. An
 * output with `stays` must be named in setup and can feed only a PARTITION: its results go straight to the
 * ranks that need them, and only entries see the contents of `input`. */
void plb_app_feed(struct plb_app *app, int output, int input);

/* Says in setup or in `next` that the results of the coming pass are wanted on rank 0 when it has ended: the
 * next call of `next` finds them in `output`, an OUTPUT with `stays`. It counts for this one pass. */
void plb_app_gather(struct plb_app *app, int output);

/* Chooses the phase of the next pass, as an index into `phases`. It is 0 until chosen, and stays until
 * changed. setup chooses for the first pass, next for the one after. A wrong index fails the run, as
 * plb_app_error does. */
void plb_app_phase(struct plb_app *app, int phase);

/* Zeroed memory, aligned to 64 bytes. plbrun frees it when the run ends. Never NULL: without memory plbrun
 * ends with a sentence. */
void *plb_app_alloc(struct plb_app *app, size_t bytes);

/* The same for an array of `n` elements of `size` bytes each; n is 0 or more. If n * size
 * overflows, plbrun ends with the same sentence. */
void *plb_app_alloc_array(struct plb_app *app, int64_t n, size_t size);

/* The first element of two float64 results that differs by more than `relative` times the larger magnitude of
 * the two, plus `absolute`; as plb_kernel.agree returns it. Two that are both NaN agree. A pure function. */
int64_t plb_app_agree_reals(const struct plb_twice *results, double relative, double absolute);

/* A pointer of the kernel's own, which plbrun keeps between the calls of its functions. NULL at first. */
void plb_app_set_state(struct plb_app *app, void *state);
void *plb_app_state(const struct plb_app *app);

/* Says in setup that `bytes` bytes at `data` are memory in which `next` keeps something from one pass to the
 * next, outside of the declared buffers: sums of earlier passes, for example. A journal stores them, so that
 * an interrupted run can be resumed (run.journal). The memory is borrowed until the run ends; it must be
 * plain data without pointers, which mean nothing to the next run. At most 32 calls. */
void plb_app_keep(struct plb_app *app, void *data, size_t bytes);

/* Describes a mistake in one sentence: printf's format, no newline. The first sentence counts. Returns
 * PLB_EINPUT, for `return plb_app_error(app, ...)`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int plb_app_error(struct plb_app *app, const char *format, ...);

/* Element `index` of the repeatable random sequence `seed`: 64 random bits, or a real number in [0, 1). Pure
 * functions, so any part of a synthetic input can be made anywhere and in any order. Thread-safe; an entry
 * may call them. */
uint64_t plb_random_bits(uint64_t seed, uint64_t index);
double plb_random_real(uint64_t seed, uint64_t index);

/* ------------------------------------------------------------------ files
 * Readers put their result into memory of the app, as plb_app_alloc does. They write their outputs only on
 * success. All functions return PLB_OK; or another status, after they have described the mistake with file
 * and, in text files, line. */

/* A dense array of one or two dimensions. */
struct plb_array {
    void *data;
    size_t element_bytes;  /* 4: float32, 8: float64 */
    int64_t rows, columns; /* one dimension: columns = 1; a result with one column has one in its file */
    bool column_major;     /* NumPy's fortran_order */
};

enum plb_order { PLB_ROW_MAJOR, PLB_COLUMN_MAJOR };

/* Reads a .npy file, version 1 to 3. Little-endian float32 and float64 stay what they are; float16 becomes
 * float32; whole numbers and flags become float64, and one beyond 2^53 is refused. Gives the array in
 * `order`, and transposes it in memory where the file has the other order. In a simulation only the header
 * is read, and array->data is NULL. */
int plb_read_npy(struct plb_app *app, const char *path, enum plb_order order, struct plb_array *array);

/* Says in setup that the array is a result. plbrun writes it to a .npy file when `finish` has returned
 * PLB_OK. It reserves disk space before work begins, and ends with a sentence if there is none. A
 * result that does not verify goes to PATH.wrong; with --keep-partial, the results of a failed run so far go
 * to PATH.partial. The description and the path are copied, the data is borrowed until the run ends. At most
 * 32 results. */
void plb_app_save_npy(struct plb_app *app, const char *path, const struct plb_array *array);

/* The same for whole numbers with a sign: int32 and int64, of 4 and 8 bytes. */
void plb_app_save_integers(struct plb_app *app, const char *path, const struct plb_array *array);

/* Writes a .npy file at once. It gets its name when it is complete. */
int plb_write_npy(struct plb_app *app, const char *path, const struct plb_array *array);

/* A sparse matrix in compressed sparse row form. */
struct plb_csr {
    int64_t rows, columns, nonzeros;
    int64_t *offsets; /* rows + 1, from 0 to nonzeros */
    int32_t *indices; /* the column of each entry; ascending in each row of an .mtx file */
    double *values;   /* 1.0 for each entry of a pattern file */
};

/* Reads a Matrix Market file: coordinate or array (dense, of which zeros are left out); real, integer or
 * pattern; general, symmetric or skew-symmetric. The latter two are expanded to both triangles. Duplicate
 * entries are summed. Values in a pattern file are ignored, with a warning. A simulation reads the file
 * too. */
int plb_read_mtx(struct plb_app *app, const char *path, struct plb_csr *matrix);

/* The same, but values may be nan, inf or infinity, in any case and with a sign, and too large numbers become
 * infinite. plb_read_mtx refuses such a file. */
int plb_read_mtx_nonfinite(struct plb_app *app, const char *path, struct plb_csr *matrix);

#ifdef __cplusplus
}
#endif

#endif
