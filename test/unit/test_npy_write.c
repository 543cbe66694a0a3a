/* .npy files that are written: they read back, NumPy reads them, and a failure never harms an older file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "npy.h"

static double value_at(int64_t row, int64_t column)
{
    return (double)(row * 1000 + column) + 0.25;
}

static size_t place_of(const struct plb_array *a, int64_t row, int64_t column)
{
    return (size_t)(a->column_major ? column * a->rows + row : row * a->columns + column);
}

static void fill(struct plb_array *a)
{
    a->data = plb_alloc((size_t)(a->rows * a->columns) * a->element_bytes);
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t column = 0; column < a->columns; column++) {
            size_t at = place_of(a, row, column);
            if (a->element_bytes == 4)
                ((float *)a->data)[at] = (float)value_at(row, column);
            else
                ((double *)a->data)[at] = value_at(row, column);
        }
}

static void check(const struct plb_array *a)
{
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t column = 0; column < a->columns; column++) {
            size_t at = place_of(a, row, column);
            double found = a->element_bytes == 4 ? (double)((const float *)a->data)[at]
                                                 : ((const double *)a->data)[at];
            if (found < value_at(row, column) || found > value_at(row, column))
                fail_msg("(%d, %d) is %g, not %g", (int)row, (int)column, found, value_at(row, column));
        }
}

static void round_trip(const struct folder *folder, int64_t rows, int64_t columns, int variant)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_array out = {.rows = rows,
                            .columns = columns,
                            .column_major = variant & 1,
                            .element_bytes = (variant & 2) != 0 ? 4 : 8};
    struct plb_array in;
    fill(&out);
    if (plb_npy_write(folder->file, &out, &err) != PLB_OK)
        fail_msg("%s", err.text);
    read_ok(folder->file, (variant & 4) != 0 ? PLB_COLUMN_MAJOR : PLB_ROW_MAJOR, &in);
    assert_int_equal(in.rows, rows);
    assert_int_equal(in.columns, columns);
    assert_int_equal(in.element_bytes, out.element_bytes);
    check(&in);
    free(in.data);
    free(out.data);
}

/* NumPy's own shape of a vector, so that it can be compared with another one. */
static void one_column_is_one_dimension(void **state)
{
    static const char *const shapes[] = {"'shape': (3,), }", "'shape': (3, 2), }"};
    const struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    for (int64_t columns = 1; columns <= 2; columns++) {
        char head[200] = "";
        struct plb_array out = {.rows = 3, .columns = columns, .element_bytes = 8};
        fill(&out);
        assert_int_equal(plb_npy_write(folder->file, &out, &err), PLB_OK);
        FILE *f = fopen(folder->file, "rb");
        assert_non_null(f);
        assert_int_equal(fread(head, 1, 128, f), 128);
        fclose(f);
        assert_non_null(strstr(head + 10, shapes[columns - 1]));
        free(out.data);
    }
}

/* Shapes around the transposition's blocks of 32, and one of several slabs of 32 MiB. */
static void test_round_trips(void **state)
{
    static const int64_t shapes[][2] = {{1, 1},   {1, 9},   {9, 1},   {2, 3},
                                        {31, 33}, {32, 32}, {33, 65}, {100, 7}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int variant = 0; variant < 8; variant++)
            round_trip(*state, shapes[i][0], shapes[i][1], variant);
    round_trip(*state, 70, 70000, 4);
    round_trip(*state, 70000, 70, 1);
}

static void test_writes_what_numpy_reads(void **state)
{
    struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_array out = {.rows = 3, .columns = 1, .element_bytes = 4, .column_major = true};
    unsigned char bytes[256];
    fill(&out);
    assert_int_equal(plb_npy_write(folder->file, &out, &err), PLB_OK);
    FILE *file = fopen(folder->file, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    assert_int_equal(size, 128 + 12);
    assert_int_equal(bytes[8] + 256 * bytes[9] + 10, 128);
    static const char dict[] = "{'descr': '<f4', 'fortran_order': True, 'shape': (3,), }";
    assert_memory_equal(bytes + 10, dict, sizeof dict - 1);
    assert_int_equal(bytes[126], ' ');
    assert_int_equal(bytes[127], '\n');
    assert_memory_equal(bytes + 128, out.data, 12);
    free(out.data);
}

/* Whole numbers are written as such, and come back as real ones. */
static void test_whole_numbers(void **state)
{
    struct folder *folder = *state;
    int32_t narrow[] = {-7, 0, INT32_MAX};
    int64_t wide[] = {-7, 0, INT64_C(1) << 53};
    for (int i = 0; i < 2; i++) {
        struct plb_array in, out = {.data = i == 0 ? (void *)narrow : (void *)wide,
                                    .rows = 1,
                                    .columns = 3,
                                    .element_bytes = i == 0 ? 4 : 8};
        char head[40] = "";
        FILE *file = fopen(folder->file, "w+b");
        assert_non_null(file);
        plb_npy_print(&out, true, file);
        rewind(file);
        assert_int_equal(fread(head, 1, sizeof head - 1, file), sizeof head - 1);
        fclose(file);
        assert_non_null(strstr(head + 10, i == 0 ? "'<i4'" : "'<i8'"));
        read_ok(folder->file, PLB_ROW_MAJOR, &in);
        const double *x = in.data;
        for (int k = 0; k < 3; k++)
            assert_true((int64_t)x[k] == (i == 0 ? narrow[k] : wide[k]));
        free(in.data);
    }
}

static int files_in(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void write_fails(const char *path, const struct plb_array *array, const char *word)
{
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_npy_write(path, array, &err), PLB_EFAILED);
    assert_int_equal(err.status, PLB_EFAILED);
    assert_non_null(strstr(err.text, path));
    if (strstr(err.text, word) == NULL)
        fail_msg("'%s' is missing in: %s", word, err.text);
}

static void test_failed_write_keeps_the_older_file(void **state)
{
    struct folder *folder = *state;
    struct plb_array out = {.rows = 100, .columns = 100, .element_bytes = 8};
    struct rlimit before;
    char older[16] = {0};
    fill(&out);
    put(folder->file, "older", 5);

    /* a full disk in the middle of the data: a short write first, an error after it */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {.rlim_cur = 5000, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct plb_error err = {.status = PLB_OK};
    int status = plb_npy_write(folder->file, &out, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, PLB_EFAILED);
    assert_non_null(strstr(err.text, "File too large"));

    FILE *file = fopen(folder->file, "rb");
    assert_non_null(file);
    assert_int_equal(fread(older, 1, sizeof older, file), 5);
    fclose(file);
    assert_string_equal(older, "older");
    assert_int_equal(files_in(folder->path), 1);
    free(out.data);
}

static void test_write_refusals(void **state)
{
    struct folder *folder = *state;
    struct plb_array out = {.rows = 2, .columns = 2, .element_bytes = 8};
    char path[256];
    fill(&out);
    snprintf(path, sizeof path, "%s/missing/a.npy", folder->path);
    write_fails(path, &out, "No such file");
    write_fails(folder->path, &out, "Is a directory");

    /* A device is written in place. Through a link: a mistake here, run by root, would otherwise
     * rename a file over the machine's /dev/full. */
    struct stat info;
    assert_int_equal(symlink("/dev/full", folder->file), 0);
    write_fails(folder->file, &out, "No space left");
    assert_int_equal(files_in(folder->path), 1);
    assert_int_equal(lstat(folder->file, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(unlink(folder->file), 0);

    struct plb_array wrong[] = {out, out, out, out, out};
    wrong[0].rows = 0;
    wrong[1].columns = -1;
    wrong[2].element_bytes = 2;
    wrong[3].data = NULL;
    wrong[4].rows = wrong[4].columns = (int64_t)1 << 40;
    for (int i = 0; i < 5; i++)
        write_fails(folder->file, &wrong[i], "mistake in the kernel");
    assert_int_equal(files_in(folder->path), 0);
    free(out.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(one_column_is_one_dimension),
        TEST_IN_FOLDER(test_round_trips),
        TEST_IN_FOLDER(test_writes_what_numpy_reads),
        TEST_IN_FOLDER(test_whole_numbers),
        TEST_IN_FOLDER(test_failed_write_keeps_the_older_file),
        TEST_IN_FOLDER(test_write_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
