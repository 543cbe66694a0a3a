/* Reads NumPy's .npy files (NEP 1: magic, version, a Python dict, the data).
 *
 * The rule: the header is checked against the length of the file before memory is asked for. A header that
 * promises more than the file has gives a sentence. Cost: an array of real numbers in the
 * wanted order is read in one go; other numbers become real slab by slab. One
 * in the other order is transposed slab by slab while it is read, which takes one slab more memory than the
 * array. Weak at: files on pipes, because their length is not known, and headers with keys of their own. */
#include "format/npy/npy.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/npy/header.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "data is copied as it lies in the file");

/* Bytes of a slab: what is read at a time when transposing. Smaller: more reads. Larger: more memory, and no
 * faster. */
#define SLAB_BYTES (32 << 20)
/* Elements on a side of a block of the transposition. 32 × 32 doubles of both sides fit into 32 KB of L1
 * cache. Larger: they do not. Smaller: parts of cache lines are used. */
#define BLOCK 32

/* to[i * stride + o] = from[o * inner + i]; inlined so that the size is a constant of each copy. */
static inline __attribute__((always_inline)) void transpose(char *to, size_t stride, const char *from,
                                                            size_t outer, size_t inner, size_t size)
{
    for (size_t o0 = 0; o0 < outer; o0 += BLOCK) {
        size_t o1 = outer - o0 < BLOCK ? outer : o0 + BLOCK;
        for (size_t i0 = 0; i0 < inner; i0 += BLOCK) {
            size_t i1 = inner - i0 < BLOCK ? inner : i0 + BLOCK;
            for (size_t i = i0; i < i1; i++)
                for (size_t o = o0; o < o1; o++)
                    memcpy(to + (i * stride + o) * size, from + (o * inner + i) * size, size);
        }
    }
}

/* Reads `count` elements from number `first` on, as real numbers. raw: room for them as they are in the file;
 * NULL where they are real there. */
static int read_elements(const struct plb_input_file *file, const struct plb_npy_header *header, size_t first,
                         size_t count, char *raw, char *into, struct plb_error *err)
{
    size_t size = header->type->file_bytes;
    int status = plb_input_read_all(file, raw != NULL ? raw : into, count * size,
                                    header->data_at + (int64_t)(first * size), err);
    size_t good = status == PLB_OK && raw != NULL ? plb_npy_convert(header->type, raw, count, into) : count;
    if (good < count)
        return plb_fail(
            err, PLB_EINPUT,
            "%s: element %zu of its data is a whole number beyond 2^53, which float64 cannot hold; "
            "expected smaller ones; divide them, or convert them with a.astype('float64')",
            file->path, first + good);
    return status;
}

/* Room for elements as they are in the file, where they have to be converted; else NULL. */
static char *make_raw(const struct plb_npy_header *header, size_t count)
{
    return header->type->kind != PLB_NPY_REAL ? plb_grow(NULL, count * header->type->file_bytes) : NULL;
}

/* A line is what is contiguous in the file: a row, or in column-major order a column. */
static int read_transposed(const struct plb_input_file *file, const struct plb_npy_header *header, char *data,
                           struct plb_error *err)
{
    size_t lines = (size_t)(header->column_major ? header->columns : header->rows);
    size_t length = (size_t)(header->column_major ? header->rows : header->columns);
    size_t size = header->type->bytes, step = SLAB_BYTES / (length * size);
    step = step < BLOCK ? BLOCK : step;
    step = step < lines ? step : lines;
    char *slab = plb_grow(NULL, step * length * size), *raw = make_raw(header, step * length);
    int status = PLB_OK;
    for (size_t first = 0; first < lines && status == PLB_OK; first += step) {
        size_t count = lines - first < step ? lines - first : step;
        status = read_elements(file, header, first * length, count * length, raw, slab, err);
        if (status == PLB_OK && size == 4)
            transpose(data + first * size, lines, slab, count, length, 4);
        else if (status == PLB_OK)
            transpose(data + first * size, lines, slab, count, length, 8);
    }
    free(slab);
    free(raw);
    return status;
}

/* Real data is read in one go; other data slab by slab. */
static int read_in_order(const struct plb_input_file *file, const struct plb_npy_header *header, char *data,
                         struct plb_error *err)
{
    size_t n = (size_t)(header->rows * header->columns), step = n;
    if (header->type->kind != PLB_NPY_REAL && step > SLAB_BYTES / header->type->bytes)
        step = SLAB_BYTES / header->type->bytes;
    char *raw = make_raw(header, step);
    int status = PLB_OK;
    for (size_t first = 0; first < n && status == PLB_OK; first += step) {
        size_t count = n - first < step ? n - first : step;
        status = read_elements(file, header, first, count, raw, data + first * header->type->bytes, err);
    }
    free(raw);
    return status;
}

static int read_data(const struct plb_input_file *file, const struct plb_npy_header *header,
                     bool column_major, char *data, struct plb_error *err)
{
    bool line = header->rows == 1 || header->columns == 1; /* then both orders are the same */
    if (line || header->column_major == column_major)
        return read_in_order(file, header, data, err);
    return read_transposed(file, header, data, err);
}

int plb_npy_read(const char *path, enum plb_order order, bool header_only, struct plb_array *array,
                 struct plb_error *err)
{
    struct plb_input_file file;
    struct plb_npy_header header;
    bool column_major = order == PLB_COLUMN_MAJOR;
    char *data = NULL;
    int status = plb_input_open(&file, path, "an .npy file was expected; name a file written with numpy.save",
                                err);
    if (status == PLB_OK)
        status = plb_npy_read_header(&file, &header, err);
    if (status == PLB_OK && !header_only) {
        data = plb_alloc_unset((size_t)header.bytes);
        status = read_data(&file, &header, column_major, data, err);
    }
    plb_input_close(&file);
    if (status == PLB_OK)
        *array = (struct plb_array){.data = data,
                                    .element_bytes = header.type->bytes,
                                    .rows = header.rows,
                                    .columns = header.columns,
                                    .column_major = column_major};
    else
        free(data);
    return status;
}
