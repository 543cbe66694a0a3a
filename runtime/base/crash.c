/* A handler may call few functions: it builds its sentence by hand, and writes it at once.
 *
 * State at file scope, since a signal handler gets no argument: the places of all threads. */
#include "base/crash.h"

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
#include "base/units.h"

/* Threads whose tasks a crash of another thread can name; a rank seldom has ten PUs. Larger: the handler
 * looks longer. Smaller: it may not name the task. */
#define MOST_PLACES 256

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
    {SIGSEGV, "SIGSEGV", "it used memory that is not its own: look for an index outside of its buffers"},
    {SIGBUS, "SIGBUS", "it used memory that is not there: look for a file that became shorter"},
    {SIGFPE, "SIGFPE", "it divided a whole number by zero"},
    {SIGILL, "SIGILL", "it has an instruction that this CPU lacks: build it for this machine"},
    {SIGABRT, "SIGABRT", "it called abort(), or a check in it failed"},
};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* Those that stood before main: mostly none, or a sanitizer's. Handlers that libraries install later may
 * return from a signal as if nothing had happened. */
static struct sigaction earlier[SIGNALS];
static bool earlier_known;
static _Atomic(struct plb_crash_place *) places[MOST_PLACES];
static _Thread_local struct plb_crash_place *own;
static struct plb_crash_place calls = {.pu = -1}; /* of the main thread: functions of the kernel */
static int this_rank;
static atomic_flag saying = ATOMIC_FLAG_INIT;
static atomic_bool said;
static struct plb_crash_note notes[MOST_PLACES];
static atomic_int n_notes; /* the notes are complete */
static atomic_bool listens, told;

/* --------------------------------------------------------------- the sentence */

struct line {
    char at[1000];
    size_t n;
};

static void add_part(struct line *line, const char *text, size_t length)
{
    size_t room = sizeof line->at - 1 - line->n; /* one for the newline */
    length = length < room ? length : room;
    memcpy(line->at + line->n, text, length);
    line->n += length;
}

static void add(struct line *line, const char *text)
{
    add_part(line, text, strlen(text));
}

static void add_number(struct line *line, int64_t number)
{
    char digits[24];
    char *at = digits + sizeof digits - 1;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    *at = '\0';
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        *--at = '-';
    add(line, at);
}

/* "kernel spmm", and its phase where that has a name of its own. */
static void add_title(struct line *line, const struct plb_crash_place *p)
{
    add(line, "kernel ");
    add(line, p->kernel);
    if (p->pu >= 0 && strcmp(p->entry, p->kernel) != 0) {
        add(line, ", phase ");
        add(line, p->entry);
        add(line, ",");
    }
}

/* "kernel spmm crashed (SIGSEGV) on PU 0 in rows 10 to 19", or what of it is known. */
static void add_kernel(struct line *line, const struct plb_crash_place *p, const char *signal)
{
    add_title(line, p);
    add(line, " crashed (");
    add(line, signal);
    add(line, ")");
    if (p->pu < 0) {
        add(line, " in its function ");
        add(line, p->entry);
    }
}

static void add_range(struct line *line, const struct plb_crash_place *p)
{
    add(line, " on PU ");
    add_number(line, p->pu);
    add(line, " in ");
    if (p->count == 1) {
        const char *ending;
        int length = plb_units_singular(p->unit, &ending);
        add_part(line, p->unit, (size_t)length);
        add(line, ending);
    } else {
        add(line, p->unit);
    }
    add(line, " ");
    add_number(line, p->first);
    if (p->count == 1)
        return;
    add(line, " to ");
    add_number(line, p->first + p->count - 1);
}

/* Names the tasks of all threads; the crash is in another one. False where none runs. */
static bool add_all(struct line *line, const char *signal)
{
    bool any = false;
    for (int i = 0; i < MOST_PLACES; i++) {
        const struct plb_crash_place *p = atomic_load(&places[i]);
        if (p == NULL || p->entry == NULL)
            continue;
        if (!any)
            add_kernel(line, p, signal);
        if (p->pu >= 0) {
            add(line, any ? ", or" : " in a thread of its own, or of a library, while it ran");
            add_range(line, p);
        }
        any = true;
    }
    return any;
}

static void add_rank(struct line *line)
{
    add(line, "plbrun: rank ");
    add_number(line, this_rank);
    add(line, ": ");
}

static void write_line(struct line *line)
{
    line->at[line->n++] = '\n';
    ssize_t written = write(STDERR_FILENO, line->at, line->n);
    (void)written; /* there is nobody to tell */
}

static void say(int i, const void *address)
{
    struct line line = {.n = 0};
    const struct plb_crash_place *p = own;
    const char *file = signals[i].number == SIGBUS || signals[i].number == SIGSEGV ? plb_mapped_path(address)
                                                                                   : NULL;
    add_rank(&line);
    bool known = p != NULL && p->entry != NULL;
    if (known)
        add_kernel(&line, p, signals[i].name);
    if (known && p->pu >= 0)
        add_range(&line, p);
    known = known || (p == NULL && add_all(&line, signals[i].name));
    if (!known) {
        add(&line, "plbrun itself crashed (");
        add(&line, signals[i].name);
        add(&line, "), or a library; report it with the command line and the conf file");
    } else {
        add(&line, "; ");
        add(&line, file == NULL ? signals[i].hint : file);
        if (file != NULL)
            add(&line, signals[i].number == SIGBUS ? " became shorter, or its disk failed"
                                                   : " is for reading alone");
    }
    write_line(&line);
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

static int add_note(int n, const struct plb_crash_place *p, int signal)
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
    if (own != NULL)
        n = add_note(n, own, signal);
    for (int i = 0; i < MOST_PLACES && own == NULL; i++)
        n = add_note(n, atomic_load(&places[i]), signal);
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

/* ------------------------------------------------------------------- its stack */

/* Gives the calling thread a stack for handlers. */
static void add_stack(struct plb_crash_place *place)
{
    place->stack = plb_alloc(STACK_BYTES);
    place->earlier = plb_alloc(sizeof(stack_t));
    stack_t stack = {.ss_sp = place->stack, .ss_size = STACK_BYTES};
    sigaltstack(&stack, place->earlier);
}

/* Gives back the stack that the thread had before: a sanitizer frees its own when the thread ends. */
static void remove_stack(struct plb_crash_place *place)
{
    sigaltstack(place->earlier, NULL);
    free(place->stack);
    free(place->earlier);
    place->stack = place->earlier = NULL;
}

/* ------------------------------------------------------------------------ calls */

void plb_crash_watch(int rank)
{
    struct sigaction ours = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    this_rank = rank;
    plb_crash_enter(&calls);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i].number, &ours, earlier_known ? NULL : &earlier[i]);
    earlier_known = true;
}

void plb_crash_unwatch(void)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i].number, &earlier[i], NULL);
    plb_crash_leave(&calls);
}

void plb_crash_enter(struct plb_crash_place *place)
{
    add_stack(place);
    own = place;
    for (int i = 0; i < MOST_PLACES; i++) {
        struct plb_crash_place *none = NULL;
        if (atomic_compare_exchange_strong(&places[i], &none, place))
            return;
    }
}

void plb_crash_leave(struct plb_crash_place *place)
{
    for (int i = 0; i < MOST_PLACES; i++) {
        struct plb_crash_place *ours = place;
        atomic_compare_exchange_strong(&places[i], &ours, NULL);
    }
    own = NULL;
    remove_stack(place);
}

void plb_crash_begin(const char *entry, int64_t first, int64_t count)
{
    if (own == NULL)
        return;
    own->first = first;
    own->count = count;
    own->entry = entry;
}

void plb_crash_end(void)
{
    if (own != NULL)
        own->entry = NULL;
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

void plb_crash_told(void)
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
    struct line line = {.n = 0};
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i].number == signal)
            return;
    if (own == NULL || own->entry == NULL)
        return;
    add_rank(&line);
    add_title(&line, own);
    if (signal == 0)
        add(&line, " ended its process (exit, status ");
    else
        add(&line, signal == SIGKILL ? " was killed (SIGKILL, " : " was ended by a signal (");
    add_number(&line, signal == 0 ? status : signal);
    add(&line, ")");
    add_range(&line, own);
    add(&line, signal == 0 ? "; an entry ends by return" : "");
    add(&line, signal == SIGKILL ? "; the system does so where memory runs out" : "");
    write_line(&line);
}

void plb_crash_alone(void)
{
    for (int i = 0; i < MOST_PLACES; i++)
        atomic_store(&places[i], i == 0 ? own : NULL);
    atomic_flag_clear(&saying);
    atomic_store(&said, false);
    atomic_store(&listens, false);
    atomic_store(&n_notes, 0);
}

void plb_crash_call(const char *kernel, const char *function)
{
    calls.kernel = kernel;
    calls.entry = function;
}
