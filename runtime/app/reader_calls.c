/* The readers of plb/kernel.h. The application owns the arrays that they give. */
#include <stdlib.h>
#include <string.h>

#include "app/application.h"
#include "base/memory.h"
#include "format/csv.h"
#include "format/mtx/mtx.h"
#include "format/npy/npy.h"
#include "format/png.h"

bool plb_app_reads(struct plb_app *app, const char *path, const char *function)
{
    if (!plb_app_has_path(app, path, function))
        return false;
    app->read = plb_grow(app->read, (size_t)(app->n_read + 1) * sizeof *app->read);
    app->read[app->n_read] = strdup(path);
    app->n_read += app->read[app->n_read] != NULL;
    return true;
}

int plb_read_npy(struct plb_app *app, const char *path, enum plb_order order, struct plb_array *array)
{
    if (!plb_app_reads(app, path, "plb_read_npy"))
        return PLB_EINPUT;
    int status = plb_npy_read(path, order, app->simulated, array, &app->err);
    if (status == PLB_OK && array->data != NULL)
        plb_app_own(app, array->data);
    return status;
}

int plb_read_png(struct plb_app *app, const char *path, struct plb_image *image)
{
    struct plb_image read;
    if (!plb_app_reads(app, path, "plb_read_png"))
        return PLB_EINPUT;
    int status = plb_png_read(path, app->simulated, &read, &app->err);
    if (status != PLB_OK)
        return status;
    if (read.data != NULL)
        plb_app_own(app, (void *)read.data);
    *image = read;
    return PLB_OK;
}

int plb_read_csv(struct plb_app *app, const char *path, const struct plb_csv_column *columns,
                 struct plb_array *array)
{
    if (!plb_app_reads(app, path, "plb_read_csv"))
        return PLB_EINPUT;
    int status = plb_csv_read(path, columns, array, &app->err);
    if (status == PLB_OK)
        plb_app_own(app, array->data);
    return status;
}

int plb_read_table(struct plb_app *app, const char *path, struct plb_table *table)
{
    if (!plb_app_reads(app, path, "plb_read_table"))
        return PLB_EINPUT;
    int status = plb_csv_read_named(path, table, &app->err);
    if (status == PLB_OK) {
        plb_app_own(app, table->values);
        plb_app_own(app, table->row_names);
        plb_app_own(app, table->column_names);
        plb_app_own(app, table->lines);
    }
    return status;
}

static int read_mtx(struct plb_app *app, const char *path, bool nonfinite, struct plb_csr *matrix)
{
    if (!plb_app_reads(app, path, nonfinite ? "plb_read_mtx_nonfinite" : "plb_read_mtx"))
        return PLB_EINPUT;
    int status = plb_mtx_read(path, nonfinite, matrix, &app->err);
    if (status == PLB_OK) {
        plb_app_own(app, matrix->offsets);
        plb_app_own(app, matrix->indices);
        plb_app_own(app, matrix->values);
    }
    return status;
}

int plb_read_mtx(struct plb_app *app, const char *path, struct plb_csr *matrix)
{
    return read_mtx(app, path, false, matrix);
}

int plb_read_mtx_nonfinite(struct plb_app *app, const char *path, struct plb_csr *matrix)
{
    return read_mtx(app, path, true, matrix);
}
