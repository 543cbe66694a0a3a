/* Pipes that never wait, a poll for both, and a file in memory for standard error. */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard.h"
#include "progress.h"

/* Bytes that are read at a time. Larger: more of the stack. Smaller: more calls. */
#define BLOCK 65536

/* Bytes of answers that are behind us before the rest is moved to the begin. Larger: more memory. Smaller:
 * more copies. */
#define BEHIND 1048576

static void close_all(const int *fds, int n)
{
    for (int i = 0; i < n; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

bool command_server_start(struct command_server *s, const struct command_child *child, int *reason)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    sigset_t broken;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, NULL); /* a server that ends does not end this process */
    s->err = memfd_create("stderr", MFD_CLOEXEC);
    s->pid = 0;
    s->sent = s->taken = s->to.n = s->from.n = 0;
    s->answers = s->heard = 0;
    s->place = NULL;
    *reason = 0;
    if (s->err < 0 || pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0
        || fcntl(s->err, F_SETFL, O_APPEND) != 0 || fcntl(in[1], F_SETFL, O_NONBLOCK) != 0
        || fcntl(out[0], F_SETFL, O_NONBLOCK) != 0)
        *reason = errno;
    if (*reason == 0) {
        s->place = command_guard_take();
        s->pid = command_start(child, (const int[]){in[0], out[1], s->err}, s->place, reason);
    }
    close_all((const int[]){in[0], out[1]}, 2);
    s->in = in[1];
    s->out = out[0];
    if (*reason == 0) {
        s->pidfd = (int)syscall(SYS_pidfd_open, s->pid, 0); /* an old system has none: then pipes tell */
        return true;
    }
    s->pid = 0;
    close_all((const int[]){s->in, s->out, s->err}, 3);
    command_guard_give_back(s->place);
    return false;
}

void command_server_send(struct command_server *s, const char *bytes, size_t n)
{
    if (s->sent == s->to.n)
        s->sent = s->to.n = 0;
    command_add(&s->to, bytes, n);
}

/* Writes as much as the pipe takes. That a server has ended is noticed by its answers. */
static void write_some(struct command_server *s)
{
    while (s->sent < s->to.n) {
        ssize_t n = write(s->in, s->to.at + s->sent, s->to.n - s->sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN)
            s->sent = s->to.n;
        if (n <= 0)
            return;
        s->sent += (size_t)n;
    }
}

/* Reads what the pipe has. False: it is closed. */
static bool read_some(struct command_server *s)
{
    char block[BLOCK];
    if (s->taken == s->from.n)
        s->taken = s->from.n = 0;
    if (s->taken > BEHIND) {
        memmove(s->from.at, s->from.at + s->taken, s->from.n - s->taken);
        s->from.n -= s->taken;
        s->taken = 0;
    }
    for (;;) {
        ssize_t n = read(s->out, block, sizeof block);
        if (n > 0)
            command_add(&s->from, block, (size_t)n);
        else if (n == 0 || errno != EINTR)
            return n < 0 && errno == EAGAIN;
        if (n > 0 && (size_t)n < sizeof block)
            return true;
    }
}

/* Looks for a whole answer behind what is taken. *from: bytes of it that were looked at before. */
static bool find_answer(struct command_server *s, size_t *from, const char **answer, size_t *n)
{
    size_t end_bytes = s->end != NULL ? strlen(s->end) : 0;
    char *begin = s->from.at + s->taken, *stop = s->from.at + s->from.n, *line = begin + *from, *mark;
    for (; line < stop && (mark = memchr(line, s->separator, (size_t)(stop - line))) != NULL;
         line = mark + 1) {
        bool last = s->end == NULL
                 || ((size_t)(mark - line) == end_bytes && memcmp(line, s->end, end_bytes) == 0);
        if (!last)
            continue;
        *answer = begin;
        *n = (size_t)((s->end == NULL ? mark + 1 : line) - begin);
        s->taken += (size_t)(mark + 1 - begin);
        s->answers++;
        return true;
    }
    *from = (size_t)(line - begin);
    return false;
}

/* Waits until something can be read or written, or the server has ended. */
static void wait_for(struct command_server *s, double seconds)
{
    bool writes = s->sent < s->to.n;
    struct pollfd fds[3] = {{s->out, POLLIN, 0}, {s->pidfd, POLLIN, 0}, {writes ? s->in : -1, POLLOUT, 0}};
    poll(fds, 3, (int)(1e3 * seconds) + 1);
}

static bool has_ended(const struct command_server *s)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == s->pid;
}

enum command_heard command_server_answer(struct command_server *s, double most,
                                         struct command_progress *progress, const char **answer, size_t *n)
{
    double end = most > 0.0 ? command_seconds() + most : 1e300;
    size_t looked = 0;
    for (;;) {
        write_some(s);
        bool ended = has_ended(s), open = read_some(s);
        if (find_answer(s, &looked, answer, n))
            return COMMAND_ANSWER;
        if (ended || !open)
            return COMMAND_ENDED;
        if (!command_progress_goes_on(progress))
            return COMMAND_CANCELLED;
        double left = end - command_seconds();
        if (left <= 0.0)
            return COMMAND_LATE;
        wait_for(s, left < COMMAND_LOOK ? left : COMMAND_LOOK);
    }
}

bool command_server_chatters(struct command_server *s)
{
    read_some(s);
    return s->from.n > s->taken;
}

void command_server_errors(struct command_server *s, struct command_text *text)
{
    char block[4096];
    off_t begin = s->heard;
    for (ssize_t n; (n = pread(s->err, block, sizeof block, s->heard)) > 0; s->heard += n)
        command_add(text, block, (size_t)n);
    if (s->heard > begin) /* its memory */
        fallocate(s->err, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, s->heard - begin);
}

/* Waits for the end of the server, and takes what it writes meanwhile. */
static bool ends_within(struct command_server *s, double seconds, int *status)
{
    double end = command_seconds() + seconds;
    for (;;) {
        pid_t pid = waitpid(s->pid, status, WNOHANG);
        double left = end - command_seconds();
        if (pid == s->pid || (pid < 0 && errno != EINTR))
            return true;
        if (left <= 0.0)
            return false;
        struct pollfd fds[2] = {{s->out, POLLIN, 0}, {s->pidfd, POLLIN, 0}};
        poll(fds, 2, left < COMMAND_LOOK ? (int)(1e3 * left) + 1 : (int)(1e3 * COMMAND_LOOK));
        if (s->out >= 0 && !read_some(s)) {
            close(s->out);
            s->out = -1;
        }
    }
}

void command_server_end(struct command_server *s, double grace, int *exit, int *signal)
{
    int status = 0;
    *exit = *signal = 0;
    if (s->pid <= 0)
        return;
    close(s->in);
    bool ended = ends_within(s, grace > 0.0 ? grace : 0.0, &status);
    if (!ended && grace >= 0.0) {
        kill(-s->pid, SIGTERM);
        ended = ends_within(s, COMMAND_TERM, &status);
    }
    kill(-s->pid, SIGKILL);
    while (!ended && waitpid(s->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (s->out >= 0)
        read_some(s);
    close_all((const int[]){s->out, s->pidfd}, 2);
    command_guard_give_back(s->place);
    s->pid = 0;
    if (WIFEXITED(status))
        *exit = WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        *signal = WTERMSIG(status);
}
