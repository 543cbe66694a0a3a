/* .npy files made byte by byte, so that no NumPy is needed. Include cmocka's headers first. */
#ifndef PLB_TEST_NPY_H
#define PLB_TEST_NPY_H

#include "folder.h"
#include "format/npy/npy.h"

/* A file of this version with this dict, unpadded, and `count` bytes of data; returns its size. */
static inline size_t build(char *into, int version, const char *dict, const void *data, size_t count)
{
    size_t text = strlen(dict);
    size_t at = version == 1 ? 10 : 12;
    memcpy(into, "\x93NUMPY", 6);
    into[6] = (char)version;
    into[7] = 0;
    into[8] = (char)(text & 0xff);
    into[9] = (char)(text >> 8);
    into[10] = into[11] = 0;
    memcpy(into + at, dict, text);
    if (count > 0)
        memcpy(into + at + text, data, count);
    return at + text + count;
}

static inline void put_npy(const struct folder *folder, int version, const char *dict, const void *data,
                           size_t count)
{
    char bytes[1024];
    put(folder->file, bytes, build(bytes, version, dict, data, count));
}

/* Reads a file that is right. */
static inline void read_ok(const char *path, enum plb_order order, struct plb_array *array)
{
    struct plb_error err = {.status = PLB_OK};
    if (plb_npy_read(path, order, false, array, &err) != PLB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(err.status, PLB_OK);
    assert_int_equal(array->column_major, order == PLB_COLUMN_MAJOR);
    assert_int_equal((uintptr_t)array->data % 64, 0);
}

#endif
