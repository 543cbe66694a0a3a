/* One thread, created and joined. */
#include "check/aside.h"

#include <pthread.h>

struct aside {
    void (*call)(void *context);
    void *context;
};

static void *run(void *aside)
{
    const struct aside *a = aside;
    a->call(a->context);
    return NULL;
}

void plb_aside(void (*call)(void *context), void *context)
{
    struct aside aside = {call, context};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, &aside) == 0)
        pthread_join(thread, NULL);
    else
        call(context); /* no thread: a child that needs OpenMP may hang, and nothing is wrong */
}
