/* Buffers that are files: a part of the kernel API (plb/kernel.h, which includes it). */
#ifndef PLB_DATA_FILE_H
#define PLB_DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plb_app;
struct plb_csr;

/* A file that is the memory of a buffer. plbrun maps it: the system reads a page of it when it is touched,
 * and may drop it again, so that inputs and results may be larger than memory. */
struct plb_data_file {
    const char *path;
    const char *type;  /* an .npy file: NumPy's name for its elements: "<f4", "<f8", "<i4", "<i8" …; a file
                          of other ones is refused. "<f4|<f8": an input of either; bytes / (rows * columns)
                          says which. A result: "<f4", "<f8", "<i4" or "<i8". NULL: the bytes as they are */
    bool result;       /* the job makes the file; else it is an input */
    bool column_major; /* .npy: the order of the elements; an input in the other one is refused */
    int64_t rows, columns; /* .npy: of an input filled in; one dimension: columns = 1 */
    int64_t offset;        /* no .npy, an input: where its data begins, in bytes */
    size_t bytes;          /* of the data. .npy: filled in. Else of an input 0: up to the end of the file */
    void *data; /* filled in: the data in memory. Of a result in a simulation: addresses, or NULL */
};

/* Says in setup that a buffer is a file: `data` of a PARTITION, PARTITION_INDEXED or REPLICATE buffer begins
 * in an input's memory, `data` of an OUTPUT buffer in a result's. An input is read-only: writing to
 * it is a crash, and plb_app_replace refuses it. It must not change during the run.
 *
 * Each rank that sees the same file reads its parts itself, and nothing of it travels. Results are made under
 * a temporary name beside `path`. Ranks that see it write their parts there, if the kernel has one pass. The
 * file gets its name as results of plb_app_save_npy do, with .wrong and .partial as there. It has room before
 * work begins, and counts as one of the 32 results. A result in a file excludes a journal.
 *
 * At most 32 calls. The path is copied. Returns PLB_OK, and has filled in the struct; or PLB_EINPUT, after it
 * has described the mistake. */
int plb_app_file(struct plb_app *app, struct plb_data_file *file);

/* Reads a matrix that scipy.sparse.save_npz(path, a, compressed=False) has written, in CSR form. Values
 * become float64, and may be nan and infinite. Columns of a row may be in any order, and come twice. Arrays
 * that are aligned and have the types of struct plb_csr stay in the file, as plb_app_file has them: they are
 * read-only. plbrun-npz writes such files. The columns are checked, which reads them. A
 * simulation reads only the offsets; other arrays may be NULL there. */
int plb_read_npz(struct plb_app *app, const char *path, struct plb_csr *matrix);

#ifdef __cplusplus
}
#endif

#endif
