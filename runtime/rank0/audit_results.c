/* A list of the arrays that are kept, and the steps of a comparison: compare, tell the master, follow. */
#include "rank0/audit_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"

/* Differences that are said one by one. More: a PU that is always wrong fills the screen. Fewer: people see
 * less of a pattern. */
#define SAID 10

/* Results of one audit that are kept. */
struct kept {
    int64_t id;
    struct plb_range range;
    void *first[PLB_MAX_DATA];  /* reduced arrays of the first PU; NULL: there are none */
    void *second[PLB_MAX_DATA]; /* the second PU's result, once it differs; else NULL */
    bool said;                  /* people were told of the difference */
    struct kept *next;
};

struct plb_audit_results {
    struct plb_audit_results_config config;
    struct kept *kept; /* in no order */
    int differences;
    bool over; /* the run has ended */
};

struct plb_audit_results *plb_audit_results_new(const struct plb_audit_results_config *config)
{
    struct plb_audit_results *x = plb_alloc(sizeof *x);
    x->config = *config;
    return x;
}

static void free_arrays(void **arrays)
{
    for (int i = 0; i < PLB_MAX_DATA; i++)
        free(arrays[i]);
}

static void free_kept(struct kept *k)
{
    free_arrays(k->first);
    free_arrays(k->second);
    free(k);
}

void plb_audit_results_free(struct plb_audit_results *results)
{
    if (results == NULL)
        return;
    while (results->kept != NULL) {
        struct kept *next = results->kept->next;
        free_kept(results->kept);
        results->kept = next;
    }
    free(results);
}

/* ---------------------------------------------------------------------- keeping */

static bool is_kept(const struct plb_data *d, bool outputs)
{
    return d->mode == PLB_REDUCE || (outputs && d->mode == PLB_OUTPUT);
}

/* Copies the reduced arrays of a result, and its outputs where they are wanted, too. */
static void copy_arrays(const struct plb_audit_results *x, struct plb_range range, bool outputs,
                        void *const *from, void **to)
{
    const struct plb_dataset *set = x->config.set;
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        if (!is_kept(&set->at[i], outputs))
            continue;
        plb_dataset_bytes(set, i, range, &offset, &bytes);
        to[i] = plb_alloc(bytes);
        memcpy(to[i], from[i], bytes);
    }
}

static struct kept *find(const struct plb_audit_results *x, int64_t id)
{
    struct kept *k = x->kept;
    while (k != NULL && k->id != id)
        k = k->next;
    return k;
}

static struct kept *find_or_add(struct plb_audit_results *x, const struct plb_audit *audit)
{
    struct kept *k = find(x, audit->id);
    if (k != NULL)
        return k;
    k = plb_alloc(sizeof *k);
    *k = (struct kept){.id = audit->id, .range = audit->range, .next = x->kept};
    return x->kept = k;
}

bool plb_audit_results_keep(struct plb_audit_results *x, const struct plb_message *done, void *const *arrays)
{
    const struct plb_audit *audit = plb_audits_of(plb_master_audits(x->config.master), done->done.range);
    if (x->over || audit == NULL || !plb_dataset_reduces(x->config.set))
        return false;
    struct kept *k = find_or_add(x, audit);
    copy_arrays(x, k->range, false, arrays, k->first);
    return true;
}

bool plb_audit_results_wait(const struct plb_audit_results *x)
{
    return x->kept != NULL;
}

/* An audit is over: folds the right arrays, once, and takes the right outputs. */
static void follow(struct plb_audit_results *x, struct kept *k, bool first_was_wrong)
{
    const struct plb_dataset *set = x->config.set;
    if (first_was_wrong)
        for (int i = 0; i < set->n; i++) {
            size_t offset, bytes;
            plb_dataset_bytes(set, i, k->range, &offset, &bytes);
            if (set->at[i].mode == PLB_OUTPUT)
                memcpy((char *)set->host[i] + offset, k->second[i], bytes);
        }
    plb_dataset_fold(set, k->range, first_was_wrong ? k->second : k->first);
}

/* Takes an audit off the list, where it is on it, and does what follows from its end. */
static void conclude(struct plb_audit_results *x, int64_t id, bool first_was_wrong)
{
    for (struct kept **at = &x->kept; *at != NULL; at = &(*at)->next) {
        struct kept *k = *at;
        if (k->id != id)
            continue;
        follow(x, k, first_was_wrong);
        *at = k->next;
        free_kept(k);
        return;
    }
}

void plb_audit_results_settle(struct plb_audit_results *results)
{
    const struct plb_audits *audits = plb_master_audits(results->config.master);
    for (struct kept *k = results->kept, *next; k != NULL; k = next) {
        next = k->next;
        if (!plb_audits_is_open(audits, k->id))
            conclude(results, k->id, false);
    }
}

void plb_audit_results_end(struct plb_audit_results *results)
{
    results->over = true;
    while (results->kept != NULL)
        conclude(results, results->kept->id, false);
}

/* --------------------------------------------------------------------- comparing */

/* The result of the first PU: outputs in their place, and the arrays that are kept. */
static void first_result(const struct plb_audit_results *x, const struct plb_audit *audit,
                         void *arrays[PLB_MAX_DATA])
{
    const struct plb_dataset *set = x->config.set;
    const struct kept *k = find(x, audit->id);
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(set, i, audit->range, &offset, &bytes);
        arrays[i] = set->at[i].mode == PLB_REDUCE ? (k != NULL ? k->first[i] : NULL)
                                                  : (char *)set->host[i] + offset;
    }
}

/* "PU 3 'gpu' (rank 1 on host)". */
#define PU_TEXT 240
static void name_pu(const struct plb_audit_results *x, int pu, char text[PU_TEXT])
{
    const struct plb_pu_info *info = plb_master_pu(x->config.master, pu);
    snprintf(text, PU_TEXT, "PU %d '%.60s' (rank %d on %.100s)", pu, info->name, info->node, info->host);
}

static void say_difference(struct plb_audit_results *x, const struct plb_audit *audit, void *const *first,
                           void *const *second, const struct plb_difference *where)
{
    const struct plb_kernel *kernel = x->config.app->kernel;
    char one[PU_TEXT], other[PU_TEXT], title[PLB_PHASE_TITLE], units[PLB_RANGE_TEXT];
    char difference[PLB_RESULTS_TEXT];
    if (x->differences++ == SAID)
        plb_log(PLB_LOG_WARNING, "more results differ; they are counted, but not reported one by one");
    if (x->differences > SAID)
        return;
    find(x, audit->id)->said = true;
    name_pu(x, audit->pus[0], one);
    name_pu(x, audit->pus[1], other);
    plb_agree_print_difference(x->config.app, x->config.set, audit->range, first, second, where, difference);
    plb_log(PLB_LOG_WARNING, "%s computed two results for %s: %s and %s differ; %s",
            plb_phase_title(kernel, x->config.app->running, title),
            plb_range_print(audit->range.first, audit->range.count, kernel->unit, units), one, other,
            difference);
}

static void say_verdict(const struct plb_audit_results *x, const struct plb_audit *audit,
                        enum plb_audit_verdict verdict)
{
    const char *unit = x->config.app->kernel->unit;
    char judge[PU_TEXT], wrong[PU_TEXT], units[PLB_RANGE_TEXT];
    if (!find(x, audit->id)->said)
        return;
    plb_range_print(audit->range.first, audit->range.count, unit, units);
    if (verdict == PLB_AUDIT_UNDECIDED && audit->n < PLB_AUDIT_PUS) {
        plb_log(PLB_LOG_WARNING, "no third PU can say which of the two was wrong for %s", units);
        return;
    }
    name_pu(x, audit->pus[2], judge);
    if (verdict == PLB_AUDIT_UNDECIDED) {
        plb_log(PLB_LOG_WARNING, "%s agrees with neither of them for %s", judge, units);
        return;
    }
    name_pu(x, audit->pus[verdict == PLB_AUDIT_SECOND], wrong);
    plb_log(PLB_LOG_WARNING, "%s was wrong for %s, as %s shows%s", wrong, units, judge,
            verdict == PLB_AUDIT_FIRST ? "; the right result replaces the wrong one" : "");
}

void plb_audit_results_compare(struct plb_audit_results *results, const struct plb_message *done,
                               void *const *arrays)
{
    struct plb_audits *audits = plb_master_audits(results->config.master);
    const struct plb_audit *found = plb_audits_find(audits, done);
    void *first[PLB_MAX_DATA];
    bool agrees[PLB_AUDIT_PUS - 1] = {false};
    struct plb_difference where, unused;
    if (found == NULL || results->over)
        return;
    const struct plb_audit audit = *found; /* the master may end it */
    const struct plb_dataset *set = results->config.set;
    first_result(results, &audit, first);
    agrees[0] = plb_agree(results->config.app, set, audit.range, first, arrays, &where);
    if (audit.n == PLB_AUDIT_PUS)
        agrees[1] = plb_agree(results->config.app, set, audit.range, find(results, audit.id)->second, arrays,
                              &unused);
    if (audit.n == 2 && !agrees[0]) {
        copy_arrays(results, audit.range, true, arrays, find_or_add(results, &audit)->second);
        say_difference(results, &audit, first, arrays, &where);
    }
    enum plb_audit_verdict verdict = plb_audits_compared(
        audits, done, agrees, plb_now() + results->config.clock, results->config.out);
    if (verdict == PLB_AUDIT_DIFFERS)
        return;
    if (verdict != PLB_AUDIT_AGREES)
        say_verdict(results, &audit, verdict);
    conclude(results, audit.id, verdict == PLB_AUDIT_FIRST);
}

void plb_audit_warn(double wanted, const struct plb_master *master, const struct plb_app *app)
{
    int results = 0;
    for (int i = 0; i < app->n_data; i++)
        results += plb_data_is_result(&app->data[i]);
    if (!(wanted > 0.0))
        return;
    if (results == 0)
        plb_log(PLB_LOG_WARNING, "nothing can be audited: kernel %s has no results that can be compared",
                app->kernel->name);
    else if (plb_audits_candidates(plb_master_audits(master)) < 2)
        plb_log(PLB_LOG_WARNING, "nothing can be audited: a second PU is needed to compare results with");
}
