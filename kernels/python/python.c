/* Kernels in Python: `kernel = mine.py` runs the functions of a Python file.
 *
 * Each rank loads the Python that `python3`, or the program in PLB_PYTHON, is: its libpython is opened at run
 * time, so that plbrun needs no Python to be built or to run other kernels. This file knows C's structs, and
 * host.py, whose text is in this object, knows Python's. They call each other by ctypes with plain numbers
 * and pointers alone, so neither depends on a version of Python or on a layout of the other.
 *
 * The interpreter never ends. Its lock is free but for the time of a call. An entry for GPUs gets arrays of
 * CuPy or Numba in the memory where the driver has brought the data. Cost: that of a call from C into Python,
 * and of an array for each parameter of the entry. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "plb/host.h"

#define SENTENCE 400 /* bytes, as in host.py */
#define MOST_OPTIONS 60
#define TEXTS 16384  /* bytes of all names, defaults and lines of help */
#define ANSWER 16384 /* bytes of what a Python tells of itself */
#define PROGRAM 1024 /* bytes of its name at most */

/* The text of arrays.py and host.py, with a NUL at its end. */
__asm__(".pushsection .rodata\n"
        "plb_python_host: .incbin \"kernels/python/arrays.py\"\n"
        ".incbin \"kernels/python/host.py\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char plb_python_host[] __attribute__((visibility("hidden")));

/* What C calls, in the order of their numbers in host.py; NULL: the file has no such function. */
static struct {
    int (*entry)(char *why, int64_t first, int64_t count, int threads, void *const *data, const size_t *bytes,
                 const int64_t *before, const int64_t *after, const void *args, const int32_t *cancelled);
    int (*setup)(struct plb_app *app);
    double (*cost)(int64_t first, int64_t count);
    int (*next)(struct plb_app *app, int64_t pass);
    int (*verify)(struct plb_app *app);
    int (*finish)(struct plb_app *app);
    int (*entry_gpu)(char *why, int64_t first, int64_t count, int threads, void *const *data,
                     const size_t *bytes, const int64_t *before, const int64_t *after, const void *args,
                     const int32_t *cancelled, void *stream);
} hooks;

static struct plb_option options[MOST_OPTIONS + 1];
static char texts[TEXTS];
static size_t used;

/* ------------------------------------------------------------------ what C calls */

static int entry(const struct plb_task *task)
{
    char why[SENTENCE] = "";
    int status = hooks.entry(why, task->first, task->count, task->threads, task->data, task->bytes,
                             task->before, task->after, task->args, task->cancelled);
    return status != 0 ? plb_task_error(task, "%s", why) : 0;
}

/* Data is in the memory of a GPU. It returns when all is on its way to the stream. */
static int entry_gpu(const struct plb_task *task)
{
    char why[SENTENCE] = "";
    int status = hooks.entry_gpu(why, task->first, task->count, task->threads, task->data, task->bytes,
                                 task->before, task->after, task->args, task->cancelled, task->stream);
    return status != 0 ? plb_task_error(task, "%s", why) : 0;
}

static int setup(struct plb_app *app)
{
    return hooks.setup(app) < 0 ? PLB_EINPUT : PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    (void)app;
    return hooks.cost(first, count);
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    int result = hooks.next(app, pass);
    *again = result == 1;
    return result < 0 ? PLB_EINPUT : PLB_OK;
}

static int verify(struct plb_app *app)
{
    return hooks.verify(app) < 0 ? PLB_EVERIFY : PLB_OK;
}

static int finish(struct plb_app *app)
{
    return hooks.finish(app) < 0 ? PLB_EINPUT : PLB_OK;
}

static struct plb_kernel kernel = {PLB_KERNEL_HEAD, .options = options, .cpu = entry, .setup = setup};

/* ------------------------------------------------------------- what host.py calls */

/* A copy of a text, which lasts; NULL: there is no room, or no text. */
static const char *lasting(const char *text)
{
    size_t n = text != NULL ? strlen(text) + 1 : 0;
    if (n == 0 || n > sizeof texts - used)
        return NULL;
    used += n;
    return memcpy(texts + used - n, text, n);
}

void plb_python_describe(const char *name, const char *unit, const char *summary, int flags)
{
    kernel.name = lasting(name);
    kernel.unit = lasting(unit);
    kernel.summary = lasting(summary);
    kernel.writes_all = (flags & 1) != 0;
    kernel.single = (flags & 2) != 0;
    kernel.once = (flags & 4) != 0;
    kernel.streams = (flags & 8) != 0;
}

int plb_python_option(const char *name, int type, const char *fallback, double min, double max,
                      const char *help)
{
    int n = 0;
    while (options[n].name != NULL)
        n++;
    if (n == MOST_OPTIONS)
        return 1;
    options[n] = (struct plb_option){.name = lasting(name),
                                     .type = (enum plb_option_type)type,
                                     .fallback = lasting(fallback),
                                     .min = min,
                                     .max = max,
                                     .help = lasting(help)};
    return options[n].name == NULL || options[n].help == NULL
        || (fallback != NULL && options[n].fallback == NULL);
}

void plb_python_data(struct plb_app *app, const char *name, int mode, void *data, int64_t bytes,
                     int64_t unit_bytes, int op, int type, int64_t before, int64_t after)
{
    const char *kept = lasting(name);
    bool whole = mode == PLB_REPLICATE || mode == PLB_REDUCE;
    plb_app_data(app, &(struct plb_data){.name = kept != NULL ? kept : "buffer",
                                         .mode = (enum plb_data_mode)mode,
                                         .data = data,
                                         .bytes = whole ? (size_t)bytes : 0,
                                         .unit_bytes = (size_t)unit_bytes,
                                         .op = (enum plb_reduce_op)op,
                                         .type = (enum plb_reduce_type)type,
                                         .before = before,
                                         .after = after});
}

/* The constant block: how long the text is, and the text. */
void plb_python_args(struct plb_app *app, const char *text, int64_t n)
{
    char block[4096];
    memcpy(block, &n, sizeof n);
    memcpy(block + sizeof n, text, (size_t)n);
    plb_app_args(app, block, sizeof n + (size_t)n);
}

void plb_python_save(struct plb_app *app, const char *path, void *data, int type, int64_t rows,
                     int64_t columns)
{
    bool wide = type == PLB_FLOAT64 || type == PLB_INT64;
    const struct plb_array array = {data, wide ? 8 : 4, rows, columns, false};
    if (type == PLB_INT32 || type == PLB_INT64)
        plb_app_save_integers(app, path, &array);
    else
        plb_app_save_npy(app, path, &array);
}

void plb_python_error(struct plb_app *app, const char *text)
{
    plb_app_error(app, "%s", text);
}

/* ------------------------------------------------------------------ interpreter */

/* The answers of a Python, in this order: NUL-ended texts. */
struct answer {
    char text[ANSWER];
    size_t n;
};

/* The program prints where its shared library is, its home, and all of sys.path as a text of Python. */
static const char question[] =
    "import sys, sysconfig as s, os\n"
    "v = s.get_config_var\n"
    "n = v('INSTSONAME') or ''\n"
    "n = n if '.so' in n else 'libpython%d.%d.so.1.0' % sys.version_info[:2]\n"
    "d = [v('LIBDIR') or '', os.path.join(v('LIBDIR') or '', v('MULTIARCH') or ''), sys.base_prefix + "
    "'/lib']\n"
    "f = [os.path.join(x, n) for x in d if os.path.exists(os.path.join(x, n))]\n"
    "out = [f[0] if f else n, sys.base_prefix + ':' + sys.base_exec_prefix, sys.executable, "
    "ascii(([x for x in sys.path if x], sys.prefix, sys.exec_prefix, sys.executable))]\n"
    "sys.stdout.write('\\0'.join(out) + '\\0')\n";
enum { LIBRARY, HOME, EXECUTABLE, PATHS, ANSWERS };

/* Asks the program. False: it is no Python. */
static bool ask(const char *program, struct answer *answer)
{
    char command[sizeof question + PROGRAM + 32];
    int texts_seen = 0;
    if (strchr(program, '\'') != NULL || strchr(question, '"') != NULL || strlen(program) > PROGRAM)
        return false;
    snprintf(command, sizeof command, "'%s' -c \"%s\" 2>/dev/null", program, question);
    FILE *in = popen(command, "r");
    if (in == NULL)
        return false;
    answer->n = fread(answer->text, 1, sizeof answer->text, in);
    int status = pclose(in);
    for (size_t i = 0; i < answer->n; i++)
        texts_seen += answer->text[i] == '\0';
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && texts_seen == ANSWERS;
}

static const char *part(const struct answer *answer, int number)
{
    const char *at = answer->text;
    for (; number > 0; number--)
        at += strlen(at) + 1;
    return at;
}

/* The functions of libpython that are needed; all have been there since version 3.7. */
struct python {
    int (*is_initialized)(void);
    void (*initialize)(int signals);
    int (*run)(const char *text);
    void *(*save_thread)(void);
    int (*ensure)(void);
    void (*release)(int state);
    void (*before_fork)(void), (*after_fork)(void), (*after_fork_in_child)(void);
};
static struct python python; /* the one that runs */

static bool find_functions(void *library, struct python *p)
{
    *(void **)&p->is_initialized = dlsym(library, "Py_IsInitialized");
    *(void **)&p->initialize = dlsym(library, "Py_InitializeEx");
    *(void **)&p->run = dlsym(library, "PyRun_SimpleString");
    *(void **)&p->save_thread = dlsym(library, "PyEval_SaveThread");
    *(void **)&p->ensure = dlsym(library, "PyGILState_Ensure");
    *(void **)&p->release = dlsym(library, "PyGILState_Release");
    *(void **)&p->before_fork = dlsym(library, "PyOS_BeforeFork");
    *(void **)&p->after_fork = dlsym(library, "PyOS_AfterFork_Parent");
    *(void **)&p->after_fork_in_child = dlsym(library, "PyOS_AfterFork_Child");
    return p->is_initialized != NULL && p->initialize != NULL && p->run != NULL && p->save_thread != NULL
        && p->ensure != NULL && p->release != NULL && p->before_fork != NULL && p->after_fork != NULL
        && p->after_fork_in_child != NULL;
}

/* A rank forks where tasks run in child processes (run.isolate). The lock of the interpreter must be that of
 * the thread that forks: the child has no other thread to release it. Where Python itself forks, it sees to
 * that. */
static int state_at_fork;
static bool own_fork;

static void before_fork(void)
{
    int state = python.ensure();
    own_fork = state != 0; /* PyGILState_UNLOCKED: this thread was not in Python */
    state_at_fork = state;
    if (own_fork)
        python.before_fork();
}

static void after_fork(void)
{
    if (own_fork)
        python.after_fork();
    python.release(state_at_fork);
}

/* The thread keeps its state of Python: it is the only one of the child. */
static void after_fork_in_child(void)
{
    if (own_fork) {
        python.after_fork_in_child();
        python.save_thread();
    } else {
        python.release(state_at_fork);
    }
}

/* Starts the interpreter where the program would have its modules, and without its handlers of signals. */
static void begin(const struct python *p, const struct answer *answer)
{
    const char *before = getenv("PYTHONHOME");
    char *kept = before != NULL ? strdup(before) : NULL;
    setenv("PYTHONHOME", part(answer, HOME), 1);
    p->initialize(0);
    if (kept != NULL)
        setenv("PYTHONHOME", kept, 1);
    else
        unsetenv("PYTHONHOME");
    free(kept);
    p->save_thread();
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* Runs host.py on the user's file. It writes its sentence to `why`; "": all is well. */
static bool run_host(const struct python *p, const struct answer *answer, const char *path, char *why)
{
    Dl_info self;
    char names[3 * 4096];
    if (dladdr((const void *)&kernel, &self) == 0 || strlen(self.dli_fname) + strlen(path) > 4096)
        return false;
    /* Paths come as numbers: they may have any characters. */
    snprintf(names, sizeof names,
             "import ctypes, sys\n"
             "def _text(at): return ctypes.string_at(at)\n"
             "HOOKS, WHY = %llu, %llu\n"
             "SELF, PATH = (_text(at).decode('utf-8', 'surrogateescape') for at in (%llu, %llu))\n"
             "sys.path[:], sys.prefix, sys.exec_prefix, sys.executable = eval(_text(%llu).decode())\n"
             "_scope = {'__name__': 'plbrun', 'HOOKS': HOOKS, 'SELF': SELF, 'PATH': PATH}\n"
             "exec(compile(_text(%llu), 'plbrun', 'exec'), _scope)\n"
             "_why = _scope['main']() + b'\\0'\n"
             "ctypes.memmove(WHY, _why, len(_why))\n",
             (unsigned long long)(uintptr_t)&hooks, (unsigned long long)(uintptr_t)why,
             (unsigned long long)(uintptr_t)self.dli_fname, (unsigned long long)(uintptr_t)path,
             (unsigned long long)(uintptr_t)part(answer, PATHS),
             (unsigned long long)(uintptr_t)plb_python_host);
    int state = p->ensure(), status = p->run(names);
    p->release(state);
    return status == 0;
}

/* Finds a Python and starts it. Returns false after it has written why not. */
static bool load(const char *path, struct python *p, struct answer *answer, char *why, size_t size)
{
    const char *named = getenv("PLB_PYTHON"),
               *program = named != NULL && named[0] != '\0' ? named : "python3";
    if (!ask(program, answer)) {
        snprintf(why, size,
                 "%s: %s is no Python that can be run; install Python 3 with NumPy, or name one in "
                 "PLB_PYTHON",
                 path, program);
        return false;
    }
    void *library = dlopen(part(answer, LIBRARY), RTLD_NOW | RTLD_GLOBAL); /* modules look for it there */
    if (library == NULL || !find_functions(library, p)) {
        snprintf(why, size,
                 "%s: the shared library of %s cannot be loaded: %.200s; install it (libpython3-dev), "
                 "or name another Python in PLB_PYTHON",
                 path, part(answer, EXECUTABLE), library == NULL ? dlerror() : part(answer, LIBRARY));
        return false;
    }
    if (!p->is_initialized())
        begin(p, answer);
    return true;
}

const struct plb_kernel *plb_kernel_open(const char *path, char *why, size_t size)
{
    struct answer *answer = calloc(1, sizeof *answer);
    char said[SENTENCE] = "";
    bool ready = answer != NULL && load(path, &python, answer, why, size);
    if (ready && !run_host(&python, answer, path, said))
        snprintf(said, sizeof said, "%s: Python cannot be used", path);
    if (ready)
        snprintf(why, size, "%s", said);
    free(answer);
    if (!ready || said[0] != '\0')
        return NULL;
    char *whole = realpath(path, NULL);
    kernel.source = lasting(whole != NULL ? whole : path);
    free(whole);
    kernel.cuda = hooks.entry_gpu != NULL ? entry_gpu : NULL;
    kernel.cost = hooks.cost != NULL ? cost : NULL;
    kernel.next = hooks.next != NULL ? next : NULL;
    kernel.verify = hooks.verify != NULL ? verify : NULL;
    kernel.finish = hooks.finish != NULL ? finish : NULL;
    return &kernel;
}
