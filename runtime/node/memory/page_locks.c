/* A sum, calls of the device, and a sorted array of parts. */
#include "node/memory/page_locks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

#define PAGE 4096 /* bytes; pages are what a device can lock */

/* Bytes of a whole buffer that are locked at once. Larger: the first tasks wait longer: 16 MB take about 6
 * ms. Smaller: more locks, and copies in more pieces. A guess. */
#define CHUNK ((size_t)16 << 20)

/* Says once what could not be locked. */
static void say(struct plb_page_locks *l, size_t bytes, const char *why)
{
    if (!atomic_exchange(&l->said, true))
        plb_log_here(PLB_LOG_INFO,
                     "%zu bytes could not be page-locked: %s; copies to and from GPUs take longer", bytes,
                     why);
}

bool plb_page_lock(struct plb_page_locks *l, const struct plb_device_ops *ops,
                   const struct plb_device *device, void *memory, size_t bytes)
{
    const char *why = NULL;
    size_t before = atomic_fetch_add(&l->bytes, bytes);
    if (l->most > 0.0 && (double)before + (double)bytes > l->most)
        why = "the limit is half of the host's memory";
    else
        why = ops->pin(device, memory, bytes);
    if (why == NULL)
        return true;
    atomic_fetch_sub(&l->bytes, bytes);
    say(l, bytes, why);
    return false;
}

void plb_page_unlock(struct plb_page_locks *l, const struct plb_device_ops *ops, void *memory, size_t bytes)
{
    ops->unpin(memory);
    atomic_fetch_sub(&l->bytes, bytes);
}

/* ------------------------------------------------------ parts of reserved memory */

static char *end_of(const struct plb_locked_part *part)
{
    return part->memory + part->bytes;
}

/* The first part that ends behind this address. */
static int first_behind(const struct plb_page_locks *l, const char *address)
{
    int low = 0, high = l->n_parts;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if ((uintptr_t)end_of(&l->part[middle]) > (uintptr_t)address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void insert(struct plb_page_locks *l, int at, const struct plb_locked_part *part)
{
    pthread_mutex_lock(&l->lock);
    l->part = plb_grow(l->part, (size_t)(l->n_parts + 1) * sizeof *l->part);
    memmove(l->part + at + 1, l->part + at, (size_t)(l->n_parts - at) * sizeof *l->part);
    l->part[at] = *part;
    l->n_parts++;
    pthread_mutex_unlock(&l->lock);
}

static void take_out(struct plb_page_locks *l, int at)
{
    const struct plb_locked_part part = l->part[at];
    pthread_mutex_lock(&l->lock);
    l->n_parts--;
    memmove(l->part + at, l->part + at + 1, (size_t)(l->n_parts - at) * sizeof *l->part);
    pthread_mutex_unlock(&l->lock);
    plb_page_unlock(l, part.ops, part.memory, part.bytes);
}

/* Locks what is not locked yet between two addresses. */
static void lock_between(struct plb_page_locks *l, const struct plb_device_ops *ops,
                         const struct plb_device *device, char *from, char *end)
{
    for (int at = first_behind(l, from); from < end && !l->no_parts; at++) {
        char *next = at < l->n_parts && l->part[at].memory < end ? l->part[at].memory : end;
        struct plb_locked_part part = {from, next > from ? (size_t)(next - from) : 0, ops};
        if (part.bytes > 0) {
            l->no_parts = !plb_page_lock(l, ops, device, part.memory, part.bytes);
            if (l->no_parts)
                break;
            insert(l, at, &part);
        }
        from = end_of(&l->part[at]);
    }
}

void plb_page_lock_part(struct plb_page_locks *l, const struct plb_device_ops *ops,
                        const struct plb_device *device, void *memory, size_t bytes)
{
    char *from = (char *)memory - (uintptr_t)memory % PAGE, *end = (char *)memory + bytes;
    end += (PAGE - (uintptr_t)end % PAGE) % PAGE;
    pthread_mutex_lock(&l->changing);
    if (bytes > 0)
        lock_between(l, ops, device, from, end);
    pthread_mutex_unlock(&l->changing);
}

/* The whole buffer with this address; the number of them: none has it. */
static int whole_with(const struct plb_page_locks *l, const char *address)
{
    int i = 0;
    while (i < l->n_whole
           && ((uintptr_t)address < (uintptr_t)l->whole[i].memory
               || (uintptr_t)address >= (uintptr_t)l->whole[i].memory + l->whole[i].bytes))
        i++;
    return i;
}

void plb_page_offer(struct plb_page_locks *l, void *memory, size_t bytes)
{
    pthread_mutex_lock(&l->changing);
    if (whole_with(l, memory) == l->n_whole) {
        l->whole = plb_grow(l->whole, (size_t)(l->n_whole + 1) * sizeof *l->whole);
        l->whole[l->n_whole++] = (struct plb_lockable){memory, bytes};
    }
    pthread_mutex_unlock(&l->changing);
}

void plb_page_lock_offered(struct plb_page_locks *l, const struct plb_device_ops *ops,
                           const struct plb_device *device, const void *memory, size_t bytes)
{
    if (l == NULL || ops->pin == NULL || bytes == 0)
        return;
    pthread_mutex_lock(&l->changing);
    const int i = whole_with(l, memory);
    if (i < l->n_whole) {
        const struct plb_lockable *w = &l->whole[i];
        const size_t first = (size_t)((const char *)memory - w->memory) / CHUNK * CHUNK,
                     end = ((size_t)((const char *)memory - w->memory) + bytes + CHUNK - 1) / CHUNK * CHUNK;
        lock_between(l, ops, device, w->memory + first, w->memory + (end < w->bytes ? end : w->bytes));
    }
    pthread_mutex_unlock(&l->changing);
}

void plb_page_take_back(struct plb_page_locks *l, const void *memory)
{
    pthread_mutex_lock(&l->changing);
    for (int i = l->n_whole - 1; i >= 0; i--) {
        const struct plb_lockable w = l->whole[i];
        if (memory != NULL && memory != w.memory)
            continue;
        for (int at = first_behind(l, w.memory);
             at < l->n_parts && (uintptr_t)l->part[at].memory < (uintptr_t)w.memory + w.bytes;)
            take_out(l, at);
        l->whole[i] = l->whole[--l->n_whole];
    }
    pthread_mutex_unlock(&l->changing);
}

size_t plb_page_piece(struct plb_page_locks *l, const void *memory, size_t bytes)
{
    const char *from = memory, *end = from + bytes;
    if (l == NULL || l->n_parts == 0)
        return bytes;
    pthread_mutex_lock(&l->lock);
    const int at = first_behind(l, from);
    if (at < l->n_parts && l->part[at].memory <= from)
        end = end_of(&l->part[at]) < end ? end_of(&l->part[at]) : end;
    else if (at < l->n_parts && l->part[at].memory < end)
        end = l->part[at].memory;
    pthread_mutex_unlock(&l->lock);
    return (size_t)(end - from);
}

void plb_page_drop(struct plb_page_locks *l, void *memory, size_t bytes, bool shared)
{
    char *from = memory, *end = from + bytes;
    if (l != NULL)
        pthread_mutex_lock(&l->changing);
    int at = l != NULL ? first_behind(l, from) : 0;
    while (l != NULL && at < l->n_parts && l->part[at].memory < end)
        if (l->part[at].memory < from) {
            from = end_of(&l->part[at]) < end ? end_of(&l->part[at]) : end;
            at++;
        } else if (end_of(&l->part[at]) > end) {
            end = l->part[at].memory;
        } else {
            take_out(l, at);
        }
    if (l != NULL)
        pthread_mutex_unlock(&l->changing);
    plb_reserve_drop(from, (size_t)(end - from), shared);
}

void plb_page_unlock_parts(struct plb_page_locks *l)
{
    while (l->n_parts > 0)
        take_out(l, l->n_parts - 1);
    free(l->part);
    free(l->whole);
    l->part = NULL;
    l->whole = NULL;
    l->n_whole = 0;
}
