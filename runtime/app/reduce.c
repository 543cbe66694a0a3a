/* One loop for each type of number, and one order for all pairs. */
#include "app/reduce.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define PAIR sizeof(struct plb_pair_float64)

static_assert(sizeof(struct plb_pair_int64) == PAIR && sizeof(struct plb_pair_float32) == PAIR
                  && sizeof(struct plb_pair_int32) == PAIR,
              "pairs of all types have one size");
static_assert(offsetof(struct plb_pair_float32, index) == 8 && offsetof(struct plb_pair_int32, index) == 8
                  && offsetof(struct plb_pair_int64, index) == 8
                  && offsetof(struct plb_pair_float64, index) == 8,
              "and their index in one place");

static bool has_pairs(enum plb_reduce_op op)
{
    return op >= PLB_ARG_MIN && op <= PLB_TOP_MAX;
}

static bool wants_least(enum plb_reduce_op op)
{
    return op == PLB_MIN || op == PLB_ARG_MIN || op == PLB_TOP_MIN;
}

size_t plb_reduce_element(const struct plb_data *d)
{
    if (d->op == PLB_OWN_FOLD)
        return 1;
    return has_pairs(d->op) ? PAIR : d->type == PLB_FLOAT64 || d->type == PLB_INT64 ? 8 : 4;
}

/* Pairs in each list. */
static size_t list_length(const struct plb_data *d)
{
    if (d->op == PLB_ARG_MIN || d->op == PLB_ARG_MAX)
        return 1;
    return d->top > 0 ? d->top : d->bytes / PAIR;
}

bool plb_reduce_is_wrong(const struct plb_data *d, bool folds, char text[PLB_REDUCE_TEXT])
{
    const char *what = has_pairs(d->op) ? "pair" : "element";
    text[0] = '\0';
    if (d->op < PLB_SUM || d->op > PLB_OWN_FOLD)
        snprintf(text, PLB_REDUCE_TEXT, "has the unknown operation %d in `op`", (int)d->op);
    else if (d->op == PLB_OWN_FOLD && !folds)
        snprintf(text, PLB_REDUCE_TEXT, "is folded by the kernel, which has no `fold`");
    else if (d->op != PLB_OWN_FOLD && d->type == 0)
        snprintf(text, PLB_REDUCE_TEXT, "is reduced and has no `type`, such as PLB_FLOAT64");
    else if (d->op != PLB_OWN_FOLD && (d->type < PLB_FLOAT64 || d->type > PLB_INT32))
        snprintf(text, PLB_REDUCE_TEXT, "has the unknown type %d in `type`", (int)d->type);
    else if (d->bytes == 0 || d->bytes % plb_reduce_element(d) != 0)
        snprintf(text, PLB_REDUCE_TEXT, "is reduced and must be a whole number of %zu-byte %ss",
                 plb_reduce_element(d), what);
    else if (has_pairs(d->op) && d->bytes / PAIR % list_length(d) != 0)
        snprintf(text, PLB_REDUCE_TEXT, "must be a whole number of lists of %zu pairs (`top`)",
                 list_length(d));
    return text[0] != '\0';
}

/* ------------------------------------------------------------------------ pairs */

static int64_t index_of(const void *pair)
{
    int64_t index;
    memcpy(&index, (const char *)pair + PAIR / 2, sizeof index);
    return index;
}

/* Whether a pair ranks before another one. A NaN ranks behind all. */
static bool is_before(enum plb_reduce_op op, enum plb_reduce_type type, const void *a, const void *b)
{
    int sign = 0; /* of a's value minus b's */
    if (type == PLB_FLOAT64 || type == PLB_FLOAT32) {
        bool wide = type == PLB_FLOAT64;
        double x = wide ? ((const struct plb_pair_float64 *)a)->value
                        : (double)((const struct plb_pair_float32 *)a)->value;
        double y = wide ? ((const struct plb_pair_float64 *)b)->value
                        : (double)((const struct plb_pair_float32 *)b)->value;
        if (isnan(x) || isnan(y))
            return !isnan(x);
        sign = (x > y) - (x < y);
    } else {
        bool wide = type == PLB_INT64;
        int64_t x = wide ? ((const struct plb_pair_int64 *)a)->value
                         : ((const struct plb_pair_int32 *)a)->value;
        int64_t y = wide ? ((const struct plb_pair_int64 *)b)->value
                         : ((const struct plb_pair_int32 *)b)->value;
        sign = (x > y) - (x < y);
    }
    if (sign != 0)
        return (sign < 0) == wants_least(op);
    return index_of(a) < index_of(b);
}

/* Where a pair belongs among n sorted ones: before it are those that do not rank behind it. */
static size_t rank_of(enum plb_reduce_op op, enum plb_reduce_type type, const char *list, size_t n,
                      const void *pair)
{
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        if (is_before(op, type, pair, list + middle * PAIR))
            n = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Puts a pair where it belongs among n - 1 sorted ones, and moves the later ones up by one. */
static void insert(enum plb_reduce_op op, enum plb_reduce_type type, char *list, size_t n, const void *pair)
{
    size_t at = rank_of(op, type, list, n - 1, pair);
    memmove(list + (at + 1) * PAIR, list + at * PAIR, (n - 1 - at) * PAIR);
    memcpy(list + at * PAIR, pair, PAIR);
}

void plb_top_add(enum plb_reduce_op op, enum plb_reduce_type type, void *list, size_t n, const void *pair)
{
    if (n > 0 && is_before(op, type, pair, (char *)list + (n - 1) * PAIR))
        insert(op, type, list, n, pair);
}

static int compare(const void *a, const void *b, void *data)
{
    const struct plb_data *d = data;
    return is_before(d->op, d->type, a, b) ? -1 : is_before(d->op, d->type, b, a);
}

static void sort_list(const struct plb_data *d, char *list, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (is_before(d->op, d->type, list + i * PAIR, list + (i - 1) * PAIR)) {
            qsort_r(list, n, PAIR, compare, (void *)d);
            return;
        }
}

/* Merges lists: of the pairs that are not taken yet, the better one comes next. */
static void fold_pairs(const struct plb_data *d, char *into, const char *from)
{
    size_t n = list_length(d);
    char *both = plb_alloc(2 * n * PAIR), *sorted = both + n * PAIR;
    for (size_t at = 0; at < d->bytes; at += n * PAIR) {
        const char *own = into + at, *other = memcpy(sorted, from + at, n * PAIR);
        sort_list(d, sorted, n);
        for (size_t i = 0; i < n; i++) {
            const char **better = is_before(d->op, d->type, other, own) ? &other : &own;
            memcpy(both + i * PAIR, *better, PAIR);
            *better += PAIR;
        }
        memcpy(into + at, both, n * PAIR);
    }
    free(both);
}

void plb_reduce_sort(const struct plb_data *d, void *array)
{
    size_t n = list_length(d);
    char *list = array;
    if (has_pairs(d->op) && n > 1)
        for (size_t at = 0; at < d->bytes; at += n * PAIR)
            sort_list(d, list + at, n);
}

/* -------------------------------------------------------------------- neutral elements */

/* The pair that nobody has written. Its first bytes are also the neutral number of PLB_MIN and PLB_MAX. */
static void make_neutral(const struct plb_data *d, char pair[PAIR])
{
    bool least = wants_least(d->op);
    const double real = least ? INFINITY : -INFINITY;
    const float short_real = (float)real;
    const int64_t whole = least ? INT64_MAX : INT64_MIN, none = PLB_NO_INDEX;
    const int32_t short_whole = least ? INT32_MAX : INT32_MIN;
    memset(pair, 0, PAIR);
    memcpy(pair + PAIR / 2, &none, sizeof none);
    switch (d->type) {
    case PLB_FLOAT64: memcpy(pair, &real, sizeof real); break;
    case PLB_FLOAT32: memcpy(pair, &short_real, sizeof short_real); break;
    case PLB_INT64: memcpy(pair, &whole, sizeof whole); break;
    case PLB_INT32: memcpy(pair, &short_whole, sizeof short_whole); break;
    }
}

bool plb_reduce_is_zero(const struct plb_data *d)
{
    return d->op == PLB_SUM || (d->op == PLB_OWN_FOLD && d->neutral == NULL);
}

void plb_reduce_clear(const struct plb_data *d, void *array)
{
    size_t size = plb_reduce_element(d);
    char element[PAIR];
    if (plb_reduce_is_zero(d)) {
        memset(array, 0, d->bytes);
        return;
    }
    if (d->op == PLB_OWN_FOLD) {
        memcpy(array, d->neutral, d->bytes);
        return;
    }
    make_neutral(d, element);
    for (size_t at = 0; at < d->bytes; at += size)
        memcpy((char *)array + at, element, size);
}

/* ---------------------------------------------------------------------- numbers */

static void fold_float64(enum plb_reduce_op op, size_t n, double *into, const double *from)
{
    for (size_t i = 0; i < n; i++)
        into[i] = op == PLB_SUM ? into[i] + from[i]
                : op == PLB_MIN ? fmin(into[i], from[i])
                                : fmax(into[i], from[i]);
}

static void fold_float32(enum plb_reduce_op op, size_t n, float *into, const float *from)
{
    for (size_t i = 0; i < n; i++)
        into[i] = op == PLB_SUM ? into[i] + from[i]
                : op == PLB_MIN ? fminf(into[i], from[i])
                                : fmaxf(into[i], from[i]);
}

static void fold_int64(enum plb_reduce_op op, size_t n, int64_t *into, const int64_t *from)
{
    for (size_t i = 0; i < n; i++)
        if (op == PLB_SUM)
            into[i] = (int64_t)((uint64_t)into[i] + (uint64_t)from[i]);
        else if ((op == PLB_MIN) == (from[i] < into[i]))
            into[i] = from[i];
}

static void fold_int32(enum plb_reduce_op op, size_t n, int32_t *into, const int32_t *from)
{
    for (size_t i = 0; i < n; i++)
        if (op == PLB_SUM)
            into[i] = (int32_t)((uint32_t)into[i] + (uint32_t)from[i]);
        else if ((op == PLB_MIN) == (from[i] < into[i]))
            into[i] = from[i];
}

void plb_reduce_fold(const struct plb_data *d, void *into, const void *from)
{
    size_t n = d->bytes / plb_reduce_element(d);
    if (has_pairs(d->op)) {
        fold_pairs(d, into, from);
        return;
    }
    switch (d->type) {
    case PLB_FLOAT64: fold_float64(d->op, n, into, from); break;
    case PLB_INT64: fold_int64(d->op, n, into, from); break;
    case PLB_FLOAT32: fold_float32(d->op, n, into, from); break;
    case PLB_INT32: fold_int32(d->op, n, into, from); break;
    }
}

/* ------------------------------------------------------------------------- text */

static void print_number(enum plb_reduce_type type, const void *number, char text[32])
{
    switch (type) {
    case PLB_FLOAT64: snprintf(text, 32, "%.17g", *(const double *)number); break;
    case PLB_INT64: snprintf(text, 32, "%lld", (long long)*(const int64_t *)number); break;
    case PLB_FLOAT32: snprintf(text, 32, "%.9g", (double)*(const float *)number); break;
    case PLB_INT32: snprintf(text, 32, "%ld", (long)*(const int32_t *)number); break;
    }
}

void plb_reduce_print(const struct plb_data *d, const void *array, size_t element, char text[64])
{
    const char *at = (const char *)array + element * plb_reduce_element(d);
    char number[32];
    if (d->op == PLB_OWN_FOLD) {
        snprintf(text, 64, "0x%02x", (unsigned)*(const unsigned char *)at);
        return;
    }
    print_number(d->type, at, number);
    if (has_pairs(d->op))
        snprintf(text, 64, "%s of %lld", number, (long long)index_of(at));
    else
        snprintf(text, 64, "%s", number);
}
