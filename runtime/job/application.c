/* The kernel author's functions, and the checks on what they were given. */
#include "job/application.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/mtx.h"
#include "format/npy.h"

static const struct plb_setting *option(const struct plb_app *app, const char *name)
{
    const struct plb_setting *s = plb_settings_get(app->settings, app->kernel->name, name);
    if (s == NULL) {
        fprintf(stderr, "plbrun: kernel %s asks for the option '%s', which its table does not have\n", app->kernel->name, name);
        abort();
    }
    return s;
}

int64_t plb_app_int(const struct plb_app *app, const char *name)
{
    return (int64_t)option(app, name)->number;
}

double plb_app_real(const struct plb_app *app, const char *name)
{
    return option(app, name)->number;
}

bool plb_app_flag(const struct plb_app *app, const char *name)
{
    return option(app, name)->number != 0.0;
}

const char *plb_app_text(const struct plb_app *app, const char *name)
{
    return option(app, name)->text;
}

int plb_app_choice(const struct plb_app *app, const char *name)
{
    const struct plb_setting *s = option(app, name);
    return s->text != NULL ? (int)s->number : -1;
}

bool plb_app_given(const struct plb_app *app, const char *name)
{
    return option(app, name)->given;
}

bool plb_app_simulated(const struct plb_app *app)
{
    return app->simulated;
}

void plb_app_units(struct plb_app *app, int64_t units)
{
    app->units = units;
}

int plb_app_data(struct plb_app *app, const struct plb_data *data)
{
    if (app->n_data == PLB_MAX_DATA) {
        plb_app_error(app, "more than %d buffers are declared", PLB_MAX_DATA);
        return 0;
    }
    app->data[app->n_data] = *data;
    return app->n_data++;
}

void plb_app_args(struct plb_app *app, const void *args, size_t bytes)
{
    if (bytes > PLB_MAX_ARGS) {
        plb_app_error(app, "%zu bytes of args are more than the %d there is room for; declare replicated data", bytes, PLB_MAX_ARGS);
        return;
    }
    memcpy(app->args, args, bytes);
    app->args_bytes = bytes;
}

void plb_app_replace(struct plb_app *app, int handle)
{
    if (handle < 0 || handle >= app->n_data || app->data[handle].mode != PLB_REPLICATE)
        plb_app_error(app, "kernel %s: plb_app_replace(%d): there is no replicated buffer with this handle", app->kernel->name, handle);
    else
        app->replaced[handle] = true;
}

void plb_app_phase(struct plb_app *app, int phase)
{
    int n = plb_phase_count(app->kernel);
    if (phase < 0 || phase >= n)
        plb_app_error(app, "kernel %s: plb_app_phase(%d): its phases are numbered from 0 to %d", app->kernel->name, phase, n - 1);
    else
        app->coming = phase;
}

static void *own(struct plb_app *app, void *memory)
{
    app->memory = plb_grow(app->memory, (size_t)(app->n_memory + 1) * sizeof *app->memory);
    return app->memory[app->n_memory++] = memory;
}

void *plb_app_alloc(struct plb_app *app, size_t bytes)
{
    const size_t page = 4096; /* so that what is small shares its page with nothing, and can be locked for copies */
    return own(app, plb_alloc(bytes < page ? page : bytes));
}

void plb_app_set_state(struct plb_app *app, void *state)
{
    app->state = state;
}

void *plb_app_state(const struct plb_app *app)
{
    return app->state;
}

int plb_app_error(struct plb_app *app, const char *format, ...)
{
    char text[sizeof app->err.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return plb_fail(&app->err, PLB_EINPUT, "%s", text);
}

int plb_read_npy(struct plb_app *app, const char *path, enum plb_order order, struct plb_array *array)
{
    int status = plb_npy_read(path, order, app->simulated, array, &app->err);
    if (status == PLB_OK && array->data != NULL)
        own(app, array->data);
    return status;
}

int plb_write_npy(struct plb_app *app, const char *path, const struct plb_array *array)
{
    return plb_npy_write(path, array, &app->err);
}

int plb_read_mtx(struct plb_app *app, const char *path, struct plb_csr *matrix)
{
    int status = plb_mtx_read(path, matrix, &app->err);
    if (status == PLB_OK) {
        own(app, matrix->offsets);
        own(app, matrix->indices);
        own(app, matrix->values);
    }
    return status;
}

static int wrong(struct plb_app *app, const struct plb_data *d, const char *what)
{
    return plb_app_error(app, "kernel %s: buffer '%s' %s", app->kernel->name, d->name, what);
}

/* A PARTITION_INDEXED buffer needs sound offsets: everything later trusts them. */
static int check_offsets(struct plb_app *app, const struct plb_data *d)
{
    if (d->offsets < 0 || d->offsets >= app->n_data || app->data[d->offsets].mode != PLB_REPLICATE
        || app->data[d->offsets].bytes != (size_t)(app->units + 1) * sizeof(int64_t))
        return wrong(app, d, "needs `offsets`, the handle of a replicated buffer of units + 1 int64_t");
    const int64_t *offsets = app->data[d->offsets].data;
    for (int64_t u = 0; u < app->units && offsets != NULL; u++)
        if (offsets[u] > offsets[u + 1] || offsets[0] < 0)
            return wrong(app, d, "has offsets that decrease or are negative");
    return offsets != NULL || app->simulated ? PLB_OK : wrong(app, d, "has no offsets");
}

static int check_declarations(struct plb_app *app)
{
    if (app->units < 1)
        return plb_app_error(app, "kernel %s: there are no %s to work on; the input is empty", app->kernel->name, app->kernel->unit);
    for (int i = 0; i < app->n_data; i++) {
        const struct plb_data *d = &app->data[i];
        bool empty = d->mode == PLB_REPLICATE && d->bytes == 0;
        if (d->data == NULL && !app->simulated && !empty)
            return wrong(app, d, "has no memory");
        bool by_unit = d->mode == PLB_PARTITION || d->mode == PLB_OUTPUT;
        if (by_unit && d->unit_bytes == 0)
            return wrong(app, d, "has no unit_bytes");
        if (d->mode == PLB_PARTITION_INDEXED && check_offsets(app, d) != PLB_OK)
            return app->err.status;
        if (d->mode == PLB_REDUCE && (d->bytes == 0 || d->bytes % 8 != 0))
            return wrong(app, d, "is reduced and must be a whole number of 8-byte elements");
    }
    return PLB_OK;
}

int plb_app_setup(struct plb_app *app, const struct plb_kernel *kernel,
                  const struct plb_settings *settings, bool simulated)
{
    *app = (struct plb_app){.kernel = kernel, .settings = settings, .simulated = simulated};
    int status = kernel->setup(app);
    if (status != PLB_OK && app->err.status == PLB_OK)
        plb_app_error(app, "kernel %s: setup failed with %d", kernel->name, status);
    return app->err.status != PLB_OK ? app->err.status : check_declarations(app);
}

void plb_app_fini(struct plb_app *app)
{
    for (int i = 0; i < app->n_memory; i++)
        free(app->memory[i]);
    free(app->memory);
    *app = (struct plb_app){0};
}

struct costing {
    const struct plb_app *app;
    struct plb_phase phase;
};

static double cost(const void *context, int64_t first, int64_t count)
{
    const struct costing *c = context;
    return c->phase.cost(c->app, first, count);
}

int plb_app_cost_map(struct plb_app *app, int phase, struct plb_cost_map *map)
{
    char title[PLB_PHASE_TITLE];
    struct costing c = {app, plb_phase_at(app->kernel, phase)};
    struct plb_error err = {.status = PLB_OK};
    if (plb_cost_map_init(map, app->units, c.phase.cost != NULL ? cost : NULL, &c, &err) == PLB_OK)
        return PLB_OK;
    return plb_app_error(app, "%s: %s", plb_phase_title(app->kernel, phase, title), err.text);
}

int plb_app_begin_pass(struct plb_app *app)
{
    app->running = app->coming;
    app->passes[app->running]++;
    return app->running;
}

double plb_app_unit_bytes(const struct plb_app *app, bool inputs, bool outputs)
{
    double bytes = 0.0;
    for (int i = 0; i < app->n_data; i++) {
        const struct plb_data *d = &app->data[i];
        const int64_t *offsets = d->mode == PLB_PARTITION_INDEXED ? app->data[d->offsets].data : NULL;
        if (offsets != NULL && inputs)
            bytes += (double)(offsets[app->units] - offsets[0]) * (double)d->element_bytes / (double)app->units;
        else if ((d->mode == PLB_PARTITION && inputs) || (d->mode == PLB_OUTPUT && outputs))
            bytes += (double)d->unit_bytes;
    }
    return bytes;
}

double plb_app_replicated_bytes(const struct plb_app *app)
{
    double bytes = 0.0;
    for (int i = 0; i < app->n_data; i++)
        bytes += app->data[i].mode == PLB_REPLICATE ? (double)app->data[i].bytes : 0.0;
    return bytes;
}
