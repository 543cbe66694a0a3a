/* The functions that a kernel calls (plb/kernel.h). They note what the kernel says, and check what can be
 * checked at once. plb_app_setup checks the rest, when all has been said. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/mtx.h"
#include "format/npy.h"
#include "job/application.h"

/* A name that is not in the kernel's own table is a mistake of its author, not of the user. */
static const struct plb_setting *option(const struct plb_app *app, const char *name)
{
    const struct plb_setting *s = plb_settings_get(app->settings, app->kernel->name, name);
    if (s == NULL) {
        fprintf(stderr, "plbrun: kernel %s asks for the option '%s', which its table does not have\n",
                app->kernel->name, name);
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
        plb_app_error(app,
                      "%zu bytes of args are more than the %d there is room for; declare replicated data",
                      bytes, PLB_MAX_ARGS);
        return;
    }
    memcpy(app->args, args, bytes);
    app->args_bytes = bytes;
}

void plb_app_replace(struct plb_app *app, int handle)
{
    if (handle >= 0 && handle < app->n_data && app->data[handle].mode == PLB_REPLICATE)
        app->replaced[handle] = true;
    else
        plb_app_error(app, "kernel %s: plb_app_replace(%d): there is no replicated buffer with this handle",
                      app->kernel->name, handle);
}

void plb_app_phase(struct plb_app *app, int phase)
{
    int n = plb_phase_count(app->kernel);
    if (phase < 0 || phase >= n)
        plb_app_error(app, "kernel %s: plb_app_phase(%d): its phases are numbered from 0 to %d",
                      app->kernel->name, phase, n - 1);
    else
        app->coming = phase;
}

/* Makes the app the owner of memory; returns the memory. */
static void *own(struct plb_app *app, void *memory)
{
    app->memory = plb_grow(app->memory, (size_t)(app->n_memory + 1) * sizeof *app->memory);
    return app->memory[app->n_memory++] = memory;
}

void *plb_app_alloc(struct plb_app *app, size_t bytes)
{
    const size_t page = 4096; /* a small block too gets whole pages, which can be locked for copies */
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
