/* vfork and exec: a rank may have gigabytes of memory, whose tables fork would copy.
 *
 * The program writes to files in memory, so that nobody needs to read while it runs. A program that it leaves
 * in the background cannot keep its end from being seen. Between vfork and exec the child uses the
 * memory of the thread that waits for it: it calls nothing but the system. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guard.h"
#include "progress.h"

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double command_seconds(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double command_time(void)
{
    return seconds(CLOCK_REALTIME);
}

/* In the child. Returns where the program cannot be started. */
static void become(const struct command_child *c, const int fds[3], pid_t parent, _Atomic pid_t *place)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    if (place != NULL)
        *place = getpid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it ended before the line above */
        _exit(1);
    for (int s = 1; s < SIGRTMIN; s++)
        signal(s, SIG_DFL);
    if (dup2(fds[0], STDIN_FILENO) < 0 || dup2(fds[1], STDOUT_FILENO) < 0 || dup2(fds[2], STDERR_FILENO) < 0
        || (c->folder != NULL && chdir(c->folder) != 0))
        return;
    syscall(SYS_close_range, 3u, ~0u, 4u); /* CLOSE_RANGE_CLOEXEC; an old system has no such call */
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(c->path, c->argv, c->env);
}

/* Signals wait meanwhile: a handler would run in the child, in the memory of this process. */
pid_t command_start(const struct command_child *c, const int fds[3], _Atomic pid_t *place, int *failure)
{
    sigset_t all, before;
    volatile int reason = 0;
    pid_t parent = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = vfork();
    if (pid == 0) {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Vfork): it changes no memory of this process */
        become(c, fds, parent, place);
        reason = errno;
        _exit(127);
    }
    if (pid < 0)
        reason = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid > 0 && reason != 0)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    *failure = reason;
    return reason == 0 ? pid : -1;
}

/* Waits until the process has ended or the seconds are over. */
static bool ended(pid_t pid, int fd, double most, int *status)
{
    struct pollfd poll_fd = {fd, POLLIN, 0};
    if (fd >= 0)
        poll(&poll_fd, 1, (int)(1e3 * most) + 1);
    else /* an old system, or no descriptor is left */
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return waitpid(pid, status, WNOHANG) == pid;
}

static int await(const struct command_child *c, pid_t pid, struct command_end *end)
{
    int status = 0, fd = (int)syscall(SYS_pidfd_open, pid, 0);
    double began = command_seconds(), limit = c->limit > 0.0 ? began + c->limit : 1e300;
    for (bool told = false, killed = false;;) {
        double now = command_seconds(), most = limit - now;
        if (ended(pid, fd, most < 0.0 ? 0.0 : most < COMMAND_LOOK ? most : COMMAND_LOOK, &status))
            break;
        now = command_seconds();
        if (!command_progress_goes_on(c->progress) && !killed) {
            end->cancelled = killed = true;
            kill(-pid, SIGKILL);
        } else if (now >= limit && !killed) {
            kill(-pid, told ? SIGKILL : SIGTERM);
            killed = told;
            told = true;
            end->exit = -1;
            limit = now + COMMAND_TERM;
        }
    }
    if (fd >= 0)
        close(fd);
    if (end->exit < 0) /* what it has started goes too */
        kill(-pid, SIGKILL);
    return status;
}

void command_run(const struct command_child *c, struct command_end *end)
{
    *end = (struct command_end){.began = command_time()};
    double began = command_seconds();
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), status = 0;
    end->out = memfd_create("stdout", MFD_CLOEXEC);
    end->err = memfd_create("stderr", MFD_CLOEXEC);
    pid_t pid = -1;
    _Atomic pid_t *place = command_guard_take();
    fcntl(end->out, F_SETFL, O_APPEND); /* also where a program opens /dev/stdout anew */
    fcntl(end->err, F_SETFL, O_APPEND);
    if (nothing < 0 || end->out < 0 || end->err < 0)
        end->reason = errno;
    else
        pid = command_start(c, (const int[]){nothing, end->out, end->err}, place, &end->reason);
    if (pid > 0)
        status = await(c, pid, end);
    command_guard_give_back(place);
    if (nothing >= 0)
        close(nothing);
    end->took = command_seconds() - began;
    if (pid < 0)
        end->exit = end->reason == ENOENT ? 127 : 126;
    else if (end->exit == 0 && WIFEXITED(status))
        end->exit = WEXITSTATUS(status);
    if (pid > 0 && WIFSIGNALED(status))
        end->signal = WTERMSIG(status);
}
