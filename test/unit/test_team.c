/* The communication thread lets the team of OpenMP go that the kernel's setup has left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <omp.h>

#include "base/clock.h"
#include "host/thread.h"
#include "skip.h"

/* Threads of this process. */
static int threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int n = 0;
    assert_non_null(folder);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(folder);
    return n;
}

/* The system forgets a thread a moment after it was joined. */
static void await(int n)
{
    double until = plb_now() + 5.0;
    while (threads() != n && plb_now() < until)
        plb_sleep_until(plb_now() + 1e-3);
    assert_int_equal(threads(), n);
}

static int work_in_parallel(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 1 + omp_get_thread_num();
    return sum;
}

static void the_team_ends(void **state)
{
    (void)state;
#ifdef __clang__
    skip_since("the OpenMP of clang keeps its threads");
#endif
#ifdef __SANITIZE_THREAD__ /* it has a thread of its own, and does not see how those of libgomp wait */
    skip_since("the thread sanitizer has threads of its own");
#endif
    int before = threads();
    assert_int_equal(work_in_parallel(), 6);
    await(before + 2);
    plb_thread_ends_team();
    await(before);
    plb_thread_ends_team(); /* there is none */
    assert_int_equal(work_in_parallel(), 6);
    await(before + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_team_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
