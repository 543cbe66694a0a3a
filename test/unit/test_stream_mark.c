/* How far a stream of records came, while it writes: a run that is killed then does not write all again. */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/record_stream.h"

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

/* Reads the first unit alone from the pipe, whose room is less than a unit's bytes. */
static void the_mark_moves_while_units_are_written(void **state)
{
    const int64_t lengths[UNITS] = {BYTES, BYTES, BYTES};
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    for (int in_order = 0; in_order < 2; in_order++) {
        struct plb_streamed result = {{0, UNITS}, {0, UNITS}, AT, AT + (int64_t)sizeof bytes, 0};
        const int64_t first = in_order ? 1 : AT + 1;
        FILE *journal = tmpfile();
        int ends[2];
        int64_t mark = 0;
        uint32_t forgotten;
        memcpy(bytes, lengths, sizeof lengths);
        assert_true(journal != NULL && pipe(ends) == 0);
        assert_int_equal(pwrite(fileno(journal), bytes, sizeof bytes, AT), sizeof bytes);
        struct plb_record_stream *stream = begin(journal, ends, in_order, &result);
        plb_record_stream_give(stream, &result);
        for (ssize_t n = 0, got = 0; n < BYTES; n += got)
            assert_true((got = read(ends[0], bytes, (size_t)(BYTES - n))) > 0);
        while (mark < first && plb_stream_mark_read(fileno(journal), &mark, &forgotten))
            sched_yield();
        assert_int_equal(mark, first);
        close(ends[0]);
        plb_record_stream_free(stream);
        stream = begin(journal, ends, in_order, &result);
        assert_int_equal(result.written, in_order ? 0 : 1);
        plb_record_stream_free(stream);
        close(ends[1]);
        fclose(journal);
    }
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
        cmocka_unit_test(a_mark_counts_units_within_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
