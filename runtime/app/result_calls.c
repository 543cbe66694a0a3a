/* The functions by which a kernel says what its results are (plb/kernel.h, plb/records.h). They note it;
 * app/results.c writes the files. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/application.h"
#include "base/memory.h"
#include "format/npy/npy.h"

/* The next result, with a copy of the path. NULL after a mistake. */
static struct plb_result *next_result(struct plb_app *app, const char *path, const char *function)
{
    struct plb_results *r = &app->results;
    if (!plb_app_has_path(app, path, function))
        return NULL;
    if (r->n == PLB_MAX_RESULTS) {
        plb_app_error(app, "kernel %s: more than %d results are declared", app->kernel->name,
                      PLB_MAX_RESULTS);
        return NULL;
    }
    r->at[r->n] = (struct plb_result){.path = strdup(path)};
    return &r->at[r->n++];
}

void plb_app_save_npy(struct plb_app *app, const char *path, const struct plb_array *array)
{
    struct plb_result *r = next_result(app, path, "plb_app_save_npy");
    if (r != NULL)
        r->array = *array;
}

void plb_app_save_integers(struct plb_app *app, const char *path, const struct plb_array *array)
{
    struct plb_result *r = next_result(app, path, "plb_app_save_integers");
    if (r != NULL) {
        r->array = *array;
        r->whole = true;
    }
}

void plb_app_save_png(struct plb_app *app, const char *path, const struct plb_image *image)
{
    struct plb_result *r = next_result(app, path, "plb_app_save_png");
    if (r == NULL)
        return;
    if (image->channels != 1 && image->channels != 3) { /* none would mean: no image */
        plb_app_error(app, "kernel %s: an image of %d channels is declared; there are 1 and 3",
                      app->kernel->name, image->channels);
        return;
    }
    r->image = *image;
    r->image.palette = NULL;
    if (image->palette != NULL)
        r->image.palette = memcpy(plb_grow(NULL, PLB_PALETTE_BYTES), image->palette, PLB_PALETTE_BYTES);
}

static void save_records(struct plb_app *app, const char *path, int buffer, const char *head, bool log,
                         const char *function)
{
    struct plb_results *r = &app->results;
    if (!plb_app_has_path(app, path, function))
        return;
    if (buffer < 0 || buffer >= app->n_data || app->data[buffer].mode != PLB_RECORDS)
        plb_app_error(app, "kernel %s: %s(%d): this is not the handle of a buffer of records",
                      app->kernel->name, function, buffer);
    else if (r->n == PLB_MAX_RESULTS)
        plb_app_error(app, "kernel %s: more than %d results are declared", app->kernel->name,
                      PLB_MAX_RESULTS);
    else
        r->at[r->n++] = (struct plb_result){.path = strdup(path),
                                            .records = true,
                                            .log = log,
                                            .buffer = buffer,
                                            .head = head != NULL ? strdup(head) : NULL};
}

void plb_app_save_records(struct plb_app *app, const char *path, int buffer, const char *head)
{
    save_records(app, path, buffer, head, false, "plb_app_save_records");
}

void plb_app_save_log(struct plb_app *app, const char *path, int buffer, const char *head)
{
    save_records(app, path, buffer, head, true, "plb_app_save_log");
}

void plb_app_save_text(struct plb_app *app, const char *path,
                       void (*print)(const struct plb_app *app, FILE *out))
{
    struct plb_result *r = next_result(app, path, "plb_app_save_text");
    if (r == NULL)
        return;
    r->print = print;
    r->app = app;
}

void plb_app_stream_records(struct plb_app *app, bool in_order)
{
    app->streams = in_order ? PLB_IN_ORDER : PLB_AS_THEY_COME;
}

void plb_app_order_records(struct plb_app *app, const int64_t *order)
{
    app->order = order;
}

/* Puts the text of a format and its values into an error. */
static void set_sentence(struct plb_error *err, const char *format, va_list args)
{
    char text[sizeof err->text];
    vsnprintf(text, sizeof text, format, args);
    plb_fail(err, PLB_EFAILED, "%s", text);
}

void plb_app_failed(struct plb_app *app, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_sentence(&app->failed, format, args);
    va_end(args);
}

void plb_app_unfinished(struct plb_app *app, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_sentence(&app->failed, format, args);
    va_end(args);
    app->unfinished = true;
}

void plb_app_halt(struct plb_app *app, bool at_once, const char *format, ...)
{
    va_list args;
    if (app->halt.asked)
        return;
    app->halt.asked = true;
    app->halt.at_once = at_once;
    if (format == NULL)
        return;
    va_start(args, format);
    set_sentence(&app->halt.why, format, args);
    va_end(args);
}

int plb_write_npy(struct plb_app *app, const char *path, const struct plb_array *array)
{
    return plb_app_has_path(app, path, "plb_write_npy") ? plb_npy_write(path, array, &app->err) : PLB_EINPUT;
}
