/* The order of the trials: costs, then passes, in the first of which the folds, and what `verify` says of the
 * whole.
 *
 * Processes of other ranks are forked before setup, and that of rank 0 in each pass. So they have what these
 * ranks have.
 *
 * It is weak where a mistake needs a GPU, or threads that meet at a bad time, or inputs that this job has
 * not. */
#include "check/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/aside.h"
#include "check/passes.h"
#include "check/promises.h"

/* Passes that are tried. More: a check takes longer. Fewer: a kernel with more phases is not tried whole. */
#define PASSES 3

static void set_up(void *context)
{
    void **both = context;
    struct plb_check *c = both[0];
    plb_job_setup(&c->job, false, both[1]);
}

static void verify(void *context)
{
    void **both = context;
    struct plb_check *c = both[0];
    plb_job_verify(&c->job, both[1]);
}

/* Whether it has what is tried here. */
static int check_entries(const struct plb_check *c, struct plb_error *err)
{
    for (int i = 0; i < plb_phase_count(c->job.kernel); i++)
        if (plb_phase_at(c->job.kernel, i).cpu == NULL)
            return plb_fail(err, PLB_EINPUT, "kernel %s has no cpu entry, and --check tries only these",
                            c->job.kernel->name);
    return PLB_OK;
}

static int prepare(struct plb_check *c, const struct plb_arguments *a, struct plb_error *err)
{
    void *both[] = {c, err};
    if (plb_job_read(&c->job, a->conf, a->settings.at, a->settings.n, NULL, a->seed, err) != PLB_OK
        || check_entries(c, err) != PLB_OK || plb_guards_open(&c->guards, err) != PLB_OK)
        return err->status;
    c->findings.kernel = c->job.kernel->name;
    for (int i = 0; i < PLB_CHECK_RANKS; i++) {
        c->rank[i] = plb_trial_new(&c->guards, c->job.kernel);
        if (i > 0 && plb_trial_fork(c->rank[i], err) != PLB_OK)
            return err->status;
    }
    plb_aside(set_up, both);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = cores > 1 && !c->job.kernel->single ? 2 : 1;
    c->order[0] = (struct plb_check_order){.way = {.pattern = 0xA5, .threads = threads}, .ranks = 1};
    c->order[1] = (struct plb_check_order){.way = {.at_end = true, .pattern = 0x5A, .threads = 1},
                                           .ranks = PLB_CHECK_RANKS};
    return err->status;
}

/* The result of all passes, by the kernel's own reference. */
static void look_at_result(struct plb_check *c)
{
    struct plb_error wrong = {.status = PLB_OK};
    void *both[] = {c, &wrong};
    plb_aside(verify, both);
    if (wrong.status != PLB_OK)
        plb_found(&c->findings, PLB_FOUND_WRONG, -1, "its `verify` rejects the result of these tasks: %s",
                  wrong.text);
}

static int run(struct plb_check *c, struct plb_error *err)
{
    bool again = true, whole = true;
    plb_check_costs(c);
    while (again && whole && c->passes < PASSES && err->status == PLB_OK) {
        if (plb_check_begin_pass(c, err) != PLB_OK)
            break;
        whole = plb_check_run_pass(c, err);
        if (whole && err->status == PLB_OK)
            plb_check_end_pass(c, &again, err);
    }
    bool complete = whole && !again && err->status == PLB_OK;
    if (complete && c->job.kernel->verify != NULL && !c->job.kernel->once)
        look_at_result(c);
    return err->status;
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* Says what was tried, so that nobody takes it for more. */
static void tell(const struct plb_check *c, FILE *out)
{
    const struct plb_kernel *k = c->job.kernel;
    fprintf(out, "%s: tried %d complete pass%s of %lld %s %s; %lld task%s in all\n", k->name, c->passes,
            c->passes == 1 ? "" : "es", (long long)c->job.app.units, k->unit,
            k->once ? "once, as its units are `once`"
                    : "twice, on one rank, and on three ranks with other tasks in another order",
            (long long)c->tasks, plural(c->tasks));
    fprintf(out, "  inputs read-only, guard pages around each buffer, outputs %s\n",
            k->writes_all ? "filled with garbage (writes_all)" : "zero");
    if (c->costs > 0)
        fprintf(out, "  %lld ranges whose cost was split\n", (long long)c->costs);
    if (c->folds > 0)
        fprintf(out, "  %lld calls of fold: neutral, commutative, associative\n", (long long)c->folds);
    if (c->findings.n == 0)
        fprintf(out, "nothing found\n");
    else
        fprintf(out, "%d mistake%s found\n", c->findings.n, plural(c->findings.n));
}

int plb_check(const struct plb_arguments *a, FILE *out, struct plb_error *err)
{
    struct plb_check *c = calloc(1, sizeof *c);
    if (c == NULL)
        return plb_fail(err, PLB_EFAILED, "no memory for --check");
    int status = prepare(c, a, err);
    if (status == PLB_OK)
        status = run(c, err);
    if (status == PLB_OK && !a->quiet)
        tell(c, out);
    if (status == PLB_OK && c->findings.n > 0)
        status = PLB_EFAILED;
    for (int i = 0; i < PLB_CHECK_RANKS; i++)
        plb_trial_free(c->rank[i]);
    plb_check_fini_orders(c);
    plb_guards_close(&c->guards);
    plb_job_fini(&c->job);
    free(c);
    return status;
}
