/* A gate: with PLB_TEST_GATE=K:FILE the K-th task of each process says so on stderr, and waits until the file
 * is there. So a test decides when a run goes on, and no clock does. A cancelled task waits no longer. */
#ifndef PLB_TEST_GATE_H
#define PLB_TEST_GATE_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "plb/kernel.h"

/* Call it first in an entry. */
static void wait_at_gate(const struct plb_task *task)
{
    static atomic_long n_tasks;
    char *file;
    const char *gate = getenv("PLB_TEST_GATE");
    if (gate == NULL || task->count == 0 || atomic_fetch_add(&n_tasks, 1) + 1 != strtol(gate, &file, 10))
        return;
    fputs("a task waits at the gate\n", stderr);
    while (access(file + 1, F_OK) != 0 && !plb_task_cancelled(task))
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

#endif
