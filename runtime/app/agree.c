/* Buffer by buffer, by the kernel's rule or byte by byte. */
#include "app/agree.h"

#include <stdio.h>
#include <string.h>

#include "app/reduce.h"
#include "base/units.h"
#include "host/crash.h"
#include "host/topology.h"

/* Bytes of each result that a description shows. More: longer sentences. Fewer: a float64 is cut. */
#define SHOWN 8

static int64_t by_bytes(const struct plb_twice *t)
{
    const unsigned char *one = t->one, *other = t->other;
    size_t i = 0;
    if (memcmp(one, other, t->bytes) == 0)
        return PLB_SAME;
    while (one[i] == other[i])
        i++;
    return (int64_t)i;
}

/* The kernel answers with a byte of the part, or PLB_SAME. Any other number counts as the first byte. */
static int64_t by_kernel(struct plb_app *app, const struct plb_own_cores *cores, const struct plb_twice *t)
{
    plb_crash_call(app->kernel->name, "agree");
    plb_own_cores_leave(cores);
    int64_t at = app->kernel->agree(app, t);
    plb_own_cores_return(cores);
    plb_crash_call(app->kernel->name, NULL);
    return at == PLB_SAME || (at >= 0 && (size_t)at < t->bytes) ? at : 0;
}

/* Where two arrays, or the outputs of a range, differ; each array of a result with chunks by itself. */
static int64_t compare(struct plb_app *app, const struct plb_dataset *set, const struct plb_twice *whole)
{
    bool reduced = set->at[whole->buffer].mode == PLB_REDUCE;
    int n = reduced ? plb_dataset_arrays(set, (struct plb_range){whole->first, whole->count}) : 1;
    for (int k = 0; k < n; k++) {
        struct plb_twice t = *whole;
        size_t offset = (size_t)k * plb_dataset_step(set, whole->buffer);
        t.one = (const char *)t.one + offset;
        t.other = (const char *)t.other + offset;
        t.bytes = reduced ? set->at[whole->buffer].bytes : t.bytes;
        int64_t at = app->kernel->agree != NULL ? by_kernel(app, set->cores, &t) : by_bytes(&t);
        if (at != PLB_SAME)
            return at + (int64_t)offset;
    }
    return PLB_SAME;
}

bool plb_agree(struct plb_app *app, const struct plb_dataset *set, struct plb_range range, void *const *one,
               void *const *other, struct plb_difference *where)
{
    for (int i = 0; i < set->n; i++) {
        struct plb_twice t = {range.first, range.count, i, one[i], other[i], 0};
        size_t offset;
        if (!plb_data_is_result(&set->at[i]))
            continue;
        plb_dataset_bytes(set, i, range, &offset, &t.bytes);
        int64_t at = compare(app, set, &t);
        if (at == PLB_SAME)
            continue;
        *where = (struct plb_difference){i, (size_t)at};
        return false;
    }
    return true;
}

/* The bytes from the difference on, in hexadecimal digits. */
static void show_bytes(const void *result, size_t byte, size_t bytes, char text[2 * SHOWN + 1])
{
    const unsigned char *b = (const unsigned char *)result + byte;
    text[0] = '\0';
    for (size_t i = 0; i < SHOWN && byte + i < bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", b[i]);
}

void plb_agree_print_difference(const struct plb_app *app, const struct plb_dataset *set,
                                struct plb_range range, void *const *one, void *const *other,
                                const struct plb_difference *where, char text[PLB_RESULTS_TEXT])
{
    const struct plb_data *d = &set->at[where->buffer];
    const void *a = one[where->buffer], *b = other[where->buffer];
    size_t offset, bytes;
    char first[64], second[64], unit[PLB_RANGE_TEXT];
    plb_dataset_bytes(set, where->buffer, range, &offset, &bytes);
    if (d->mode == PLB_REDUCE) {
        size_t step = plb_dataset_step(set, where->buffer), array = where->byte / step * step;
        size_t element = (where->byte - array) / plb_reduce_element(d);
        plb_reduce_print(d, (const char *)a + array, element, first);
        plb_reduce_print(d, (const char *)b + array, element, second);
        snprintf(text, PLB_RESULTS_TEXT, "element %zu of '%.40s' is %s and %s", element, d->name, first,
                 second);
        return;
    }
    show_bytes(a, where->byte, bytes, first);
    show_bytes(b, where->byte, bytes, second);
    plb_range_print(range.first + (int64_t)(where->byte / d->unit_bytes), 1, app->kernel->unit, unit);
    snprintf(text, PLB_RESULTS_TEXT, "'%.40s' of %.60s differs from byte %zu on: %s and %s", d->name, unit,
             where->byte % d->unit_bytes, first, second);
}
