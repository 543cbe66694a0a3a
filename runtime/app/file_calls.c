/* plb_app_file: a buffer that is a file. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/application.h"
#include "base/mapped.h"
#include "base/memory.h"
#include "format/npy/header.h"
#include "format/npy/npy.h"

/* Bytes before the data of an .npy result, and what its parts are aligned to: pages, so that the parts of two
 * nodes share none where units are whole pages. */
#define PAGE 4096

/* The data of an element must be aligned as the processor wants it. */
#define ALIGNED 8

/* Keeps a mapped file. path: taken over. */
static int keep(struct plb_app *app, struct plb_data_file *file, struct plb_data_memory *memory, int fd)
{
    memory->bytes = file->bytes;
    memory->data = plb_map(file->path, fd, memory->at, memory->bytes, memory->result);
    if (memory->data == NULL) {
        free(memory->path);
        return plb_app_error(app,
                             "%s: its %zu bytes of data cannot be mapped into memory: the file system or a "
                             "limit (ulimit -v) forbids it",
                             file->path, file->bytes);
    }
    file->data = memory->data;
    app->files.at[app->files.n++] = *memory;
    return PLB_OK;
}

/* Whether a type is one of those that a kernel reads: "<f8", or "<f4|<f8". */
static bool is_among(const char *type, const char *types)
{
    const char *at = strstr(types, type);
    return at != NULL && (at[strlen(type)] == '\0' || at[strlen(type)] == '|');
}

/* Checks what an .npy file has against what the kernel wants. */
static int check_npy(struct plb_app *app, const struct plb_data_file *file,
                     const struct plb_npy_header *header)
{
    bool line = header->rows == 1 || header->columns == 1;
    const char *last = strrchr(file->type, '|');
    if (!is_among(header->type->descr, file->type))
        return plb_app_error(app, "%s: holds '%s', but kernel %s needs '%s'; save it with a.astype('%s')",
                             file->path, header->type->descr, app->kernel->name, file->type,
                             last != NULL ? last + 1 : file->type);
    if (!line && header->column_major != file->column_major)
        return plb_app_error(
            app, "%s: its order is %s, but kernel %s needs the other one; save it with numpy.%s(a)",
            file->path, header->column_major ? "Fortran's" : "C's", app->kernel->name,
            file->column_major ? "asfortranarray" : "ascontiguousarray");
    if (header->data_at % ALIGNED != 0)
        return plb_app_error(app,
                             "%s: its data begins at byte %" PRId64 ", which is no multiple of %d; write it "
                             "again with numpy.save",
                             file->path, header->data_at, ALIGNED);
    return PLB_OK;
}

static int find_npy(struct plb_app *app, const struct plb_input_file *input, struct plb_data_file *file)
{
    struct plb_npy_header header;
    if (plb_npy_read_header(input, &header, &app->err) != PLB_OK || check_npy(app, file, &header) != PLB_OK)
        return app->err.status;
    file->rows = header.rows;
    file->columns = header.columns;
    file->offset = header.data_at;
    file->bytes = (size_t)header.data_bytes;
    return PLB_OK;
}

static int find_raw(struct plb_app *app, const struct plb_input_file *input, struct plb_data_file *file)
{
    int64_t there = input->bytes - file->offset;
    if (file->offset < 0 || there <= 0 || file->bytes > (size_t)there)
        return plb_app_error(app,
                             "%s: has %" PRId64 " bytes, and kernel %s wants %zu of them from byte %" PRId64
                             " on; name another file",
                             file->path, input->bytes, app->kernel->name, file->bytes, file->offset);
    file->bytes = file->bytes > 0 ? file->bytes : (size_t)there;
    return PLB_OK;
}

static int open_input(struct plb_app *app, struct plb_data_file *file)
{
    struct plb_input_file input;
    struct plb_data_memory memory = {.result = false};
    plb_app_reads(app, file->path, "plb_app_file");
    int status = plb_input_open(&input, file->path,
                                "a file of data was expected; name one whose bytes can be read at any place",
                                &app->err);
    if (status == PLB_OK)
        status = file->type != NULL ? find_npy(app, &input, file) : find_raw(app, &input, file);
    if (status == PLB_OK) {
        memory.path = realpath(file->path, NULL);
        memory.at = file->offset;
        if (memory.path == NULL || !plb_file_look(input.fd, &memory.look))
            status = plb_app_error(app, "%s: cannot be read; check the path and its permissions", file->path);
        else
            status = keep(app, file, &memory, input.fd);
    }
    plb_input_close(&input);
    return status;
}

/* Takes room for a result, and writes what is before its data. */
static int begin_result(struct plb_app *app, struct plb_data_file *file, struct plb_result *r)
{
    struct plb_error why = {.status = PLB_OK};
    if (plb_file_create_shared(&r->file, file->path, &why) != PLB_OK)
        return plb_app_error(app, "%s", why.text);
    size_t before = r->raw ? 0 : plb_npy_print_header(&r->array, r->whole, PAGE, r->file.stream);
    int64_t all = (int64_t)(before + file->bytes);
    int reason = plb_file_reserve(&r->file, all);
    bool there = reason == 0 && fflush(r->file.stream) == 0 && ftruncate(fileno(r->file.stream), all) == 0
              && fseeko(r->file.stream, 0, SEEK_END) == 0;
    if (!there)
        return plb_app_error(app,
                             "%s: there is no room for the %" PRId64 " bytes of this result; make room, or "
                             "name a file elsewhere",
                             file->path, all);
    file->offset = (int64_t)before;
    return PLB_OK;
}

/* The bytes of a result, by its shape; and whether it has a sensible one. */
static int measure(struct plb_app *app, struct plb_data_file *file, struct plb_result *r)
{
    struct plb_array array = {
        .rows = file->rows, .columns = file->columns, .column_major = file->column_major};
    r->raw = file->type == NULL;
    if (!r->raw && (strlen(file->type) != 3 || strstr("<f4 <f8 <i4 <i8", file->type) == NULL))
        return plb_app_error(app,
                             "kernel %s: a result in a file has type '%s', but '<f4', '<f8', '<i4', '<i8' or "
                             "NULL was expected; this is a mistake in the kernel",
                             app->kernel->name, file->type);
    r->whole = !r->raw && file->type[1] == 'i';
    array.element_bytes = r->raw ? 1 : file->type[2] == '4' ? 4 : 8;
    array.data = file; /* no shape is refused for want of data, which comes later */
    if (!r->raw && plb_npy_size(file->path, &array, &app->err) < 0)
        return app->err.status = PLB_EINPUT;
    if (r->raw)
        array.rows = (int64_t)file->bytes, array.columns = 1;
    file->bytes = (size_t)array.rows * (size_t)array.columns * array.element_bytes;
    r->array = array;
    return file->bytes > 0
             ? PLB_OK
             : plb_app_error(app,
                             "kernel %s: a result in a file has 0 bytes; this is a mistake in the kernel",
                             app->kernel->name);
}

/* A simulation has addresses in place of a result's file, so that the buffers in it are known. */
static int imagine(struct plb_app *app, struct plb_data_file *file, bool npy)
{
    struct plb_data_memory *memory = &app->files.at[app->files.n];
    *memory = (struct plb_data_memory){.result = true, .bytes = file->bytes, .at = npy ? PAGE : 0};
    file->data = memory->data = plb_reserve(file->bytes, false);
    file->offset = memory->at;
    if (file->data == NULL)
        return PLB_OK; /* addresses are limited: the buffer counts as one in memory */
    memory->path = strdup(file->path);
    app->files.n++;
    return PLB_OK;
}

static int open_result(struct plb_app *app, struct plb_data_file *file)
{
    struct plb_results *results = &app->results;
    struct plb_result r = {.mapped = true};
    struct plb_data_memory memory = {.result = true};
    if (results->n == PLB_MAX_RESULTS)
        return plb_app_error(app, "kernel %s: more than %d results are declared", app->kernel->name,
                             PLB_MAX_RESULTS);
    if (measure(app, file, &r) != PLB_OK)
        return app->err.status;
    if (app->simulated)
        return imagine(app, file, !r.raw);
    int status = begin_result(app, file, &r);
    if (status == PLB_OK) {
        memory.path = realpath(r.file.temporary, NULL);
        memory.at = file->offset;
        status = memory.path != NULL ? keep(app, file, &memory, fileno(r.file.stream))
                                     : plb_app_error(app, "%s: its folder cannot be read", file->path);
    }
    if (status != PLB_OK && r.file.stream != NULL) {
        plb_file_drop(&r.file);
        return status;
    }
    if (status != PLB_OK)
        return status;
    r.array.data = file->data;
    r.path = strdup(file->path);
    results->at[results->n++] = r;
    return PLB_OK;
}

int plb_app_file(struct plb_app *app, struct plb_data_file *file)
{
    file->data = NULL;
    if (!plb_app_has_path(app, file->path, "plb_app_file"))
        return PLB_EINPUT;
    if (app->files.n == PLB_MAX_FILES)
        return plb_app_error(app, "kernel %s: plb_app_file is called more than %d times", app->kernel->name,
                             PLB_MAX_FILES);
    return file->result ? open_result(app, file) : open_input(app, file);
}
