/* A connection between two ranks: data by tags, frames, what comes before it is awaited, and the end of the
 * other side. Both sides are links of this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "every_rank/rank.h"
#include "run/start.h"
#include "transport/link.h"

#define LARGE 3000000 /* bytes; more than a socket takes at once */

static struct plb_link *a, *b;
static int raw; /* the socket of b, where b is none */

static int set_up(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    a = plb_link_new(ends[0]);
    b = plb_link_new(ends[1]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    plb_link_free(a);
    plb_link_free(b);
    return 0;
}

static void move(void)
{
    for (int quiet = 0; quiet < 3; quiet++)
        if (plb_link_progress(a) | plb_link_progress(b))
            quiet = 0;
}

static char *filled(size_t bytes, int seed)
{
    char *data = plb_alloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (char)(seed + (int)(i % 251));
    return data;
}

/* Sends a large and a small item under two tags; the receiver awaits them in the other order, before, while
 * or after they arrive. */
static void exchange(bool before, int steps)
{
    int sends = 0, gets = 0;
    char *large = filled(LARGE, 1), *got = plb_alloc(LARGE), small[3] = "";
    if (before)
        plb_link_get(b, 7, small, sizeof small, &gets);
    plb_link_put(a, 5, large, LARGE, &sends);
    plb_link_put(a, 7, "xy", 3, &sends);
    assert_int_equal(sends, 2);
    for (int i = 0; i < steps; i++) {
        plb_link_progress(a);
        plb_link_progress(b);
    }
    if (!before)
        plb_link_get(b, 7, small, sizeof small, &gets);
    plb_link_get(b, 5, got, LARGE, &gets);
    move();
    assert_int_equal(sends, 0);
    assert_int_equal(gets, 0);
    assert_string_equal(small, "xy");
    assert_memory_equal(got, large, LARGE);
    assert_false(plb_link_busy(a) || plb_link_busy(b) || plb_link_sends(a));
    free(large);
    free(got);
}

static void data_goes_to_its_tag(void **state)
{
    (void)state;
    exchange(true, 0);
    exchange(true, 1);
    exchange(false, 0);
    exchange(false, 1); /* a part of the large item has arrived when it is awaited */
    exchange(false, 100000);
}

static void data_of_one_tag_keeps_its_order(void **state)
{
    char got[2] = "";
    int pending = 0;
    (void)state;
    plb_link_put(a, 0, "1", 1, NULL);
    plb_link_put(a, 0, "2", 1, NULL);
    move();
    plb_link_get(b, 0, got, 1, &pending);
    plb_link_get(b, 0, got + 1, 1, &pending);
    assert_int_equal(pending, 0);
    assert_memory_equal(got, "12", 2);
}

static void frames_come_whole_and_in_order(void **state)
{
    char got[8] = "";
    (void)state;
    assert_int_equal(plb_link_frame(b, got, sizeof got), 0);
    plb_link_put_frame(a, strdup("one"), 4);
    plb_link_put_frame(a, strdup("three"), 6);
    move();
    assert_int_equal(plb_link_frame(b, got, sizeof got), 4);
    assert_string_equal(got, "one");
    assert_int_equal(plb_link_frame(b, got, sizeof got), 6);
    assert_string_equal(got, "three");
    assert_int_equal(plb_link_frame(b, got, sizeof got), 0);
}

static void what_comes_is_counted(void **state)
{
    int pending = 0;
    char *large = filled(LARGE, 1), *got = plb_alloc(LARGE);
    (void)state;
    plb_link_get(b, 1, got, LARGE, &pending);
    assert_int_equal(plb_link_coming(b).bytes, LARGE);
    plb_link_put(a, 1, large, LARGE, &pending);
    plb_link_progress(a);
    plb_link_progress(b);
    assert_true(plb_link_coming(b).arrived > 0);
    assert_int_equal(plb_link_coming(b).bytes, LARGE);
    move();
    assert_int_equal(plb_link_coming(b).bytes, 0);
    free(large);
    free(got);
}

/* Counters are lowered, and nothing more is done. */
static void the_end_of_the_other_side_is_seen(void **state)
{
    int pending = 0;
    char *large = filled(LARGE, 1), *got = plb_alloc(LARGE);
    (void)state;
    plb_link_put(a, 1, large, LARGE, &pending);
    plb_link_get(b, 1, got, LARGE, &pending);
    plb_link_progress(a);
    plb_link_progress(b); /* a part has come */
    plb_link_close(a);
    assert_int_equal(pending, 1);
    assert_false(plb_link_broken(b));
    plb_link_progress(b);
    assert_true(plb_link_broken(b));
    assert_false(plb_link_busy(b));
    plb_link_close(b);
    assert_int_equal(pending, 0);
    plb_link_put(b, 1, large, LARGE, &pending);
    plb_link_get(b, 1, got, LARGE, &pending);
    assert_int_equal(pending, 0);
    free(large);
    free(got);
}

/* Bytes that are no item, and an item of another size than is awaited. */
/* All of it came, and then the other side ended, before anybody asked for the data. It is the data; else a
 * result would be memory that nobody has written. Data that did not come is on its way until the end. */
static void what_came_before_the_end_is_there(void **state)
{
    int sent = 0, whole = 0, never = 0;
    char data[] = "whole", got[sizeof data] = "", other[sizeof data] = "";
    (void)state;
    plb_link_put(a, 1, data, sizeof data, &sent);
    plb_link_progress(a);
    plb_link_close(a);
    plb_link_progress(b);
    plb_link_progress(b);
    assert_true(plb_link_broken(b));
    plb_link_get(b, 1, got, sizeof got, &whole);
    assert_int_equal(whole, 0);
    assert_string_equal(got, data);
    plb_link_get(b, 2, other, sizeof other, &never);
    assert_int_equal(never, 1);
    plb_link_close(b);
    assert_int_equal(never, 0);
}

static void what_makes_no_sense_ends_the_connection(void **state)
{
    int pending = 0, ends[2];
    char got[8], noise[64];
    (void)state;
    plb_link_get(b, 1, got, sizeof got, &pending);
    plb_link_put(a, 1, "four", 4, NULL);
    move();
    assert_true(plb_link_broken(b));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct plb_link *other = plb_link_new(ends[0]);
    raw = ends[1];
    memset(noise, 'n', sizeof noise);
    assert_int_equal(write(raw, noise, sizeof noise), sizeof noise);
    plb_link_progress(other);
    assert_true(plb_link_broken(other));
    plb_link_free(other);
    close(raw);
    plb_link_close(b);
    assert_int_equal(pending, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Rank 0 ends right after it has let a rank in. */
static void a_rank_that_is_cut_off_early_blames_no_version(void **state)
{
    (void)state;
    int ends[2];
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    close(ends[1]);
    struct plb_mpi *mpi = plb_mpi_join(ends[0], 1, 2);
    struct plb_rank *rank = plb_alloc(sizeof *rank);
    rank->mpi = mpi;
    rank->err = &err;
    assert_int_equal(plb_cluster_start(rank), PLB_EFAILED);
    assert_string_equal(err.text, "the run ended before this rank had joined");
    free(rank);
    plb_mpi_close(mpi, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(data_goes_to_its_tag),
        TEST(data_of_one_tag_keeps_its_order),
        TEST(frames_come_whole_and_in_order),
        TEST(what_comes_is_counted),
        TEST(the_end_of_the_other_side_is_seen),
        TEST(what_came_before_the_end_is_there),
        TEST(what_makes_no_sense_ends_the_connection),
        cmocka_unit_test(a_rank_that_is_cut_off_early_blames_no_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
