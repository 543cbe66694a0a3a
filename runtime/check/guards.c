/* mmap without memory behind it, and mprotect. */
#include "check/guards.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

/* Addresses: the first of these that the system gives. They cost nothing where they are not used. More:
 * larger jobs can be tried. */
static const size_t regions[] = {(size_t)1 << 42, (size_t)1 << 38, (size_t)1 << 34};

#define SLACK 64 /* bytes that an alignment may cost */

static size_t pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static char *round_down(char *at, size_t to)
{
    return at - (uintptr_t)at % to;
}

int plb_guards_open(struct plb_guards *guards, struct plb_error *err)
{
    *guards = (struct plb_guards){.base = NULL};
    for (size_t i = 0; i < sizeof regions / sizeof *regions && guards->base == NULL; i++) {
        guards->bytes = regions[i];
        guards->base = plb_reserve(regions[i], true);
    }
    if (guards->base != NULL)
        return PLB_OK;
    return plb_fail(
        err, PLB_EFAILED,
        "--check needs %zu GB of address space for guard pages, and the system refuses; raise ulimit -v",
        regions[sizeof regions / sizeof *regions - 1] >> 30);
}

void plb_guards_close(struct plb_guards *guards)
{
    if (guards->base != NULL)
        plb_shared_free(guards->base, guards->bytes);
    *guards = (struct plb_guards){.base = NULL};
}

bool plb_guards_add(struct plb_guards *guards, const struct plb_guarding *w, struct plb_guarded *placed)
{
    size_t fence = pages(w->fence + 1), open = pages(w->before + w->bytes + w->after + SLACK);
    if (guards->bytes - guards->used < 2 * fence + open)
        return false;
    char *begin = guards->base + guards->used, *low = begin + fence, *high = low + open, *data;
    if (w->at_end)
        data = round_down(high - w->after - w->bytes, w->align);
    else
        data = round_down(low + w->before + w->align - 1, w->align);
    *placed = (struct plb_guarded){
        .begin = begin, .end = high + fence, .low = low, .high = high, .data = data, .writable = w->writable};
    placed->from = data - w->before;
    placed->to = data + w->bytes + w->after;
    memset(low, w->pattern, (size_t)(placed->from - low));
    memset(placed->to, w->pattern, (size_t)(high - placed->to));
    guards->used += 2 * fence + open;
    /* The pages of the pattern alone are forbidden, too. */
    placed->low = round_down(placed->from, pages(1));
    placed->high = round_down(placed->to + pages(1) - 1, pages(1));
    if (placed->low == placed->high) /* no bytes: a page, so that there is something to permit */
        placed->high += pages(1);
    return true;
}

static const char *other_than(const char *from, const char *to, unsigned char pattern)
{
    for (const char *at = from; at < to; at++)
        if ((unsigned char)*at != pattern)
            return at;
    return NULL;
}

const char *plb_guards_touched(const struct plb_guarded *placed, unsigned char pattern)
{
    const char *before = other_than(placed->low, placed->from, pattern);
    return before != NULL ? before : other_than(placed->to, placed->high, pattern);
}

bool plb_guards_forbid_all(const struct plb_guards *guards)
{
    return mprotect(guards->base, guards->bytes, PROT_NONE) == 0;
}

bool plb_guards_permit(const struct plb_guarded *placed, int n, bool permit)
{
    bool done = true;
    for (int i = 0; i < n; i++) {
        int access = !permit ? PROT_NONE : placed[i].writable ? PROT_READ | PROT_WRITE : PROT_READ;
        if (placed[i].low != NULL)
            done &= mprotect(placed[i].low, (size_t)(placed[i].high - placed[i].low), access) == 0;
    }
    return done;
}
