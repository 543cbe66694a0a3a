/* The functions that a kernel calls (plb/kernel.h). They note what the kernel says, and check what can be
 * checked at once. plb_app_setup checks the rest, when all has been said. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/application.h"
#include "base/clock.h"
#include "base/memory.h"
#include "config/nearest.h"

/* Options of a kernel among which a mistaken name is looked for; those beyond are not suggested. */
#define MOST_OPTIONS 64

/* Bytes of a kernel's memory from which on it has pages of its own, which the system has zeroed. Larger: more
 * memory is zeroed twice. Smaller: the call lasts longer than setting them to zero. A guess. */
#define PAGES ((size_t)4 << 20)

/* Blocks of memory from the first on that may have a file each, for other ranks of the host. Larger: a kernel
 * with many blocks uses up the process's open files. Smaller: data of later blocks travels. Twice as many as
 * there can be buffers. */
#define MOST_FILES 64

/* The answer to a mistake: a number that divides, and a text that can be read. */
static const struct plb_setting no_setting = {.text = "", .number = 1.0};

/* Notes a mistake of the kernel's author. The app is constant for kernels alone: it is plbrun's own. */
#define MISTAKE(app, ...) plb_app_error((struct plb_app *)(app), __VA_ARGS__)

static const struct plb_setting *find(const struct plb_app *app, const char *name)
{
    const struct plb_setting *s = plb_settings_get(app->settings, app->kernel->name, name);
    if (s != NULL)
        return s;
    const char *names[MOST_OPTIONS + 1] = {NULL};
    const struct plb_option *o = app->kernel->options;
    for (int n = 0; n < MOST_OPTIONS && o != NULL && o[n].name != NULL; n++)
        names[n] = o[n].name;
    const char *near = plb_nearest(name, names);
    MISTAKE(app, "kernel %s: its table has no option '%s'%s%s%s", app->kernel->name, name,
            near != NULL ? "; did it mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
    return &no_setting;
}

/* The setting, if it has one of the types that the function serves: bit i is enum plb_option_type i. */
static const struct plb_setting *option(const struct plb_app *app, const char *name, unsigned types,
                                        const char *function)
{
    static const char *const type_names[] = {
        [PLB_INT] = "PLB_INT",
        [PLB_REAL] = "PLB_REAL",
        [PLB_FLAG] = "PLB_FLAG",
        [PLB_TEXT] = "PLB_TEXT",
        [PLB_INPUT_FILE] = "PLB_INPUT_FILE",
        [PLB_OUTPUT_FILE] = "PLB_OUTPUT_FILE",
        [PLB_DURATION] = "PLB_DURATION",
    };
    const struct plb_setting *s = find(app, name);
    if (s->option == NULL || (types & 1u << s->option->type) != 0)
        return s;
    MISTAKE(app, "kernel %s: %s asks for '%s', which is a %s in its table", app->kernel->name, function, name,
            type_names[s->option->type]);
    return &no_setting;
}

int64_t plb_app_int(const struct plb_app *app, const char *name)
{
    return (int64_t)option(app, name, 1u << PLB_INT, "plb_app_int")->number;
}

double plb_app_real(const struct plb_app *app, const char *name)
{
    return option(app, name, 1u << PLB_REAL | 1u << PLB_DURATION, "plb_app_real")->number;
}

bool plb_app_flag(const struct plb_app *app, const char *name)
{
    return option(app, name, 1u << PLB_FLAG, "plb_app_flag")->number != 0.0;
}

const char *plb_app_text(const struct plb_app *app, const char *name)
{
    return option(app, name, 1u << PLB_TEXT | 1u << PLB_INPUT_FILE | 1u << PLB_OUTPUT_FILE, "plb_app_text")
        ->text;
}

int plb_app_choice(const struct plb_app *app, const char *name)
{
    const struct plb_setting *s = option(app, name, 1u << PLB_TEXT, "plb_app_choice");
    if (s->option != NULL && s->option->choices == NULL)
        MISTAKE(app,
                "kernel %s: plb_app_choice asks for '%s', which is a PLB_TEXT without choices in its table",
                app->kernel->name, name);
    return s->text != NULL ? (int)s->number : -1;
}

bool plb_app_given(const struct plb_app *app, const char *name)
{
    return find(app, name)->given;
}

bool plb_app_simulated(const struct plb_app *app)
{
    return app->simulated;
}

bool plb_app_dry_run(const struct plb_app *app)
{
    return app->dry_run;
}

bool plb_app_resumes(const struct plb_app *app)
{
    return app->resumes;
}

double plb_app_time_left(const struct plb_app *app)
{
    return app->until - plb_now();
}

void plb_app_unit_costs(struct plb_app *app, const double *costs)
{
    app->costs = costs;
}

void plb_app_use_gpus(struct plb_app *app, int programs)
{
    app->programs = programs > 1 ? programs : 1;
}

void plb_app_units(struct plb_app *app, int64_t units)
{
    app->units = units;
}

void plb_app_multiple(struct plb_app *app, int64_t units)
{
    if (units < 1)
        plb_app_error(app, "kernel %s asks for tasks in multiples of %lld %s; use 1 or more",
                      app->kernel->name, (long long)units, app->kernel->unit);
    else
        app->multiple = units;
}

int plb_app_data(struct plb_app *app, const struct plb_data *data)
{
    if (app->n_data == PLB_MAX_DATA) {
        plb_app_error(app, "more than %d buffers are declared", PLB_MAX_DATA);
        return 0;
    }
    if (data->name == NULL || data->name[0] == '\0') {
        plb_app_error(app, "kernel %s: buffer %d has no name, and messages need one; set `name`",
                      app->kernel->name, app->n_data);
        return 0;
    }
    if (data->stays && data->mode != PLB_OUTPUT)
        plb_app_error(app, "buffer %s is no output, and `stays` is for outputs", data->name);
    app->data[app->n_data] = *data;
    return app->n_data++;
}

void plb_app_args(struct plb_app *app, const void *args, size_t bytes)
{
    if (bytes > PLB_MAX_ARGS) {
        plb_app_error(app, "%zu bytes of args are more than the limit of %d; declare replicated data instead",
                      bytes, PLB_MAX_ARGS);
        return;
    }
    memcpy(app->args, args, bytes);
    app->args_bytes = bytes;
}

/* The buffer whose offsets are in the buffer with this handle, or NULL. */
static const struct plb_data *with_offsets(const struct plb_app *app, int handle)
{
    for (int i = 0; i < app->n_data; i++)
        if (app->data[i].mode == PLB_PARTITION_INDEXED && app->data[i].offsets == handle)
            return &app->data[i];
    return NULL;
}

/* Whether the buffer can be replaced; else that is a mistake of the kernel. Ranks keep their parts of indexed
 * inputs where the offsets say, so that these stay as they are. */
static bool may_replace(struct plb_app *app, const char *function, int handle)
{
    const struct plb_data *indexed = with_offsets(app, handle);
    bool there = handle >= 0 && handle < app->n_data && app->data[handle].mode == PLB_REPLICATE;
    bool in_file = there && plb_files_find(&app->files, app->data[handle].data) >= 0;
    if (in_file)
        plb_app_error(app, "kernel %s: %s(%d): the buffer is an input in a file", app->kernel->name, function,
                      handle);
    else if (there && indexed != NULL)
        plb_app_error(app,
                      "kernel %s: %s(%d): the buffer has the offsets of '%s', which cannot change; pad its "
                      "units to a fixed size, or make it a REPLICATE buffer",
                      app->kernel->name, function, handle, indexed->name);
    else if (!there)
        plb_app_error(app, "kernel %s: %s(%d): this is not the handle of a replicated buffer",
                      app->kernel->name, function, handle);
    return there && !in_file && indexed == NULL;
}

void plb_app_replace(struct plb_app *app, int handle)
{
    if (may_replace(app, "plb_app_replace", handle))
        app->replaced[handle] = true;
}

void plb_app_replace_part(struct plb_app *app, int handle, size_t first, size_t bytes)
{
    if (!may_replace(app, "plb_app_replace_part", handle))
        return;
    size_t size = app->data[handle].bytes;
    if (first > size || bytes > size - first)
        plb_app_error(app, "kernel %s: plb_app_replace_part(%d, %zu, %zu): the buffer has %zu bytes",
                      app->kernel->name, handle, first, bytes, size);
    else
        plb_parts_add(&app->parts, handle, (struct plb_range){(int64_t)first, (int64_t)bytes});
}

void plb_app_gather(struct plb_app *app, int output)
{
    bool there = output >= 0 && output < app->n_data && app->data[output].mode == PLB_OUTPUT;
    if (!there || !app->data[output].stays)
        plb_app_error(app, "kernel %s: plb_app_gather(%d): this is not the handle of an OUTPUT with `stays`",
                      app->kernel->name, output);
    else
        app->gathers = true;
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

/* Makes the app the owner of memory from malloc, or of pages with so many bytes, which may be in a file;
 * returns the memory. */
static void *own_pages(struct plb_app *app, void *memory, size_t pages, int fd, bool huge)
{
    app->memory = plb_grow(app->memory, (size_t)(app->n_memory + 1) * sizeof *app->memory);
    app->memory[app->n_memory++] = (struct plb_owned){memory, pages, fd, huge};
    return memory;
}

void *plb_app_own(struct plb_app *app, void *memory)
{
    return own_pages(app, memory, 0, -1, false);
}

void *plb_app_alloc(struct plb_app *app, size_t bytes)
{
    const size_t page = 4096; /* a small block too gets whole pages, which can be locked for copies */
    size_t taken = bytes < page ? page : bytes;
    bool large = taken >= PAGES;
    taken += large ? page : 0; /* else equal arrays begin at equal places of the caches: a triad took twice
                                  as long */
    if (large && app->host_maps && app->n_memory < MOST_FILES) {
        int fd;
        bool huge;
        void *memory = plb_file_pages_alloc(taken, &fd, &huge);
        return own_pages(app, memory, taken, fd, huge);
    }
    if (app->shares)
        return own_pages(app, plb_shared_alloc(taken), taken, -1, false);
    if (!large)
        return plb_app_own(app, plb_alloc(taken));
    return own_pages(app, plb_pages_alloc(taken), taken, -1, false);
}

void *plb_app_alloc_array(struct plb_app *app, int64_t n, size_t size)
{
    return plb_app_alloc(app, plb_array_bytes(n, size));
}

void plb_app_set_state(struct plb_app *app, void *state)
{
    app->state = state;
}

void *plb_app_state(const struct plb_app *app)
{
    return app->state;
}

void plb_app_keep(struct plb_app *app, void *data, size_t bytes)
{
    if (app->n_kept == PLB_MAX_KEPT)
        plb_app_error(app, "kernel %s: plb_app_keep is called more than %d times", app->kernel->name,
                      PLB_MAX_KEPT);
    else
        app->kept[app->n_kept++] = (struct plb_kept){data, bytes};
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

bool plb_app_has_path(struct plb_app *app, const char *path, const char *function)
{
    if (path == NULL)
        plb_app_error(app, "kernel %s: %s got no path (NULL); plb_app_given says whether there is one",
                      app->kernel->name, function);
    return path != NULL;
}

int64_t plb_app_agree_reals(const struct plb_twice *results, double relative, double absolute)
{
    const double *one = results->one, *other = results->other;
    for (size_t i = 0; i < results->bytes / sizeof *one; i++) {
        double a = one[i], b = other[i];
        bool same = a == b || (isnan(a) && isnan(b)); /* also where both are infinite */
        if (!same && !(fabs(a - b) <= relative * fmax(fabs(a), fabs(b)) + absolute))
            return (int64_t)(i * sizeof *one);
    }
    return PLB_SAME;
}
