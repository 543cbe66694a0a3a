/* Failures in words. */
#include "rank0/failure_text.h"

#include <stdio.h>

#include "app/phase.h"
#include "base/log.h"
#include "base/units.h"

void plb_failure_describe(const struct plb_message *fail, const struct plb_kernel *kernel, int phase,
                          const struct plb_pu_info *pus, int n_pus, char text[PLB_FAILURE_TEXT])
{
    const struct plb_failure *f = &fail->fail;
    struct plb_range range = f->text[0] != '\0' ? f->among : f->range;
    const char *name = "?", *host = "?";
    char title[PLB_PHASE_TITLE], what[100], units[PLB_RANGE_TEXT];
    for (int p = 0; p < n_pus; p++)
        if (pus[p].node == fail->from && pus[p].local == fail->pu) {
            name = pus[p].name;
            host = pus[p].host;
        }
    plb_phase_title(kernel, phase, title);
    if (f->text[0] != '\0')
        snprintf(what, sizeof what, "failed (%s)", f->text);
    else if (f->why[0] != '\0')
        snprintf(what, sizeof what, "failed");
    else
        snprintf(what, sizeof what, "returned %lld", (long long)f->status);
    snprintf(text, PLB_FAILURE_TEXT, "%s %s on PU '%s' (rank %d on %s) for %s%s%s", title, what, name,
             fail->from, host, plb_range_print(range.first, range.count, kernel->unit, units),
             f->why[0] != '\0' ? ": " : "", f->why);
}

void plb_say_damaged(const struct plb_kernel *kernel, const struct plb_message *m, int64_t *count)
{
    char units[PLB_RANGE_TEXT];
    bool inputs = m->type == PLB_FETCH;
    const struct plb_range *r = inputs              ? &m->fetch.range
                              : m->type == PLB_FROM ? &m->sources.at[0].range
                                                    : &m->done.range;
    plb_range_print(r->first, r->count, kernel->unit, units);
    plb_log(PLB_LOG_WARNING,
            "the %s of %s arrived damaged %s rank %d, as their checksum shows; they are %s again",
            inputs ? "inputs" : "results", units, inputs ? "at" : "from", m->from,
            inputs ? "sent" : "computed");
    ++*count;
}
