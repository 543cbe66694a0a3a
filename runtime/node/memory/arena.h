/* The memory of one task: its buffers one after the other, in one piece.
 *
 * No task of a PU is larger than the PU's limit (core/work/sizes.h), whoever was granted its units. So a lane
 * of a device, and a slot of the host, can take a piece that serves every task of the run. They take a
 * sixteenth of it first where memory is scarce, and more in two steps at most. Pure functions;
 * thread-safe. */
#ifndef PLB_NODE_MEMORY_ARENA_H
#define PLB_NODE_MEMORY_ARENA_H

#include "app/dataset.h"

/* Bytes: buffers begin at multiples of it. CUDA aligns what it allocates so. Smaller: threads of a GPU that
 * read neighbours need more transfers. Larger: more bytes lie between small buffers. */
#define PLB_ARENA_ALIGNMENT 256

/* Modes of buffers, as a mask: bit m is enum plb_data_mode m. */
#define PLB_MODE(mode) (1u << (mode))

/* The modes of the buffers that a task has for itself on a device with memory of its own. */
#define PLB_MODES_OF_TASKS (~PLB_MODE(PLB_REPLICATE))

/* The mask of the buffers that have one of these modes. */
int64_t plb_arena_buffers(const struct plb_dataset *set, unsigned modes);

/* Says where each of these buffers has the first unit of a task of this range; its halo is around that.
 * Returns the bytes of all, at least 1. */
size_t plb_arena_layout(const struct plb_dataset *set, int64_t buffers, struct plb_range range,
                        size_t at[PLB_MAX_DATA]);

/* Bytes for the largest task within the limit. Where units are unequal, a single unit may still need more. */
size_t plb_arena_most(const struct plb_dataset *set, int64_t buffers, const struct plb_task_limit *limit);

/* Bytes to take for a task that needs `needed`: `first` or four times as much and so on, up to `most`. A task
 * that is larger than any that was foreseen gets what it needs. first: at least 1. */
size_t plb_arena_bytes(size_t needed, size_t first, size_t most);

#endif
