/* Records: how a task makes them, which bytes are believed, and which of several a unit keeps. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/record_store.h"
#include "app/records.h"

static const struct plb_dataset set = {
    .n = 3, .units = 10, .at = {{.mode = PLB_RECORDS}, {.mode = PLB_REPLICATE}, {.mode = PLB_RECORDS}}};

/* Has a task of this range append the text to buffer 0 for each unit, and its first letter to buffer 2. */
static void *make(struct plb_records *records, int64_t first, int64_t count, const char *text, size_t *n)
{
    void *data[3] = {plb_records_part(records, 0), NULL, plb_records_part(records, 2)};
    struct plb_task task = {.first = first, .count = count, .data = data};
    plb_records_begin(records);
    for (int64_t u = first + count - 1; u >= first; u--) { /* in any order */
        assert_int_equal(plb_task_record(&task, 0, u, text, strlen(text) - 1), 0);
        assert_int_equal(plb_task_record(&task, 2, u, text, 1), 0);
        assert_int_equal(plb_task_record(&task, 0, u, text + strlen(text) - 1, 1), 0);
    }
    assert_int_equal(plb_task_record(&task, 0, first + count, text, 1), 1);
    assert_int_equal(plb_task_record(&task, 0, first - 1, text, 1), 1);
    plb_records_seal(records, (struct plb_range){first, count});
    return plb_records_bytes(records, n);
}

/* The first two of four units are reported while the task goes on, and then the third. */
static void what_was_appended_moves_by_unit(void **state)
{
    struct plb_records *records = plb_records_new(&set), *moved = plb_records_new(&set);
    size_t n, m;
    (void)state;
    make(records, 4, 4, "abc;", &n);
    plb_records_begin(moved);
    plb_records_move(records, 6, moved);
    plb_records_seal(moved, (struct plb_range){4, 2});
    plb_records_seal(records, (struct plb_range){6, 2});
    const char *rest = plb_records_bytes(records, &n), *bytes = plb_records_bytes(moved, &m);
    assert_true(plb_records_are_sound(&set, (struct plb_range){4, 2}, bytes, m));
    assert_true(plb_records_are_sound(&set, (struct plb_range){6, 2}, rest, n));
    assert_int_equal(m, n);
    assert_memory_equal(bytes, rest, n);
    assert_memory_equal(bytes + 2 * sizeof(int64_t), "abc;abc;", 8);
    plb_records_begin(moved);
    plb_records_move(records, 7, moved);
    plb_records_seal(moved, (struct plb_range){6, 1});
    plb_records_seal(records, (struct plb_range){7, 1});
    rest = plb_records_bytes(records, &n);
    bytes = plb_records_bytes(moved, &m);
    assert_int_equal(m, n);
    assert_memory_equal(bytes, rest, n);
    plb_records_free(moved);
    plb_records_free(records);
}

/* The entry can append nothing more for units that have moved, until another task begins. */
static void a_unit_that_was_reported_takes_no_more(void **state)
{
    struct plb_records *records = plb_records_new(&set), *moved = plb_records_new(&set);
    void *data[3] = {plb_records_part(records, 0), NULL, plb_records_part(records, 2)};
    struct plb_task task = {.first = 0, .count = 4, .data = data};
    size_t n;
    (void)state;
    plb_records_begin(records);
    plb_records_begin(moved);
    for (int64_t u = 0; u < 4; u++)
        assert_int_equal(plb_task_record(&task, 0, u, "x", 1), 0);
    plb_records_move(records, 2, moved);
    assert_int_equal(plb_task_record(&task, 0, 1, "late", 4), 1);
    assert_int_equal(plb_task_record(&task, 0, 2, "y", 1), 0);
    plb_records_seal(records, (struct plb_range){2, 2});
    const char *bytes = plb_records_bytes(records, &n);
    assert_int_equal(n, 4 * sizeof(int64_t) + 3);
    assert_memory_equal(bytes + 2 * sizeof(int64_t), "xyx", 3);
    plb_records_begin(records);
    assert_int_equal(plb_task_record(&task, 0, 0, "x", 1), 0);
    plb_records_free(moved);
    plb_records_free(records);
}

enum { THREAD_UNITS = 200, UNIT_BYTES = 4000, ROUNDS = 100 };

/* Another thread of the entry appends units in their order. */
static void *append_all(void *task)
{
    char bytes[UNIT_BYTES];
    memset(bytes, 'x', sizeof bytes);
    for (int64_t u = 1; u <= THREAD_UNITS; u++)
        assert_int_equal(plb_task_record(task, 0, u, bytes, sizeof bytes), 0);
    return NULL;
}

/* Units are reported while another thread of the entry appends to later ones, and the log grows. */
static void records_move_while_others_are_appended(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct plb_records *records = plb_records_new(&set), *moved = plb_records_new(&set);
        void *data[3] = {plb_records_part(records, 0), NULL, plb_records_part(records, 2)};
        struct plb_task task = {.first = 0, .count = THREAD_UNITS + 1, .data = data};
        pthread_t thread;
        size_t n;
        plb_records_begin(records);
        plb_records_begin(moved);
        assert_int_equal(plb_task_record(&task, 0, 0, "first", 5), 0);
        assert_int_equal(pthread_create(&thread, NULL, append_all, &task), 0);
        do
            plb_records_move(records, 1, moved);
        while (pthread_tryjoin_np(thread, NULL) != 0);
        plb_records_seal(records, (struct plb_range){1, THREAD_UNITS});
        const char *bytes = plb_records_bytes(records, &n);
        assert_int_equal(n, THREAD_UNITS * (2 * sizeof(int64_t) + UNIT_BYTES));
        for (size_t b = THREAD_UNITS * sizeof(int64_t); b < n - THREAD_UNITS * sizeof(int64_t); b += 500)
            assert_int_equal(bytes[b], 'x');
        plb_records_free(moved);
        plb_records_free(records);
    }
}

static void keep(struct plb_record_store *store, int pass, struct plb_range range, struct plb_range units,
                 const void *bytes, size_t n)
{
    struct plb_rangeset some = {0};
    plb_rangeset_add(&some, units);
    plb_record_store_keep(store, pass, range, bytes, n, &some);
    plb_rangeset_fini(&some);
}

static void expect(const struct plb_record_store *store, int buffer, const char *right)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(plb_record_store_print(store, buffer, set.units, NULL, out), 0);
    fclose(out);
    assert_string_equal(text, right);
    free(text);
}

static void units_keep_what_came_last_and_counts(void **state)
{
    size_t n;
    struct plb_records *records = plb_records_new(&set);
    struct plb_record_store *store = plb_record_store_new(set.at, set.n, "/no/such/folder/x");
    (void)state;
    expect(store, 0, "");
    void *bytes = make(records, 4, 6, "late;", &n);
    assert_true(plb_records_are_sound(&set, (struct plb_range){4, 6}, bytes, n));
    keep(store, 1, (struct plb_range){4, 6}, (struct plb_range){6, 2}, bytes, n);
    bytes = make(records, 0, 2, "early;", &n);
    keep(store, 1, (struct plb_range){0, 2}, (struct plb_range){0, 2}, bytes, n);
    expect(store, 0, "early;early;late;late;");
    expect(store, 2, "eell");
    bytes = make(records, 1, 1, "again;", &n);
    keep(store, 2, (struct plb_range){1, 1}, (struct plb_range){1, 1}, bytes, n);
    expect(store, 0, "early;again;late;late;");
    plb_record_store_drop(store, (struct plb_range){0, 1});
    expect(store, 0, "again;late;late;");
    const char *path;
    assert_int_equal(plb_record_store_failure(store, &path), 0);
    plb_record_store_free(store);
    plb_records_free(records);
}

static void a_unit_without_a_call_keeps_what_it_has(void **state)
{
    size_t n;
    struct plb_records *records = plb_records_new(&set);
    struct plb_record_store *store = plb_record_store_new(set.at, set.n, NULL);
    void *bytes = make(records, 0, 3, "one;", &n);
    void *data[3] = {plb_records_part(records, 0), NULL, plb_records_part(records, 2)};
    struct plb_task task = {.first = 0, .count = 3, .data = data};
    (void)state;
    keep(store, 1, (struct plb_range){0, 3}, (struct plb_range){0, 3}, bytes, n);
    plb_records_begin(records);
    plb_task_record(&task, 0, 1, NULL, 0);
    plb_task_record(&task, 0, 2, "two;", 4);
    plb_records_seal(records, (struct plb_range){0, 3});
    bytes = plb_records_bytes(records, &n);
    keep(store, 2, (struct plb_range){0, 3}, (struct plb_range){0, 3}, bytes, n);
    expect(store, 0, "one;two;");
    expect(store, 2, "ooo");
    plb_record_store_free(store);
    plb_records_free(records);
}

static void bytes_that_make_no_sense_are_refused(void **state)
{
    size_t n;
    const struct plb_range range = {0, 2};
    struct plb_records *records = plb_records_new(&set);
    char *bytes = make(records, 0, 2, "ab", &n);
    int64_t length;
    (void)state;
    assert_int_equal(n, 4 * sizeof length + 2 * 2 + 2 * 1);
    assert_true(plb_records_are_sound(&set, range, bytes, n));
    for (size_t less = 0; less < n; less++)
        assert_false(plb_records_are_sound(&set, range, bytes, less));
    for (length = -2; length <= INT64_MAX / 2; length = length < 0 ? INT64_MAX / 2 : INT64_MAX) {
        memcpy(bytes, &length, sizeof length);
        assert_false(plb_records_are_sound(&set, range, bytes, n));
    }
    plb_records_free(records);
}

/* Records of a run that broke count as its journal says, and no further than they are whole. */
static void a_journal_brings_records_back(void **state)
{
    char name[] = "/tmp/plb-records-XXXXXX";
    size_t n;
    int fd = mkstemp(name);
    struct plb_records *records = plb_records_new(&set);
    struct plb_record_store *store = plb_record_store_new(set.at, set.n, NULL);
    struct plb_rangeset known = {0};
    (void)state;
    unlink(name);
    assert_true(plb_record_store_adopt(store, fd, 1, NULL));
    void *bytes = make(records, 0, 4, "one;", &n);
    keep(store, 1, (struct plb_range){0, 4}, (struct plb_range){0, 4}, bytes, n);
    bytes = make(records, 2, 2, "two;", &n);
    keep(store, 2, (struct plb_range){2, 2}, (struct plb_range){2, 2}, bytes, n);
    int64_t end = lseek(fd, 0, SEEK_END);
    bytes = make(records, 0, 1, "torn;", &n);
    keep(store, 2, (struct plb_range){0, 1}, (struct plb_range){0, 1}, bytes, n);
    plb_record_store_free(store);
    assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 1), 0);

    plb_rangeset_add(&known, (struct plb_range){3, 5}); /* the record of unit 2 came too late */
    store = plb_record_store_new(set.at, set.n, NULL);
    assert_true(plb_record_store_adopt(store, fd, 2, &known));
    expect(store, 0, "one;one;one;two;");
    assert_int_equal(known.units, 1); /* unit 3 */
    assert_int_equal(known.at[0].first, 3);
    assert_int_equal(plb_record_store_bytes(store), end);
    assert_int_not_equal(lseek(fd, 0, SEEK_END), end);
    assert_true(plb_record_store_go_on(store));
    assert_int_equal(lseek(fd, 0, SEEK_END), end);
    plb_record_store_free(store);
    plb_rangeset_fini(&known);
    plb_records_free(records);
    close(fd);
}

/* Whatever byte of a journal's records is changed or cut off: those units count that still have a record. */
static void units_without_a_record_do_not_count(void **state)
{
    char name[] = "/tmp/plb-records-XXXXXX", whole[400];
    size_t n;
    int fd = mkstemp(name);
    struct plb_records *records = plb_records_new(&set);
    struct plb_record_store *store = plb_record_store_new(set.at, set.n, NULL);
    (void)state;
    unlink(name);
    assert_true(plb_record_store_adopt(store, fd, 1, NULL));
    int64_t begin = plb_record_store_bytes(store);
    for (int64_t u = 0; u < 3; u++) {
        void *bytes = make(records, u, 1, "one;", &n);
        keep(store, 1, (struct plb_range){u, 1}, (struct plb_range){u, 1}, bytes, n);
    }
    int64_t size = plb_record_store_bytes(store), each = (size - begin) / 3;
    plb_record_store_free(store);
    assert_int_equal(pread(fd, whole, sizeof whole, 0), size);
    for (int64_t at = begin; at < size; at++)
        for (int cut = 0; cut < 2; cut++) {
            struct plb_rangeset known = {0};
            plb_rangeset_add(&known, (struct plb_range){0, 3});
            char other = (char)(whole[at] ^ 8);
            assert_int_equal(pwrite(fd, whole, (size_t)size, 0), size);
            assert_int_equal(cut ? ftruncate(fd, at) : pwrite(fd, &other, 1, at) - 1, 0);
            store = plb_record_store_new(set.at, set.n, NULL);
            assert_true(plb_record_store_adopt(store, fd, 1, &known));
            assert_int_equal(known.units, (at - begin) / each);
            expect(store, 0, known.units == 0 ? "" : known.units == 1 ? "one;" : "one;one;");
            plb_record_store_free(store);
            plb_rangeset_fini(&known);
        }
    plb_records_free(records);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_appended_moves_by_unit),
        cmocka_unit_test(a_unit_that_was_reported_takes_no_more),
        cmocka_unit_test(records_move_while_others_are_appended),
        cmocka_unit_test(units_keep_what_came_last_and_counts),
        cmocka_unit_test(a_unit_without_a_call_keeps_what_it_has),
        cmocka_unit_test(bytes_that_make_no_sense_are_refused),
        cmocka_unit_test(a_journal_brings_records_back),
        cmocka_unit_test(units_without_a_record_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
