/* Ranges that lie side by side and died alike are told as one. */
#include "outcome/set_aside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/phase.h"
#include "app/record_store.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"
#include "host/crash.h"
#include "report/quantity.h"

/* Ranges that warnings name. More: a kernel that crashes everywhere hides other lines. Fewer: the report must
 * be read to know them. */
#define MOST_NAMED 8

static int by_pass_and_unit(const void *a, const void *b)
{
    const struct plb_report_aside *x = a, *y = b;
    if (x->pass != y->pass)
        return x->pass < y->pass ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static bool goes_on(const struct plb_report_aside *before, const struct plb_report_aside *next)
{
    return before->pass == next->pass && before->first + before->count == next->first
        && before->nobody == next->nobody && strcmp(before->signal, next->signal) == 0;
}

/* Joins what lies side by side. The PUs are those of the first part. Returns how many remain. */
static int join(struct plb_report_aside *at, int n)
{
    int last = 0;
    for (int i = 1; i < n; i++)
        if (goes_on(&at[last], &at[i]))
            at[last].count += at[i].count;
        else
            at[++last] = at[i];
    return n > 0 ? last + 1 : 0;
}

static int node_of(const struct plb_master *master, int pu)
{
    return pu >= 0 ? plb_master_pu(master, pu)->node : -1;
}

void plb_set_aside_report(const struct plb_master *master, const struct plb_kernel *kernel,
                          struct plb_report *r)
{
    int n;
    const struct plb_set_aside *list = plb_suspects_list(plb_master_suspects(master), &n);
    if (n == 0)
        return;
    r->set_aside_units = plb_suspects_units(plb_master_suspects(master));
    r->set_aside = plb_alloc((size_t)n * sizeof *r->set_aside);
    for (int i = 0; i < n; i++) {
        const struct plb_set_aside *from = &list[i];
        r->set_aside[i] = (struct plb_report_aside){.first = from->range.first,
                                                    .count = from->range.count,
                                                    .pass = from->pass,
                                                    .phase = plb_phase_at(kernel, from->phase).name,
                                                    .signal = plb_crash_signal(from->signal),
                                                    .crashes = from->deaths,
                                                    .nobody = from->nobody,
                                                    .pu = from->pus[0],
                                                    .rank = node_of(master, from->pus[0]),
                                                    .earlier_pu = from->pus[1],
                                                    .earlier_rank = node_of(master, from->pus[1])};
    }
    qsort(r->set_aside, (size_t)n, sizeof *r->set_aside, by_pass_and_unit);
    r->n_set_aside = join(r->set_aside, n);
}

static void warn(const struct plb_report *r, const struct plb_report_aside *a)
{
    char units[PLB_RANGE_TEXT], pass[40] = "", earlier[60] = "";
    const char *were = a->count == 1 ? "was" : "were", *them = a->count == 1 ? "it" : "them";
    plb_range_print(a->first, a->count, r->unit, units);
    if (r->passes > 1)
        snprintf(pass, sizeof pass, " of pass %d", a->pass);
    if (a->earlier_pu >= 0)
        snprintf(earlier, sizeof earlier, ", and before on PU %d (rank %d)", a->earlier_pu, a->earlier_rank);
    plb_log(PLB_LOG_WARNING,
            "%s%s %s set aside: tasks with %s crashed %d time%s (%s), on PU %d (rank %d)%s%s", units, pass,
            were, them, a->crashes, a->crashes == 1 ? "" : "s", a->signal, a->pu, a->rank, earlier,
            a->nobody ? ", and no other rank is left to try" : "");
}

void plb_set_aside_warn(const struct plb_report *r)
{
    for (int i = 0; i < r->n_set_aside && i < MOST_NAMED; i++)
        warn(r, &r->set_aside[i]);
    if (r->n_set_aside > MOST_NAMED)
        plb_log(PLB_LOG_WARNING, "%d more ranges were set aside; --report has them all",
                r->n_set_aside - MOST_NAMED);
}

void plb_set_aside_fail(const struct plb_report *r, bool skip, struct plb_error *err)
{
    char units[PLB_RANGE_TEXT], count[PLB_UNITS_TEXT], others[PLB_UNITS_TEXT + 30] = "";
    if (r->n_set_aside == 0 || skip || err->status != PLB_OK)
        return;
    bool one = r->set_aside_units == 1;
    plb_range_print(r->set_aside[0].first, r->set_aside[0].count, r->unit, units);
    if (r->n_set_aside > 1)
        snprintf(others, sizeof others, " and others (%s in all)",
                 plb_units_print(r->set_aside_units, r->unit, count));
    plb_fail(err, PLB_EFAILED,
             "%s%s %s no result, because tasks with %s crashed; all other results are written; with "
             "run.skip_bad = yes the run ends with status 0",
             units, others, one ? "has" : "have", one ? "it" : "them");
}

bool plb_set_aside_any(const struct plb_master *master, const struct plb_run_settings *settings)
{
    return plb_suspects_units(plb_master_suspects(master)) > 0 && !settings->skip_bad;
}

bool plb_set_aside_has(const struct plb_master *master, struct plb_range range)
{
    int n;
    const struct plb_set_aside *list = plb_suspects_list(plb_master_suspects(master), &n);
    for (int i = 0; i < n; i++)
        if (plb_range_overlaps(list[i].range, range))
            return true;
    return false;
}

void plb_set_aside_clear(const struct plb_master *master, const struct plb_dataset *set)
{
    int n;
    const struct plb_set_aside *list = plb_suspects_list(plb_master_suspects(master), &n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < set->n; k++) {
            size_t offset, bytes;
            plb_dataset_bytes(set, k, list[i].range, &offset, &bytes);
            if (set->at[k].mode == PLB_OUTPUT)
                memset((char *)set->host[k] + offset, 0, bytes);
        }
    if (set->store != NULL)
        for (int i = 0; i < n; i++)
            plb_record_store_drop(set->store, list[i].range);
}
