/* How far a stream of records came, as a file remembers it while the stream is written to a pipe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/stream/record_stream.h"

enum { UNITS = 3, BYTES = 100000, AT = 64 };

static char bytes[UNITS * sizeof(int64_t) + UNITS * BYTES];

/* A stream of the file's one result, which goes to the pipe. */
static struct plb_record_stream *begin(FILE *journal, const int ends[2], bool in_order,
                                       struct plb_streamed *result)
{
    const struct plb_stream_shape shape = {UNITS, NULL, in_order};
    struct plb_record_stream *stream = plb_record_stream_new(&shape, 1);
    char path[40];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    assert_true(plb_record_stream_add(stream, 0, path));
    assert_true(plb_record_stream_begin(stream, fileno(journal), true));
    result->written = plb_record_stream_written(stream, result);
    return stream;
}

static void take(int pipe, size_t n)
{
    static char to[BYTES];
    for (ssize_t got = 0; n > 0; n -= (size_t)got)
        assert_true((got = read(pipe, to, n < sizeof to ? n : sizeof to)) > 0);
}

/* Waits for a mark that is at least `least`. */
static int64_t mark_of(FILE *journal, int64_t least)
{
    int64_t mark = 0;
    uint32_t forgotten;
    while (plb_stream_mark_read(fileno(journal), &mark, &forgotten) && mark < least)
        usleep(1000);
    return mark;
}

/* A unit has more bytes than the pipe. While the second one is written, the first one is not printed again if
 * the run is killed: it was read long ago. At the end all are remembered. */
static void the_mark_moves_while_units_are_written(void **state)
{
    const int64_t lengths[UNITS] = {BYTES, BYTES, BYTES};
    (void)state;
    memcpy(bytes, lengths, sizeof lengths);
    for (int in_order = 0; in_order < 2; in_order++) {
        struct plb_streamed result = {{0, UNITS}, {0, UNITS}, AT, AT + (int64_t)sizeof bytes, 0};
        const int64_t first = in_order ? 1 : AT + 1, last = in_order ? UNITS : result.end;
        FILE *journal = tmpfile();
        int ends[2];
        assert_true(journal != NULL && pipe(ends) == 0);
        assert_int_equal(pwrite(fileno(journal), bytes, sizeof bytes, AT), sizeof bytes);
        struct plb_record_stream *stream = begin(journal, ends, in_order, &result);
        plb_record_stream_give(stream, &result);
        take(ends[0], BYTES);
        assert_int_equal(mark_of(journal, 0), 0); /* who read it may not have passed it on */
        usleep((useconds_t)(2e6 * PLB_STREAM_LAG));
        take(ends[0], BYTES);
        assert_int_equal(mark_of(journal, first), first);
        take(ends[0], BYTES);
        plb_record_stream_end(stream, false);
        plb_record_stream_free(stream);
        assert_int_equal(mark_of(journal, 0), last);
        plb_record_stream_free(begin(journal, ends, in_order, &result));
        assert_int_equal(result.written, in_order ? 0 : UNITS);
        close(ends[0]);
        close(ends[1]);
        fclose(journal);
    }
}

/* The marks alone: one that is old enough waits until what it counts was read; then the newest follows. */
static void a_mark_waits_for_its_reader(void **state)
{
    FILE *file = tmpfile();
    struct plb_stream_marks marks = {.file = fileno(file), .lags = true};
    (void)state;
    assert_true(plb_stream_marks_move(&marks, 1, 0, &(struct plb_stream_place){0.0, 100, 0}));
    assert_true(plb_stream_marks_move(&marks, 2, 0, &(struct plb_stream_place){0.5, 200, 150}));
    assert_int_equal(mark_of(file, 0), 0);
    assert_true(plb_stream_marks_look(&marks, &(struct plb_stream_place){9.0, 200, 99}));
    assert_int_equal(mark_of(file, 0), 0);
    assert_true(plb_stream_marks_look(&marks, &(struct plb_stream_place){9.0, 200, 100}));
    assert_int_equal(mark_of(file, 0), 1);
    assert_true(plb_stream_marks_move(&marks, 3, 0, &(struct plb_stream_place){9.5, 300, 150}));
    assert_int_equal(mark_of(file, 0), 1);
    assert_true(plb_stream_marks_look(&marks, &(struct plb_stream_place){9.5, 300, 200}));
    assert_int_equal(mark_of(file, 0), 2);
    assert_true(plb_stream_marks_end(&marks));
    assert_int_equal(mark_of(file, 0), 3);
    marks.lags = false;
    assert_true(plb_stream_marks_move(&marks, 4, 0, &(struct plb_stream_place){9.6, 400, 0}));
    assert_int_equal(mark_of(file, 0), 4);
    fclose(file);
}

/* Results whose last units do not count, or that have no records. */
static void a_mark_counts_units_within_a_result(void **state)
{
    const struct plb_streamed r = {{12, 3}, {10, 7}, 100, 200, 0}, none = {{0, 2}, {0, 2}, -1, 0, 0};
    (void)state;
    assert_int_equal(plb_stream_mark_before(&r, 12), 102);
    assert_int_equal(plb_stream_mark_before(&r, 15), 105);
    assert_int_equal(plb_stream_mark_before(&r, 17), 200);
    assert_int_equal(plb_stream_mark_units(&r, 0), 0);
    assert_int_equal(plb_stream_mark_units(&r, 100), 0);
    assert_int_equal(plb_stream_mark_units(&r, 105), 5);
    assert_int_equal(plb_stream_mark_units(&r, 200), 7);
    assert_int_equal(plb_stream_mark_units(&r, 1000), 7);
    assert_int_equal(plb_stream_mark_before(&none, 1), 0);
    assert_int_equal(plb_stream_mark_units(&none, 1000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mark_moves_while_units_are_written),
        cmocka_unit_test(a_mark_waits_for_its_reader),
        cmocka_unit_test(a_mark_counts_units_within_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
