/* A folder with one file in it, for tests of readers and writers. Include cmocka's headers first. */
#ifndef PLB_TEST_FOLDER_H
#define PLB_TEST_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct folder {
    char path[64];
    char file[128];
};

/* Set-up of a test: *state is a new, empty folder and the name of a file in it. */
static inline int make_folder(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    if (folder == NULL)
        return -1;
    strcpy(folder->path, "/tmp/test_format.XXXXXX");
    if (mkdtemp(folder->path) == NULL)
        return -1;
    snprintf(folder->file, sizeof folder->file, "%s/input", folder->path);
    *state = folder;
    return 0;
}

/* Tear-down: fails where a test has left another file behind. */
static inline int remove_folder(void **state)
{
    struct folder *folder = *state;
    unlink(folder->file);
    int failed = rmdir(folder->path);
    free(folder);
    return failed;
}

#define TEST_IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

/* Makes the file from these bytes. */
static inline void put(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

#endif
