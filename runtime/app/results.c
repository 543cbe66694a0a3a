/* Room before the run, files after it. */
#include "app/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/record_store.h"
#include "base/log.h"
#include "format/npy/npy.h"
#include "format/png.h"
#include "report/quantity.h"

static bool is_image(const struct plb_result *r)
{
    return r->image.channels != 0;
}

static int reserve(struct plb_result *r, struct plb_error *err)
{
    struct plb_error why = {.status = PLB_OK};
    char text[PLB_QUANTITY_TEXT];
    if (r->mapped)
        return PLB_OK;
    int64_t bytes = r->records || r->print != NULL ? 0
                  : is_image(r)                    ? plb_png_most(r->path, &r->image, err)
                                                   : plb_npy_size(r->path, &r->array, err);
    if (bytes < 0)
        return err->status;
    bool streams = r->streamed
                || plb_file_streams(r->path); /* a pipe's reader would take the first close for the end */
    if ((streams ? plb_file_check(r->path, &why) : plb_file_create(&r->file, r->path, &why)) != PLB_OK)
        return plb_fail(err, PLB_EINPUT, "%s", why.text);
    if (streams)
        return PLB_OK;
    int reason = plb_file_reserve(&r->file, bytes);
    bool kept = reason == 0 && r->file.target != NULL && r->file.temporary == NULL;
    if (!kept) { /* a temporary name would outlast a run that is killed */
        plb_file_drop(&r->file);
        r->file = (struct plb_file){0};
    }
    if (reason == 0)
        return PLB_OK;
    return plb_fail(
        err, PLB_EINPUT,
        "%s: there is no space for the %s of this result: %s; free some, or name a file elsewhere", r->path,
        plb_bytes_print((double)bytes, text), strerror(reason));
}

static void release(struct plb_result *r)
{
    if (r->file.stream != NULL)
        plb_file_drop(&r->file);
    r->file = (struct plb_file){0};
}

/* Compares a result with those before it. Two of one name: the second would win. */
static int check_other(const struct plb_results *results, int last, struct plb_error *err)
{
    for (int i = 0; i < last; i++)
        if (plb_file_clash(results->at[i].path, results->at[last].path))
            return plb_fail(err, PLB_EINPUT, "%s: two results of the kernel have this name; name two files",
                            results->at[last].path);
    return PLB_OK;
}

int plb_results_reserve(struct plb_results *results, struct plb_error *err)
{
    for (int i = 0; i < results->n && check_other(results, i, err) == PLB_OK; i++)
        if (reserve(&results->at[i], err) != PLB_OK)
            break;
    return err->status;
}

static void print_records(const struct plb_results *results, const struct plb_result *r, FILE *out,
                          struct plb_error *err)
{
    fputs(r->head != NULL ? r->head : "", out);
    int reason = results->store != NULL
                   ? plb_record_store_print(results->store, r->buffer, results->units, results->order, out)
                   : 0;
    if (reason != 0)
        plb_fail(err, PLB_EFAILED, "%s: its records can no longer be read: %s", r->path, strerror(reason));
}

static int write_to(struct plb_file *file, const struct plb_results *results, const struct plb_result *r,
                    struct plb_error *err)
{
    if (r->records)
        print_records(results, r, file->stream, err);
    else if (r->print != NULL)
        r->print(r->app, file->stream);
    else if (is_image(r))
        plb_png_print(r->path, &r->image, file->stream, err);
    else if (r->raw)
        fwrite(r->array.data, 1, (size_t)r->array.rows, file->stream);
    else
        plb_npy_print(&r->array, r->whole, file->stream);
    int status = plb_file_commit(file, err);
    *file = (struct plb_file){0};
    return status;
}

/* Saves a result in another folder. */
static void save_elsewhere(const struct plb_results *results, const struct plb_result *r, const char *suffix,
                           struct plb_error *err)
{
    char *path;
    for (int i = 0; (path = plb_file_elsewhere(r->path, suffix, i)) != NULL; i++) {
        struct plb_error failed = {.status = PLB_OK};
        struct plb_file file;
        if (plb_file_create(&file, path, &failed) == PLB_OK)
            write_to(&file, results, r, &failed);
        if (failed.status == PLB_OK)
            plb_append(err, "; the result was saved as ", path);
        free(path);
        if (failed.status == PLB_OK)
            return;
    }
}

static int write_one(const struct plb_results *results, struct plb_result *r, const char *suffix,
                     struct plb_error *err)
{
    struct plb_file file;
    char *path = NULL;
    if (r->mapped && r->file.stream != NULL) {
        plb_file_aim(&r->file, suffix);
        plb_file_commit(&r->file, err);
        r->file = (struct plb_file){0};
        return err->status;
    }
    if (suffix[0] == '\0' && r->file.stream != NULL)
        return write_to(&r->file, results, r, err);
    release(r); /* its room is needed */
    if (asprintf(&path, "%s%s", r->path, suffix) < 0)
        return plb_fail(err, PLB_EFAILED, "%s: cannot be written: there is no memory for its name", r->path);
    if (plb_file_create(&file, path, err) == PLB_OK)
        write_to(&file, results, r, err);
    free(path);
    return err->status;
}

const struct plb_result *plb_results_first(const struct plb_results *results)
{
    for (int i = 0; i < results->n; i++)
        if (!results->at[i].streamed)
            return &results->at[i];
    return NULL;
}

bool plb_results_stream(const struct plb_results *results)
{
    bool any = false;
    for (int i = 0; i < results->n; i++) {
        if (!results->at[i].streamed && !results->at[i].log)
            return false;
        any |= results->at[i].streamed;
    }
    return any;
}

/* Removes what an earlier run has left of a result that is complete now. */
static void remove_partial(const struct plb_result *r)
{
    static const char *const left[] = {".partial", ".partial.units"};
    char *path = NULL;
    for (int i = 0; i < 2 && asprintf(&path, "%s%s", r->path, left[i]) > 0; i++) {
        if (!plb_file_streams(r->path))
            unlink(path);
        free(path);
    }
}

static int write_those(struct plb_results *results, bool logs_alone, const char *suffix,
                       struct plb_error *err)
{
    for (int i = 0; i < results->n; i++) {
        struct plb_error failed = {.status = PLB_OK};
        if (results->at[i].streamed || (logs_alone && !results->at[i].log))
            continue;
        if (write_one(results, &results->at[i], suffix, &failed) == PLB_OK) {
            if (suffix[0] == '\0' && !logs_alone)
                remove_partial(&results->at[i]);
            plb_log(PLB_LOG_DEBUG, "%s%s is written", results->at[i].path, suffix);
            continue;
        }
        save_elsewhere(results, &results->at[i], suffix, &failed);
        if (err->status != PLB_OK)
            plb_log(PLB_LOG_ERROR, "%s", failed.text);
        plb_fail(err, failed.status, "%s", failed.text);
    }
    return err->status;
}

int plb_results_write(struct plb_results *results, const char *suffix, struct plb_error *err)
{
    return write_those(results, false, suffix, err);
}

int plb_results_write_logs(struct plb_results *results, struct plb_error *err)
{
    return write_those(results, true, "", err);
}

void plb_results_fini(struct plb_results *results)
{
    for (int i = 0; i < results->n; i++) {
        release(&results->at[i]);
        free(results->at[i].path);
        free((void *)results->at[i].image.palette);
        free(results->at[i].head);
    }
    results->n = 0;
}
