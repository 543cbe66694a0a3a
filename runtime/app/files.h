/* Files that are the memory of buffers (plb_app_file): inputs are mapped, and results are made under a
 * temporary name and mapped. On rank 0; other ranks look whether they see the same file. */
#ifndef PLB_APP_FILES_H
#define PLB_APP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLB_MAX_FILES 32

/* Two ranks compare this: a file that looks the same is taken for the same one. */
struct plb_file_look {
    int64_t bytes;                /* its length */
    int64_t seconds, nanoseconds; /* of the last change */
    uint32_t sum;                 /* CRC32C of its first and last page and of some between */
};

struct plb_data_memory {
    char *path;                /* without links; of a result: the name that it has so far */
    bool result;               /* the job makes it */
    int64_t at;                /* where its data begins in the file */
    size_t bytes;              /* of the data */
    char *data;                /* the mapped data */
    struct plb_file_look look; /* of an input */
};

/* A zeroed struct has none. */
struct plb_files {
    struct plb_data_memory at[PLB_MAX_FILES];
    int n;
};

/* Looks at an open file. False where it cannot be read. */
bool plb_file_look(int fd, struct plb_file_look *look);
bool plb_file_looks_same(const struct plb_file_look *one, const struct plb_file_look *other);

/* The file whose memory has this address: its number, or -1. */
int plb_files_find(const struct plb_files *files, const void *data);

void plb_files_fini(struct plb_files *files);

#endif
