/* Page-locked parts of reserved memory: each page is locked once, copies stay within a part, and what is
 * dropped is unlocked before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/memory.h"
#include "node/memory/page_locks.h"

enum { PAGE = 4096, PAGES = 16, ALL = PAGE * PAGES };

static struct {
    char *memory;        /* reserved */
    size_t begin[PAGES]; /* by page: bytes of the lock that begins there */
    int locks[PAGES];    /* how often each page is locked */
    bool refuse;
    int tries;
} world;

static const char *pin(const struct plb_device *d, void *memory, size_t bytes)
{
    (void)d;
    const size_t at = (size_t)((char *)memory - world.memory);
    assert_true(at % PAGE == 0 && bytes % PAGE == 0 && at + bytes <= ALL);
    world.tries++;
    if (world.refuse)
        return "no";
    world.begin[at / PAGE] = bytes;
    for (size_t p = at / PAGE; p < (at + bytes) / PAGE; p++)
        assert_int_equal(world.locks[p]++, 0);
    return NULL;
}

static void unpin(void *memory)
{
    const size_t at = (size_t)((char *)memory - world.memory) / PAGE;
    assert_true(world.begin[at] > 0);
    for (size_t p = at; p < at + world.begin[at] / PAGE; p++)
        assert_int_equal(world.locks[p]--, 1);
    world.begin[at] = 0;
}

static const struct plb_device_ops ops = {.pin = pin, .unpin = unpin};

static int locked(void)
{
    int n = 0;
    for (int p = 0; p < PAGES; p++)
        n += world.locks[p];
    return n;
}

static struct plb_page_locks begin(void)
{
    memset(&world, 0, sizeof world);
    world.memory = plb_reserve(ALL, false);
    return (struct plb_page_locks){.lock = PTHREAD_MUTEX_INITIALIZER};
}

static void end(struct plb_page_locks *l)
{
    plb_page_unlock_parts(l);
    assert_int_equal(locked(), 0);
    assert_int_equal(l->bytes, 0);
    plb_shared_free(world.memory, ALL);
}

static void lock(struct plb_page_locks *l, size_t from, size_t bytes)
{
    plb_page_lock_part(l, &ops, NULL, world.memory + from, bytes);
}

static size_t piece(struct plb_page_locks *l, size_t from, size_t bytes)
{
    return plb_page_piece(l, world.memory + from, bytes);
}

static void pages_are_locked_once(void **state)
{
    (void)state;
    struct plb_page_locks l = begin();
    lock(&l, PAGE + 100, PAGE); /* two pages */
    lock(&l, PAGE + 100, PAGE);
    assert_int_equal(locked(), 2);
    assert_int_equal(world.tries, 1);
    lock(&l, 6 * PAGE, 10);
    lock(&l, 0, 8 * PAGE); /* what lies before, between and behind */
    assert_int_equal(locked(), 8);
    assert_int_equal(world.tries, 5);
    lock(&l, 3, 0);
    assert_int_equal(world.tries, 5);
    assert_int_equal(l.bytes, 8 * PAGE);
    end(&l);
}

static void copies_stay_within_a_part(void **state)
{
    (void)state;
    struct plb_page_locks l = begin();
    assert_int_equal(piece(&l, 0, ALL), ALL);
    assert_int_equal(plb_page_piece(NULL, world.memory, 7), 7);
    lock(&l, 2 * PAGE, 2 * PAGE);
    lock(&l, 4 * PAGE, PAGE);
    assert_int_equal(piece(&l, 100, ALL - 100), 2 * PAGE - 100);
    assert_int_equal(piece(&l, 2 * PAGE, ALL - 2 * PAGE), 2 * PAGE);
    assert_int_equal(piece(&l, 3 * PAGE, 10), 10);
    assert_int_equal(piece(&l, 4 * PAGE + 1, PAGE), PAGE - 1);
    assert_int_equal(piece(&l, 5 * PAGE, PAGE), PAGE);
    end(&l);
}

static void what_is_dropped_is_unlocked(void **state)
{
    (void)state;
    struct plb_page_locks l = begin();
    memset(world.memory, 1, ALL);
    lock(&l, 0, 2 * PAGE);
    lock(&l, 2 * PAGE, PAGE);
    lock(&l, 4 * PAGE, PAGE);
    lock(&l, 6 * PAGE, 4 * PAGE);
    plb_page_drop(&l, world.memory + PAGE, 7 * PAGE, false); /* a part sticks out at either end, and stays */
    assert_int_equal(locked(), 6);
    assert_int_equal(world.memory[PAGE], 1);
    assert_int_equal(world.memory[2 * PAGE], 0);
    assert_int_equal(world.memory[5 * PAGE], 0);
    assert_int_equal(world.memory[6 * PAGE], 1);
    plb_page_drop(NULL, world.memory, ALL, false);
    end(&l);
}

static void a_refusal_is_the_last_try(void **state)
{
    (void)state;
    struct plb_page_locks l = begin();
    world.refuse = true;
    lock(&l, 0, PAGE);
    lock(&l, 4 * PAGE, PAGE);
    assert_int_equal(world.tries, 1);
    assert_int_equal(piece(&l, 0, ALL), ALL);
    end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_locked_once),
        cmocka_unit_test(copies_stay_within_a_part),
        cmocka_unit_test(what_is_dropped_is_unlocked),
        cmocka_unit_test(a_refusal_is_the_last_try),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
