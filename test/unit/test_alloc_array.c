/* plb_app_alloc_array: what it gives, and how it ends a program that asks for more than there can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "job/application.h"

static void gives_zeroed_elements(void **state)
{
    (void)state;
    struct plb_app app = {0};
    unsigned char *array = plb_app_alloc_array(&app, 1000, 24);
    assert_int_equal((uintptr_t)array % 64, 0);
    for (int i = 0; i < 24000; i++)
        assert_int_equal(array[i], 0);
    assert_non_null(plb_app_alloc_array(&app, 0, 8));
    plb_app_fini(&app);
}

/* Asks for an array in a process of its own. Returns its exit status, and what it said. */
static int ask(int64_t n, size_t size, char said[400])
{
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct plb_app app = {0};
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        plb_app_alloc_array(&app, n, size);
        _exit(0);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], said, 399);
    said[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The products are 2^64 + 8, 2^63 and -8: cut to 64 bits, the first is a heap overrun. */
static void refuses_what_no_memory_has(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        size_t size;
    } cases[] = {{((int64_t)1 << 61) + 1, 8}, {(int64_t)1 << 60, 8}, {-1, 8}, {INT64_MAX, SIZE_MAX}};
    for (int i = 0; i < 4; i++) {
        char said[400];
        assert_int_equal(ask(cases[i].n, cases[i].size, said), PLB_EFAILED);
        assert_non_null(strstr(said, "plbrun: out of memory: "));
        assert_non_null(strstr(said, "use a smaller input"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_zeroed_elements),
        cmocka_unit_test(refuses_what_no_memory_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
