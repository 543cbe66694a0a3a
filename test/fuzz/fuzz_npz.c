/* A sparse matrix of SciPy. The result can be multiplied without a look beyond its arrays. */
#include <stdbool.h>

#include "base/memory.h"
#include "format/npy/npz.h"
#include "fuzz.h"

static int read_all(const struct plb_npz *npz, struct plb_error *err)
{
    int64_t *offsets = plb_alloc((size_t)npz->offsets.n * sizeof *offsets);
    int32_t *indices = plb_alloc((size_t)npz->indices.n * sizeof *indices);
    double *values = plb_alloc((size_t)npz->values.n * sizeof *values);
    volatile double sum = 0.0; /* so that all values are read */
    int status = plb_npz_read(&npz->offsets, PLB_NPZ_INT64, offsets, err);
    if (status == PLB_OK)
        status = plb_npz_check_offsets(npz, offsets, err);
    if (status == PLB_OK)
        status = plb_npz_read(&npz->indices, PLB_NPZ_INT32, indices, err);
    if (status == PLB_OK)
        status = plb_npz_read(&npz->values, PLB_NPZ_FLOAT64, values, err);
    if (status == PLB_OK)
        status = plb_npz_check_indices(npz, indices, offsets[npz->rows], err);
    for (int64_t row = 0; row < npz->rows && status == PLB_OK; row++)
        for (int64_t i = offsets[row]; i < offsets[row + 1]; i++) {
            fuzz_check(indices[i] >= 0 && indices[i] < npz->columns, "a column is out of range");
            sum += values[i];
        }
    (void)sum;
    free(offsets);
    free(indices);
    free(values);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plb_input_file file;
    struct plb_error err = {.status = PLB_OK};
    struct plb_npz *npz = plb_alloc(sizeof *npz);
    int status = plb_input_open(&file, fuzz_file(data, size), "", &err);
    if (status == PLB_OK)
        status = plb_npz_open(npz, &file, &err);
    if (status == PLB_OK) {
        int64_t at = plb_npz_offset(&npz->values, PLB_NPZ_FLOAT64);
        fuzz_check(at < 0 || at + npz->values.n * 8 <= (int64_t)size, "an array lies beyond the file");
        status = read_all(npz, &err);
    }
    plb_npz_close(npz);
    plb_input_close(&file);
    free(npz);
    fuzz_check(status == PLB_OK || err.text[0] != '\0', "an .npz file is refused without a sentence");
    return 0;
}
