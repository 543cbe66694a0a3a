/* The limits of control groups, read from folders that look like /proc and /sys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

#include <cmocka.h>

#include "base/memory_limit.h"
#include "folder.h"
#include "root.h"

/* Writes a file below the folder, and the folders on the way to it. */
static void write_below(const char *root, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    put(path, text, strlen(text));
}

static int64_t swap(void)
{
    struct sysinfo info;
    assert_int_equal(sysinfo(&info), 0);
    return (int64_t)info.totalswap * info.mem_unit;
}

static int64_t machine(void)
{
    struct sysinfo info;
    assert_int_equal(sysinfo(&info), 0);
    return (int64_t)info.totalram * info.mem_unit + swap();
}

static void is_the_machine_without_groups(void **state)
{
    assert_int_equal(plb_memory_limit(*state), machine());
    assert_true(plb_memory_limit("") <= machine());
    assert_true(plb_memory_limit("") > 0);
}

static void reads_version_2_up_to_the_root(void **state)
{
    write_below(*state, "/proc/self/cgroup", "0::/job/step\n");
    write_below(*state, "/sys/fs/cgroup/job/step/memory.max", "max\n");
    assert_int_equal(plb_memory_limit(*state), machine());
    write_below(*state, "/sys/fs/cgroup/job/memory.max", "300000000\n");
    assert_int_equal(plb_memory_limit(*state), 300000000 + swap());
    write_below(*state, "/sys/fs/cgroup/job/step/memory.max", "200000000\n");
    assert_int_equal(plb_memory_limit(*state), 200000000 + swap());
    write_below(*state, "/sys/fs/cgroup/memory.max", "100000000\n");
    assert_int_equal(plb_memory_limit(*state), 100000000 + swap());
}

/* The path is one of the host; in the container the group is the root. */
static void reads_version_1_in_a_container(void **state)
{
    write_below(*state, "/proc/self/cgroup",
                "9:name=systemd:/docker/1\n4:cpu,memory:/docker/1\n3:cpuset:/docker/1\n0::/\n");
    write_below(*state, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "200000000\n");
    write_below(*state, "/sys/fs/cgroup/cpuset/memory.limit_in_bytes", "1\n");
    assert_int_equal(plb_memory_limit(*state), 200000000 + swap());
}

static void passes_over_what_it_cannot_read(void **state)
{
    write_below(*state, "/proc/self/cgroup", "\nmemory\n4:memory\n0::\n");
    write_below(*state, "/sys/fs/cgroup/memory.max", "-5\n");
    assert_int_equal(plb_memory_limit(*state), machine());
}

static void knows_what_is_available(void **state)
{
    assert_true(plb_memory_available("") > 0);
    write_below(*state, "/proc/meminfo", "MemTotal: 2000 kB\nMemFree: 5 kB\nMemAvailable: 1000 kB\n");
    assert_int_equal(plb_memory_available(*state), 1024000);
    write_below(*state, "/proc/self/cgroup", "0::/\n");
    write_below(*state, "/sys/fs/cgroup/memory.max", "1\n");
    assert_int_equal(plb_memory_available(*state), swap() > 0 ? 1024000 : 0); /* more is in use */
}

static void knows_what_is_used(void **state)
{
    enum { BYTES = 50000000 };
    (void)state;
    int64_t before = plb_memory_used();
    char *memory = malloc(BYTES);
    assert_non_null(memory);
    memset(memory, 1, BYTES);
    assert_true(memory[BYTES / 2] == 1);
    assert_true(plb_memory_used() > before + BYTES / 2);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_ROOT(is_the_machine_without_groups),  TEST_IN_ROOT(reads_version_2_up_to_the_root),
        TEST_IN_ROOT(reads_version_1_in_a_container), TEST_IN_ROOT(passes_over_what_it_cannot_read),
        TEST_IN_ROOT(knows_what_is_available),        cmocka_unit_test(knows_what_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
