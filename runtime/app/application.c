/* The application on rank 0: setup, its declarations, its passes. */
#include "app/application.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/record_store.h"
#include "app/reduce.h"
#include "base/clock.h"
#include "base/memory.h"
#include "device/driver.h"
#include "host/crash.h"

static_assert(PLB_MAX_DATA <= PLB_PARTS_BUFFERS, "there is room for the parts of all buffers");

static int wrong(struct plb_app *app, const struct plb_data *d, const char *what)
{
    return plb_app_error(app, "kernel %s: buffer '%s' %s", app->kernel->name, d->name, what);
}

/* The size of a buffer is where its mode looks for it. A REPLICATE of no bytes is an input that is empty,
 * unless its size stands in another place. */
static int check_size(struct plb_app *app, const struct plb_data *d)
{
    bool by_unit = d->mode == PLB_PARTITION || d->mode == PLB_OUTPUT;
    if (by_unit && d->unit_bytes == 0)
        return wrong(app, d,
                     d->bytes > 0 ? "has no `unit_bytes`, the bytes of one unit; set it instead of `bytes`"
                                  : "has no `unit_bytes`, the bytes of one unit; set it");
    if (by_unit && d->unit_bytes > (size_t)PTRDIFF_MAX / (size_t)app->units)
        return wrong(app, d, "has 2^63 bytes or more; use fewer or smaller units");
    if (d->bytes > PTRDIFF_MAX)
        return wrong(app, d, "has 2^63 bytes or more; use a smaller input");
    size_t all = (size_t)app->units * d->unit_bytes;
    if (by_unit && d->bytes > 0 && d->bytes != all)
        return plb_app_error(app,
                             "kernel %s: buffer '%s' has %zu `bytes`, and %lld %s of %zu `unit_bytes` are "
                             "%zu; leave out `bytes`",
                             app->kernel->name, d->name, d->bytes, (long long)app->units, app->kernel->unit,
                             d->unit_bytes, all);
    if (d->mode == PLB_REPLICATE && d->bytes == 0 && d->unit_bytes > 0)
        return wrong(app, d,
                     "is a REPLICATE with `unit_bytes` and without `bytes`; set `bytes`, the size of the "
                     "whole, or make it a PARTITION");
    if (d->mode == PLB_PARTITION_INDEXED && d->element_bytes == 0)
        return wrong(app, d, "has no `element_bytes`, the bytes of one element; set it");
    return PLB_OK;
}

/* Checks the offsets of a PARTITION_INDEXED buffer. Everything later trusts them. */
static int check_offsets(struct plb_app *app, const struct plb_data *d)
{
    if (d->offsets < 0 || d->offsets >= app->n_data || app->data[d->offsets].mode != PLB_REPLICATE
        || app->data[d->offsets].bytes != ((size_t)app->units + 1) * sizeof(int64_t))
        return wrong(app, d, "needs `offsets`, the handle of a replicated buffer of units + 1 int64_t");
    const int64_t *offsets = app->data[d->offsets].data;
    if (offsets != NULL)
        for (int64_t u = 0; u < app->units; u++)
            if (offsets[u] > offsets[u + 1] || offsets[0] < 0)
                return wrong(app, d, "has `offsets` that decrease or are negative");
    return offsets != NULL || app->simulated ? PLB_OK : wrong(app, d, "has no offsets");
}

/* The bytes of a whole buffer; 0 where its offsets are not known. */
static size_t bytes_of(const struct plb_app *app, const struct plb_data *d)
{
    const int64_t *offsets = d->mode == PLB_PARTITION_INDEXED ? app->data[d->offsets].data : NULL;
    if (offsets != NULL)
        return (size_t)offsets[app->units] * d->element_bytes;
    if (d->mode == PLB_RECORDS)
        return 0;
    return d->mode == PLB_REPLICATE || d->mode == PLB_REDUCE ? d->bytes : (size_t)app->units * d->unit_bytes;
}

/* A buffer in a file: only results are written there, and the file is long enough. */
static int check_file(struct plb_app *app, const struct plb_data *d)
{
    int number = plb_files_find(&app->files, d->data);
    if (number < 0)
        return PLB_OK;
    const struct plb_data_memory *f = &app->files.at[number];
    size_t before = (size_t)((char *)d->data - f->data);
    if (d->mode == PLB_REDUCE || f->result != (d->mode == PLB_OUTPUT))
        return wrong(app, d,
                     "does not match its file: an OUTPUT needs a file with `result`, an input one without, "
                     "and a REDUCE cannot be in a file");
    if (bytes_of(app, d) > f->bytes - before)
        return plb_app_error(app, "kernel %s: %s has %zu bytes of data, and buffer '%s' needs %zu of them",
                             app->kernel->name, f->path, f->bytes, d->name, bytes_of(app, d) + before);
    return PLB_OK;
}

/* A buffer in memory: its last byte is in memory, too. A wrong size would end plbrun with a crash. */
static int check_memory(struct plb_app *app, const struct plb_data *d)
{
    size_t bytes = bytes_of(app, d);
    unsigned char resident;
    if (d->data == NULL || bytes == 0 || app->simulated)
        return PLB_OK;
    if (bytes - 1 <= UINTPTR_MAX - (uintptr_t)d->data) {
        char *last = (char *)d->data + (bytes - 1);
        if (mincore(last - (uintptr_t)last % (size_t)sysconf(_SC_PAGESIZE), 1, &resident) == 0)
            return PLB_OK;
    }
    return plb_app_error(
        app, "kernel %s: buffer '%s' has %zu bytes, and its memory ends before; give the size of `data`",
        app->kernel->name, d->name, bytes);
}

/* Checks the halo of a buffer. A wild number would make every task as large as the job. */
static int check_halo(struct plb_app *app, const struct plb_data *d)
{
    const char *name = d->before != 0 ? "before" : "after";
    if (d->mode != PLB_PARTITION && (d->before != 0 || d->after != 0))
        return plb_app_error(app, "kernel %s: buffer '%s' has `%s`, which only a PARTITION can have",
                             app->kernel->name, d->name, name);
    bool wrong_before = d->before < 0 || d->before > INT32_MAX;
    if (wrong_before || d->after < 0 || d->after > INT32_MAX)
        return plb_app_error(app, "kernel %s: buffer '%s' has %s = %lld; a halo has 0 to 2147483647 %s",
                             app->kernel->name, d->name, wrong_before ? "before" : "after",
                             (long long)(wrong_before ? d->before : d->after), app->kernel->unit);
    return PLB_OK;
}

/* Records are appended in host memory of this very process, by the cpu entry, whatever device runs that. */
static int check_records(struct plb_app *app, const struct plb_data *d)
{
    for (int i = 0; i < plb_phase_count(app->kernel); i++)
        for (int k = 0; plb_device_drivers[k] != NULL; k++) {
            const struct plb_phase phase = plb_phase_at(app->kernel, i);
            plb_entry_fn entry = plb_device_drivers[k]->entry(&phase);
            if (entry != NULL && entry != phase.cpu && !plb_device_drivers[k]->programs)
                return wrong(app, d,
                             "has records, which only a cpu entry can write; leave out the other entry");
        }
    return app->shares
             ? wrong(app, d, "has records, which a child process cannot pass on; leave out run.isolate")
             : PLB_OK;
}

static int check_declarations(struct plb_app *app)
{
    char text[PLB_REDUCE_TEXT];
    if (app->units < 1)
        return plb_app_error(app,
                             "kernel %s: there are no %s to work on; the input is empty, or setup did not "
                             "set their number (plb_app_units)",
                             app->kernel->name, app->kernel->unit);
    for (int i = 0; i < app->n_data; i++) {
        const struct plb_data *d = &app->data[i];
        bool empty = (d->mode == PLB_REPLICATE && d->bytes == 0) || d->mode == PLB_RECORDS;
        if ((unsigned)d->mode > PLB_RECORDS)
            return plb_app_error(app,
                                 "kernel %s: buffer '%s' has the unknown `mode` %d; see enum plb_data_mode",
                                 app->kernel->name, d->name, (int)d->mode);
        if (d->mode == PLB_RECORDS && check_records(app, d) != PLB_OK)
            return app->err.status;
        if (check_size(app, d) != PLB_OK)
            return app->err.status;
        if (d->data == NULL && !app->simulated && !empty)
            return wrong(app, d, "has no memory");
        if (d->mode == PLB_PARTITION_INDEXED && check_offsets(app, d) != PLB_OK)
            return app->err.status;
        if (check_halo(app, d) != PLB_OK || check_file(app, d) != PLB_OK || check_memory(app, d) != PLB_OK)
            return app->err.status;
        if (d->mode == PLB_REDUCE && plb_reduce_is_wrong(d, app->kernel->fold != NULL, text))
            return wrong(app, d, text);
    }
    return PLB_OK;
}

/* The records go to a file beside the first result that they are for. */
static void make_store(struct plb_app *app)
{
    const char *beside = NULL;
    const struct plb_stream_shape shape = {app->units, app->order, app->streams == PLB_IN_ORDER};
    bool any = false;
    for (int i = 0; i < app->n_data; i++)
        any |= app->data[i].mode == PLB_RECORDS;
    for (int i = app->results.n - 1; i >= 0; i--)
        beside = app->results.at[i].records ? app->results.at[i].path : beside;
    if (!any || app->simulated)
        return;
    app->records = plb_record_store_new(app->data, app->n_data, beside);
    app->results.store = app->records;
    app->results.units = app->units;
    app->results.order = app->order;
    for (int i = 0; i < app->results.n && app->streams != PLB_IN_THE_END; i++) {
        struct plb_result *r = &app->results.at[i];
        if (r->records && r->head == NULL && plb_file_descriptor(r->path) >= 0)
            r->streamed = plb_record_store_stream(app->records, r->buffer, &shape, r->path);
        else if (r->log && r->head != NULL && !plb_file_streams(r->path)) /* in the end it is sorted */
            plb_record_store_grow(app->records, r->buffer, &shape, r->path, r->head);
    }
}

int plb_app_setup(struct plb_app *app, const struct plb_kernel *kernel, const struct plb_settings *settings,
                  struct plb_app_mode mode)
{
    *app = (struct plb_app){.kernel = kernel,
                            .settings = settings,
                            .simulated = mode.simulated,
                            .dry_run = mode.dry_run,
                            .resumes = mode.resumes,
                            .shares = mode.shares,
                            .host_maps = mode.host_maps,
                            .until = plb_now() + mode.left_s};
    plb_crash_call(kernel->name, "setup");
    int status = kernel->setup(app);
    plb_crash_call(kernel->name, NULL);
    if (status != PLB_OK && app->err.status == PLB_OK)
        plb_app_error(app, "kernel %s: setup failed with %d", kernel->name, status);
    if (app->err.status != PLB_OK || check_declarations(app) != PLB_OK)
        return app->err.status;
    make_store(app);
    return PLB_OK;
}

void plb_app_fini(struct plb_app *app)
{
    plb_results_fini(&app->results);
    plb_record_store_free(app->records);
    plb_files_fini(&app->files);
    plb_parts_fini(&app->parts);
    for (int i = 0; i < app->n_memory; i++) {
        const struct plb_owned *m = &app->memory[i];
        if (m->bytes > 0)
            plb_shared_free(m->data, m->bytes);
        else
            free(m->data);
        if (m->fd >= 0)
            close(m->fd);
    }
    free(app->memory);
    for (int i = 0; i < app->n_read; i++)
        free(app->read[i]);
    free(app->read);
    *app = (struct plb_app){0};
}

const struct plb_owned *plb_app_mapped(const struct plb_app *app, const void *data)
{
    for (int i = 0; i < app->n_memory; i++)
        if (app->memory[i].fd >= 0 && (uintptr_t)data - (uintptr_t)app->memory[i].data < app->memory[i].bytes)
            return &app->memory[i];
    return NULL;
}

bool plb_app_shares(const struct plb_app *app, const void *data)
{
    uintptr_t at = (uintptr_t)data;
    if (app->shares)
        for (int i = 0; i < app->n_memory; i++)
            if (at - (uintptr_t)app->memory[i].data < app->memory[i].bytes)
                return true;
    int file = plb_files_find(&app->files, data);
    return file >= 0 && app->files.at[file].result;
}

struct costing {
    const struct plb_app *app;
    struct plb_phase phase;
};

static double cost(const void *context, int64_t first, int64_t count)
{
    const struct costing *c = context;
    double sum = 0.0;
    if (c->app->costs == NULL)
        return c->phase.cost(c->app, first, count);
    for (int64_t u = first; u < first + count; u++)
        sum += c->app->costs[u];
    return sum;
}

int plb_app_cost_map(struct plb_app *app, int phase, struct plb_cost_map *map)
{
    char title[PLB_PHASE_TITLE];
    struct costing c = {app, plb_phase_at(app->kernel, phase)};
    struct plb_error err = {.status = PLB_OK};
    bool told = app->costs != NULL || c.phase.cost != NULL;
    plb_crash_call(app->kernel->name, "cost");
    plb_cost_map_init(map, app->units, told ? cost : NULL, &c, &err);
    plb_crash_call(app->kernel->name, NULL);
    if (err.status == PLB_OK)
        return app->err.status; /* of an option that `cost` mistook */
    return plb_app_error(app, "%s returns a wrong cost: %s", plb_phase_title(app->kernel, phase, title),
                         err.text);
}

int plb_app_begin_pass(struct plb_app *app)
{
    app->running = app->coming;
    app->passes[app->running]++;
    return app->running;
}

double plb_app_unit_bytes(const struct plb_app *app)
{
    double bytes = 0.0;
    for (int i = 0; i < app->n_data; i++) {
        const struct plb_data *d = &app->data[i];
        const int64_t *offsets = d->mode == PLB_PARTITION_INDEXED ? app->data[d->offsets].data : NULL;
        if (offsets != NULL)
            bytes += (double)(offsets[app->units] - offsets[0]) * (double)d->element_bytes
                   / (double)app->units;
        else if (d->mode == PLB_PARTITION)
            bytes += (double)d->unit_bytes;
    }
    return bytes;
}

int64_t plb_app_take_replaced(struct plb_app *app, struct plb_parts *parts)
{
    int64_t whole = 0, some = app->parts.buffers;
    plb_parts_close(&app->parts);
    for (int i = 0; i < app->n_data; i++) {
        bool most = app->parts.at[i].units > (int64_t)(app->data[i].bytes / 2);
        whole |= app->replaced[i] || most ? (int64_t)1 << i : 0;
        app->replaced[i] = false;
    }
    plb_parts_drop(&app->parts, whole);
    plb_parts_take(parts, &app->parts);
    return whole | some;
}
