/* The identity of a kernel: the same file gives the same identity, a changed byte another, and two ranks that
 * differ are told apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/version.h"
#include "job/kernel_file.h"

static char folder[] = "/tmp/plbrun-identity-XXXXXX";

/* Copies a kernel of the tests to `name` in the folder, with `more` bytes behind its end, which no loader
 * reads. */
static const char *copy(const char *kernel, const char *name, const char *more)
{
    static char path[200], command[1000];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(command, sizeof command, "cp '%s/test/kernels/%s' '%s' && printf '%s' >>'%s'",
             build != NULL ? build : "build", kernel, path, more, path);
    assert_int_equal(system(command), 0);
    return path;
}

static struct plb_kernel_identity identity(const char *path)
{
    const struct plb_kernel *kernel;
    struct plb_kernel_identity id;
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_kernel_load(path, "test", NULL, &kernel, &err), PLB_OK);
    assert_int_equal(plb_kernel_identity(kernel, &id, &err), PLB_OK);
    return id;
}

static void equal_files_are_the_same_kernel(void **state)
{
    (void)state;
    struct plb_kernel_identity a = identity(copy("empty.so", "a.so", "")),
                               b = identity(copy("empty.so", "b.so", ""));
    assert_int_equal(a.abi, PLB_KERNEL_ABI);
    assert_string_equal(a.version, PLB_VERSION);
    assert_true(a.hash != 0 && a.hash == b.hash);
    assert_null(plb_kernel_difference(&a, &b));
}

static void one_byte_makes_another_build(void **state)
{
    (void)state;
    struct plb_kernel_identity a = identity(copy("empty.so", "c.so", "")),
                               b = identity(copy("empty.so", "d.so", "x"));
    assert_true(a.hash != b.hash);
    assert_string_equal(plb_kernel_difference(&a, &b), "another build of the kernel");
}

/* A kernel with an extra object of the first driver that has one. Here it is loaded as a machine with such
 * devices would load it. */
static struct plb_kernel_identity with_extra(char kernel, const char *more, bool load)
{
    int d = 0;
    char name[32], extra[64];
    while (plb_device_drivers[d]->object == NULL)
        d++;
    snprintf(name, sizeof name, "%c.so", kernel);
    snprintf(extra, sizeof extra, "%c.%s.so", kernel, plb_device_drivers[d]->object);
    const char *path = copy("no_symbol.so", extra, more);
    if (load)
        assert_non_null(dlopen(path, RTLD_NOW | RTLD_GLOBAL));
    return identity(copy("empty.so", name, ""));
}

/* An extra object counts only where it is loaded, and only against another one. */
static void an_extra_object_counts_where_it_is_loaded(void **state)
{
    (void)state;
    struct plb_kernel_identity e = with_extra('e', "", true), f = with_extra('f', "x", true),
                               g = with_extra('g', "y", false);
    assert_true(e.hash == f.hash && f.hash == g.hash);
    assert_non_null(strstr(plb_kernel_difference(&e, &f), "entries for a device"));
    assert_null(plb_kernel_difference(&e, &g));
    assert_null(plb_kernel_difference(&g, &f));
}

static void other_versions_and_abis_are_told(void **state)
{
    (void)state;
    struct plb_kernel_identity a = {.abi = 3, .version = "0.1.0", .hash = 7}, b = a;
    b.abi = 4;
    assert_string_equal(plb_kernel_difference(&a, &b), "another kernel ABI");
    snprintf(b.version, sizeof b.version, "0.1.1");
    assert_string_equal(plb_kernel_difference(&a, &b), "another version of plbrun");
}

static void a_file_that_is_gone_is_told(void **state)
{
    (void)state;
    const struct plb_kernel *kernel;
    struct plb_kernel_identity id;
    struct plb_error err = {.status = PLB_OK};
    const char *path = copy("empty.so", "gone.so", "");
    assert_int_equal(plb_kernel_load(path, "test", NULL, &kernel, &err), PLB_OK);
    unlink(path);
    assert_int_equal(plb_kernel_identity(kernel, &id, &err), PLB_EFAILED);
    assert_non_null(strstr(err.text, "kernel empty can no longer be read"));
}

/* The published FNV-1a value of "foobar" (isthe.com/chongo/tech/comp/fnv). */
static void the_hash_is_fnv_1a(void **state)
{
    (void)state;
    assert_true(plb_hash(PLB_HASH_BEGIN, "foobar", 6) == 0x85944171f73967e8u);
    assert_true(plb_hash(plb_hash(PLB_HASH_BEGIN, "foo", 3), "bar", 3) == 0x85944171f73967e8u);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_files_are_the_same_kernel),
        cmocka_unit_test(one_byte_makes_another_build),
        cmocka_unit_test(an_extra_object_counts_where_it_is_loaded),
        cmocka_unit_test(other_versions_and_abis_are_told),
        cmocka_unit_test(a_file_that_is_gone_is_told),
        cmocka_unit_test(the_hash_is_fnv_1a),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
