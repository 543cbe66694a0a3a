/* Cuts, orders, comparison, and what `next` does. */
#include "check/passes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/agree.h"
#include "app/feeds.h"
#include "app/reduce.h"
#include "base/memory.h"
#include "base/units.h"
#include "check/aside.h"
#include "check/cause.h"
#include "check/promises.h"
#include "check/rounding.h"
#include "check/task.h"

/* The largest task is a third of what is cut, so that there are some. */
#define PARTS 3

#define THIRD_PATTERN 0x3C /* in neither order */

static bool has_results(const struct plb_data *d)
{
    return plb_data_is_result(d) || d->mode == PLB_RECORDS;
}

/* --------------------------------------------------------------------- orders */

/* Cuts a range into tasks whose logarithms are evenly spread: single units, and large tasks. */
static void cut(struct plb_check *c, struct plb_check_order *order, struct plb_range range)
{
    double most = log(fmax(1.0, (double)range.count / PARTS));
    for (int64_t at = range.first, end = plb_range_end(range), n; at < end; at += n) {
        n = (int64_t)exp(most * plb_random_real(c->job.seed, c->drawn++) + 0.5);
        n = n < 1 ? 1 : n > end - at ? end - at : n;
        order->tasks = plb_room(order->tasks, order->n, &order->capacity, sizeof *order->tasks);
        order->tasks[order->n++] = (struct plb_range){at, n};
    }
}

/* The units that a rank gets: an even share of all. */
static int64_t first_of(const struct plb_check *c, const struct plb_check_order *order, int rank)
{
    return c->set.units * rank / order->ranks;
}

static int rank_of(const struct plb_check *c, const struct plb_check_order *order, struct plb_range task)
{
    int rank = 0;
    while (rank + 1 < order->ranks && task.first >= first_of(c, order, rank + 1))
        rank++;
    return rank;
}

static void make_order(struct plb_check *c, struct plb_check_order *order)
{
    order->n = 0;
    for (int rank = 0; rank < order->ranks; rank++) {
        int64_t first = first_of(c, order, rank), end = first_of(c, order, rank + 1);
        cut(c, order, (struct plb_range){first, end - first});
    }
    if (order->ranks <= 1)
        return;
    for (int i = order->n - 1; i > 0; i--) {
        int64_t k = plb_check_draw(c, i + 1);
        struct plb_range task = order->tasks[i];
        order->tasks[i] = order->tasks[k];
        order->tasks[k] = task;
    }
}

/* Memory for the results of a pass: outputs of all units, and an array for each rank. */
static void make_results(struct plb_check *c, struct plb_check_order *order)
{
    for (int i = 0; i < c->set.n; i++) {
        const struct plb_data *d = &c->set.at[i];
        size_t offset, bytes = plb_check_bytes(c, i, (struct plb_range){0, c->set.units}, &offset);
        if (has_results(d) && order->results[i] == NULL)
            order->results[i] = plb_alloc(d->mode == PLB_REDUCE ? bytes * (size_t)(order->ranks + 1) : bytes);
        if (d->mode == PLB_REDUCE)
            for (int k = 0; k <= order->ranks; k++)
                plb_reduce_clear(d, (char *)order->results[i] + (size_t)k * bytes);
        order->magnitude[i] = 0.0;
    }
}

void plb_check_fini_orders(struct plb_check *c)
{
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < c->set.n; i++)
            free(c->order[k].results[i]);
        free(c->order[k].tasks);
    }
}

/* ------------------------------------------------------------------ executing */

struct folding {
    struct plb_check *c;
    int buffer;
    void *into, *from;
};

static void fold_aside(void *context)
{
    const struct folding *f = context;
    void *into[PLB_MAX_DATA], *from[PLB_MAX_DATA];
    struct plb_dataset one = f->c->set; /* of this buffer alone */
    for (int i = 0; i < one.n; i++)
        one.at[i].mode = i == f->buffer ? PLB_REDUCE : PLB_OUTPUT;
    into[f->buffer] = f->into;
    from[f->buffer] = f->from;
    plb_dataset_fold_into(&one, (struct plb_range){0, 1}, into, (struct plb_range){0, 1}, from);
}

static void fold(struct plb_check *c, int i, void *into, void *from)
{
    struct folding f = {c, i, into, from};
    if (c->set.at[i].op == PLB_OWN_FOLD)
        plb_aside(fold_aside, &f);
    else
        plb_reduce_fold(&c->set.at[i], into, from);
}

/* The results of a task become the order's. Array 0 is that of all ranks. */
static void take(struct plb_check *c, struct plb_check_order *order, struct plb_range task, int rank,
                 void *const *results)
{
    for (int i = 0; i < c->set.n; i++) {
        const struct plb_data *d = &c->set.at[i];
        size_t offset, bytes = plb_check_bytes(c, i, task, &offset);
        if (!has_results(d))
            continue;
        if (d->mode == PLB_REDUCE) {
            order->magnitude[i] += plb_rounding_largest(results[i], bytes, d->op == PLB_SUM ? d->type : 0);
            fold(c, i, (char *)order->results[i] + (size_t)(rank + 1) * bytes, results[i]);
        } else {
            memcpy((char *)order->results[i] + offset, results[i], bytes);
        }
    }
}

static void execute(struct plb_check *c, struct plb_check_order *order, struct plb_error *err)
{
    void *results[PLB_MAX_DATA];
    make_order(c, order);
    make_results(c, order);
    order->whole = true;
    for (int k = 0; k < order->n && order->whole; k++) {
        struct plb_check_way way = order->way;
        way.rank = rank_of(c, order, order->tasks[k]);
        order->whole = plb_check_task(c, &way, order->tasks[k], false, results, err);
        if (order->whole)
            take(c, order, order->tasks[k], way.rank, results);
    }
    if (order->whole)
        for (int i = 0; i < c->set.n; i++)
            if (c->set.at[i].mode == PLB_REDUCE)
                for (int rank = order->ranks - 1; rank >= 0; rank--)
                    fold(c, i, order->results[i],
                         (char *)order->results[i] + (size_t)(rank + 1) * c->set.at[i].bytes);
}

/* ------------------------------------------------------------------ comparing */

/* Whether a task of one unit leaves a byte as it was, which two results by chance may suggest. */
static bool is_left(struct plb_check *c, int i, int64_t unit, size_t byte, struct plb_error *err)
{
    struct plb_check_way way = c->order[1].way;
    void *results[PLB_MAX_DATA];
    way.pattern = THIRD_PATTERN;
    return plb_check_task(c, &way, (struct plb_range){unit, 1}, true, results, err)
        && ((const unsigned char *)results[i])[byte] == THIRD_PATTERN;
}

/* Bytes that have the pattern of both orders are not written. Then they are zero, so that the rest is
 * compared. */
static void find_unwritten(struct plb_check *c, int i, struct plb_error *err)
{
    const struct plb_data *d = &c->set.at[i];
    unsigned char *one = c->order[0].results[i], *other = c->order[1].results[i];
    size_t bytes = (size_t)c->set.units * d->unit_bytes;
    char text[PLB_RANGE_TEXT];
    for (size_t k = 0; k < bytes; k++) {
        int64_t unit = (int64_t)(k / d->unit_bytes);
        bool found = c->findings.seen[PLB_FOUND_UNWRITTEN][i + 1];
        if (one[k] != c->order[0].way.pattern || other[k] != c->order[1].way.pattern
            || !(found || is_left(c, i, unit, k % d->unit_bytes, err)))
            continue;
        one[k] = other[k] = 0;
        plb_found(&c->findings, PLB_FOUND_UNWRITTEN, i,
                  "it promises `writes_all`, but its entry does not write byte %zu of %s of '%.60s'; write "
                  "all of it, or remove the promise",
                  k % d->unit_bytes, plb_range_print(unit, 1, c->job.kernel->unit, text), d->name);
    }
}

/* Says that a range gives two results. */
static void tell_difference(struct plb_check *c, int i, struct plb_range range, const void *one,
                            const void *other, size_t byte, const char *cause)
{
    const struct plb_data *d = &c->set.at[i];
    const void *ones[PLB_MAX_DATA] = {NULL}, *others[PLB_MAX_DATA] = {NULL};
    struct plb_difference where = {i, byte};
    char text[PLB_RESULTS_TEXT] = "records differ", task[PLB_RANGE_TEXT];
    ones[i] = one;
    others[i] = other;
    if (d->mode != PLB_RECORDS)
        plb_agree_print_difference(&c->job.app, &c->set, range, (void *const *)ones, (void *const *)others,
                                   &where, text);
    else
        snprintf(
            text, sizeof text, "'%.60s' of %.60s has two records", d->name,
            plb_range_print(range.first + (int64_t)(byte / sizeof(uint32_t)), 1, c->job.kernel->unit, task));
    plb_found(&c->findings, PLB_FOUND_DIFFERENCE, i,
              "%s, as computed by one rank and by three, in a task of %s: %s", text,
              plb_range_print(range.first, range.count, c->job.kernel->unit, task), cause);
}

/* Compares the outputs, or the records. */
static void compare_units(struct plb_check *c, int i, struct plb_error *err)
{
    const struct plb_check_order *two = &c->order[1];
    size_t offset, byte;
    for (int k = 0; k < two->n; k++) {
        struct plb_range task = two->tasks[k];
        plb_check_bytes(c, i, task, &offset);
        const char *a = (char *)c->order[0].results[i] + offset, *b = (char *)two->results[i] + offset;
        if (plb_check_same(c, i, task, a, b, &byte))
            continue;
        tell_difference(c, i, task, a, b, byte, plb_check_cause(c, i, task, rank_of(c, two, task), err));
        return;
    }
}

static void compare_reduced(struct plb_check *c, int i)
{
    struct plb_range all = {0, c->set.units};
    const void *one = c->order[0].results[i], *other = c->order[1].results[i];
    size_t byte;
    if (!plb_check_same(c, i, all, one, other, &byte))
        tell_difference(c, i, all, one, other, byte, "each unit must count exactly once, whatever its task");
}

/* Where outputs differ, or folds are wrong, what is reduced differs for that reason. */
static void compare(struct plb_check *c, struct plb_error *err)
{
    for (int i = 0; i < c->set.n; i++) {
        enum plb_data_mode mode = c->set.at[i].mode;
        if (mode == PLB_OUTPUT && c->set.writes_all)
            find_unwritten(c, i, err);
        if (mode == PLB_OUTPUT || mode == PLB_RECORDS)
            compare_units(c, i, err);
    }
    int n = c->findings.n;
    if (c->passes == 0)
        plb_check_folds(c, err);
    for (int i = 0; i < c->set.n && c->findings.n == n; i++)
        if (c->set.at[i].mode == PLB_REDUCE && n == 0)
            compare_reduced(c, i);
}

/* ---------------------------------------------------------------------- passes */

int plb_check_begin_pass(struct plb_check *c, struct plb_error *err)
{
    int phase = plb_app_begin_pass(&c->job.app);
    plb_dataset_describe(&c->set, &c->job.app);
    c->set.chunk = 0;
    c->phase = plb_phase_at(c->job.kernel, phase);
    if (plb_check_place_replicated(c, err) != PLB_OK)
        return err->status;
    return plb_trial_fork(c->rank[0], err);
}

/* The results of the first order become the job's. staying: those that stay at their ranks. */
static void hand_over(struct plb_check *c, bool staying)
{
    for (int i = 0; i < c->set.n; i++) {
        const struct plb_data *d = &c->set.at[i];
        bool stays = d->mode == PLB_OUTPUT && d->stays, now = staying ? stays : !stays || c->job.app.gathers;
        if (plb_data_is_result(d) && now)
            memcpy(d->data, c->order[0].results[i],
                   d->mode == PLB_REDUCE ? d->bytes : (size_t)c->set.units * d->unit_bytes);
    }
}

bool plb_check_run_pass(struct plb_check *c, struct plb_error *err)
{
    execute(c, &c->order[0], err);
    if (err->status == PLB_OK && !c->job.kernel->once)
        execute(c, &c->order[1], err);
    if (err->status != PLB_OK || !c->order[0].whole || (!c->job.kernel->once && !c->order[1].whole))
        return false;
    if (!c->job.kernel->once)
        compare(c, err);
    c->passes++;
    hand_over(c, false);
    return true;
}

struct asking {
    struct plb_check *c;
    bool *again;
    struct plb_error *err;
};

static void ask_next(void *context)
{
    const struct asking *a = context;
    plb_job_next(&a->c->job, a->c->passes - 1, a->again, a->err);
}

/* The first byte of an input that `next` has changed without a word; -1: none. */
static int64_t changed_byte(const struct plb_check *c, int i, const char *before, size_t bytes)
{
    const struct plb_app *app = &c->job.app;
    const char *now = c->set.host[i];
    if (memcmp(before, now, bytes) == 0 || app->replaced[i])
        return -1;
    for (int k = 0; k < app->n_feeds; k++)
        if (app->feeds[k].input == i && app->feeds[k].now)
            return -1;
    for (size_t k = 0; k < bytes; k++)
        if (before[k] != now[k]
            && !plb_rangeset_overlaps(&app->parts.at[i], (struct plb_range){(int64_t)k, 1}))
            return (int64_t)k;
    return -1;
}

static void look_at_inputs(struct plb_check *c, char *const *before)
{
    for (int i = 0; i < c->set.n; i++) {
        size_t offset, bytes = plb_check_bytes(c, i, (struct plb_range){0, c->set.units}, &offset);
        int64_t at = before[i] != NULL ? changed_byte(c, i, before[i], bytes) : -1;
        if (at >= 0)
            plb_found(
                &c->findings, PLB_FOUND_CHANGED, i,
                "its `next` changes byte %lld of the input '%.60s' without saying so; %s", (long long)at,
                c->set.at[i].name,
                c->set.at[i].mode == PLB_REPLICATE
                    ? "call plb_app_replace, or plb_app_replace_part for each changed part"
                    : "ranks keep their parts, which only plb_app_feed can change; or make it a REPLICATE");
    }
}

int plb_check_end_pass(struct plb_check *c, bool *again, struct plb_error *err)
{
    char *before[PLB_MAX_DATA] = {NULL};
    struct asking asking = {c, again, err};
    struct plb_parts parts = {.buffers = 0};
    struct plb_pass begin;
    size_t offset;
    *again = false;
    c->job.app.gathers = false;
    for (int i = 0; i < c->set.n && c->job.kernel->next != NULL; i++)
        if (c->set.host[i] != NULL
            && (c->set.at[i].mode == PLB_REPLICATE || plb_data_is_partitioned(&c->set.at[i]))) {
            size_t bytes = plb_check_bytes(c, i, (struct plb_range){0, c->set.units}, &offset);
            before[i] = plb_alloc(bytes);
            memcpy(before[i], (char *)c->set.host[i], bytes);
        }
    plb_aside(ask_next, &asking);
    if (*again)
        look_at_inputs(c, before);
    for (int i = 0; i < c->set.n; i++)
        free(before[i]);
    hand_over(c, true);
    if (*again)
        plb_feeds_take(&c->job.app, &c->set, &begin);
    plb_app_take_replaced(&c->job.app, &parts);
    plb_parts_fini(&parts);
    return err->status;
}
