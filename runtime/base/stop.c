/* Handlers may only call what is safe in them: unlink, write, signal, raise, clock_gettime. */
#include "base/stop.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Temporary files that are known at a time: the results of a kernel, a report and a trace. Larger: the end
 * looks at more places. Smaller: files beyond it stay. A kernel has at most 32 results. */
enum { MOST_FILES = 40 };

/* Seconds after a signal in which others are the same request: launchers and batch systems signal a process
 * twice, a moment apart. Larger: somebody who presses Ctrl-C again has to do it once more. Smaller: the
 * second signal ends the run before its report is written. */
#define TOGETHER 0.5

/* Read by other threads, too: the stream of outputs asks whether somebody wants the run to end. */
static _Atomic(sig_atomic_t) listening, asked, speaking, writing, heeding, wished;
static _Atomic(double) asked_at, wished_at; /* plb_now() */
static atomic_bool ending;
static _Atomic(const char *) doomed[MOST_FILES];
static pid_t owner; /* of the files: not a child that a library forks */

/* Puts `to` where `from` is. Nothing where `from` is nowhere. Does not return where another thread ends the
 * program: that one may be reading `from`. */
static void exchange(const char *from, const char *to)
{
    bool done = false;
    for (int i = 0; i < MOST_FILES && !done; i++) {
        const char *is = from;
        done = atomic_compare_exchange_strong(&doomed[i], &is, to);
    }
    while (atomic_load(&ending))
        pause();
}

void plb_stop_clean(void)
{
    if (getpid() != owner)
        return;
    for (int i = 0; i < MOST_FILES; i++) {
        const char *file = atomic_load(&doomed[i]);
        if (file != NULL)
            unlink(file);
    }
}

static void end_at_once(int number)
{
    static const char sentence[] = "plbrun: interrupted; no output is written\n";
    atomic_store(&ending, true);
    plb_stop_clean();
    if (speaking && asked == 0 && write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0)
        speaking = 0; /* nobody can be told */
    signal(number, SIG_DFL);
    raise(number); /* waits until the handler returns */
}

static void on_signal(int number)
{
    static const char promise[] =
        "plbrun: the run is over and its outputs are being written; another signal ends it without them\n";
    double now = plb_now();
    if (asked != 0 && now < atomic_load(&asked_at) + TOGETHER)
        return;
    if (!listening || asked != 0)
        end_at_once(number);
    if (writing && speaking && write(STDERR_FILENO, promise, sizeof promise - 1) < 0)
        speaking = 0;
    atomic_store(&asked_at, now);
    asked = number;
}

/* SIGUSR1. A second one, while somebody listens, does not wait for tasks any more. Elsewhere it changes
 * nothing: a batch system warns with it, and kills by others. */
static void on_wish(int number)
{
    double now = plb_now();
    if (!heeding)
        end_at_once(number);
    if (wished == 0) {
        atomic_store(&wished_at, now);
        wished = 1;
    } else if (listening && asked == 0 && now >= atomic_load(&wished_at) + TOGETHER) {
        atomic_store(&asked_at, now);
        asked = number;
    }
}

static void do_nothing(int number)
{
    (void)number;
}

static struct {
    int number;
    void (*handler)(int), (*in_child)(int);
    bool ignored; /* the caller has the program ignore it, as nohup does: it stays so */
} taken[] = {
    {SIGINT, on_signal, do_nothing, false}, {SIGTERM, on_signal, do_nothing, false},
    {SIGHUP, on_signal, do_nothing, false}, {SIGUSR1, on_wish, do_nothing, false},
    {SIGPIPE, SIG_IGN, SIG_IGN, false},     {SIGXFSZ, SIG_IGN, SIG_IGN, false},
};
enum { TAKEN = sizeof taken / sizeof *taken };

static void take(bool in_child)
{
    for (int i = 0; i < TAKEN; i++) {
        struct sigaction act = {.sa_flags = SA_RESTART};
        act.sa_handler = taken[i].ignored ? SIG_IGN : in_child ? taken[i].in_child : taken[i].handler;
        sigemptyset(&act.sa_mask);
        sigaction(taken[i].number, &act, NULL);
    }
}

void plb_stop_prepare(bool speaks)
{
    speaking = speaks;
    owner = getpid();
    atexit(plb_stop_clean); /* a library, or a kernel, may call exit */
    for (int i = 0; i < TAKEN; i++) {
        struct sigaction before;
        taken[i].ignored = sigaction(taken[i].number, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    }
    take(false);
}

void plb_stop_take_back(void)
{
    take(false);
}

/* Handlers, since programs that the child starts would inherit that a signal is ignored. */
void plb_stop_leave_to_parent(void)
{
    take(true);
}

void plb_stop_listen(bool listens)
{
    asked = listens ? 0 : asked;
    listening = listens;
    writing = 0;
}

void plb_stop_writes(void)
{
    listening = 1;
    writing = 1;
}

void plb_stop_heed_wishes(void)
{
    heeding = 1;
}

bool plb_stop_wished(void)
{
    return wished != 0;
}

int plb_stop_asked(void)
{
    return asked;
}

const char *plb_stop_name(void)
{
    return asked == SIGINT ? "SIGINT" : asked == SIGHUP ? "SIGHUP" : asked == SIGUSR1 ? "SIGUSR1" : "SIGTERM";
}

void plb_stop_now(void)
{
    if (asked != 0)
        end_at_once(asked);
}

void plb_stop_is_explained(void)
{
    speaking = 0;
}

void plb_stop_remove(const char *path)
{
    exchange(NULL, path);
}

void plb_stop_keep(const char *path)
{
    if (path != NULL)
        exchange(path, NULL);
}
