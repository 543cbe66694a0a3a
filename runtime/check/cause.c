/* One factor at a time. */
#include "check/cause.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/task.h"

enum { AGAIN, RANK, PATTERN, THREADS, PLACE, FACTORS };

static const char *const words[] = {
    [AGAIN] =
        "a second call computes another result: the entry keeps state between calls, or its threads race",
    [RANK] = "it is right only on rank 0, where setup has run: pass what an entry needs in buffers or by "
             "plb_app_args",
    [PATTERN] = "it depends on bytes beside a buffer, or on bytes of an output before they are written",
    [THREADS] = "it depends on task->threads; if rounding explains that, the kernel needs an `agree`",
    [PLACE] = "it depends on the alignment of its buffers",
    [FACTORS] = "it depends on where a task begins and ends: index a REPLICATE by task->first + i, a "
                "PARTITION and an OUTPUT by i; if rounding explains it, the kernel needs an `agree`",
};

/* The second order's way with one factor of the first. */
static struct plb_check_way way_of(const struct plb_check *c, int rank, int factor)
{
    struct plb_check_way way = c->order[1].way, first = c->order[0].way;
    way.rank = factor == RANK ? first.rank : rank;
    way.pattern = factor == PATTERN ? first.pattern : way.pattern;
    way.threads = factor == THREADS ? first.threads : way.threads;
    way.at_end = factor == PLACE ? first.at_end : way.at_end;
    return way;
}

const char *plb_check_cause(struct plb_check *c, int i, struct plb_range range, int rank,
                            struct plb_error *err)
{
    size_t offset, bytes = plb_check_bytes(c, i, range, &offset), byte;
    const char *wanted = (const char *)c->order[0].results[i] + offset;
    char *seen = plb_alloc(bytes);
    int cause = FACTORS;
    for (int factor = AGAIN; factor < FACTORS && cause == FACTORS; factor++) {
        void *results[PLB_MAX_DATA];
        struct plb_check_way way = way_of(c, rank, factor);
        if (!plb_check_task(c, &way, range, true, results, err))
            break;
        if (factor == AGAIN) {
            memcpy(seen, results[i], bytes);
            if (plb_check_task(c, &way, range, true, results, err)
                && !plb_check_same(c, i, range, seen, results[i], &byte))
                cause = AGAIN;
        } else if (plb_check_same(c, i, range, wanted, results[i], &byte)) {
            cause = factor;
        }
    }
    free(seen);
    return words[cause];
}
