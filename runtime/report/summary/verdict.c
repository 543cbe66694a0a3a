/* A sentence for each kind of loss: whose it is, and the numbers that show it. */
#include "report/summary/verdict.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/losses.h"
#include "report/quantity.h"
#include "report/summary/cores.h"
#include "report/summary/costliest.h"

/* The part of the makespan below which the verdict names no loss. Larger: runs with a flaw seem to have none.
 * Smaller: it names trifles. */
#define SMALL 0.01
/* The part of it from which on a second loss of a node is named with its copies. Larger: the reader thinks of
 * two causes. Smaller: the sentence is longer for nothing. */
#define ALSO 0.05
/* A PU was given too much where its part of the work is so many times its part in the rates. Larger: only
 * gross errors are told in numbers. Smaller: what rounding did is told. */
#define TOO_MUCH 1.1
/* The difference of two parts that are the same for a reader. */
#define SAME 0.01

static const char *host_of(const struct plb_report *r, int node)
{
    for (int p = 0; p < r->n_pus; p++)
        if (r->pus[p].node == node)
            return r->pus[p].host;
    return "";
}

static void say_node(const struct plb_report *r, int node, FILE *out)
{
    fprintf(out, "node %d", node);
    if (host_of(r, node)[0] != '\0')
        fprintf(out, " (%s)", host_of(r, node));
}

/* All tasks, and what each took to start. */
static void say_starts(const struct plb_report *r, const struct plb_report_loss *loss, FILE *out)
{
    char text[PLB_QUANTITY_TEXT];
    double starts = 0.0, busy = 0.0;
    int64_t tasks = 0;
    bool only = plb_losses_only_starts(r);
    for (int p = 0; p < r->n_pus; p++) {
        if (loss->pu >= 0 ? p != loss->pu : loss->node >= 0 && r->pus[p].node != loss->node)
            continue;
        starts += r->pus[p].starts_s;
        busy += r->pus[p].busy_s - r->pus[p].transfer_s;
        tasks += r->pus[p].tasks;
    }
    if (tasks == 0)
        return;
    plb_seconds_print((only ? busy : starts) / (double)tasks, text);
    bool named = r->n_pus > 1 && (loss->pu >= 0 || loss->node >= 0); /* with one PU it is the kernel's */
    if (named && loss->pu >= 0)
        fprintf(out, "PU %d (%s) had ", loss->pu, r->pus[loss->pu].name);
    else if (named)
        fprintf(out, "node %d had ", loss->node);
    fprintf(out, "%" PRId64 " tasks %stook %s each%s", tasks, named ? "that " : "", text,
            only ? ", whatever their size, because the kernel takes that long for any task" : " to start");
}

/* How far the rate of a PU is from its power, beside the others, and the power that fits. */
static void say_power(const struct plb_report_pu *pu, double powers, FILE *out)
{
    double fits = pu->rate_share / (1.0 - pu->rate_share) * (powers - pu->power);
    fprintf(out, " because of its power %.3g, but its share of the total rate is %.0f %%", pu->power,
            100.0 * pu->rate_share);
    fprintf(out, "; power %.3g, %.2g times as much, would match", fits, fits / pu->power);
}

/* The part of the work that a late PU was given, or that others waited for it. */
static void say_late(const struct plb_report *r, const struct plb_report_loss *loss, bool tail, FILE *out)
{
    const struct plb_report_pu *pu = loss->pu >= 0 ? &r->pus[loss->pu] : NULL;
    char units[PLB_RANGE_TEXT];
    struct plb_costliest costliest;
    double powers = 0.0;
    for (int p = 0; p < r->n_pus; p++)
        powers += r->pus[p].power;
    if (r->units > 0 && r->units < r->n_pus) {
        fprintf(out, "there %s only %s for %d PUs", r->units == 1 ? "is" : "are",
                plb_units_print(r->units, r->unit, units), r->n_pus);
        if (pu != NULL)
            fprintf(out, ", and others waited for PU %d (%s)", pu->id, pu->name);
    } else if (plb_costliest_find(r, &costliest)) {
        fprintf(out, "one task, %s, seems to be %.0f %% of all work",
                plb_range_print(costliest.first, costliest.count, r->unit, units), 100.0 * costliest.part);
        if (pu != NULL)
            fprintf(out, ", and others waited for PU %d (%s)", pu->id, pu->name);
    } else if (pu != NULL && plb_lacks_cores(r, pu)) {
        fprintf(out, "others waited for PU %d (%s), which had %.0f %% of its core%s", pu->id, pu->name,
                100.0 * plb_core_share(pu), pu->threads > 1 ? "s" : "");
    } else if (pu != NULL && !tail && pu->rate_share > 0.0 && pu->work_share > TOO_MUCH * pu->rate_share) {
        fprintf(out, "PU %d (%s) was granted %.0f %% of the work", pu->id, pu->name, 100.0 * pu->work_share);
        if (pu->power > 0.0 && powers > pu->power && pu->rate_share < 1.0
            && fabs(pu->power / powers - pu->work_share) < SAME)
            say_power(pu, powers, out);
        else
            fprintf(out, ", but its share of the total rate is %.0f %%", 100.0 * pu->rate_share);
    } else if (pu != NULL) {
        fprintf(out, "others waited for %sPU %d (%s)", tail ? "the last task, of " : "", pu->id, pu->name);
    } else if (loss->node >= 0) {
        fputs("others waited for the PUs of ", out);
        say_node(r, loss->node, out);
    }
}

/* How much went to and from a node during the run, and how fast; and what else has the same cause. */
static void say_link(const struct plb_report *r, const struct plb_report_loss *loss, FILE *out)
{
    char in[PLB_QUANTITY_TEXT], sent[PLB_QUANTITY_TEXT], rate[PLB_QUANTITY_TEXT], before[PLB_QUANTITY_TEXT];
    const struct plb_report_loss *waits = &r->losses[PLB_LOST_TO_WAITS];
    const struct plb_report_traffic *t = loss->node < r->n_traffic ? &r->traffic[loss->node] : NULL;
    double brought = t != NULL ? (double)t->received : 0.0;
    double took = t != NULL ? (double)t->bytes : 0.0;
    bool earlier = r->replicated_bytes > 0.0 && brought >= r->replicated_bytes; /* else it shares memory */
    if (earlier)
        brought -= r->replicated_bytes;
    bool has_link = r->nodes > 1 && brought + took > 0.0;
    fputs(has_link ? "" : "the PUs of ", out);
    say_node(r, loss->node, out);
    if (!has_link)
        fputs(" lost most of this time", out);
    else
        fprintf(out, " received %s and sent %s during the run, %s per second", plb_bytes_print(brought, in),
                plb_bytes_print(took, sent), plb_bytes_print((brought + took) / r->makespan_s, rate));
    if (has_link && earlier)
        fprintf(out, ", and %s before it", plb_bytes_print(r->replicated_bytes, before));
    if (waits->node == loss->node && waits->seconds > ALSO * r->makespan_s)
        fprintf(
            out, "; the waits for work (%.0f %% of the run) have the same cause; together they are %.0f %%",
            100.0 * waits->seconds / r->makespan_s, 100.0 * (waits->seconds + loss->seconds) / r->makespan_s);
}

static void say_failed(const struct plb_report *r, const struct plb_report_loss *loss, FILE *out)
{
    if (loss->pu >= 0)
        fprintf(out, "PU %d (%s) failed", loss->pu, r->pus[loss->pu].name);
    else
        fprintf(out, "%d PUs failed", r->failed_pus);
}

/* The numbers of a loss, and whose it is; nothing where there is no more to say. */
static void say_why(const struct plb_report *r, const struct plb_report_loss *loss, FILE *out)
{
    switch ((enum plb_loss_kind)(loss - r->losses)) {
    case PLB_LOST_TO_STARTS: say_starts(r, loss, out); return;
    case PLB_LOST_TO_IMBALANCE: say_late(r, loss, false, out); return;
    case PLB_LOST_TO_TAIL: say_late(r, loss, true, out); return;
    case PLB_LOST_TO_FAILURES: say_failed(r, loss, out); return;
    case PLB_LOST_TO_COPIES:
        if (loss->pu < 0 && loss->node >= 0) {
            say_link(r, loss, out);
            return;
        }
        break;
    default: break;
    }
    if (loss->pu >= 0) {
        fprintf(out, "PU %d (%s) lost most of this time", loss->pu, r->pus[loss->pu].name);
    } else if (loss->node >= 0) {
        fputs("the PUs of ", out);
        say_node(r, loss->node, out);
        fputs(" lost most of this time", out);
    }
}

static void say_ideal(const struct plb_report *r, FILE *out)
{
    double times = r->makespan_s / r->ideal_s;
    if (plb_losses_only_starts(r))
        fputs("The ideal time is unknown.", out);
    else
        fprintf(out, "The run took %.*f times the ideal time (parallel efficiency %.0f %%).",
                times < 1.1 ? 2 : 1, times, 100.0 * r->parallel_efficiency);
}

/* The time that the run takes with an advice, where it was simulated and is shorter. */
static void say_gain(const struct plb_report *r, const char *advice, FILE *out)
{
    static const struct {
        const char *advice, *change;
    } same[] = {{"--balancer sure", "with balancer sure"},
                {"balance.migration=on", "with balance.migration=on"},
                {"balance.backups=on", "with balance.backups=on"},
                {"leave out balance.grain", "without balance.grain"}};
    char before[PLB_QUANTITY_TEXT], after[PLB_QUANTITY_TEXT];
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        if (strstr(advice, same[k].advice) != NULL)
            for (int i = 0; i < r->n_changes; i++)
                if (strcmp(r->changes[i].change, same[k].change) == 0 && r->changes[i].ratio < 1.0 - SMALL)
                    fprintf(out, "; predicted: %s instead of %s",
                            plb_seconds_print(r->changes[i].predicted_s, after),
                            plb_seconds_print(r->makespan_s, before));
}

#define MOST_WHY 400 /* bytes of the longest text of say_why, with its end */

static const char *why(const struct plb_report *r, const struct plb_report_loss *loss, char text[MOST_WHY])
{
    memset(text, 0, MOST_WHY);
    FILE *memory = fmemopen(text, MOST_WHY - 1, "w");
    if (memory == NULL)
        return text;
    say_why(r, loss, memory);
    fclose(memory);
    return text;
}

void plb_verdict_print(const struct plb_report *r, FILE *out)
{
    const struct plb_report_loss *loss = &r->losses[plb_losses_largest(r)];
    char text[MOST_WHY];
    if (!(r->ideal_s > 0.0))
        return;
    say_ideal(r, out);
    if (r->again_s > SMALL * r->makespan_s)
        fprintf(out, " Repeated passes took %.0f %% of the run.", 100.0 * r->again_s / r->makespan_s);
    if (loss->seconds < SMALL * r->makespan_s) {
        fputs(" No single loss is above 1 %.", out);
        plb_cores_say(r, " ", ".", out);
        return;
    }
    fprintf(out, " The largest loss is %s: %.0f %% of the run.", loss->name,
            100.0 * loss->seconds / r->makespan_s);
    if (why(r, loss, text)[0] != '\0')
        fprintf(out, " %c%s.", toupper((unsigned char)text[0]), text + 1);
    if (loss->advice[0] != '\0') {
        fprintf(out, " Advice: %s", loss->advice);
        say_gain(r, loss->advice, out);
        fputc('.', out);
    }
    plb_cores_say(r, " ", ".", out);
}

void plb_advice_print(const struct plb_report *r, FILE *out)
{
    for (int kind = 0; kind < PLB_LOSSES && r->advice != NULL; kind++) {
        const struct plb_report_loss *loss = &r->losses[kind];
        char text[MOST_WHY];
        if (loss->advice != r->advice)
            continue;
        fprintf(out, "Advice: %s took %.0f %% of the run", loss->name, 100.0 * loss->seconds / r->makespan_s);
        if (why(r, loss, text)[0] != '\0')
            fprintf(out, " (%s)", text);
        fprintf(out, "; %s", r->advice);
        say_gain(r, r->advice, out);
        fputc('\n', out);
    }
}
