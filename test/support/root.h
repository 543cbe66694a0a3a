/* A folder that a test takes for /, with files that look like those of /proc and /sys. */
#ifndef PLB_TEST_ROOT_H
#define PLB_TEST_ROOT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set-up of a test: *state is the path of a new, empty folder. */
static inline int make_root(void **state)
{
    char path[] = "/tmp/test_root.XXXXXX";
    return mkdtemp(path) == NULL || (*state = strdup(path)) == NULL ? -1 : 0;
}

/* Tear-down: removes it with all that is in it. */
static inline int remove_root(void **state)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    free(*state);
    return system(command);
}

#define TEST_IN_ROOT(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

#endif
