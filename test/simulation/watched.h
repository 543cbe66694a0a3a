/* The notes of a test that watches a simulated run (watch.h), and where each result of the last pass is. */
#ifndef TEST_WATCHED_H
#define TEST_WATCHED_H

#include <stdarg.h>
#include <stdio.h>

#include "freed.h"
#include "scenario.h"
#include "versions.h"

_Static_assert(MAX_NODES *MAX_PUS <= 32, "a PU has a bit");

#define MAX_CANCELS 256

struct watch {
    const struct scenario *scenario;
    uint32_t executed_by[MAX_PASSES + 1][MAX_UNITS]; /* bit: PU */
    uint16_t executions[MAX_PASSES + 1][MAX_UNITS], copies[MAX_PASSES + 1][MAX_UNITS];
    bool accepted[MAX_PASSES + 1][MAX_UNITS];
    bool before[MAX_PASSES + 1][MAX_UNITS]; /* accepted, or set aside, from the start */
    bool aside[MAX_PASSES + 1][MAX_UNITS];  /* set aside */
    int n_aside;                            /* ranges that the master has set aside so far */
    int64_t taken[MAX_PASSES + 1];          /* units */
    double folded[MAX_PASSES + 1]; /* the sum of the numbers of all units, as whole results give it */
    int pass;                      /* the last one that has begun */
    bool there[MAX_UNITS];         /* rank 0 has the results, of the last pass */
    int home[MAX_UNITS];           /* else the node that has them */
    int64_t repaired;              /* units whose results were made again */
    bool granted[MAX_PASSES + 1][MAX_UNITS];
    int64_t regranted; /* units that were granted again, or copied, in their pass */
    struct granted {
        int64_t id;
        int pass;
        struct plb_range range;
        int64_t most; /* units of a task, where they are suspect; else 0 */
    } * blocks;       /* in the order of their numbers */
    int n_blocks, capacity;
    struct granted *backups; /* the copies; their id is that of the first unit's block */
    int n_backups, backups_capacity;
    bool told_empty[MAX_PASSES + 2][MAX_NODES]; /* by pass: the master has sent it EMPTY */
    struct plb_message cancelled[MAX_CANCELS];  /* CANCELs of this event */
    int n_cancelled;
    bool pulled[MAX_NODES][MAX_UNITS]; /* by node: it has the inputs of the unit, or has asked for them */
    struct versions versions;
    int64_t halos;   /* units around those of tasks, on other nodes than rank 0's */
    int64_t held;    /* results with reduced arrays that several tasks have made */
    int64_t refused; /* PUs, by the master */
    double now;
    char wrong[300];
};

static inline void wrong(struct watch *w, const char *format, ...)
{
    va_list list;
    if (w->wrong[0] != '\0')
        return;
    va_start(list, format);
    vsnprintf(w->wrong, sizeof w->wrong, format, list);
    va_end(list);
}

/* Passes of the run, with the one that makes lost results again. */
static inline int passes_of(const struct watch *w)
{
    return w->scenario->simulation.passes + (w->repaired > 0);
}

static inline bool in_run(struct watch *w, int pass, struct plb_range r, const char *what)
{
    bool fine = pass >= 1 && pass <= passes_of(w) && r.first >= 0 && r.count > 0
             && r.count <= w->scenario->maps[0].units && r.first <= w->scenario->maps[0].units - r.count;
    if (!fine)
        wrong(w, "%s of units %lld + %lld in pass %d", what, (long long)r.first, (long long)r.count, pass);
    return fine;
}

static inline void note_pulled(struct watch *w, int node, struct plb_range range)
{
    for (int64_t u = range.first; u < plb_range_end(range) && u < MAX_UNITS; u++)
        w->pulled[node][u] = true;
}

/* A node has the inputs of a task's units, and of those around them, or has asked for them. Inputs that stay
 * do not travel twice. */
static inline void check_pulled(struct watch *w, int pu, const struct plb_slice *slice)
{
    struct plb_range task = slice->range;
    const struct scenario *s = w->scenario;
    const struct plb_sizes *inputs = &s->simulation.inputs;
    struct plb_range all = plb_range_around(task, inputs->before, inputs->after, s->maps[0].units);
    int node = 0;
    while (node + 1 < s->cluster.n_nodes && s->nodes[node + 1].first_pu <= pu)
        node++;
    if (inputs->unit_bytes == 0.0 || !s->simulation.master.resident)
        return;
    int i = versions_wrong(&w->versions, node, slice);
    if (i >= 0)
        wrong(w, "PU %d executes units %lld + %lld of pass %d with an old input %d", pu,
              (long long)task.first, (long long)task.count, slice->pass, i);
    if (node == 0)
        return;
    for (int64_t u = all.first; u < all.first + all.count; u++)
        if (!w->pulled[node][u])
            wrong(w, "PU %d executes units %lld + %lld without the inputs of unit %lld", pu,
                  (long long)task.first, (long long)task.count, (long long)u);
    w->halos += all.count - task.count;
}

static inline void watch_begun(void *context, int pass, int number, int64_t fed)
{
    versions_begun(&((struct watch *)context)->versions, pass, number, fed);
}

static inline void watch_lent(void *context, int from, int to, int64_t inputs, struct plb_range range)
{
    versions_lent(&((struct watch *)context)->versions, from, to, inputs, range);
}

/* Of a pass that makes lost results again: all others are there, and stay. */
static inline void begin_repair(struct watch *w)
{
    int last = w->scenario->simulation.passes - 1;
    for (int64_t u = 0; u < w->scenario->maps[0].units; u++) {
        w->aside[last + 1][u] = w->aside[last][u];
        w->before[last + 1][u] = w->accepted[last + 1][u] = w->there[u] || w->aside[last][u];
        w->repaired += !w->before[last + 1][u];
        w->taken[last + 1] += w->before[last + 1][u];
        w->folded[last + 1] += w->before[last + 1][u] ? (double)u : 0.0;
    }
    if (w->repaired == 0 || w->scenario->simulation.master.stays == 0)
        wrong(w, "nothing is lost, and pass %d begins", last + 2);
}

static inline void begin_pass(struct watch *w, int pass)
{
    w->pass = pass;
    if (pass > w->scenario->simulation.passes)
        begin_repair(w);
    else
        memcpy(w->there, w->before[pass - 1], sizeof w->there);
}

/* The node sends what was accepted from it. */
static inline void watch_gathered(void *context, const struct plb_message *m, bool given_up)
{
    struct watch *w = context;
    struct plb_range r = m->sources.at[0].range;
    if (given_up || m->sources.n == 0)
        wrong(w, "node %d, which %s, sends units %lld + %lld", m->from,
              given_up ? "was given up" : "has nothing", (long long)r.first, (long long)r.count);
    for (int64_t u = r.first; u < r.first + r.count; u++) {
        if (w->there[u] || w->home[u] != m->from || !w->accepted[w->scenario->simulation.passes - 1][u])
            wrong(w, "node %d sends unit %lld, which is not there alone", m->from, (long long)u);
        w->there[u] = true;
    }
}

/* All that was granted twice is listed, and nothing else. */
static inline void check_regrants(struct watch *w, const struct plb_regrants *regrants)
{
    int64_t listed = 0;
    for (int i = 0; i < regrants->granted.n; i++)
        listed += regrants->granted.at[i].range.count;
    if (regrants->granted.n < PLB_REGRANTS_LISTED && listed != w->regranted + w->repaired)
        wrong(w, "%lld units were granted twice, and %lld are listed",
              (long long)(w->regranted + w->repaired), (long long)listed);
}

#endif
