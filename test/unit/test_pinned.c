/* Which whole buffers of a rank may be page-locked, in which parts, and until when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/memory.h"
#include "node/pinned.h"
#include "stub_device.h"

#define CHUNK ((size_t)16 << 20)
#define PAGES (3 * CHUNK / 2) /* bytes of a buffer */
#define LOCKS 8

static struct {
    const void *memory[LOCKS];
    size_t bytes[LOCKS];
    int n, tries;
    bool refuse;
} locked;

static const char *pin(const struct plb_device *d, void *memory, size_t bytes)
{
    (void)d;
    locked.tries++;
    if (locked.refuse)
        return "no";
    assert_true(locked.n < LOCKS);
    locked.bytes[locked.n] = bytes;
    locked.memory[locked.n++] = memory;
    return NULL;
}

static void unpin(void *memory)
{
    int i = 0;
    while (i < locked.n && locked.memory[i] != memory)
        i++;
    assert_true(i < locked.n);
    locked.n--;
    locked.memory[i] = locked.memory[locked.n];
    locked.bytes[i] = locked.bytes[locked.n];
}

static int again(struct plb_app *app, int64_t pass, bool *more)
{
    (void)app;
    (void)pass;
    *more = false;
    return PLB_OK;
}

static const struct plb_device_driver driver = {
    .name = "pins", .entry = stub_entry, .ops = {STUB_OPS, .pin = pin, .unpin = unpin}};
static const struct plb_kernel once = {.name = "once", PLB_KERNEL_HEAD, .unit = "units"};
static const struct plb_kernel passes = {.name = "passes", PLB_KERNEL_HEAD, .unit = "units", .next = again};

/* A rank with a replicated buffer, and with inputs where it is rank 0. */
struct fixture {
    struct plb_dataset set;
    struct plb_node_shared shared;
    struct plb_runner runner;
};

static void start(struct fixture *f, bool on_rank0, const struct plb_kernel *kernel)
{
    *f = (struct fixture){.set = {.n = 2, .on_rank0 = on_rank0, .units = (int64_t)PAGES}};
    f->set.at[0] = (struct plb_data){.mode = PLB_REPLICATE, .bytes = PAGES};
    f->set.at[1] = (struct plb_data){.mode = PLB_PARTITION, .unit_bytes = 1};
    f->set.host[0] = plb_alloc(PAGES);
    f->set.host[1] = on_rank0 ? plb_alloc(PAGES) : NULL;
    f->shared.config = (struct plb_node_config){.data = &f->set, .kernel = kernel};
    f->runner = (struct plb_runner){.shared = &f->shared, .pu.driver = &driver, .opened = true};
    locked.n = locked.tries = 0;
    locked.refuse = false;
    plb_pinned_offer(&f->runner);
}

static void need(struct fixture *f, int i, size_t first, size_t bytes)
{
    if (f->set.host[i] != NULL)
        plb_page_lock_offered(&f->shared.locks, &driver.ops, NULL, (char *)f->set.host[i] + first, bytes);
}

static void stop(struct fixture *f)
{
    plb_page_take_back(&f->shared.locks, NULL);
    assert_true(locked.n == 0 && f->shared.locks.bytes == 0 && f->shared.locks.n_parts == 0);
    plb_page_unlock_parts(&f->shared.locks);
    free(f->set.host[0]);
    free(f->set.host[1]);
}

static void buffers_that_are_copied_again_are_locked(void **state)
{
    (void)state;
    static const struct {
        bool on_rank0;
        const struct plb_kernel *kernel;
        int locks;
    } cases[] = {{true, &passes, 2}, {true, &once, 1}, {false, &passes, 1}, {false, &once, 0}};
    for (int i = 0; i < 4; i++) {
        struct fixture f;
        start(&f, cases[i].on_rank0, cases[i].kernel);
        assert_int_equal(locked.tries, 0); /* nothing before a task needs it */
        need(&f, 0, 5, 1);
        need(&f, 1, 5, 1);
        assert_int_equal(locked.n, cases[i].locks);
        assert_int_equal(f.shared.locks.bytes, (size_t)cases[i].locks * CHUNK);
        plb_pinned_offer(&f.runner); /* each pass looks */
        need(&f, 0, 0, CHUNK);
        need(&f, 1, CHUNK - 1, 1);
        assert_int_equal(locked.tries, cases[i].locks);
        stop(&f);
    }
}

/* The end of the buffer is no whole chunk. A copy stays within one part. */
static void parts_are_locked_as_they_are_needed(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, true, &once);
    char *all = f.set.host[1];
    need(&f, 1, CHUNK + 7, 10);
    assert_true(locked.n == 1 && locked.memory[0] == all + CHUNK && locked.bytes[0] == CHUNK / 2);
    assert_int_equal(plb_page_piece(&f.shared.locks, all + CHUNK - 4, 10), 4);
    need(&f, 1, CHUNK - 3, 10);
    assert_true(locked.n == 2 && locked.memory[1] == all && locked.bytes[1] == CHUNK);
    need(&f, 1, 0, PAGES);
    assert_int_equal(locked.tries, 2);
    need(&f, 1, 0, 0);
    plb_page_lock_offered(NULL, &driver.ops, NULL, all, 1);
    stop(&f);
}

/* Tasks of an earlier pass still read the old memory. */
static void a_replaced_buffer_is_locked_where_it_is_now(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, false, &passes);
    void *old = f.set.host[0];
    need(&f, 0, 0, PAGES);
    f.set.host[0] = plb_alloc(PAGES);
    plb_pinned_offer(&f.runner);
    need(&f, 0, 0, PAGES);
    assert_int_equal(locked.n, 2);
    plb_page_take_back(&f.shared.locks, old);
    assert_true(locked.n == 1 && locked.memory[0] == f.set.host[0]);
    plb_page_lock_offered(&f.shared.locks, &driver.ops, NULL, old, PAGES);
    assert_int_equal(locked.tries, 2);
    free(old);
    stop(&f);
}

static void a_lock_that_fails_is_not_tried_again(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, false, &passes);
    locked.refuse = true;
    need(&f, 0, 0, PAGES);
    need(&f, 0, 0, PAGES);
    assert_int_equal(locked.tries, 1);
    stop(&f);
}

static void a_pu_that_is_not_open_locks_nothing(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, true, &once);
    plb_page_take_back(&f.shared.locks, NULL);
    f.runner.err.status = PLB_EFAILED;
    plb_pinned_offer(&f.runner);
    need(&f, 1, 0, PAGES);
    assert_int_equal(locked.tries, 0);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_that_are_copied_again_are_locked),
        cmocka_unit_test(parts_are_locked_as_they_are_needed),
        cmocka_unit_test(a_replaced_buffer_is_locked_where_it_is_now),
        cmocka_unit_test(a_lock_that_fails_is_not_tried_again),
        cmocka_unit_test(a_pu_that_is_not_open_locks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
