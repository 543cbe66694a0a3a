/* plb_read_npz: a sparse matrix as SciPy saves it. Arrays that can be used as they lie stay in the file. */
#include <stdlib.h>

#include "app/application.h"
#include "base/log.h"
#include "base/memory.h"
#include "format/npy/npz.h"

#define ALIGN_IT "plbrun-npz writes a file that each rank reads itself"

static const size_t form_bytes[] = {[PLB_NPZ_INT64] = 8, [PLB_NPZ_INT32] = 4, [PLB_NPZ_FLOAT64] = 8};

/* Gives an array in this form: the memory of its file, or else memory of the app. A simulation reads only
 * what it `needs`, and gets NULL for the rest. */
static int take(struct plb_app *app, const char *path, const struct plb_npz_array *array,
                enum plb_npz_form form, bool needs, void **data)
{
    struct plb_data_file file = {.path = path, .offset = plb_npz_offset(array, form)};
    if (file.offset >= 0) {
        file.bytes = (size_t)array->n * form_bytes[form];
        int status = plb_app_file(app, &file);
        *data = file.data;
        return status;
    }
    *data = NULL;
    if (app->simulated && !needs)
        return PLB_OK;
    *data = plb_app_alloc_array(app, array->n, form_bytes[form]);
    return plb_npz_read(array, form, *data, &app->err);
}

static int take_all(struct plb_app *app, const char *path, const struct plb_npz *npz, struct plb_csr *matrix)
{
    void *offsets, *indices, *values;
    if (take(app, path, &npz->offsets, PLB_NPZ_INT64, true, &offsets) != PLB_OK
        || plb_npz_check_offsets(npz, offsets, &app->err) != PLB_OK
        || take(app, path, &npz->indices, PLB_NPZ_INT32, false, &indices) != PLB_OK
        || take(app, path, &npz->values, PLB_NPZ_FLOAT64, false, &values) != PLB_OK)
        return app->err.status;
    int64_t entries = ((int64_t *)offsets)[npz->rows];
    if (!app->simulated && plb_npz_check_indices(npz, indices, entries, &app->err) != PLB_OK)
        return app->err.status;
    *matrix = (struct plb_csr){npz->rows, npz->columns, entries, offsets, indices, values};
    bool apart = plb_npz_offset(&npz->indices, PLB_NPZ_INT32) < 0
              || plb_npz_offset(&npz->values, PLB_NPZ_FLOAT64) < 0;
    if (apart && npz->values.n > 0)
        plb_log(PLB_LOG_INFO, "%s: rank 0 reads it into memory, because it cannot be mapped; " ALIGN_IT,
                path);
    return PLB_OK;
}

int plb_read_npz(struct plb_app *app, const char *path, struct plb_csr *matrix)
{
    struct plb_input_file file;
    if (!plb_app_reads(app, path, "plb_read_npz"))
        return PLB_EINPUT;
    struct plb_npz *npz = plb_alloc(sizeof *npz);
    int status = plb_input_open(
        &file, path, "an .npz file was expected; name one written with scipy.sparse.save_npz", &app->err);
    if (status == PLB_OK)
        status = plb_npz_open(npz, &file, &app->err);
    if (status == PLB_OK)
        status = take_all(app, path, npz, matrix);
    plb_npz_close(npz);
    plb_input_close(&file);
    free(npz);
    return status;
}
