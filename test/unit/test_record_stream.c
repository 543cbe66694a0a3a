/* Records that are written as they arrive: which, in which order, and that each is written once. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/record_store.h"
#include "app/stream/record_stream.h"
#include "app/records.h"
#include "app/stream/stream_mark.h"

#define UNITS 6

static const struct plb_dataset set = {
    .n = 2, .units = UNITS, .at = {{.mode = PLB_RECORDS}, {.mode = PLB_RECORDS}}};

/* A store whose buffers both go to a file without a name. */
struct fixture {
    struct plb_record_store *store;
    struct plb_records *records;
    FILE *out;
};

static struct plb_record_store *make_store(FILE *out, bool in_order)
{
    char path[40];
    struct plb_record_store *store = plb_record_store_new(set.at, set.n, NULL);
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(out));
    const struct plb_stream_shape shape = {UNITS, NULL, in_order};
    assert_true(plb_record_store_stream(store, 0, &shape, path));
    assert_true(plb_record_store_stream(store, 1, &shape, path));
    return store;
}

static void begin(struct fixture *f, bool in_order)
{
    f->out = tmpfile();
    assert_non_null(f->out);
    f->records = plb_records_new(&set);
    f->store = make_store(f->out, in_order);
}

/* A result of the range arrives, of which `units` count. Each unit that is a letter in `made`, from 'a', has
 * its letter in the first record and a capital in the second. */
static void arrive(struct fixture *f, int pass, struct plb_range range, struct plb_range units,
                   const char *made)
{
    void *data[2] = {plb_records_part(f->records, 0), plb_records_part(f->records, 1)};
    struct plb_task task = {.first = range.first, .count = range.count, .data = data};
    struct plb_rangeset some = {0};
    size_t n;
    plb_records_begin(f->records);
    for (; *made != '\0'; made++) {
        char capital = (char)(*made - 'a' + 'A');
        assert_int_equal(plb_task_record(&task, 0, *made - 'a', made, 1), 0);
        assert_int_equal(plb_task_record(&task, 1, *made - 'a', &capital, 1), 0);
    }
    plb_records_seal(f->records, range);
    void *bytes = plb_records_bytes(f->records, &n);
    plb_rangeset_add(&some, units);
    plb_record_store_keep(f->store, pass, range, bytes, n, &some);
    plb_rangeset_fini(&some);
}

/* The stream ends, and has written this in all. */
static void expect(struct fixture *f, bool rest, const char *right)
{
    char text[100] = "";
    const char *path;
    assert_int_equal(plb_record_store_end(f->store, rest, &path), 0);
    ssize_t n = pread(fileno(f->out), text, sizeof text - 1, 0);
    assert_true(n >= 0);
    assert_string_equal(text, right);
    plb_record_store_free(f->store);
    f->store = NULL;
}

static void end(struct fixture *f)
{
    plb_records_free(f->records);
    fclose(f->out);
}

static const struct plb_range all = {0, UNITS}, low = {0, 3}, high = {3, 3}, one = {1, 1};

static void units_are_written_as_they_arrive(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f, false);
    arrive(&f, 1, high, high, "fd");
    arrive(&f, 1, low, low, "ac");
    arrive(&f, 2, all, all, "abe");    /* a has been written */
    arrive(&f, 3, all, one, "abcdef"); /* nothing new counts */
    expect(&f, false, "dDfFaAcCbBeE");
    end(&f);
}

static void in_order_each_waits_for_all_before_it(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f, true);
    arrive(&f, 1, high, high, "de");
    arrive(&f, 1, low, low, "ac");
    expect(&f, false, "aA");
    end(&f);
    begin(&f, true);
    arrive(&f, 1, all, low, "acd"); /* d does not count */
    arrive(&f, 1, high, high, "e");
    arrive(&f, 2, all, all, "b");
    expect(&f, true, "aAbBcCeE"); /* d and f never come */
    end(&f);
    begin(&f, true);
    arrive(&f, 1, all, all, "bcdef");
    plb_record_store_drop(f.store, (struct plb_range){0, 1}); /* a was set aside */
    expect(&f, false, "bBcCdDeEfF");
    end(&f);
}

/* A run that goes on writes what the first one has not written. c was written, but the journal does not know
 * that it was made. */
static void a_run_that_goes_on_writes_the_rest(void **state)
{
    (void)state;
    for (int in_order = 0; in_order < 2; in_order++) {
        struct fixture f;
        struct plb_rangeset known = {0};
        const char *path;
        FILE *journal = tmpfile();
        assert_non_null(journal);
        begin(&f, in_order);
        assert_true(plb_record_store_adopt(f.store, fileno(journal), 1, NULL));
        arrive(&f, 1, (struct plb_range){0, 2}, (struct plb_range){0, 2}, "ab");
        arrive(&f, 1, (struct plb_range){2, 1}, (struct plb_range){2, 1}, "c");
        arrive(&f, 1, (struct plb_range){4, 1}, (struct plb_range){4, 1}, "e");
        assert_int_equal(plb_record_store_end(f.store, false, &path), 0);
        plb_record_store_free(f.store);
        plb_rangeset_add(&known, (struct plb_range){0, 2});
        plb_rangeset_add(&known, (struct plb_range){4, 1});
        f.store = make_store(f.out, in_order);
        assert_true(plb_record_store_adopt(f.store, fileno(journal), 1, &known));
        arrive(&f, 1, (struct plb_range){5, 1}, (struct plb_range){5, 1}, "f");
        arrive(&f, 1, (struct plb_range){2, 2}, (struct plb_range){2, 2}, "cd");
        expect(&f, true, in_order ? "aAbBcCdDeEfF" : "aAbBcCeEfFdD");
        plb_rangeset_fini(&known);
        fclose(journal);
        end(&f);
    }
}

/* The first run stores b, and is killed before b is printed or accepted. The second one prints c, and is
 * killed before it has executed b again. The mark is behind b then. */
static void a_result_before_the_mark_was_printed(void **state)
{
    (void)state;
    for (int in_order = 0; in_order < 2; in_order++) {
        const struct plb_range b = {1, 1}, c = {2, 1};
        struct fixture f;
        struct plb_rangeset known = {0};
        const char *path;
        FILE *journal = tmpfile();
        assert_non_null(journal);
        begin(&f, in_order);
        assert_true(plb_record_store_adopt(f.store, fileno(journal), 1, NULL));
        arrive(&f, 1, b, b, "b");
        for (int run = 2; run < 4; run++) {
            assert_int_equal(plb_record_store_end(f.store, false, &path), 0);
            plb_record_store_free(f.store);
            if (run == 2)
                assert_true(plb_stream_mark_write(fileno(journal), 0, 0) && ftruncate(fileno(f.out), 0) == 0
                            && lseek(fileno(f.out), 0, SEEK_SET) == 0);
            f.store = make_store(f.out, in_order);
            assert_true(plb_record_store_adopt(f.store, fileno(journal), 1, &known));
            arrive(&f, 1, run == 2 ? c : b, run == 2 ? c : b, run == 2 ? "c" : "b");
            plb_rangeset_add(&known, c);
        }
        expect(&f, true, "bBcC");
        plb_rangeset_fini(&known);
        fclose(journal);
        end(&f);
    }
}

static void units_may_have_another_order(void **state)
{
    static const int64_t backwards[UNITS] = {5, 4, 3, 2, 1, 0};
    const struct plb_stream_shape shape = {UNITS, backwards, true};
    struct fixture f;
    char path[40];
    (void)state;
    begin(&f, true);
    plb_record_store_free(f.store);
    f.store = plb_record_store_new(set.at, set.n, NULL);
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(f.out));
    assert_true(plb_record_store_stream(f.store, 0, &shape, path));
    arrive(&f, 1, low, low, "abc");
    arrive(&f, 1, high, high, "def");
    FILE *out = tmpfile();
    char text[UNITS + 1] = "";
    assert_int_equal(plb_record_store_print(f.store, 1, UNITS, backwards, out), 0);
    rewind(out);
    assert_int_equal(fread(text, 1, UNITS, out), UNITS);
    assert_string_equal(text, "FEDCBA");
    fclose(out);
    expect(&f, true, "fedcba");
    end(&f);
}

/* Its second buffer goes to a file of lines. */
static struct plb_record_store *make_growing(FILE *out, const char *file)
{
    const struct plb_stream_shape shape = {UNITS, NULL, true};
    char path[40];
    struct plb_record_store *store = plb_record_store_new(set.at, set.n, NULL);
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(out));
    assert_true(plb_record_store_stream(store, 0, &shape, path));
    plb_record_store_grow(store, 1, &shape, file, "head\n");
    return store;
}

/* Whatever a file of lines has of the run before: it begins anew when the run goes on. */
static void a_file_that_grows_begins_anew(void **state)
{
    char path[] = "/tmp/plbrun-test-XXXXXX", text[40] = "";
    FILE *journal = tmpfile();
    struct fixture f;
    struct plb_rangeset known = {0};
    const char *failed;
    (void)state;
    begin(&f, true);
    plb_record_store_free(f.store);
    close(mkstemp(path));
    f.store = make_growing(f.out, path);
    assert_true(plb_record_store_adopt(f.store, fileno(journal), 1, NULL));
    arrive(&f, 1, all, (struct plb_range){0, 2}, "ab");
    arrive(&f, 1, high, high, "def");
    assert_int_equal(plb_record_store_end(f.store, false, &failed), 0);
    plb_record_store_free(f.store);
    FILE *sorted = fopen(path, "we"); /* as a run does that is stopped */
    fputs("head\nABDEF", sorted);
    fclose(sorted);
    plb_rangeset_add(&known, (struct plb_range){0, 2});
    plb_rangeset_add(&known, high);
    f.store = make_growing(f.out, path);
    assert_true(plb_record_store_adopt(f.store, fileno(journal), 1, &known));
    arrive(&f, 1, (struct plb_range){2, 1}, (struct plb_range){2, 1}, "c");
    expect(&f, true, "abcdef");
    FILE *grown = fopen(path, "re");
    assert_true(fread(text, 1, sizeof text - 1, grown) > 0);
    fclose(grown);
    unlink(path);
    assert_string_equal(text, "head\nABCDEF");
    plb_rangeset_fini(&known);
    fclose(journal);
    end(&f);
}

/* The file of a journal was cut before the end of what was written. Records that are made again are written
 * again: at once, and after the next break not once more. */
static void what_a_cut_has_lost_is_written_again(void **state)
{
    struct fixture f;
    const char *path;
    FILE *journal = tmpfile();
    (void)state;
    assert_non_null(journal);
    begin(&f, false);
    assert_true(plb_record_store_adopt(f.store, fileno(journal), 1, NULL));
    arrive(&f, 1, one, one, "b");
    int64_t end_of_b = plb_record_store_bytes(f.store);
    arrive(&f, 1, high, high, "def");
    assert_int_equal(plb_record_store_end(f.store, false, &path), 0);
    plb_record_store_free(f.store);
    assert_int_equal(ftruncate(fileno(journal), end_of_b + 1), 0);
    for (int again = 0; again < 2; again++) {
        struct plb_rangeset known = {0};
        plb_rangeset_add(&known, one);
        plb_rangeset_add(&known, high);
        f.store = make_store(f.out, false);
        assert_true(plb_record_store_adopt(f.store, fileno(journal), 1, &known));
        assert_int_equal(known.units, again ? 4 : 1);
        assert_true(plb_record_store_go_on(f.store));
        if (!again)
            arrive(&f, 1, high, high, "def");
        expect(&f, true, "bBdDeEfFdDeEfF");
        plb_rangeset_fini(&known);
    }
    fclose(journal);
    end(&f);
}

/* A damaged count of what was written would leave lines out. */
static void a_damaged_mark_is_refused(void **state)
{
    int64_t far = 1 << 20;
    (void)state;
    for (int in_order = 0; in_order < 2; in_order++) {
        struct fixture f;
        struct plb_rangeset known = {0};
        const char *path;
        FILE *journal = tmpfile();
        assert_non_null(journal);
        begin(&f, in_order);
        assert_true(plb_record_store_adopt(f.store, fileno(journal), 1, NULL));
        arrive(&f, 1, all, all, "abcdef");
        assert_int_equal(plb_record_store_end(f.store, false, &path), 0);
        plb_record_store_free(f.store);
        assert_int_equal(pwrite(fileno(journal), &far, sizeof far, PLB_STREAM_MARK), sizeof far);
        f.store = make_store(f.out, in_order);
        assert_false(plb_record_store_adopt(f.store, fileno(journal), 1, &known));
        plb_record_store_free(f.store);
        fclose(journal);
        end(&f);
    }
}

static void a_reader_that_has_gone_is_told(void **state)
{
    struct fixture f;
    int ends[2];
    char right[40];
    const char *path;
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    f.out = fdopen(ends[1], "w");
    f.records = plb_records_new(&set);
    f.store = make_store(f.out, false);
    close(ends[0]);
    snprintf(right, sizeof right, "/dev/fd/%d", ends[1]);
    arrive(&f, 1, all, all, "abc");
    assert_int_equal(plb_record_store_end(f.store, true, &path), EPIPE);
    assert_string_equal(path, right);
    assert_int_equal(plb_record_store_failure(f.store, &path), EPIPE);
    plb_record_store_free(f.store);
    end(&f);
}

/* One unit with a record of one byte, which is in the journal before the run begins. */
static void nothing_is_written_before_a_journal_is_cut(void **state)
{
    (void)state;
    static const struct {
        int64_t length;
        char byte;
    } record = {1, 'a'};
    const struct plb_stream_shape shape = {1, NULL, true};
    struct plb_forgotten list = {.records = INT64_MAX, .mark = -1};
    for (int cuts = 0; cuts < 2; cuts++) {
        FILE *journal = tmpfile(), *out = tmpfile();
        char path[40];
        assert_true(journal != NULL && out != NULL);
        assert_int_equal(pwrite(fileno(journal), &record, 9, 64), 9);
        snprintf(path, sizeof path, "/dev/fd/%d", fileno(out));
        struct plb_record_stream *stream = plb_record_stream_new(&shape, 1);
        assert_true(plb_record_stream_add(stream, 0, path));
        assert_true(plb_record_stream_begin(stream, fileno(journal), true));
        list.mark = -1;
        plb_record_stream_forget(stream, &list, 1);
        assert_int_equal(list.mark, 0);
        plb_record_stream_give(stream, &(struct plb_streamed){{0, 1}, {0, 1}, 64, 73, false});
        if (cuts > 0)
            assert_true(plb_record_stream_cut(stream, 73));
        plb_record_stream_end(stream, true);
        assert_int_equal(lseek(fileno(out), 0, SEEK_END), cuts);
        plb_record_stream_free(stream);
        fclose(out);
        fclose(journal);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_written_as_they_arrive),
        cmocka_unit_test(in_order_each_waits_for_all_before_it),
        cmocka_unit_test(a_run_that_goes_on_writes_the_rest),
        cmocka_unit_test(a_result_before_the_mark_was_printed),
        cmocka_unit_test(units_may_have_another_order),
        cmocka_unit_test(a_file_that_grows_begins_anew),
        cmocka_unit_test(what_a_cut_has_lost_is_written_again),
        cmocka_unit_test(a_damaged_mark_is_refused),
        cmocka_unit_test(a_reader_that_has_gone_is_told),
        cmocka_unit_test(nothing_is_written_before_a_journal_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
