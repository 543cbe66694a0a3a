/* Which whole buffers of a rank are page-locked, and until when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/memory.h"
#include "node/pinned.h"
#include "stub_device.h"

#define PAGES 8192 /* bytes of a buffer */
#define LOCKS 8

static struct {
    const void *memory[LOCKS];
    int n, tries;
    bool refuse;
} locked;

static const char *pin(const struct plb_device *d, void *memory, size_t bytes)
{
    (void)d;
    (void)bytes;
    locked.tries++;
    if (locked.refuse)
        return "no";
    assert_true(locked.n < LOCKS);
    locked.memory[locked.n++] = memory;
    return NULL;
}

static void unpin(void *memory)
{
    int i = 0;
    while (i < locked.n && locked.memory[i] != memory)
        i++;
    assert_true(i < locked.n);
    locked.memory[i] = locked.memory[--locked.n];
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
    struct plb_pinned pinned;
};

static void start(struct fixture *f, bool owner, const struct plb_kernel *kernel)
{
    *f = (struct fixture){.set = {.n = 2, .owner = owner, .units = PAGES}};
    f->set.at[0] = (struct plb_data){.mode = PLB_REPLICATE, .bytes = PAGES};
    f->set.at[1] = (struct plb_data){.mode = PLB_PARTITION, .unit_bytes = 1};
    f->set.host[0] = plb_alloc(PAGES);
    f->set.host[1] = owner ? plb_alloc(PAGES) : NULL;
    f->shared.config = (struct plb_node_config){.data = &f->set, .kernel = kernel};
    f->runner = (struct plb_runner){.shared = &f->shared, .pu.driver = &driver, .opened = true};
    f->runner.executor.ops = &driver.ops;
    f->runner.executor.copies.locks = &f->shared.locks;
    locked.n = locked.tries = 0;
    locked.refuse = false;
    plb_pinned_add(&f->pinned, &f->runner);
}

static void stop(struct fixture *f)
{
    plb_pinned_remove(&f->pinned, &f->shared.locks);
    assert_true(locked.n == 0 && f->shared.locks.bytes == 0);
    free(f->set.host[0]);
    free(f->set.host[1]);
}

static void buffers_that_are_copied_again_are_locked(void **state)
{
    (void)state;
    static const struct {
        bool owner;
        const struct plb_kernel *kernel;
        int locks;
    } cases[] = {{true, &passes, 2}, {true, &once, 1}, {false, &passes, 1}, {false, &once, 0}};
    for (int i = 0; i < 4; i++) {
        struct fixture f;
        start(&f, cases[i].owner, cases[i].kernel);
        assert_int_equal(locked.n, cases[i].locks);
        assert_int_equal(f.shared.locks.bytes, cases[i].locks * PAGES);
        plb_pinned_add(&f.pinned, &f.runner); /* each pass looks */
        assert_int_equal(locked.tries, cases[i].locks);
        stop(&f);
    }
}

/* Tasks of an earlier pass still read the old memory. */
static void a_replaced_buffer_is_locked_where_it_is_now(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, false, &passes);
    void *old = f.set.host[0];
    f.set.host[0] = plb_alloc(PAGES);
    plb_pinned_add(&f.pinned, &f.runner);
    assert_int_equal(locked.n, 2);
    plb_pinned_forget(&f.pinned, &f.shared.locks, old);
    assert_true(locked.n == 1 && locked.memory[0] == f.set.host[0]);
    free(old);
    stop(&f);
}

static void a_lock_that_fails_is_not_tried_again(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, false, &once);
    f.shared.config.kernel = &passes;
    locked.refuse = true;
    plb_pinned_add(&f.pinned, &f.runner);
    plb_pinned_add(&f.pinned, &f.runner);
    assert_int_equal(locked.tries, 1);
    plb_pinned_forget(&f.pinned, &f.shared.locks, f.set.host[0]);
    stop(&f);
}

static void a_pu_that_is_not_open_locks_nothing(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, true, &once);
    stop(&f);
    f.pinned = (struct plb_pinned){.n = 0};
    f.runner.err.status = PLB_EFAILED;
    locked.tries = 0;
    plb_pinned_add(&f.pinned, &f.runner);
    assert_int_equal(locked.tries, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_that_are_copied_again_are_locked),
        cmocka_unit_test(a_replaced_buffer_is_locked_where_it_is_now),
        cmocka_unit_test(a_lock_that_fails_is_not_tried_again),
        cmocka_unit_test(a_pu_that_is_not_open_locks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
