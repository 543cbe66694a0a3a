/* Which version of each fed input a node has, as a test sees it: results of which pass, and of which PU. Each
 * task must read those results of the pass before its input was fed that counted, bit by bit. */
#ifndef TEST_VERSIONS_H
#define TEST_VERSIONS_H

#include <string.h>

#include "simulate/inputs.h"
#include "simulate/simulate.h"

#define VERSIONS_OF 4 /* inputs at most */

enum { VERSION_NODES = 6, VERSION_UNITS = 3000 };

/* Results of pass `number` and PU `pu`: 32 * number + pu + 1. Those of before the first pass: 0. */
typedef int32_t version_t;

struct versions {
    const struct plb_simulation *in;
    int number;                                               /* of the pass, as messages have it */
    version_t wanted[VERSIONS_OF][VERSION_UNITS];             /* by input */
    version_t has[VERSION_NODES][VERSIONS_OF][VERSION_UNITS]; /* by node and input */
    version_t made[VERSION_NODES][VERSION_UNITS]; /* by node: in the place that becomes an input */
    version_t counted[VERSION_UNITS];             /* of this pass */
    int wrong;   /* an input of which a node has sent another version than that which is wanted; -1: none */
    int64_t old; /* units that were read of an input that another one has been fed since */
};

static inline void versions_init(struct versions *v, const struct plb_simulation *in)
{
    memset(v, 0, sizeof *v);
    v->in = in;
    v->wrong = -1;
    memset(v->has + 1, -1, sizeof v->has - sizeof v->has[0]);
    memset(v->made + 1, -1, sizeof v->made - sizeof v->made[0]);
}

static inline version_t versions_of(const struct versions *v, const struct plb_message *done)
{
    return 32 * done->pass + v->in->cluster->nodes[done->from].first_pu + done->pu + 1;
}

/* A node hears that results become inputs. */
static inline void versions_feed(struct versions *v, int node, int64_t fed)
{
    for (int i = 0; i < v->in->feeds; i++)
        if ((fed & PLB_BUFFER(i)) != 0)
            memcpy(v->has[node][i], v->made[node], sizeof v->has[node][i]);
}

/* A pass begins, perhaps the first one again: then rank 0 has all inputs as they were. */
static inline void versions_begun(struct versions *v, int pass, int number, int64_t fed)
{
    if (pass == 1) {
        memset(v->wanted, 0, sizeof v->wanted);
        memset(v->has[0], 0, sizeof v->has[0]);
    } else {
        for (int i = 0; i < v->in->feeds; i++)
            if ((fed & PLB_BUFFER(i)) != 0)
                memcpy(v->wanted[i], v->counted, sizeof v->wanted[i]);
        versions_feed(v, 0, fed);
    }
    v->number = number;
}

static inline void versions_lent(struct versions *v, int from, int to, int64_t inputs, struct plb_range range)
{
    for (int i = 0; i < v->in->feeds; i++)
        for (int64_t u = range.first; (inputs & PLB_BUFFER(i)) != 0 && u < plb_range_end(range); u++) {
            v->wrong = v->has[from][i][u] != v->wanted[i][u] ? i : v->wrong;
            v->has[to][i][u] = v->has[from][i][u];
        }
}

static inline void versions_sent(struct versions *v, const struct plb_message *m)
{
    int64_t fed = 0;
    for (int i = 0; m->type == PLB_PASS && i < m->begin.n_feeds; i++)
        fed |= m->begin.feeds[i].now ? PLB_BUFFER(m->begin.feeds[i].input) : 0;
    if (m->type == PLB_PASS && m->to != 0)
        versions_feed(v, m->to, fed);
    if (m->type != PLB_DONE || m->from == 0 || m->done.audit
        || (v->in->master.feeds_stay && m->done.buffers != 0))
        return;
    for (int64_t u = m->done.range.first; u < plb_range_end(m->done.range); u++)
        if (v->made[m->from][u] / 32 != m->pass) /* else the first one stays there */
            v->made[m->from][u] = versions_of(v, m);
}

/* Rank 0 has taken so many units of a report. */
static inline void versions_reported(struct versions *v, const struct plb_message *done, int64_t fresh)
{
    bool here = done->from == 0 || done->done.buffers != 0 || !v->in->master.feeds_stay;
    for (int64_t u = done->done.range.first; fresh > 0 && u < plb_range_end(done->done.range); u++) {
        if (v->counted[u] / 32 == done->pass)
            continue;
        v->counted[u] = versions_of(v, done);
        if (here)
            v->made[0][u] = v->counted[u];
    }
}

/* The first input that was sent, or that a task of this pass would read, as it should not be; -1: there is
 * none. */
static inline int versions_wrong(struct versions *v, int node, const struct plb_slice *task)
{
    const struct plb_sizes *s = &v->in->inputs;
    struct plb_range all = plb_range_around(task->range, s->before, s->after, v->in->maps[0].units);
    for (int i = 0; i < v->in->feeds && task->pass == v->number; i++)
        for (int64_t u = all.first; u < plb_range_end(all); u++) {
            if (v->has[node][i][u] != v->wanted[i][u])
                return i;
            v->old += v->wanted[i][u] != 0 && v->wanted[i][u] / 32 < v->number - 1;
        }
    return v->wrong;
}

#endif
