/* One victim at a time, and the PU that can take most of it. */
#include "core/grant/recall.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/work/migration.h"
#include "model/fit.h"
#include "model/rounding.h"

/* Seconds that the giver would need for what is taken, at least. Larger: more idle time. Smaller: messages
 * for little work. Four times as long as a report may wait. */
#define WORTH 20e-3

#define LOOKED_AT 16 /* PUs that wait, at most. Larger: fits cost the master time. Smaller: worse thieves. */

void plb_recalls_init(struct plb_recalls *r, struct plb_balancer_view *seen,
                      const struct plb_waiting_list *waiting, const struct plb_pu_info *infos, double task_s)
{
    *r = (struct plb_recalls){.seen = seen, .waiting = waiting, .infos = infos, .task_s = task_s};
    r->victims = plb_alloc((size_t)seen->room * sizeof *r->victims);
    plb_recalls_begin(r);
}

void plb_recalls_fini(struct plb_recalls *r)
{
    free(r->victims);
}

void plb_recalls_begin(struct plb_recalls *r)
{
    for (int p = 0; p < r->seen->view.n_pus; p++)
        r->victims[p] = PLB_NO_PU;
}

double plb_recall_work(const struct plb_model *thief, double queued, double rate)
{
    double low = 0.0, high = queued;
    for (int i = 0; i < PLB_HALVINGS; i++) {
        double x = 0.5 * (low + high);
        if (plb_model_time(thief, x) <= PLB_CLEARLY * (queued - x) / rate)
            low = x;
        else
            high = x;
    }
    return low >= 1.0 && low >= WORTH * rate ? low : 0.0;
}

/* The work that a PU that waits can take of a victim; 0: nothing, or it is busy, or not known well. */
static double takes(struct plb_recalls *r, int p, double queued, double rate)
{
    const struct plb_pu *pu = &r->seen->pus[p];
    struct plb_history *h = plb_balancer_view_history(r->seen, p);
    if (pu->outstanding > 0 || r->victims[p] != PLB_NO_PU || pu->n_samples < PLB_FEWEST_POINTS)
        return 0.0;
    const struct plb_model *model = plb_history_model(h);
    return model != NULL ? plb_recall_work(model, queued, rate) : 0.0;
}

static void recall_from(struct plb_recalls *r, int victim, int pass, struct plb_outbox *out)
{
    const struct plb_pu *v = &r->seen->pus[victim];
    const struct plb_estimate *e = v->estimate;
    double open = v->granted - v->done, most = 0.0;
    double queued = open - plb_estimate_work(e, r->task_s, open); /* a task of it is executed now */
    double rate = plb_estimate_reported(e) && queued > 0.0 ? queued / plb_estimate_seconds(e, queued) : 0.0;
    int thief = PLB_NO_PU;
    for (int i = 0; i < r->waiting->n && i < LOOKED_AT && rate > 0.0 && queued > 1.0 && !v->lost; i++) {
        int p = r->waiting->pus[i];
        double x = p != victim ? takes(r, p, queued, rate) : 0.0;
        thief = x > most ? p : thief;
        most = fmax(most, x);
    }
    if (thief == PLB_NO_PU)
        return;
    r->victims[thief] = victim;
    struct plb_message *m = plb_outbox_add(out, PLB_RECALL, 0, r->infos[victim].node, pass);
    m->pu = r->infos[victim].local;
    m->recall = (struct plb_recall){most, r->infos[thief].node, r->infos[thief].local, PLB_AS_BEFORE};
}

void plb_recalls_reported(struct plb_recalls *r, int pu, int pass, struct plb_outbox *out)
{
    int helped = r->victims[pu];
    r->victims[pu] = PLB_NO_PU;
    if (r->waiting->n == 0)
        return;
    recall_from(r, pu, pass, out);
    if (helped != PLB_NO_PU)
        recall_from(r, helped, pass, out);
}
