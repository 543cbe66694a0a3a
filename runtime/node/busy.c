/* How long PUs have had tasks. */
#include "base/clock.h"
#include "node/daemon.h"
#include "node/daemon_state.h"

void plb_node_busy(struct plb_node *node, double *seconds)
{
    pthread_mutex_lock(&node->shared.lock);
    double now = plb_now();
    for (int p = 0; p < node->n_pus; p++)
        seconds[p] = plb_busy_seconds(&node->runners[p].busy, now);
    pthread_mutex_unlock(&node->shared.lock);
}
