/* A handler may call few functions: it builds its sentence by hand, and writes it at once.
 *
 * State at file scope, since a signal handler gets no argument: the calls of all threads. */
#include "host/crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mapped.h"
#include "base/memory.h"
#include "base/stop.h"
#include "host/crash_line.h"
#include "plb/status.h"

/* Threads whose tasks a crash of another thread can name; a rank seldom has ten PUs. Larger: the handler
 * looks longer. Smaller: it may not name the task. */
#define MOST_CALLS 256

/* Bytes of a stack for handlers: a thread whose own stack is full has no other. The system needs up to 12 KB
 * for registers, ours 2 KB. Larger: wasted memory. Smaller: the handlers of libraries may not fit. */
#define STACK_BYTES ((size_t)65536)

/* A thread that crashes while another one says so waits for the sentence: nanoseconds between two looks, and
 * how many of them. A sentence takes microseconds; one that crashes itself, or a full pipe, takes forever.
 * More: such a process ends later. Fewer: the sentence may be lost. */
#define SENTENCE_LOOK 1000000
#define SENTENCE_LOOKS 5000

/* A task that crashes waits for the last words of its rank: as above. They take a millisecond, unless the
 * thread that says them is busy or has crashed, too. More: such a process ends later. Fewer: others execute
 * the units that ended it as if they were like any others. */
#define WORDS_LOOK 1000000
#define WORDS_LOOKS 500

static const struct {
    int number;
    const char *name, *hint;
} signals[] = {
    {SIGSEGV, "SIGSEGV", "it accessed memory that is not its own: look for an index outside of its buffers"},
    {SIGBUS, "SIGBUS", "it accessed memory that no longer exists: look for a file that became shorter"},
    {SIGFPE, "SIGFPE", "it divided an integer by zero"},
    {SIGILL, "SIGILL", "it contains an instruction that this CPU lacks: build it for this machine"},
    {SIGABRT, "SIGABRT", "it called abort(), or a check in it failed"},
};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* Those that stood before main: mostly none, or a sanitizer's. Handlers that libraries install later may
 * return from a signal as if nothing had happened. */
static struct sigaction earlier[SIGNALS];
static bool earlier_known;
static _Atomic(struct plb_crash_call *) calls[MOST_CALLS];
static struct plb_crash_call main_call = {.pu = -1}; /* of the main thread: functions of the kernel */
static int this_rank;
static atomic_flag saying = ATOMIC_FLAG_INIT;
static atomic_bool said;
static struct plb_crash_note notes[MOST_CALLS];
static atomic_int n_notes; /* the notes are complete */
static atomic_bool listens, told;
static atomic_bool exits; /* a kernel has called exit() */

/* --------------------------------------------------------------- the sentence */

/* Names the tasks of all threads; the crash is in another one. False where none runs. */
static bool add_all(struct plb_crash_line *line, const char *signal)
{
    bool any = false;
    for (int i = 0; i < MOST_CALLS; i++) {
        const struct plb_crash_call *p = atomic_load(&calls[i]);
        if (p == NULL || p->entry == NULL)
            continue;
        if (!any)
            plb_crash_add_kernel(line, p, signal);
        if (p->pu >= 0) {
            plb_crash_add(line, any ? ", or" : " in a thread of its own, or of a library, while it ran");
            plb_crash_add_range(line, p);
        }
        any = true;
    }
    return any;
}

static void add_rank(struct plb_crash_line *line)
{
    plb_crash_add(line, "plbrun: rank ");
    plb_crash_add_number(line, this_rank);
    plb_crash_add(line, ": ");
}

static void say(int i, const void *address)
{
    struct plb_crash_line line = {.n = 0};
    const struct plb_crash_call *p = plb_crash_own();
    const char *file = signals[i].number == SIGBUS || signals[i].number == SIGSEGV ? plb_mapped_path(address)
                                                                                   : NULL;
    add_rank(&line);
    bool known = p != NULL && p->entry != NULL;
    if (known)
        plb_crash_add_kernel(&line, p, signals[i].name);
    if (known && p->pu >= 0)
        plb_crash_add_range(&line, p);
    known = known || (p == NULL && add_all(&line, signals[i].name));
    if (!known) {
        plb_crash_add(&line, "plbrun itself crashed (");
        plb_crash_add(&line, signals[i].name);
        plb_crash_add(&line, "), or a library; report it with the command line and the conf file");
    } else {
        plb_crash_add(&line, "; ");
        plb_crash_add(&line, file == NULL ? signals[i].hint : file);
        if (file != NULL)
            plb_crash_add(&line, signals[i].number == SIGBUS ? " became shorter, or its disk failed"
                                                             : " is read-only");
    }
    plb_crash_write(&line);
}

/* Another process has sent the signal: neither the kernel nor plbrun has crashed. */
static void say_sent(int i, pid_t sender)
{
    struct plb_crash_line line = {.n = 0};
    add_rank(&line);
    plb_crash_add(&line, "process ");
    plb_crash_add_number(&line, sender);
    plb_crash_add(&line, " ended it (");
    plb_crash_add(&line, signals[i].name);
    plb_crash_add(&line, ")");
    plb_crash_write(&line);
}

/* Another thread has crashed too, as threads of one loop do, and says so. The signal of this one would end
 * the process in the middle of the sentence. */
static void await(const atomic_bool *event, int64_t look_ns, int looks)
{
    const struct timespec pause = {.tv_nsec = look_ns};
    for (int i = 0; i < looks && !atomic_load(event); i++)
        nanosleep(&pause, NULL);
}

/* --------------------------------------------------------------- the last words */

static int add_note(int n, const struct plb_crash_call *p, int signal)
{
    if (p != NULL && p->entry != NULL && p->pu >= 0)
        notes[n++] = (struct plb_crash_note){p->pu, p->first, p->count, signal};
    return n;
}

/* Notes the task of this thread or, where it is not a PU's, those of all threads. */
static void note(int signal)
{
    int n = 0;
    if (!atomic_load(&listens))
        return;
    if (plb_crash_own() != NULL)
        n = add_note(n, plb_crash_own(), signal);
    for (int i = 0; i < MOST_CALLS && plb_crash_own() == NULL; i++)
        n = add_note(n, atomic_load(&calls[i]), signal);
    atomic_store(&n_notes, n);
}

/* A signal of the CPU comes again when the handler returns, and one that was sent is raised again. Both then
 * end the process. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    int i = 0;
    while (i < SIGNALS - 1 && signals[i].number != number)
        i++;
    if (atomic_flag_test_and_set(&saying)) {
        await(&said, SENTENCE_LOOK, SENTENCE_LOOKS);
    } else if (info->si_code == SI_USER && info->si_pid != getpid()) {
        say_sent(i, info->si_pid);
        atomic_store(&said, true);
    } else {
        note(number);
        say(i, info->si_addr);
        if (atomic_load(&n_notes) > 0)
            await(&told, WORDS_LOOK, WORDS_LOOKS);
        atomic_store(&said, true);
    }
    plb_stop_clean();
    if (earlier[i].sa_flags & SA_SIGINFO)
        earlier[i].sa_sigaction(number, info, context);
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

/* --------------------------------------------------------------------- its exit */

/* A kernel has called exit(). Where its entry did, the process ends here, before MPI ends all ranks: for the
 * others it is as if it had crashed. Where another function of the kernel did, the others may not run yet,
 * and so MPI must end them. Called by each handler that plb_crash_watch has installed. */
static void on_exit_of_kernel(int status, void *unused)
{
    struct plb_crash_line line = {.n = 0};
    const struct plb_crash_call *p = plb_crash_own();
    (void)status;
    (void)unused;
    bool known = p != NULL && p->entry != NULL;
    add_rank(&line);
    if (known)
        plb_crash_add_kernel(&line, p, NULL);
    if (known && p->pu >= 0)
        plb_crash_add_range(&line, p);
    if (!known && (p != NULL || !add_all(&line, NULL)))
        return;
    if (atomic_exchange(&exits, true)) {
        if (p != &main_call)
            await(&said, SENTENCE_LOOK, SENTENCE_LOOKS); /* another thread ends the process meanwhile */
        return;
    }
    note(0);
    plb_crash_add(&line, "; its functions end by return");
    plb_crash_write(&line);
    if (p == &main_call)
        return;
    if (atomic_load(&n_notes) > 0)
        await(&told, WORDS_LOOK, WORDS_LOOKS);
    plb_stop_clean();
    _exit(PLB_EFAILED);
}

/* The last handler: the kernel's status would say something of plbrun. */
static void end_process(int status, void *unused)
{
    (void)status;
    (void)unused;
    if (atomic_load(&exits))
        _exit(PLB_EFAILED);
}

bool plb_crash_exits(void)
{
    return atomic_load(&exits);
}

/* ------------------------------------------------------------------- its stack */

/* Gives the calling thread a stack for handlers. */
static void add_stack(struct plb_crash_call *call)
{
    call->stack = plb_alloc(STACK_BYTES);
    call->earlier = plb_alloc(sizeof(stack_t));
    stack_t stack = {.ss_sp = call->stack, .ss_size = STACK_BYTES};
    sigaltstack(&stack, call->earlier);
}

/* Gives back the stack that the thread had before: a sanitizer frees its own when the thread ends. */
static void remove_stack(struct plb_crash_call *call)
{
    sigaltstack(call->earlier, NULL);
    free(call->stack);
    free(call->earlier);
    call->stack = call->earlier = NULL;
}

/* ------------------------------------------------------------------------ calls */

void plb_crash_watch(int rank)
{
    struct sigaction ours = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    this_rank = rank;
    plb_crash_enter(&main_call);
    if (!earlier_known)
        on_exit(end_process, NULL);
    on_exit(on_exit_of_kernel, NULL); /* also the second time: handlers of MPI come after it */
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i].number, &ours, earlier_known ? NULL : &earlier[i]);
    earlier_known = true;
}

void plb_crash_unwatch(void)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i].number, &earlier[i], NULL);
    plb_crash_leave(&main_call);
}

void plb_crash_enter(struct plb_crash_call *call)
{
    add_stack(call);
    plb_crash_set_own(call);
    for (int i = 0; i < MOST_CALLS; i++) {
        struct plb_crash_call *none = NULL;
        if (atomic_compare_exchange_strong(&calls[i], &none, call))
            return;
    }
}

void plb_crash_leave(struct plb_crash_call *call)
{
    for (int i = 0; i < MOST_CALLS; i++) {
        struct plb_crash_call *ours = call;
        atomic_compare_exchange_strong(&calls[i], &ours, NULL);
    }
    plb_crash_set_own(NULL);
    remove_stack(call);
}

void plb_crash_listen(bool on)
{
    atomic_store(&listens, on);
}

int plb_crash_noted(struct plb_crash_note *at, int most)
{
    int n = atomic_load(&n_notes);
    n = n < most ? n : most;
    for (int i = 0; i < n; i++)
        at[i] = notes[i];
    return n;
}

void plb_crash_announced(void)
{
    atomic_store(&told, true);
}

const char *plb_crash_signal(int number)
{
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i].number == number)
            return signals[i].name;
    return number == 0 ? "exit" : number == SIGKILL ? "SIGKILL" : "a signal";
}

void plb_crash_tell(int signal, int status)
{
    struct plb_crash_line line = {.n = 0};
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i].number == signal)
            return;
    if (plb_crash_own() == NULL || plb_crash_own()->entry == NULL)
        return;
    add_rank(&line);
    plb_crash_add_title(&line, plb_crash_own());
    if (signal == 0)
        plb_crash_add(&line, " ended its process (exit, status ");
    else
        plb_crash_add(&line, signal == SIGKILL ? " was killed (SIGKILL, " : " was ended by a signal (");
    plb_crash_add_number(&line, signal == 0 ? status : signal);
    plb_crash_add(&line, ")");
    plb_crash_add_range(&line, plb_crash_own());
    plb_crash_add(&line, signal == 0 ? "; an entry ends by return" : "");
    plb_crash_add(&line, signal == SIGKILL ? "; the system does so when memory runs out" : "");
    plb_crash_write(&line);
}

void plb_crash_alone(void)
{
    for (int i = 0; i < MOST_CALLS; i++)
        atomic_store(&calls[i], i == 0 ? plb_crash_own() : NULL);
    atomic_flag_clear(&saying);
    atomic_store(&said, false);
    atomic_store(&listens, false);
    atomic_store(&n_notes, 0);
}

void plb_crash_call(const char *kernel, const char *function)
{
    main_call.kernel = kernel;
    main_call.entry = function;
}
