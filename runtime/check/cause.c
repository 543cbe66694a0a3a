/* One factor at a time. */
#include "check/cause.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/task.h"

enum { AGAIN, RANK, PATTERN, THREADS, PLACE, FACTORS };

static const char *const words[] = {
    [AGAIN] =
        "a second call gives yet another result: it keeps something from call to call, or its threads race",
    [RANK] = "it is right on rank 0 alone, where setup has run: what an entry needs goes into buffers and "
             "plb_app_args",
    [PATTERN] =
        "it depends on bytes that are not its own, beside a buffer or in an output before it writes there",
    [THREADS] = "it depends on task->threads; where rounding explains that, the kernel needs an `agree`",
    [PLACE] = "it depends on where in a page its buffers begin",
    [FACTORS] = "it depends on where a task begins and ends: a REPLICATE is indexed by task->first + i, a "
                "PARTITION and "
                "an OUTPUT by i; where rounding explains it, the kernel needs an `agree`",
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
