/* Candidates in order of what they have left, or of when they end, and promises. */
#include "core/grant/broker.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/work/migration.h"

#define HINTS 32 /* that a list serves at most. Larger: hints are older. Smaller: lists cost more. */
#define FEW 64   /* nodes up to which each hint has a list of its own, which then costs less than a message */
#define TAKEN 0.5 /* of what a victim has left, promised to a thief; R_i / (R_i + R_j) of equal nodes */

struct plb_broker *plb_broker_new(const struct plb_ledger *ledger, const struct plb_work_count *work,
                                  enum plb_victim victim, const struct plb_pu_info *pus, int n_pus,
                                  int n_nodes)
{
    struct plb_broker *b = plb_alloc(sizeof *b);
    b->ledger = ledger;
    b->work = victim == PLB_A2WS ? work : NULL;
    b->n = n_nodes;
    b->at = plb_alloc((size_t)n_nodes * sizeof *b->at);
    for (int p = n_pus - 1; p >= 0; p--) {
        b->at[pus[p].node].first_pu = p;
        b->at[pus[p].node].n_pus++;
    }
    plb_broker_begin(b);
    return b;
}

void plb_broker_free(struct plb_broker *b)
{
    if (b != NULL)
        free(b->at);
    free(b);
}

void plb_broker_join(struct plb_broker *b, int node, int first_pu, int n_pus)
{
    b->at[node] = (struct plb_broker_node){.first_pu = first_pu, .n_pus = n_pus};
    b->hints = HINTS;
}

void plb_broker_begin(struct plb_broker *b)
{
    for (int n = 0; n < b->n; n++)
        b->at[n].promised = 0.0;
    b->n_candidates = 0;
    b->hints = HINTS;
}

/* Work that a thief may hope for. */
static double hope(const struct plb_broker *b, int node)
{
    return plb_ledger_lost(b->ledger, node) ? 0.0 : plb_ledger_left(b->ledger, node) - b->at[node].promised;
}

/* Of a node's PUs together, as far as they have reported. */
static double rate_of(const struct plb_broker *b, int node)
{
    double sum = 0.0;
    if (b->work != NULL)
        for (int i = 0; i < b->at[node].n_pus; i++)
            sum += plb_work_count_rate(b->work, b->at[node].first_pu + i);
    return isfinite(sum) ? sum : 0.0;
}

/* Whether a node should be asked before another one. Where rates are not wanted, none is known. */
static bool comes_before(const struct plb_broker *b, int node, int other)
{
    return plb_ends_later((struct plb_load){hope(b, node), b->at[node].rate},
                          (struct plb_load){hope(b, other), b->at[other].rate});
}

/* Puts a node into the sorted list where it belongs, or drops it. */
static void enter(struct plb_broker *b, int node)
{
    if (b->n_candidates == PLB_CANDIDATES && !comes_before(b, node, b->candidates[PLB_CANDIDATES - 1]))
        return;
    int index = b->n_candidates < PLB_CANDIDATES ? b->n_candidates++ : PLB_CANDIDATES - 1;
    for (; index > 0 && comes_before(b, node, b->candidates[index - 1]); index--)
        b->candidates[index] = b->candidates[index - 1];
    b->candidates[index] = node;
}

void plb_broker_survey(struct plb_broker *b)
{
    b->n_candidates = b->hints = 0;
    for (int n = 0; n < b->n; n++) {
        if (hope(b, n) < PLB_NO_UNIT)
            continue;
        b->at[n].rate = rate_of(b, n);
        enter(b, n);
    }
}

/* The candidates' order changes only by promises, so the one that was promised sinks to where it belongs. */
static void sink(struct plb_broker *b, int index)
{
    int node = b->candidates[index];
    for (; index + 1 < b->n_candidates && comes_before(b, b->candidates[index + 1], node); index++)
        b->candidates[index] = b->candidates[index + 1];
    b->candidates[index] = node;
}

static void name(const struct plb_broker *b, int node, struct plb_empty *empty, int index)
{
    empty->victims[index] = node;
    empty->amounts[index] = plb_ledger_left(b->ledger, node);
    empty->rates[index] = b->at[node].rate;
}

int plb_broker_hint(struct plb_broker *b, int thief, struct plb_empty *empty)
{
    int n = 0, first = -1;
    if (b->hints >= HINTS || b->n <= FEW)
        plb_broker_survey(b);
    b->hints++;
    for (int i = 0; i < b->n_candidates && n < PLB_VICTIMS; i++) {
        int node = b->candidates[i];
        if (node == thief || hope(b, node) < PLB_NO_UNIT)
            continue;
        first = first < 0 ? i : first;
        name(b, node, empty, n++);
    }
    empty->n_victims = n;
    if (n == 0)
        return 0;
    b->at[b->candidates[first]].promised += TAKEN * hope(b, b->candidates[first]);
    sink(b, first);
    return n;
}

int plb_broker_name_some(const struct plb_broker *b, int node, struct plb_empty *empty)
{
    int n = 0, i = b->n_candidates > 0 ? node % b->n_candidates : 0;
    for (int seen = 0; seen < b->n_candidates && n < PLB_VICTIMS; seen++) {
        int other = b->candidates[i];
        i = i + 1 < b->n_candidates ? i + 1 : 0;
        if (other != node)
            name(b, other, empty, n++);
    }
    return empty->n_victims = n;
}
