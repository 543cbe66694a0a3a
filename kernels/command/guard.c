/* The guard waits for the end of a pipe whose other end the rank has, and nobody else. It is forked once,
 * when the rank begins to work; then it calls nothing but the system. */
#include "guard.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 4096 /* programs at a time; more are not guarded */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic pid_t *groups; /* shared with the guard: -1 is taken, 0 is free */

static void guard(int end_of_rank)
{
    sigset_t all;
    char byte;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "plbrun-guard");
    dup2(end_of_rank, 0);
    syscall(SYS_close_range, 1u, ~0u, 0u); /* mpirun waits for output to be closed, and ranks for sockets */
    while (read(0, &byte, 1) > 0) {
    }
    for (int i = 0; i < MOST; i++)
        if (groups[i] > 0)
            kill(-groups[i], SIGKILL);
    _exit(0);
}

/* An old system cannot close all files at once: there is no guard, since it would hold sockets open. */
static bool closes_files(void)
{
    return syscall(SYS_close_range, ~0u, ~0u, 0u) == 0;
}

static void start(void)
{
    int ends[2];
    void *memory = mmap(NULL, MOST * sizeof *groups, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                        0);
    if (memory == MAP_FAILED || !closes_files() || pipe2(ends, O_CLOEXEC) != 0)
        return;
    groups = memory;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        guard(ends[0]);
    }
    close(ends[0]); /* the other end stays open until the rank ends */
    if (pid < 0)
        groups = NULL;
}

_Atomic pid_t *command_guard_take(void)
{
    pthread_once(&once, start);
    for (int i = 0; i < MOST && groups != NULL; i++) {
        pid_t free = 0;
        if (atomic_compare_exchange_strong(&groups[i], &free, -1))
            return &groups[i];
    }
    return NULL;
}

void command_guard_give_back(_Atomic pid_t *place)
{
    if (place != NULL)
        atomic_store(place, 0);
}
