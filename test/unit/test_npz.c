/* SciPy's sparse matrices. The files of golden/npz were written by SciPy 1.17.1 with NumPy 2.4.6, and
 * aligned.npz by plbrun-npz. They have the same matrix, but for whole.npz and empty.npz. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <libgen.h>

#include "folder.h"
#include "format/npy/npz.h"

#define MOST 4096 /* bytes of a file */

struct bytes {
    char at[MOST];
    size_t n;
};

static void golden_path(const char *name, char path[300])
{
    char here[] = __FILE__;
    snprintf(path, 300, "%s/golden/npz/%s.npz", dirname(here), name);
}

static struct bytes golden(const char *name)
{
    struct bytes bytes;
    char path[300];
    golden_path(name, path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    bytes.n = fread(bytes.at, 1, MOST, file);
    fclose(file);
    assert_true(bytes.n > 0 && bytes.n < MOST);
    return bytes;
}

/* Reads a matrix of 3 x 4, and checks it. */
static int load(const char *path, double dense[12], struct plb_error *err)
{
    struct plb_input_file file;
    struct plb_npz *npz = calloc(1, sizeof *npz);
    int64_t offsets[4];
    int32_t indices[8];
    double values[8];
    memset(dense, 0, 12 * sizeof *dense);
    assert_int_equal(plb_input_open(&file, path, "", err), PLB_OK);
    int status = plb_npz_open(npz, &file, err);
    if (status == PLB_OK && (npz->rows != 3 || npz->columns > 100 || npz->indices.n > 8))
        status = plb_fail(err, PLB_EINPUT, "another matrix");
    if (status == PLB_OK)
        status = plb_npz_read(&npz->offsets, PLB_NPZ_INT64, offsets, err);
    if (status == PLB_OK)
        status = plb_npz_check_offsets(npz, offsets, err);
    if (status == PLB_OK)
        status = plb_npz_read(&npz->indices, PLB_NPZ_INT32, indices, err);
    if (status == PLB_OK)
        status = plb_npz_check_indices(npz, indices, offsets[3], err);
    if (status == PLB_OK)
        status = plb_npz_read(&npz->values, PLB_NPZ_FLOAT64, values, err);
    for (int row = 0; row < 3 && status == PLB_OK && npz->columns == 4; row++)
        for (int64_t i = offsets[row]; i < offsets[row + 1]; i++)
            dense[4 * row + indices[i]] += values[i];
    plb_npz_close(npz);
    plb_input_close(&file);
    free(npz);
    return status;
}

static void reads_what_scipy_writes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double at[4]; /* [0, 1], [1, 1], [2, 0], [2, 3] */
    } files[] = {
        {"scipy", {1.5, 0, 2.25, -3}},   {"aligned", {1.5, 0, 2.25, -3}}, {"compressed", {1.5, 0, 2.25, -3}},
        {"float32", {1.5, 0, 2.25, -3}}, {"whole", {7, 0, 7, 7}},         {"empty", {0, 0, 0, 0}}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct plb_error err = {.status = PLB_OK};
        char path[300];
        double dense[12];
        golden_path(files[i].name, path);
        if (load(path, dense, &err) != PLB_OK)
            fail_msg("%s", err.text);
        const double got[4] = {dense[1], dense[5], dense[8], dense[11]};
        assert_memory_equal(got, files[i].at, sizeof got);
        assert_true(dense[0] == 0.0 && dense[2] == 0.0 && dense[10] == 0.0);
    }
}

/* Where an array can be used as it lies. */
static void aligned_arrays_of_the_right_type_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool place;
    } files[] = {{"aligned", true}, {"scipy", false}, {"whole", false}, {"compressed", false}};
    for (int i = 0; i < 4; i++) {
        struct plb_error err = {.status = PLB_OK};
        struct plb_input_file file;
        struct plb_npz *npz = calloc(1, sizeof *npz);
        char path[300];
        double values[3];
        golden_path(files[i].name, path);
        assert_int_equal(plb_input_open(&file, path, "", &err), PLB_OK);
        assert_int_equal(plb_npz_open(npz, &file, &err), PLB_OK);
        int64_t at = plb_npz_offset(&npz->values, PLB_NPZ_FLOAT64);
        assert_int_equal(at >= 0, files[i].place);
        assert_int_equal(plb_npz_offset(&npz->offsets, PLB_NPZ_INT64) >= 0, files[i].place);
        assert_int_equal(plb_npz_offset(&npz->indices, PLB_NPZ_INT32) >= 0, files[i].place);
        if (at >= 0) {
            assert_int_equal(at % 64, 0);
            assert_int_equal(plb_input_read_all(&file, values, sizeof values, at, &err), PLB_OK);
            assert_true(values[0] == 1.5 && values[2] == -3.0);
        }
        plb_npz_close(npz);
        plb_input_close(&file);
        free(npz);
    }
}

/* The file is refused, and the sentence has the words. */
static void refused(const struct folder *folder, const struct bytes *bytes, const char *words)
{
    struct plb_error err = {.status = PLB_OK};
    double dense[12];
    put(folder->file, bytes->at, bytes->n);
    assert_int_equal(load(folder->file, dense, &err), PLB_EINPUT);
    assert_null(strchr(err.text, '\n'));
    if (strstr(err.text, words) == NULL || strstr(err.text, folder->file) == NULL)
        fail_msg("'%s' is missing in: %s", words, err.text);
}

static void refuses_other_forms_with_a_remedy(void **state)
{
    struct bytes file = golden("csc");
    refused(*state, &file, "in the form 'csc', but 'csr' was expected");
    file = golden("complex");
    refused(*state, &file, "holds '<c16'");
    memcpy(file.at, "no zip at all", file.n = 13);
    refused(*state, &file, "is no complete .npz file");
    refused(*state, &(struct bytes){.n = 0}, "is no complete .npz file");
}

/* Whatever bit of a compressed file is another one or missing: it is refused, or has the same matrix. */
static void damaged_compression_is_refused(void **state)
{
    const struct folder *folder = *state;
    const double right[4] = {1.5, 0, 2.25, -3};
    struct bytes file = golden("compressed");
    int refusals = 0;
    for (size_t bit = 0; bit < 8 * file.n; bit++) {
        struct plb_error err = {.status = PLB_OK};
        double dense[12];
        file.at[bit / 8] = (char)(file.at[bit / 8] ^ 1 << bit % 8);
        put(folder->file, file.at, file.n);
        if (load(folder->file, dense, &err) == PLB_OK) {
            const double got[4] = {dense[1], dense[5], dense[8], dense[11]};
            assert_memory_equal(got, right, sizeof got);
        } else {
            assert_non_null(strstr(err.text, folder->file));
            refusals++;
        }
        file.at[bit / 8] = (char)(file.at[bit / 8] ^ 1 << bit % 8);
    }
    assert_true(refusals > 2000);
}

/* The last place in the file that has these bytes. */
static char *find(struct bytes *bytes, const void *what, size_t n)
{
    for (size_t i = bytes->n - n + 1; i-- > 0;)
        if (memcmp(bytes->at + i, what, n) == 0)
            return bytes->at + i;
    fail_msg("the bytes are not in the file");
    return NULL;
}

static void refuses_wrong_numbers(void **state)
{
    const struct {
        int64_t at[4];
        const char *words;
    } offsets[] = {{{1, 1, 1, 3}, "offset 0 is 1"},
                   {{0, 2, 1, 3}, "offset 2 is 1"},
                   {{0, -1, 1, 3}, "offset 1 is -1"},
                   {{0, 1, 1, 4}, "offset 3 is 4"}};
    const struct {
        int32_t at[3];
        const char *words;
    } indices[] = {{{1, 0, 4}, "entry 2 is no column of the matrix, which has the columns 0 to 3"},
                   {{-1, 0, 3}, "entry 0 is no column"}};
    for (int i = 0; i < 4; i++) {
        struct bytes file = golden("aligned");
        memcpy(find(&file, (int64_t[]){0, 1, 1, 3}, 32), offsets[i].at, 32);
        refused(*state, &file, offsets[i].words);
    }
    for (int i = 0; i < 2; i++) {
        struct bytes file = golden("aligned");
        char *first = memmem(file.at, file.n, (int32_t[]){1, 0, 3}, 12); /* the offsets have them too */
        assert_non_null(first);
        memcpy(first, indices[i].at, 12);
        refused(*state, &file, indices[i].words);
    }
    struct bytes file = golden("whole"); /* columns of 64 bits */
    *find(&file, (int64_t[]){1, 0, 3}, 24) = 4;
    refused(*state, &file, "entry 0 is no column");
    file = golden("whole");
    find(&file, (int64_t[]){1, 0, 3}, 24)[5] = 1; /* 2^40 + 1 */
    refused(*state, &file, "entry 0 is no column");
}

static void refuses_broken_archives(void **state)
{
    struct bytes file = golden("scipy");
    memcpy(find(&file, "format.npy", 10), "indptr.npy", 10);
    refused(*state, &file, "has two members of one name");
    file = golden("scipy");
    memcpy(find(&file, "data.npy", 8), "date.npy", 8);
    refused(*state, &file, "has no data.npy, so it is no sparse matrix in CSR form");
    file = golden("scipy"); /* a member that is longer than the file */
    char *entry = find(&file, "data.npy", 8) - 46;
    entry[20 + 2] = entry[24 + 2] = 1;
    refused(*state, &file, "a member has two lengths, or is longer than the file");
    file = golden("scipy"); /* one that would be much more than its bytes, if it were unpacked */
    find(&file, "data.npy", 8)[24 - 46 + 3] = 1;
    refused(*state, &file, "a member has two lengths");
    file = golden("scipy");
    find(&file, "data.npy", 8)[42 - 46]++;
    refused(*state, &file, "a member is not where the list of members says");
    file = golden("scipy");
    find(&file, "PK\5\6", 4)[17]++;
    refused(*state, &file, "its list of members is");
    file = golden("scipy");
    find(&file, "(3,)", 4)[1] = '4';
    refused(*state, &file, "which its shape does not explain");
}

/* A part of a file is refused. One wrong byte is refused, or gives a matrix; no memory is touched wrongly. */
static void survives_all_damages(void **state)
{
    const struct folder *folder = *state;
    struct bytes whole = golden("aligned");
    double dense[12];
    for (size_t n = 0; n < whole.n; n += 7) {
        struct bytes part = whole;
        part.n = n;
        refused(*state, &part, "is no complete .npz file");
    }
    for (size_t i = 0; i < whole.n; i++) {
        struct plb_error err = {.status = PLB_OK};
        struct bytes damaged = whole;
        damaged.at[i] = (char)~damaged.at[i];
        put(folder->file, damaged.at, damaged.n);
        int status = load(folder->file, dense, &err);
        assert_true(status == PLB_OK || err.text[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_scipy_writes),
        cmocka_unit_test(aligned_arrays_of_the_right_type_have_a_place),
        TEST_IN_FOLDER(refuses_other_forms_with_a_remedy),
        TEST_IN_FOLDER(damaged_compression_is_refused),
        TEST_IN_FOLDER(refuses_wrong_numbers),
        TEST_IN_FOLDER(refuses_broken_archives),
        TEST_IN_FOLDER(survives_all_damages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
