/* An .npz file is a zip archive of .npy files. SciPy's has format.npy ("csr"), shape.npy, indptr.npy,
 * indices.npy and data.npy.
 *
 * The rule: an array that is not compressed is a part of the file. A compressed one comes out of it slab by
 * slab, and its sum is checked. Column numbers need not ascend in a row, and may come twice: a product adds
 * them up. Elements behind those that the offsets use are left alone, as SciPy does. Cost: an array in
 * another form is converted slab by slab. Weak at: members of another endianness, as big-endian machines
 * write them. */
#include "format/npy/npz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/npy/header.h"
#include "format/npy/zip.h"

#define REMEDY "write it with scipy.sparse.save_npz(path, a.tocsr())"

/* Elements that are converted at a time. Fewer: more reads. More: more memory, and no faster. */
#define SLAB ((int64_t)1 << 18)

static const size_t form_bytes[] = {[PLB_NPZ_INT64] = 8, [PLB_NPZ_INT32] = 4, [PLB_NPZ_FLOAT64] = 8};

/* Bytes of an element of this type; 0: another one than numbers or texts. */
static int64_t element_bytes(const char *descr)
{
    if (descr[0] != '\0' && (descr[1] == 'S' || descr[1] == 'U')) {
        int64_t characters = strtol(descr + 2, NULL, 10) % 1000; /* "csr" has three */
        return descr[1] == 'U' ? 4 * characters : characters;
    }
    const struct plb_npy_type *type = plb_npy_type_find(descr);
    return type != NULL ? (int64_t)type->file_bytes : 0;
}

/* Opens a member, and checks its length. */
static int open_member(const struct plb_zip *zip, const struct plb_input_file *file, const char *name,
                       struct plb_npz_array *array, struct plb_error *err)
{
    const struct plb_zip_member *m = zip->at;
    while (m < zip->at + zip->n && strcmp(m->name, name) != 0)
        m++;
    if (m == zip->at + zip->n)
        return plb_fail(err, PLB_EINPUT, "%s: has no %s, so it is no sparse matrix in CSR form; " REMEDY,
                        file->path, name);
    if (m->form == PLB_ZIP_OTHER)
        return plb_fail(err, PLB_EINPUT,
                        "%s: its %s is encrypted, or compressed in a way that SciPy does not use; " REMEDY,
                        file->path, name);
    snprintf(array->name, sizeof array->name, "%s (%s)", file->path, name);
    plb_inflate_free(array->file.packed);
    array->file = (struct plb_input_file){
        .path = array->name, .fd = file->fd, .begin = m->at, .bytes = m->bytes};
    if (m->form == PLB_ZIP_DEFLATED)
        array->file.packed = plb_inflate_new(array->name, file->fd, m->at, m->packed, m->bytes, m->crc);
    if (plb_npy_read_dict(&array->file, &array->dict, &array->data_at, err) != PLB_OK)
        return err->status;
    int64_t size = element_bytes(array->dict.descr), bytes = 0;
    array->n = array->dict.dimensions == 0 ? 1 : array->dict.shape[0];
    if (size == 0)
        return plb_fail(
            err, PLB_EINPUT,
            "%s: holds '%s', but '<f8' or another type of real or whole numbers was expected; convert "
            "the matrix with a.astype('float64')",
            array->name, array->dict.descr);
    if (array->dict.dimensions > 1 || __builtin_mul_overflow(array->n, size, &bytes)
        || bytes != array->file.bytes - array->data_at)
        return plb_fail(err, PLB_EINPUT,
                        "%s: has %" PRId64 " bytes of data, which its shape does not explain; " REMEDY,
                        array->name, array->file.bytes - array->data_at);
    return PLB_OK;
}

static bool is_whole(const struct plb_npz_array *array)
{
    return strcmp(array->dict.descr, "<i4") == 0 || strcmp(array->dict.descr, "<i8") == 0;
}

static int open_whole(const struct plb_zip *zip, const struct plb_input_file *file, const char *name,
                      struct plb_npz_array *array, struct plb_error *err)
{
    int status = open_member(zip, file, name, array, err);
    if (status == PLB_OK && !is_whole(array))
        return plb_fail(err, PLB_EINPUT, "%s: holds '%s', but '<i4' or '<i8' was expected; " REMEDY,
                        array->name, array->dict.descr);
    return status;
}

/* The format has one byte for each letter, or four. */
static int check_format(const struct plb_zip *zip, const struct plb_input_file *file,
                        struct plb_npz_array *part, struct plb_error *err)
{
    char raw[64] = "", name[sizeof raw] = "";
    int status = open_member(zip, file, "format.npy", part, err);
    int64_t bytes = status == PLB_OK ? part->file.bytes - part->data_at : 0;
    size_t step = part->dict.descr[1] == 'U' ? 4 : 1;
    if (status == PLB_OK && bytes < (int64_t)sizeof raw)
        status = plb_input_read_all(&part->file, raw, (size_t)bytes, part->data_at, err);
    for (size_t i = 0; i * step < sizeof raw && raw[i * step] >= 'a' && raw[i * step] <= 'z'; i++)
        name[i] = raw[i * step];
    if (status == PLB_OK && strcmp(name, "csr") != 0)
        return plb_fail(err, PLB_EINPUT,
                        "%s: is a sparse matrix in the form '%s', but 'csr' was expected; " REMEDY,
                        file->path, name);
    return status;
}

static int read_shape(const struct plb_zip *zip, const struct plb_input_file *file, struct plb_npz *npz,
                      struct plb_error *err)
{
    int64_t shape[2] = {0};
    struct plb_npz_array *part = &npz->values; /* until that is opened */
    int status = open_whole(zip, file, "shape.npy", part, err);
    if (status == PLB_OK && part->n != 2)
        return plb_fail(err, PLB_EINPUT, "%s: has %" PRId64 " sizes, but two were expected; " REMEDY,
                        part->name, part->n);
    if (status == PLB_OK)
        status = plb_npz_read(part, PLB_NPZ_INT64, shape, err);
    if (status == PLB_OK && (shape[0] < 1 || shape[1] < 1 || shape[1] > INT32_MAX))
        return plb_fail(err, PLB_EINPUT,
                        "%s: is %" PRId64 " x %" PRId64
                        ", but at least one row and 1 to 2147483647 columns were "
                        "expected; name another matrix",
                        file->path, shape[0], shape[1]);
    npz->rows = shape[0];
    npz->columns = shape[1];
    return status;
}

int plb_npz_open(struct plb_npz *npz, const struct plb_input_file *file, struct plb_error *err)
{
    struct plb_zip zip;
    memset(npz, 0, sizeof *npz);
    int status = plb_zip_read(file, REMEDY, &zip, err);
    if (status == PLB_OK)
        status = check_format(&zip, file, &npz->values, err);
    if (status == PLB_OK)
        status = read_shape(&zip, file, npz, err);
    if (status == PLB_OK)
        status = open_whole(&zip, file, "indptr.npy", &npz->offsets, err);
    if (status == PLB_OK)
        status = open_whole(&zip, file, "indices.npy", &npz->indices, err);
    if (status == PLB_OK)
        status = open_member(&zip, file, "data.npy", &npz->values, err);
    if (status != PLB_OK)
        return status;
    if (plb_npy_type_find(npz->values.dict.descr) == NULL)
        return plb_fail(err, PLB_EINPUT, "%s: holds '%s', but numbers were expected; " REMEDY,
                        npz->values.name, npz->values.dict.descr);
    if (npz->offsets.n - 1 != npz->rows || npz->indices.n != npz->values.n)
        return plb_fail(err, PLB_EINPUT,
                        "%s: has %" PRId64 " rows, %" PRId64 " offsets, %" PRId64 " columns and %" PRId64
                        " values, which do not fit together; " REMEDY,
                        file->path, npz->rows, npz->offsets.n, npz->indices.n, npz->values.n);
    return PLB_OK;
}

void plb_npz_close(struct plb_npz *npz)
{
    struct plb_npz_array *arrays[] = {&npz->offsets, &npz->indices, &npz->values};
    for (int i = 0; i < 3; i++) {
        plb_inflate_free(arrays[i]->file.packed);
        arrays[i]->file.packed = NULL;
    }
}

int64_t plb_npz_offset(const struct plb_npz_array *array, enum plb_npz_form form)
{
    static const char *const descr[] = {
        [PLB_NPZ_INT64] = "<i8", [PLB_NPZ_INT32] = "<i4", [PLB_NPZ_FLOAT64] = "<f8"};
    int64_t at = array->file.begin + array->data_at;
    bool as_it_lies = strcmp(array->dict.descr, descr[form]) == 0 && at % (int64_t)form_bytes[form] == 0;
    return as_it_lies && array->n > 0 && array->file.packed == NULL ? at : -1;
}

/* Makes n elements of a form. Returns n, or the first one that has no such value. */
static size_t convert(const struct plb_npy_type *type, enum plb_npz_form form, const void *from, size_t n,
                      void *to)
{
    if (form != PLB_NPZ_FLOAT64)
        for (size_t i = 0; i < n; i++) {
            const char *element = (const char *)from + i * type->file_bytes;
            int64_t value;
            int32_t narrow;
            memcpy(&narrow, element, sizeof narrow);
            value = narrow;
            if (type->file_bytes == sizeof value)
                memcpy(&value, element, sizeof value);
            if (form == PLB_NPZ_INT64)
                ((int64_t *)to)[i] = value;
            else
                ((int32_t *)to)[i] = value == (int32_t)value ? (int32_t)value : -1;
        }
    if (form != PLB_NPZ_FLOAT64)
        return n;
    size_t good = plb_npy_convert(type, from, n, to);
    for (size_t i = n;
         i-- > 0 && type->bytes == sizeof(float);) { /* from the end: both lie in the same place */
        float value;
        memcpy(&value, (const char *)to + i * sizeof value, sizeof value);
        ((double *)to)[i] = value;
    }
    return good;
}

int plb_npz_read(const struct plb_npz_array *array, enum plb_npz_form form, void *into, struct plb_error *err)
{
    const struct plb_npy_type *type = plb_npy_type_find(array->dict.descr);
    int64_t step = array->n < SLAB ? array->n : SLAB;
    char *raw = plb_grow(NULL, (size_t)step * type->file_bytes + 1);
    int status = PLB_OK;
    for (int64_t first = 0; first < array->n && status == PLB_OK; first += step) {
        size_t n = (size_t)(array->n - first < step ? array->n - first : step);
        status = plb_input_read_all(&array->file, raw, n * type->file_bytes,
                                    array->data_at + first * (int64_t)type->file_bytes, err);
        if (status != PLB_OK)
            break;
        size_t good = convert(type, form, raw, n, (char *)into + (size_t)first * form_bytes[form]);
        if (good < n)
            status = plb_fail(err, PLB_EINPUT,
                              "%s: element %" PRId64
                              " is a whole number beyond 2^53, which float64 cannot hold; "
                              "divide the matrix, or convert it with a.astype('float64')",
                              array->name, first + (int64_t)good);
    }
    free(raw);
    return status;
}

int plb_npz_check_offsets(const struct plb_npz *npz, const int64_t *offsets, struct plb_error *err)
{
    int64_t row = 0;
    while (row < npz->rows && offsets[0] == 0 && offsets[row] <= offsets[row + 1])
        row++;
    if (row == npz->rows && offsets[row] <= npz->indices.n)
        return PLB_OK;
    return plb_fail(err, PLB_EINPUT,
                    "%s: offset %" PRId64 " is %" PRId64 ", but from 0 to %" PRId64
                    " they must not decrease; "
                    "write the matrix again",
                    npz->offsets.name, offsets[0] != 0 || row == npz->rows ? row : row + 1,
                    offsets[offsets[0] != 0 || row == npz->rows ? row : row + 1], npz->indices.n);
}

int plb_npz_check_indices(const struct plb_npz *npz, const int32_t *indices, int64_t entries,
                          struct plb_error *err)
{
    for (int64_t first = 0; first < entries; first += SLAB) {
        int64_t end = entries - first < SLAB ? entries : first + SLAB, i = first;
        uint32_t largest = 0; /* a negative one is larger than all others */
        for (int64_t k = first; k < end; k++)
            largest = (uint32_t)indices[k] > largest ? (uint32_t)indices[k] : largest;
        if (largest < (uint64_t)npz->columns)
            continue;
        while ((uint64_t)(uint32_t)indices[i] < (uint64_t)npz->columns)
            i++;
        return plb_fail(err, PLB_EINPUT,
                        "%s: entry %" PRId64
                        " is no column of the matrix, which has the columns 0 to %" PRId64
                        "; write the matrix again",
                        npz->indices.name, i, npz->columns - 1);
    }
    return PLB_OK;
}
