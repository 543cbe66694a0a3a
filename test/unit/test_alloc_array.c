/* plb_app_alloc_array: what it gives, and how it ends a program that asks for more than there can be. Which
 * memory is zeroed, and which asks for huge pages. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/application.h"
#include "base/mapped.h"
#include "base/memory.h"
#include "skip.h"

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

#define COLLAPSE 25              /* MADV_COLLAPSE, which older headers do not have */
#define LARGE ((size_t)64 << 20) /* bytes, in many pages */

/* Pages of the memory that are in use. Its first one may hold notes of malloc's. */
static size_t pages_in_use(const void *memory, size_t bytes)
{
    static unsigned char in_use[LARGE / 4096];
    size_t n = 0;
    assert_int_equal(mincore((void *)memory, bytes, in_use), 0);
    for (size_t i = 0; i < bytes / 4096; i++)
        n += in_use[i] & 1;
    return n;
}

static void large_arrays_are_zero_and_there(void **state)
{
    (void)state;
    struct plb_app app = {0};
    char *array = plb_app_alloc_array(&app, (int64_t)LARGE, 1);
    assert_int_equal((uintptr_t)array % 4096, 0);
    assert_int_equal(pages_in_use(array, LARGE), LARGE / 4096);
    for (size_t i = 0; i < LARGE; i += 512)
        assert_int_equal(array[i], 0);
    memset(array, 1, LARGE);
    plb_app_fini(&app);
    array = plb_app_alloc_array(&app, (int64_t)LARGE + 1, 1); /* perhaps where the other one was */
    assert_int_equal(array[0], 0);
    assert_int_equal(array[LARGE], 0);
    plb_app_fini(&app);
}

/* Who writes the memory touches its pages first. */
static void unset_memory_is_not_touched(void **state)
{
    (void)state;
    char *zeroed = plb_alloc(LARGE), *unset = plb_alloc_unset(LARGE);
    assert_int_equal((uintptr_t)unset % 4096, 0);
    assert_int_equal(pages_in_use(zeroed, LARGE), LARGE / 4096);
    assert_in_range(pages_in_use(unset, LARGE), 0, 1);
    memset(unset, 1, LARGE);
    assert_int_equal(pages_in_use(unset, LARGE), LARGE / 4096);
    free(unset);
    free(zeroed);
}

/* What /proc says in this field of the mapping that has the memory; "" where it says nothing. */
static const char *field_of(const void *memory, const char *field)
{
    static char line[400];
    bool here = false, found = false;
    FILE *file = fopen("/proc/self/smaps", "r");
    assert_non_null(file);
    while (!found && fgets(line, sizeof line, file) != NULL) {
        uintptr_t first, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2)
            here = (uintptr_t)memory >= first && (uintptr_t)memory < end;
        found = here && strncmp(line, field, strlen(field)) == 0;
    }
    fclose(file);
    return found ? line + strlen(field) : "";
}

/* Whether the system knows that the memory wants huge pages: "hg" among the flags of its mapping. */
static bool wants_huge_pages(const void *memory)
{
    return strstr(field_of(memory, "VmFlags:"), " hg") != NULL;
}

static void large_arrays_ask_for_huge_pages(void **state)
{
    (void)state;
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0)
        skip_since("the system has no huge pages");
    char *unset = plb_alloc_unset(LARGE), *pages = plb_pages_alloc(LARGE);
    assert_false(wants_huge_pages(unset));
    assert_true(wants_huge_pages(pages));
    plb_shared_free(pages, LARGE);
    free(unset);
}

#define HUGE_PAGE ((size_t)2 << 20)

/* Whether the system makes huge pages of those of a file in memory. */
static bool files_may_be_huge(void)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    char *room = mmap(NULL, 2 * HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
         *page = room + HUGE_PAGE - (uintptr_t)room % HUGE_PAGE;
    assert_int_equal(ftruncate(fd, (off_t)HUGE_PAGE), 0);
    assert_ptr_equal(mmap(page, HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0), page);
    *page = 1;
    bool may = madvise(page, HUGE_PAGE, COLLAPSE) == 0;
    munmap(room, 2 * HUGE_PAGE);
    close(fd);
    return may;
}

/* Bytes of the mapping that are in huge pages, after a look at each page. */
static size_t huge_bytes(const volatile char *memory, size_t bytes)
{
    int sum = 0;
    for (size_t i = 0; i < bytes; i += 4096)
        sum += memory[i];
    assert_int_equal(sum, 0);
    return (size_t)atol(field_of((const void *)memory, "ShmemPmdMapped:")) * 1024;
}

/* So they cost others that map them a page fault for each 2 MiB, and not for each 64 KiB. */
static void arrays_for_other_ranks_have_huge_pages(void **state)
{
    (void)state;
    if (!files_may_be_huge())
        skip_since("the system makes no huge pages of a file in memory");
    int fd;
    bool huge;
    char *pages = plb_file_pages_alloc(LARGE + 5, &fd, &huge),
         *other = plb_map("test", fd, 4096, LARGE, false);
    assert_true(huge);
    assert_in_range(huge_bytes(pages, LARGE), LARGE - HUGE_PAGE, LARGE);
    assert_in_range(huge_bytes(other, LARGE), LARGE - HUGE_PAGE, LARGE);
    plb_unmap(other, LARGE);
    plb_shared_free(pages, LARGE + 5);
    close(fd);
}

static void copies_every_byte_and_no_other(void **state)
{
    (void)state;
    enum { MOST = 600 * 1024 };
    static unsigned char from[MOST], to[MOST + 200];
    for (int i = 0; i < MOST; i++)
        from[i] = (unsigned char)(i % 251 + 1);
    for (int n = 0; n < 400; n++) {
        size_t at = (size_t)n % 70, bytes = n < 300 ? (size_t)n : (size_t)n * 1500;
        memset(to, 0, sizeof to);
        plb_copy_away(to + at, from + n % 3, bytes, 1 + n % 2);
        assert_int_equal(memcmp(to + at, from + n % 3, bytes), 0);
        assert_int_equal(to[at + bytes], 0);
        assert_true(at == 0 || to[at - 1] == 0);
    }
}

/* Pages of addresses that the process has. */
static long addresses(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld", &pages), 1);
    fclose(file);
    return pages;
}

/* Those around the huge pages, too. */
static void addresses_are_given_back(void **state)
{
    (void)state;
    const size_t bytes = 3 * HUGE_PAGE + 5;
    plb_shared_free(plb_pages_alloc(bytes), bytes); /* other threads begin */
    long before = addresses();
    for (int i = 0; i < 20; i++)
        plb_shared_free(plb_pages_alloc(bytes), bytes);
    assert_int_equal(addresses(), before);
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

static void an_array_grows_to_twice(void **state)
{
    (void)state;
    int *at = NULL, n = 0, capacity = 0, grown = 0;
    for (; n < 1000; n++) {
        int before = capacity;
        at = plb_room(at, n, &capacity, sizeof *at);
        assert_true(n < capacity);
        grown += capacity != before;
        at[n] = n;
    }
    assert_true(capacity == 1024 && grown == 8);
    for (int i = 0; i < n; i++)
        assert_int_equal(at[i], i);
    free(at);
}

/* A slot gets larger tasks as a run goes on: the system gives it no new pages for what it has written. */
static void memory_that_grows_keeps_its_pages(void **state)
{
    enum { BYTES = 8 << 20, PAGES = BYTES / 4096 };
    static unsigned char there[PAGES];
    (void)state;
    char *memory = plb_pages_grow(NULL, 0, BYTES);
    memset(memory, 7, BYTES);
    memory = plb_pages_grow(memory, BYTES, 8 * (size_t)BYTES);
    assert_int_equal(mincore(memory, BYTES, there), 0);
    for (int i = 0; i < PAGES; i++)
        assert_true(there[i] & 1);
    assert_int_equal(memory[BYTES - 1], 7);
    plb_shared_free(memory, 8 * (size_t)BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_zeroed_elements),
        cmocka_unit_test(large_arrays_are_zero_and_there),
        cmocka_unit_test(unset_memory_is_not_touched),
        cmocka_unit_test(large_arrays_ask_for_huge_pages),
        cmocka_unit_test(arrays_for_other_ranks_have_huge_pages),
        cmocka_unit_test(addresses_are_given_back),
        cmocka_unit_test(copies_every_byte_and_no_other),
        cmocka_unit_test(refuses_what_no_memory_has),
        cmocka_unit_test(an_array_grows_to_twice),
        cmocka_unit_test(memory_that_grows_keeps_its_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
