/* fork, a socket pair, and one byte for each request and each answer. */
#include "host/child.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/stop.h"
#include "host/crash.h"

/* Milliseconds between two looks whether a silent child still lives. Its end of the socket is closed when it
 * ends, and that is seen at once; but another child of this process may have a copy of that end. Larger: such
 * an end is seen later. Smaller: the thread wakes up more often. */
#define LOOK 20

/* In shared memory. */
struct page {
    int result;
    _Alignas(64) unsigned char request[];
};

struct plb_child {
    plb_child_fn work;
    void *context;
    struct page *page;
    size_t page_bytes;
    atomic_long maps; /* pieces of shared memory that were added */
    long maps_known;  /* to the child */
    bool stale;       /* memory has changed since the fork */
    int socket;
    pthread_mutex_t lock; /* guards the pid, which is the child's until it was waited for */
    pid_t pid;            /* 0: there is no child */
    atomic_bool killed;   /* by plb_child_kill */
};

/* A kernel that calls exit ends its child alone, without the handlers that are the parent's. */
static void leave_child(int status, void *parent)
{
    if (getpid() != (pid_t)(intptr_t)parent)
        _exit(status);
}

struct plb_child *plb_child_new(plb_child_fn work, void *context, size_t request_bytes)
{
    struct plb_child *c = plb_alloc(sizeof *c);
    c->work = work;
    c->context = context;
    c->page_bytes = sizeof *c->page + request_bytes;
    c->page = plb_shared_alloc(c->page_bytes);
    pthread_mutex_init(&c->lock, NULL);
    /* By value, because the handler may run after c was freed. NOLINTNEXTLINE(performance-no-int-to-ptr) */
    on_exit(leave_child, (void *)(intptr_t)getpid());
    return c;
}

void *plb_child_request(struct plb_child *c)
{
    return c->page->request;
}

void *plb_child_alloc(struct plb_child *c, size_t bytes)
{
    void *memory = plb_shared_alloc(bytes);
    atomic_fetch_add(&c->maps, 1);
    return memory;
}

void plb_child_renew(struct plb_child *c)
{
    c->stale = true;
}

static void end_child(struct plb_child *c, bool asked)
{
    pthread_mutex_lock(&c->lock);
    if (c->pid > 0) {
        kill(c->pid, SIGKILL);
        if (asked)
            atomic_store(&c->killed, true);
    }
    pthread_mutex_unlock(&c->lock);
}

void plb_child_kill(struct plb_child *c)
{
    if (c != NULL)
        end_child(c, true);
}

/* Whether the child has ended, and how; waits for that where flags is 0. */
static bool reap(struct plb_child *c, int flags, struct plb_child_end *end)
{
    siginfo_t info = {.si_pid = 0};
    int status = 0, failed;
    do
        failed = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT | flags);
    while (failed && errno == EINTR);
    if (!failed && info.si_pid == 0)
        return false;
    pthread_mutex_lock(&c->lock);
    if (!failed) /* else somebody else has waited for it */
        waitpid(c->pid, &status, 0);
    *end = (struct plb_child_end){.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                                  .status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                                  .asked = atomic_exchange(&c->killed, false)};
    c->pid = 0;
    pthread_mutex_unlock(&c->lock);
    close(c->socket);
    return true;
}

static void finish(struct plb_child *c)
{
    struct plb_child_end unused;
    end_child(c, false);
    if (c->pid > 0)
        reap(c, 0, &unused);
}

void plb_child_free(struct plb_child *c)
{
    if (c == NULL)
        return;
    finish(c);
    plb_shared_free(c->page, c->page_bytes);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* ------------------------------------------------------------------ the child */

static bool receive(int from)
{
    char byte;
    ssize_t n;
    do
        n = recv(from, &byte, 1, 0);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

/* Text that a kernel prints is written when its call ends: nobody flushes it later. */
static _Noreturn void serve(struct plb_child *c, int socket, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it has ended in the meantime */
        _exit(0);
    plb_stop_leave_to_parent();
    plb_crash_alone();
    while (receive(socket)) {
        c->page->result = c->work(c->context, c->page->request);
        fflush(stdout);
        if (send(socket, "", 1, MSG_NOSIGNAL) != 1)
            break;
    }
    _exit(0);
}

/* ----------------------------------------------------------------- the parent */

static int start(struct plb_child *c, struct plb_error *err)
{
    int ends[2];
    pid_t self = getpid();
    c->maps_known = atomic_load(&c->maps);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return plb_fail(err, PLB_EFAILED, "no socket for a child process: %s", strerror(errno));
    fflush(stdout); /* else the child would print what waits there */
    pthread_mutex_lock(&c->lock);
    c->pid = fork();
    if (c->pid == 0) {
        close(ends[0]);
        serve(c, ends[1], self);
    }
    int why = errno;
    bool failed = c->pid < 0;
    c->pid = failed ? 0 : c->pid;
    pthread_mutex_unlock(&c->lock);
    close(ends[1]);
    c->socket = ends[0];
    c->stale = false;
    if (!failed)
        return PLB_OK;
    close(ends[0]);
    return plb_fail(err, PLB_EFAILED, "no child process: %s", strerror(why));
}

/* Whether the child answers. One that has closed its end without an answer is not waited for. */
static bool await(struct plb_child *c, struct plb_child_end *end)
{
    for (;;) {
        struct pollfd p = {.fd = c->socket, .events = POLLIN};
        int n = poll(&p, 1, LOOK);
        if (n > 0 && receive(c->socket))
            return true;
        if (n > 0)
            end_child(c, false);
        if (n >= 0 && reap(c, n > 0 ? 0 : WNOHANG, end))
            return false;
    }
}

/* A child that has ended after its last answer has nothing to do with the next call. */
int plb_child_ready(struct plb_child *c, struct plb_error *err)
{
    struct plb_child_end unused;
    if (c->stale || c->maps_known != atomic_load(&c->maps) || atomic_load(&c->killed))
        finish(c);
    if (c->pid > 0)
        reap(c, WNOHANG, &unused);
    return c->pid > 0 ? PLB_OK : start(c, err);
}

enum plb_child_outcome plb_child_call(struct plb_child *c, int *result, struct plb_child_end *end,
                                      struct plb_error *err)
{
    if (plb_child_ready(c, err) != PLB_OK)
        return PLB_CHILD_MISSING;
    if (send(c->socket, "", 1, MSG_NOSIGNAL) != 1)
        end_child(c, false);
    if (!await(c, end))
        return PLB_CHILD_ENDED;
    *result = c->page->result;
    return PLB_CHILD_ANSWERED;
}
