/* One task, as an entry sees it: a part of the kernel API (plb/kernel.h, which includes it).
 *
 * Halo. A PARTITION buffer may declare that an entry also reads units around its own (plb_data.before and
 * after), such as the neighbours of a stencil. They lie in memory where one expects them: unit first + k is
 * k * unit_bytes behind data[i], for k from -before[i] to count + after[i] - 1. before[i] and after[i] are as
 * declared, and less only where the job ends: min(declared, first), and the same at the other end. So a k
 * that is held within these bounds is a unit number held within the job:
 *
 *     const double *x = task->data[X];
 *     int64_t low = -task->before[X], high = task->count + task->after[X] - 1;
 *     for (int64_t i = 0; i < task->count; i++)
 *         y[i] = x[i - 1 < low ? low : i - 1] + x[i + 1 > high ? high : i + 1];
 *
 * The halo is read-only. Without one, before[i] and after[i] are 0. */
#ifndef PLB_TASK_H
#define PLB_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The work of one call of an entry. plbrun owns all of it, and it lasts for the call. */
struct plb_task {
    int64_t first, count;     /* the range: units first to first + count - 1; count is 1 or more */
    void *const *data;        /* one pointer per declared buffer, in the order of declaration, in the PU's
                                 memory. REPLICATE: the start of the buffer. PARTITION, OUTPUT: the bytes of
                                 unit `first`. PARTITION_INDEXED: element offsets[first]. REDUCE: this
                                 task's own array, which holds neutral elements. Aligned to 64 bytes,
                                 where rank 0's buffer is; PARTITION_INDEXED on rank 0: as its elements */
    const size_t *bytes;      /* bytes of each buffer from there: of the range without its halo, or of the
                                 whole buffer where it is replicated or reduced; 0 of RECORDS */
    const int64_t *before;    /* per buffer: units of the halo before unit `first`, which end at data[i] */
    const int64_t *after;     /* the same behind the range, which begin bytes[i] behind data[i] */
    const void *args;         /* the block given to plb_app_args, aligned to 64 bytes; or NULL */
    void *stream;             /* the CUDA stream of a cuda entry, the command queue of an opencl entry, which
                                 is in order; else NULL */
    int threads;              /* threads that a cpu entry may use; also the OpenMP default of its thread */
    const int32_t *cancelled; /* for plb_task_cancelled; NULL where the device is no CPU */
    char *why;                /* for plb_task_error: PLB_TASK_WHY bytes */
    int cores;                /* of the host, that programs which a cpu entry starts may use; at least 1 */
    int slot;                 /* of the PU, from 1: PUs of one host have different ones */
    const char *gpu; /* for a cpu entry that starts programs on a GPU (plb_app_use_gpus): its number or
                        name, as CUDA_VISIBLE_DEVICES has it; else NULL */
    double until;    /* seconds of CLOCK_MONOTONIC at which a time limit ends the run; infinite without a
                        limit */
    const struct plb_task_reporter *reporter; /* for plb_task_report and plb_task_shorten; or NULL */
};

/* Says why a cpu entry fails: printf's format, no newline. The first call counts, and what does not fit in
 * PLB_TASK_WHY bytes is cut. plbrun prints it with the kernel, the PU and the units. Returns 1, for
 * `return plb_task_error(task, ...)`. One thread of the entry at a time may call it. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int plb_task_error(const struct plb_task *task, const char *format, ...);
#define PLB_TASK_WHY 240

/* Says why this PU cannot execute any units of the job, for example because its host lacks a program: as
 * plb_task_error. Then plbrun no longer uses the PU, and others execute its units; if no PU is left, the run
 * fails. Returns PLB_TASK_LEAVES, for `return plb_task_leave(task, ...)`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int plb_task_leave(const struct plb_task *task, const char *format, ...);
#define PLB_TASK_LEAVES (-101)

/* Says that this PU is no longer needed, which is not a mistake: as plb_task_leave, but without a warning. */
int plb_task_retire(const struct plb_task *task);
#define PLB_TASK_RETIRES (-102)

/* Says that the task's first `count` units have ended, of which those that were not reported before took so
 * many seconds: outputs and records of these units are complete. Then plbrun may take them at once, so that
 * they count while the entry continues with the others. For cpu entries with long tasks. At
 * least one unit stays. Returns whether they were taken: false does no harm, and the entry may ask again
 * later. False where `seconds` is more than has passed. Always false where the job has no records or has
 * reduced arrays, where ranks keep inputs from pass to pass or results stay (plb_data.stays), where tasks are
 * isolated, where an audit compares results, and on PUs of a .cluster file. Costs a copy of these results.
 * The thread that called the entry calls it. */
bool plb_task_report(const struct plb_task *task, int64_t count, double seconds);

/* Says that the task's first `count` units need long: those that were not reported have taken so many
 * seconds, and go on. None of the units behind them has begun. Then others may execute these, and what the PU
 * has taken ahead. Returns whether they are no units of the task any more: the entry neither executes nor
 * reports them. False does no harm, and is the answer wherever plb_task_report always says so. With count =
 * task->count it is about what was taken ahead alone, and the answer says nothing. An entry may say it again,
 * with more seconds: the longer they are, the more others take. For cpu entries whose units are long, once in
 * a quarter of a second at most: each time costs a further task. The thread that called the entry calls it.
 */
bool plb_task_shorten(const struct plb_task *task, int64_t count, double seconds);

/* Whether the results of this task are no longer needed, because another PU was faster. Then the entry may
 * return at once, with any number and any outputs. An entry with long tasks should ask now and then; one that
 * never asks wastes time and does no harm. Always false in a cuda entry, which does not wait
 * for the GPU. Costs one load. Thread-safe: any thread of the entry may ask. */
static inline bool plb_task_cancelled(const struct plb_task *task)
{
#if defined(__GNUC__)
    return task->cancelled != NULL && __atomic_load_n(task->cancelled, __ATOMIC_RELAXED) != 0;
#else
    return task->cancelled != NULL && *(const volatile int32_t *)task->cancelled != 0;
#endif
}

#ifdef __cplusplus
}
#endif

#endif
