/* NEP 1: magic, version, length of the dict, the dict. */
#include "format/npy/header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MAGIC_BYTES (sizeof PLB_NPY_MAGIC - 1)
#define START_BYTES 12 /* of the longest start of a file: magic, version, a length of 4 bytes */
/* Bytes of the longest dict that is read. A real one has about 100; a damaged length must not ask for
 * gigabytes. */
#define MOST_DICT (1 << 20)

/* Finds where the dict begins and how long it is. */
static int read_start(const struct plb_input_file *file, int64_t *dict_at, int64_t *dict_bytes,
                      struct plb_error *err)
{
    unsigned char start[START_BYTES] = {0};
    size_t have = file->bytes < START_BYTES ? (size_t)file->bytes : START_BYTES;
    if (plb_input_read_all(file, start, have, 0, err) != PLB_OK)
        return err->status;
    if (have == 0 || memcmp(start, PLB_NPY_MAGIC, have < MAGIC_BYTES ? have : MAGIC_BYTES) != 0)
        return plb_fail(err, PLB_EINPUT,
                        "%s: is not an .npy file: %s, but \\x93NUMPY was expected as its "
                        "first bytes; write it with numpy.save",
                        file->path, have == 0 ? "it is empty" : "it begins with other bytes");
    if (have >= 8 && (start[6] < 1 || start[6] > 3 || start[7] != 0))
        return plb_fail(err, PLB_EINPUT,
                        "%s: has .npy version %d.%d, but 1.0, 2.0 or 3.0 was expected; "
                        "write it again with numpy.save",
                        file->path, start[6], start[7]);
    *dict_at = start[6] == 1 ? 10 : 12;
    *dict_bytes = start[8] | start[9] << 8;
    if (start[6] != 1)
        *dict_bytes |= (int64_t)start[10] << 16 | (int64_t)start[11] << 24;
    if (file->bytes - *dict_at < *dict_bytes)
        return plb_fail(err, PLB_EINPUT,
                        "%s: is truncated inside its header: %" PRId64 " bytes found, at "
                        "least %" PRId64 " expected; copy or write it again",
                        file->path, file->bytes, *dict_at + ((int64_t)have < *dict_at ? 0 : *dict_bytes));
    if (*dict_bytes > MOST_DICT)
        return plb_fail(err, PLB_EINPUT,
                        "%s: has a malformed .npy header: %" PRId64 " bytes long, but at "
                        "most %d were expected; write it again with numpy.save",
                        file->path, *dict_bytes, MOST_DICT);
    return PLB_OK;
}

static int scan_dict(const struct plb_input_file *file, int64_t dict_at, int64_t dict_bytes,
                     struct plb_npy_dict *dict, struct plb_error *err)
{
    char *text = plb_grow(NULL, (size_t)dict_bytes + 1);
    const char *at = text, *expected = NULL;
    int status = plb_input_read_all(file, text, (size_t)dict_bytes, dict_at, err);
    if (status == PLB_OK)
        expected = plb_npy_scan_dict(&at, text + dict_bytes, dict);
    if (expected != NULL)
        status = plb_fail(err, PLB_EINPUT,
                          "%s: has a malformed .npy header: at byte %" PRId64 " %s was "
                          "expected; write it again with numpy.save",
                          file->path, dict_at + (at - text), expected);
    free(text);
    return status;
}

static int check_type(const struct plb_input_file *file, const char *descr, struct plb_npy_header *header,
                      struct plb_error *err)
{
    header->type = plb_npy_type_find(descr);
    if (header->type != NULL)
        return PLB_OK;
    if (strcmp(descr, PLB_NPY_RECORDS) == 0)
        return plb_fail(err, PLB_EINPUT,
                        "%s: holds records (a structured dtype), but '<f4' or '<f8' was "
                        "expected; save one field of it, converted with a['field'].astype('float64')",
                        file->path);
    if (descr[0] == '>')
        return plb_fail(err, PLB_EINPUT,
                        "%s: holds '%s', which is in big-endian byte order, but '<f4' or "
                        "'<f8' (little-endian) was expected; convert it with a.astype('%s')",
                        file->path, descr, strcmp(descr, ">f4") == 0 ? "<f4" : "<f8");
    return plb_fail(err, PLB_EINPUT,
                    "%s: holds '%s', but '<f4', '<f8' or another type of real or whole numbers was expected; "
                    "convert it with a.astype('float64')",
                    file->path, descr);
}

/* One dimension is read as one column. */
static int check_shape(const struct plb_input_file *file, const struct plb_npy_dict *dict,
                       struct plb_npy_header *header, struct plb_error *err)
{
    int64_t elements;
    if (dict->dimensions < 1 || dict->dimensions > 2)
        return plb_fail(err, PLB_EINPUT, "%s: has %" PRId64 " dimensions, but one or two were expected; %s",
                        file->path, dict->dimensions,
                        dict->dimensions == 0 ? "save it as a.reshape(1)"
                                              : "save it as a.reshape(len(a), -1)");
    header->rows = dict->shape[0];
    header->columns = dict->dimensions == 1 ? 1 : dict->shape[1];
    if (header->rows == 0 || header->columns == 0)
        return plb_fail(err, PLB_EINPUT,
                        "%s: has the shape (%" PRId64 ", %" PRId64 "), so there are zero "
                        "%s, but at least one was expected; name a file with data",
                        file->path, header->rows, header->columns, header->rows == 0 ? "rows" : "columns");
    if (__builtin_mul_overflow(header->rows, header->columns, &elements)
        || __builtin_mul_overflow(elements, (int64_t)header->type->file_bytes, &header->data_bytes)
        || __builtin_mul_overflow(elements, (int64_t)header->type->bytes, &header->bytes))
        return plb_fail(err, PLB_EINPUT,
                        "%s: has the shape (%" PRId64 ", %" PRId64 "), which is too large: "
                        "fewer than 2^63 bytes were expected; write it again with numpy.save",
                        file->path, header->rows, header->columns);
    return PLB_OK;
}

/* The data must end where the file does. */
static int check_length(const struct plb_input_file *file, const char *descr,
                        const struct plb_npy_header *header, struct plb_error *err)
{
    int64_t found = file->bytes - header->data_at;
    if (found == header->data_bytes)
        return PLB_OK;
    return plb_fail(err, PLB_EINPUT,
                    "%s: %s: %" PRId64 " bytes of data found, %" PRId64 " expected for the "
                    "shape (%" PRId64 ", %" PRId64 ") of '%s'; copy or write it again",
                    file->path, found < header->data_bytes ? "is truncated" : "has extra bytes at its end",
                    found, header->data_bytes, header->rows, header->columns, descr);
}

int plb_npy_read_dict(const struct plb_input_file *file, struct plb_npy_dict *dict, int64_t *data_at,
                      struct plb_error *err)
{
    int64_t at = 0, bytes = 0;
    int status = read_start(file, &at, &bytes, err);
    if (status == PLB_OK)
        status = scan_dict(file, at, bytes, dict, err);
    *data_at = at + bytes;
    return status;
}

int plb_npy_read_header(const struct plb_input_file *file, struct plb_npy_header *header,
                        struct plb_error *err)
{
    struct plb_npy_dict dict = {.dimensions = 0};
    *header = (struct plb_npy_header){.rows = 0};
    int status = plb_npy_read_dict(file, &dict, &header->data_at, err);
    header->column_major = dict.fortran_order;
    if (status == PLB_OK)
        status = check_type(file, dict.descr, header, err);
    if (status == PLB_OK)
        status = check_shape(file, &dict, header, err);
    if (status == PLB_OK)
        status = check_length(file, dict.descr, header, err);
    return status;
}
