/* A copy or pwrite, buffer by buffer.
 *
 * A second execution of the same units writes the same bytes: an entry is a pure function. So it does no harm
 * that a rank which counts as lost, or is late, still writes. The result of an audit is not stored: rank 0
 * compares it with what is there. Nor is that of a backup: the PU that is late may be rank 0's, and write in
 * the same place until it hears that it is not wanted. */
#include "node/pu/store.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

/* As the runner decides when the task has ended (node/pu/runner.c). */
static bool is_wanted(struct plb_node_shared *shared, const struct plb_running *running)
{
    pthread_mutex_lock(&shared->lock);
    bool wanted = !running->told && !plb_worker_obsolete(shared->worker, &running->task);
    plb_node_unlock(shared);
    return wanted && !running->task.audit && !running->task.copy;
}

/* Whether the part of an output has come to its place. */
static bool put(const struct plb_dataset *set, int i, size_t offset, void *part, size_t bytes, int threads)
{
    if (set->target[i] == NULL)
        return plb_file_move(set->fd[i], true, part, bytes, set->file_at[i] + (int64_t)offset);
    plb_copy_away((char *)set->target[i] + offset, part, bytes, threads);
    return true;
}

double plb_store(struct plb_node_shared *shared, const struct plb_running *running,
                 const struct plb_flight *flight, int threads)
{
    double began = plb_now();
    const struct plb_dataset *set = shared->config.data;
    struct plb_slot *slot = flight->slot;
    bool wanted = is_wanted(shared, running);
    if (wanted)
        for (int i = 0; i < set->n; i++) {
            size_t offset, bytes;
            if ((set->stored & PLB_BUFFER(i)) == 0)
                continue;
            plb_dataset_bytes(set, i, flight->task.range, &offset, &bytes);
            if (put(set, i, offset, slot->buffer[i], bytes, threads))
                slot->stored |= PLB_BUFFER(i);
            else
                plb_log_here(PLB_LOG_DEBUG,
                             "a result cannot be written to its file and is sent to rank 0: %s",
                             strerror(errno));
        }
    return plb_now() - began;
}
