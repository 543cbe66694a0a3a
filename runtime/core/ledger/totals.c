/* Sums over reports. */
#include "core/ledger/totals.h"

#include <math.h>
#include <stdio.h>

static double positive(double seconds)
{
    return seconds > 0.0 && isfinite(seconds) ? seconds : 0.0;
}

/* Units that were granted to another PU than the one that executed them. Returns those of other nodes, but
 * for a copy: nobody has given these away. */
static int64_t count_stolen(struct plb_pu_totals *totals, const struct plb_pu_info *infos,
                            const struct plb_ledger *ledger, int pu, bool copy)
{
    int n;
    int64_t moved = 0;
    const struct plb_block_change *changes = plb_ledger_changes(ledger, &n);
    for (int i = 0; i < n; i++) {
        int granted = changes[i].pu;
        if (granted == pu || changes[i].freed)
            continue;
        totals[pu].stolen_in += changes[i].units;
        totals[granted].stolen_out += changes[i].units;
        moved += !copy && infos[granted].node != infos[pu].node ? changes[i].units : 0;
    }
    return moved;
}

int64_t plb_totals_count(struct plb_pu_totals *totals, const struct plb_pu_info *infos,
                         const struct plb_ledger *ledger, int pu, const struct plb_done *done, int64_t fresh)
{
    totals[pu].units += fresh;
    totals[pu].in_vain += done->range.count - fresh;
    totals[pu].tasks += done->tasks;
    totals[pu].execute_s += positive(done->execute_s);
    if (positive(done->execute_s) > totals[pu].longest_s) {
        totals[pu].longest_s = done->execute_s;
        totals[pu].longest = done->range;
    }
    totals[pu].transfer_s += positive(done->transfer_s);
    const struct plb_pu_so_far *so_far = &done->so_far;
    totals[pu].cpu_s = fmax(totals[pu].cpu_s, positive(so_far->cpu_s));
    totals[pu].waited_s = fmax(totals[pu].waited_s, positive(so_far->waited_s));
    totals[pu].locking_s = fmax(totals[pu].locking_s, positive(so_far->locking_s));
    if (so_far->copied_in > totals[pu].copied_in)
        totals[pu].copied_in = so_far->copied_in;
    if (so_far->copied_out > totals[pu].copied_out)
        totals[pu].copied_out = so_far->copied_out;
    return count_stolen(totals, infos, ledger, pu, done->copy != 0);
}

void plb_totals_end_pass(struct plb_pu_totals *totals, int n, int last, const struct plb_done *done,
                         double began, double now)
{
    double task_s = (positive(done->execute_s) + positive(done->transfer_s)) / (double)done->tasks;
    for (int p = 0; p < n; p++) {
        double waited = now - fmax(totals[p].latest, began);
        if (p == last || !(waited > 0.0) || totals[p].failure[0] != '\0')
            continue;
        totals[p].tail_s += fmin(waited, task_s);
        totals[p].imbalance_s += fmax(waited - task_s, 0.0);
        totals[last].others_waited_s += waited;
    }
}

void plb_totals_end_training(struct plb_pu_totals *totals, int n, double seconds)
{
    for (int p = 0; p < n; p++)
        totals[p].training_s = fmax(seconds - totals[p].execute_s - totals[p].transfer_s, 0.0);
}

bool plb_totals_fail(struct plb_pu_totals *totals, const char *why)
{
    bool first = totals->failure[0] == '\0';
    if (first)
        snprintf(totals->failure, sizeof totals->failure, "%s", why);
    return first;
}

void plb_totals_lose(struct plb_pu_totals *totals, const struct plb_pu_info *infos, int n, int node)
{
    for (int p = 0; p < n; p++)
        if (infos[p].node == node)
            plb_totals_fail(&totals[p], "its rank was lost");
}
