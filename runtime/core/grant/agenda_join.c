/* PUs that come while the run goes on.
 *
 * The balancer begins anew, with all PUs and with what is not finished of the pass: so no balancer needs code
 * for newcomers. It knows what it has measured (plb_pu.samples), and loses what else it kept. Blocks that are
 * open stay with their owners, and move from there. */
#include <stdio.h>

#include "core/grant/agenda.h"
#include "core/grant/agenda_inside.h"

void plb_agenda_restart(struct plb_agenda *a)
{
    const struct plb_balancer *b = a->config.balancer;
    b->fini(a->policy);
    plb_waiting_list_clear(&a->waiting);
    plb_recalls_begin(&a->recalls);
    plb_balancer_view_restart(&a->seen);
    a->policy = b->init(&a->seen.view, a->config.params);
    if (a->policy == NULL)
        snprintf(a->failure, sizeof a->failure, "balancer %s has no memory", b->name);
}

void plb_agenda_join(struct plb_agenda *a)
{
    while (a->seen.view.n_pus < a->config.pus->n)
        plb_balancer_view_add(&a->seen);
    plb_agenda_stand_no_more(a, &a->stood.joined); /* else they would get nothing before somebody is late */
    if (a->selection != NULL)
        plb_selection_joined(a->selection, &a->seen.view);
    if (a->policy != NULL)
        plb_agenda_restart(a);
}

bool plb_agenda_greet(struct plb_agenda *a, int node, struct plb_outbox *out)
{
    int before = out->n;
    if (!a->announced)
        return false;
    plb_agenda_name_victims(a, node, out);
    if (out->n == before) /* so that it says when it is idle */
        plb_outbox_add(out, PLB_EMPTY, 0, node, a->pass);
    return true;
}
