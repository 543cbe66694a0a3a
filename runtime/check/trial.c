/* Requests to a child, and a signal handler there that says which address was wrong.
 *
 * State at file scope, since a signal handler gets no argument. */
#include "check/trial.h"

#include <dirent.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "app/records.h"
#include "base/crc32c.h"
#include "base/memory.h"

/* The handler tells this, in memory that both processes share. */
struct told {
    int signal;
    const void *address;
    bool writes;
};

struct shared {
    struct plb_trial_request request;
    struct told told;
    int threads;
    char why[PLB_TASK_WHY];
};

struct plb_trial {
    struct plb_child *child;
    const struct plb_guards *guards;
    const struct plb_kernel *kernel;
    bool prepared; /* in the child */
};

/* ---------------------------------------------------------------- in the child */

static struct told *told;

/* Whether the address was to be written: only some CPUs say so in the context. Elsewhere it is not known. */
static bool was_written(const void *context)
{
#if defined(__x86_64__)
    return (((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
    return false;
#endif
}

/* The signal then takes its course. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    if (told->signal == 0) {
        told->signal = number;
        told->address = number == SIGSEGV || number == SIGBUS ? info->si_addr : NULL;
        told->writes = number == SIGSEGV && was_written(context);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void prepare(struct plb_trial *t, struct shared *s)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction ours = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    told = &s->told;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &ours, NULL);
    t->prepared = plb_guards_forbid_all(t->guards);
}

static int count_threads(void)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *e; tasks != NULL && (e = readdir(tasks)) != NULL;)
        n += e->d_name[0] != '.';
    if (tasks != NULL)
        closedir(tasks);
    return n;
}

/* Writes the checksum of each unit's record. */
static void sum_records(const struct plb_trial_request *r, struct plb_records *records)
{
    size_t n, at = 0;
    plb_records_seal(records, (struct plb_range){r->task.first, r->task.count});
    const char *bytes = plb_records_bytes(records, &n);
    for (int i = 0; i < r->n; i++) {
        const char *lengths = bytes + at;
        if (r->records[i] == NULL)
            continue;
        at += (size_t)r->task.count * sizeof(int64_t);
        for (int64_t u = 0; u < r->task.count; u++) {
            int64_t length;
            memcpy(&length, lengths + (size_t)u * sizeof length, sizeof length);
            r->records[i][u] = plb_crc32c(0, &length, sizeof length);
            if (length > 0) {
                r->records[i][u] = plb_crc32c(r->records[i][u], bytes + at, (size_t)length);
                at += (size_t)length;
            }
        }
    }
}

static struct plb_records *begin_records(struct plb_trial_request *r)
{
    struct plb_dataset set = {.n = r->n};
    bool any = false;
    for (int i = 0; i < r->n; i++) {
        set.at[i].mode = r->records[i] != NULL ? PLB_RECORDS : PLB_OUTPUT;
        any |= r->records[i] != NULL;
    }
    struct plb_records *records = any ? plb_records_new(&set) : NULL;
    for (int i = 0; i < r->n; i++)
        if (r->records[i] != NULL)
            r->data[i] = plb_records_part(records, i);
    return records;
}

static int run_task(struct plb_trial_request *r)
{
    struct plb_records *records = begin_records(r);
    omp_set_num_threads(r->task.threads);
    int status = r->phase.cpu(&r->task);
    if (records != NULL)
        sum_records(r, records);
    plb_records_free(records);
    return status;
}

static int work(void *context, void *request)
{
    struct plb_trial *t = context;
    struct shared *s = request;
    struct plb_trial_request *r = &s->request;
    int status = 0;
    if (!t->prepared)
        prepare(t, s);
    plb_guards_permit(r->placed, r->n, true);
    if (r->folds)
        t->kernel->fold(&r->folding);
    else
        status = run_task(r);
    plb_guards_permit(r->placed, r->n, false);
    s->threads = count_threads();
    return status;
}

/* --------------------------------------------------------------- in the parent */

struct plb_trial *plb_trial_new(const struct plb_guards *guards, const struct plb_kernel *kernel)
{
    struct plb_trial *t = plb_alloc(sizeof *t);
    t->guards = guards;
    t->kernel = kernel;
    t->child = plb_child_new(work, t, sizeof(struct shared));
    return t;
}

void plb_trial_free(struct plb_trial *t)
{
    if (t == NULL)
        return;
    plb_child_free(t->child);
    free(t);
}

int plb_trial_fork(struct plb_trial *t, struct plb_error *err)
{
    plb_child_renew(t->child);
    return plb_child_ready(t->child, err);
}

struct plb_trial_request *plb_trial_next(struct plb_trial *t)
{
    struct shared *s = plb_child_request(t->child);
    return &s->request;
}

void plb_trial_call(struct plb_trial *t, struct plb_trial_end *end, struct plb_error *err)
{
    struct shared *s = plb_child_request(t->child);
    struct plb_trial_request *r = &s->request;
    struct plb_child_end how = {.signal = 0};
    *end = (struct plb_trial_end){.how = PLB_TRIED};
    s->told = (struct told){.signal = 0};
    s->why[0] = '\0';
    r->task.data = r->data;
    r->task.bytes = r->bytes;
    r->task.before = r->before;
    r->task.after = r->after;
    r->task.args = r->folding.args = r->args_bytes > 0 ? r->args : NULL;
    r->task.why = s->why;
    switch (plb_child_call(t->child, &end->status, &how, err)) {
    case PLB_CHILD_ANSWERED: break;
    case PLB_CHILD_MISSING: end->how = PLB_TRIED_NEVER; break;
    case PLB_CHILD_ENDED:
        end->how = how.signal != 0 ? PLB_TRIED_CRASHED : PLB_TRIED_EXITED;
        end->status = how.status;
        end->signal = how.signal;
        end->address = s->told.address;
        end->writes = s->told.writes;
        break;
    }
    end->threads = s->threads;
    memcpy(end->why, s->why, sizeof end->why);
}
