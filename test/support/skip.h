/* A skip names its cause, as those of scripts do: test/run shows it, and continuous integration knows the
 * causes that a machine may have (test/skips). Include after cmocka.h. */
#ifndef TEST_SKIP_H
#define TEST_SKIP_H

#include <stdio.h>

/* Ends the test that is running. */
#define skip_since(cause) \
    do { \
        printf("# cause: %s\n", cause); \
        fflush(stdout); \
        skip(); \
    } while (0)

#endif
