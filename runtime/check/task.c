/* Makes a request of a range, has it done, and says what its end tells. */
#include "check/task.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/reduce.h"
#include "base/units.h"
#include "check/aside.h"
#include "check/rounding.h"
#include "host/crash.h"

#define ALIGNED 64  /* bytes; what plb/kernel.h promises of task->data */
#define ADDRESS 300 /* bytes of the description of an address */

size_t plb_check_bytes(const struct plb_check *c, int i, struct plb_range range, size_t *offset)
{
    size_t bytes;
    plb_dataset_bytes(&c->set, i, range, offset, &bytes);
    if (c->set.at[i].mode == PLB_RECORDS) {
        *offset = (size_t)range.first * sizeof(uint32_t);
        bytes = (size_t)range.count * sizeof(uint32_t);
    }
    return bytes;
}

/* ------------------------------------------------------------------ its memory */

/* The alignment that an entry may count on. */
static size_t align_of(const struct plb_check *c, int i)
{
    const struct plb_data *d = &c->set.at[i];
    uintptr_t bits = (uintptr_t)c->set.host[i] | ALIGNED;
    bits |= d->mode == PLB_PARTITION_INDEXED ? d->element_bytes : 0;
    return (size_t)(bits & -bits);
}

static bool is_input(enum plb_data_mode mode)
{
    return mode == PLB_REPLICATE || mode == PLB_PARTITION || mode == PLB_PARTITION_INDEXED;
}

/* Places buffer i of a range, and fills in what is there before the task. A wrong index may be off by the
 * whole buffer. */
static bool put(struct plb_check *c, const struct plb_check_way *way, int i, struct plb_range range,
                struct plb_guarded *placed)
{
    const struct plb_data *d = &c->set.at[i];
    size_t offset, before_at, all, bytes = plb_check_bytes(c, i, range, &offset);
    struct plb_range around = plb_dataset_around(&c->set, i, range);
    size_t with_halo = plb_check_bytes(c, i, around, &before_at);
    all = plb_check_bytes(c, i, (struct plb_range){0, c->set.units}, &all);
    struct plb_guarding wanted = {.before = offset - before_at,
                                  .bytes = bytes,
                                  .after = with_halo - bytes - (offset - before_at),
                                  .align = align_of(c, i),
                                  .fence = all,
                                  .at_end = way->at_end,
                                  .writable = !is_input(d->mode),
                                  .pattern = way->pattern};
    if (!plb_guards_add(&c->guards, &wanted, placed))
        return false;
    if (is_input(d->mode) && with_halo > 0)
        memcpy(placed->from, (const char *)c->set.host[i] + before_at, with_halo);
    else if (d->mode == PLB_REDUCE)
        plb_reduce_clear(d, placed->data);
    else if (!is_input(d->mode))
        memset(placed->data, c->set.writes_all && d->mode == PLB_OUTPUT ? way->pattern : 0, bytes);
    return true;
}

static int too_large(struct plb_error *err)
{
    return plb_fail(
        err, PLB_EINPUT,
        "the job is too large for --check, which keeps several copies of it; choose a smaller one");
}

int plb_check_place_replicated(struct plb_check *c, struct plb_error *err)
{
    c->guards.used = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < c->set.n; i++)
            if (c->set.at[i].mode == PLB_REPLICATE
                && !put(c, &c->order[k].way, i, (struct plb_range){0, c->set.units}, &c->replicated[k][i]))
                return too_large(err);
    c->guarded = c->guards.used;
    return PLB_OK;
}

static bool make_request(struct plb_check *c, const struct plb_check_way *way, struct plb_range range,
                         struct plb_trial_request *r)
{
    *r = (struct plb_trial_request){.phase = c->phase, .n = c->set.n, .args_bytes = c->set.args_bytes};
    r->task = (struct plb_task){.first = range.first, .count = range.count, .threads = way->threads};
    memcpy(r->args, c->set.args, sizeof r->args);
    c->guards.used = c->guarded;
    for (int i = 0; i < c->set.n; i++) {
        const struct plb_data *d = &c->set.at[i];
        struct plb_range around = plb_dataset_around(&c->set, i, range);
        size_t offset;
        if (d->mode == PLB_REPLICATE)
            r->placed[i] = c->replicated[way->at_end][i];
        else if (!put(c, way, i, range, &r->placed[i]))
            return false;
        r->data[i] = r->placed[i].data;
        r->bytes[i] = d->mode == PLB_RECORDS ? 0 : plb_check_bytes(c, i, range, &offset);
        r->before[i] = range.first - around.first;
        r->after[i] = around.count - range.count - r->before[i];
        r->records[i] = d->mode == PLB_RECORDS ? (uint32_t *)(void *)r->placed[i].data : NULL;
    }
    return true;
}

/* ------------------------------------------------------------- what was wrong */

/* The unit of buffer i that has byte `at` of a task's part; -1: it is not of units, or beyond the job. */
static int64_t unit_of(const struct plb_check *c, int i, struct plb_range range, ptrdiff_t at,
                       ptrdiff_t *rest)
{
    const struct plb_data *d = &c->set.at[i];
    int64_t unit = -1;
    *rest = at;
    if (d->mode == PLB_PARTITION || d->mode == PLB_OUTPUT) {
        ptrdiff_t size = (ptrdiff_t)d->unit_bytes, steps = (at < 0 ? at - size + 1 : at) / size;
        unit = range.first + steps;
        *rest = at - steps * size;
    } else if (d->mode == PLB_PARTITION_INDEXED) {
        const int64_t *offsets = c->set.host[d->offsets], size = (int64_t)d->element_bytes;
        int64_t element = offsets[range.first] + (at < 0 ? at - size + 1 : at) / size;
        for (unit = 0; unit < c->set.units && offsets[unit + 1] <= element; unit++)
            continue;
        unit = element < offsets[0] ? -1 : unit;
        *rest = unit >= 0 && unit < c->set.units ? (ptrdiff_t)((element - offsets[unit]) * size) : at;
    }
    return unit < c->set.units ? unit : -1;
}

/* "byte 8 of row 10 of 'x'". */
static const char *print_address(const struct plb_check *c, int i, struct plb_range range, ptrdiff_t at,
                                 char text[ADDRESS])
{
    char unit[PLB_RANGE_TEXT];
    ptrdiff_t rest;
    int64_t u = unit_of(c, i, range, at, &rest);
    if (u >= 0)
        snprintf(text, ADDRESS, "byte %td of %s of '%.60s'", rest,
                 plb_range_print(u, 1, c->job.kernel->unit, unit), c->set.at[i].name);
    else
        snprintf(text, ADDRESS, "byte %td of %s'%.60s'", at,
                 c->set.at[i].mode == PLB_REPLICATE ? "" : "its part of ", c->set.at[i].name);
    return text;
}

/* How to mend it. */
static const char *remedy(const struct plb_data *d, bool writes)
{
    if (d->mode == PLB_PARTITION && !writes)
        return d->before + d->after > 0
                 ? "; its halo must be wider, or the entry must respect the task's `before` and `after`"
                 : "; declare a halo (`before`, `after`), and index a PARTITION from 0";
    if (d->mode == PLB_REPLICATE)
        return "; the whole buffer begins at its pointer and has `bytes` bytes";
    if (d->mode == PLB_REDUCE)
        return "; a task's array has the declared `bytes`";
    return "; a task sees only its own units, the first of them at index 0";
}

static void tell_address(struct plb_check *c, const struct plb_trial_request *r, int i, const char *address,
                         bool writes, const char *task)
{
    const struct plb_guarded *p = &r->placed[i];
    const struct plb_data *d = &c->set.at[i];
    struct plb_range range = {r->task.first, r->task.count};
    char at[ADDRESS];
    bool own = address >= p->from && address < p->to;
    print_address(c, i, range, address - p->data, at);
    if (own)
        plb_found(&c->findings, PLB_FOUND_INPUT_WRITTEN, i,
                  "the entry writes %s, which is an input, in a task of %s; inputs are read-only", at, task);
    else
        plb_found(&c->findings, PLB_FOUND_BEYOND, i, "the entry %s %s, %s its part, in a task of %s%s",
                  writes ? "writes" : "reads", at, address < p->data ? "before" : "behind", task,
                  remedy(d, writes));
}

/* The buffer whose pages or guards have an address; -1: none. */
static int buffer_at(const struct plb_trial_request *r, const char *address)
{
    for (int i = 0; i < r->n; i++)
        if (address != NULL && r->placed[i].begin != NULL && address >= r->placed[i].begin
            && address < r->placed[i].end)
            return i;
    return -1;
}

static void tell_crash(struct plb_check *c, const struct plb_check_way *way,
                       const struct plb_trial_request *r, const struct plb_trial_end *end, const char *what)
{
    int i = buffer_at(r, end->address);
    if (i >= 0) {
        tell_address(c, r, i, end->address, end->writes, what);
        return;
    }
    bool memory = end->signal == SIGSEGV || end->signal == SIGBUS;
    plb_found(&c->findings, PLB_FOUND_CRASH, -1, "%s crashes (%s%s) in a task of %s%s",
              r->folds ? "fold" : "the entry", plb_crash_signal(end->signal),
              memory ? ", at an address outside of all buffers" : "", what,
              memory && way->rank > 0 ? "; on a rank other than 0, where setup has not run: pass what an "
                                        "entry needs in buffers or by plb_app_args"
                                      : "");
}

/* Says how a call has ended that gives no result; true: it has one. */
static bool judge(struct plb_check *c, const struct plb_check_way *way, const struct plb_trial_request *r,
                  const struct plb_trial_end *end)
{
    char what[PLB_RANGE_TEXT];
    plb_range_print(r->task.first, r->task.count, c->job.kernel->unit, what);
    switch (end->how) {
    case PLB_TRIED_NEVER: return false;
    case PLB_TRIED_CRASHED: tell_crash(c, way, r, end, what); return false;
    case PLB_TRIED_EXITED:
        plb_found(&c->findings, PLB_FOUND_EXIT, -1,
                  "%s calls exit(%d) in a task of %s; it must end by return", r->folds ? "fold" : "the entry",
                  end->status, what);
        return false;
    case PLB_TRIED: break;
    }
    if (end->status != 0)
        plb_found(&c->findings, PLB_FOUND_STATUS, -1, "the entry returns %d for %s%s%s", end->status, what,
                  end->why[0] != '\0' ? ": " : "", end->why);
    return end->status == 0;
}

/* Looks for writes beside buffers, where nothing is forbidden. */
static void look_beside(struct plb_check *c, const struct plb_check_way *way,
                        const struct plb_trial_request *r)
{
    char what[PLB_RANGE_TEXT];
    plb_range_print(r->task.first, r->task.count, c->job.kernel->unit, what);
    for (int i = 0; i < r->n; i++) {
        const char *at = r->placed[i].writable ? plb_guards_touched(&r->placed[i], way->pattern) : NULL;
        if (at != NULL)
            tell_address(c, r, i, at, true, what);
    }
}

/* ----------------------------------------------------------------------- calls */

bool plb_check_task(struct plb_check *c, const struct plb_check_way *way, struct plb_range range, bool quiet,
                    void *results[PLB_MAX_DATA], struct plb_error *err)
{
    struct plb_trial *trial = c->rank[way->rank];
    struct plb_trial_request *r = plb_trial_next(trial);
    struct plb_trial_end end;
    if (!make_request(c, way, range, r)) {
        too_large(err);
        return false;
    }
    plb_trial_call(trial, &end, err);
    c->tasks++;
    bool done = quiet ? end.how == PLB_TRIED && end.status == 0 : judge(c, way, r, &end);
    if (!done)
        return false;
    if (!quiet)
        look_beside(c, way, r);
    if (c->job.kernel->single && end.threads > 1)
        plb_found(&c->findings, PLB_FOUND_THREADS, -1,
                  "it promises to use a `single` thread, but its entry started %d more; remove the promise, "
                  "or use one thread",
                  end.threads - 1);
    for (int i = 0; i < r->n; i++)
        results[i] = is_input(c->set.at[i].mode) ? NULL : r->placed[i].data;
    return true;
}

bool plb_check_fold(struct plb_check *c, int i, void *into, const void *from, struct plb_error *err)
{
    struct plb_trial_request *r = plb_trial_next(c->rank[0]);
    struct plb_trial_end end;
    size_t bytes = c->set.at[i].bytes;
    struct plb_guarding wanted = {
        .bytes = bytes, .align = ALIGNED, .fence = bytes, .at_end = true, .writable = true, .pattern = 0xA5};
    *r = (struct plb_trial_request){.folds = true, .n = 2, .args_bytes = c->set.args_bytes};
    memcpy(r->args, c->set.args, sizeof r->args);
    c->guards.used = c->guarded;
    if (!plb_guards_add(&c->guards, &wanted, &r->placed[0]))
        return false;
    wanted.writable = false;
    if (!plb_guards_add(&c->guards, &wanted, &r->placed[1]))
        return false;
    memcpy(r->placed[0].data, into, bytes);
    memcpy(r->placed[1].data, from, bytes);
    r->folding = (struct plb_folding){
        .buffer = i, .into = r->placed[0].data, .from = r->placed[1].data, .bytes = bytes};
    plb_trial_call(c->rank[0], &end, err);
    c->folds++;
    if (end.how == PLB_TRIED)
        memcpy(into, r->placed[0].data, bytes);
    else if (buffer_at(r, end.address) >= 0)
        plb_found(&c->findings, PLB_FOUND_FOLD, i,
                  "fold %s of '%.60s'; it must change only the %zu bytes of `into`",
                  buffer_at(r, end.address) == 1 && end.writes ? "writes into `from`, the other array,"
                                                               : "goes beyond an array",
                  c->set.at[i].name, bytes);
    else
        judge(c, &c->order[0].way, r, &end);
    return end.how == PLB_TRIED;
}

/* ------------------------------------------------------------------ comparing */

struct agreeing {
    struct plb_app *app;
    struct plb_twice twice;
    int64_t at;
};

static void agree(void *context)
{
    struct agreeing *a = context;
    plb_crash_call(a->app->kernel->name, "agree");
    a->at = a->app->kernel->agree(a->app, &a->twice);
    plb_crash_call(a->app->kernel->name, NULL);
}

/* Whether rounding cannot explain a difference: the results are whole numbers, pixels or records. */
static bool is_exact(const struct plb_check *c, int i)
{
    const struct plb_data *d = &c->set.at[i];
    if (d->mode == PLB_REDUCE && d->op == PLB_SUM)
        return d->type == PLB_INT64 || d->type == PLB_INT32;
    for (int k = 0; k < c->job.app.results.n; k++) {
        const struct plb_result *r = &c->job.app.results.at[k];
        if ((r->whole && r->array.data == d->data) || (r->image.channels > 0 && r->image.data == d->data))
            return true;
    }
    return d->mode == PLB_RECORDS;
}

/* Of two results that differ. */
static int64_t first_difference(const char *one, const char *other)
{
    int64_t at = 0;
    while (one[at] == other[at])
        at++;
    return at;
}

bool plb_check_same(struct plb_check *c, int i, struct plb_range range, const void *one, const void *other,
                    size_t *byte)
{
    const struct plb_data *d = &c->set.at[i];
    size_t offset, bytes = plb_check_bytes(c, i, range, &offset);
    struct agreeing a = {&c->job.app, {range.first, range.count, i, one, other, bytes}, PLB_SAME};
    if (memcmp(one, other, bytes) == 0)
        return true;
    if (c->job.kernel->agree != NULL && d->mode != PLB_RECORDS)
        plb_aside(agree, &a);
    else if (is_exact(c, i))
        a.at = first_difference(one, other);
    else if (d->mode == PLB_REDUCE && d->op == PLB_SUM)
        a.at = plb_rounding_differs(one, other, bytes, d->type, c->order[0].magnitude[i]);
    else
        a.at = plb_rounding_differs(one, other, bytes, 0, 0.0);
    *byte = a.at >= 0 && (size_t)a.at < bytes ? (size_t)a.at : 0;
    return a.at == PLB_SAME;
}
