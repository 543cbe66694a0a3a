/* A cluster for the master, some of whose units kill their executors. The test plays the nodes, each with one
 * PU. */
#ifndef PLB_TEST_DEADLY_CLUSTER_H
#define PLB_TEST_DEADLY_CLUSTER_H

#include "master_fixture.h"

#define SEGV 11
#define TENS 10 /* units that each node is granted first */
#define MOST_UNITS (MOST_NODES * TENS)

struct cluster {
    struct fixture f;
    bool isolated;
    bool bad[MOST_UNITS]; /* units that kill their executor */
    bool dead[MOST_NODES];
    int deaths[MOST_UNITS]; /* of executors, by bad unit */
    int trials[MOST_NODES]; /* suspect blocks that the node has got */
    int64_t longest;        /* task of suspect units */
    int busy;               /* node that ends nothing; negative: none */
    int next;               /* message that is looked at next */
};

static inline const struct plb_set_aside *list(const struct cluster *c, int *n)
{
    return plb_suspects_list(plb_master_suspects(c->f.master), n);
}

static inline int64_t set_aside(const struct cluster *c)
{
    return plb_suspects_units(plb_master_suspects(c->f.master));
}

static inline void begin_cluster(struct cluster *c, int nodes, bool isolated)
{
    struct plb_master_config config = {.isolated = isolated, .phases = 2};
    memset(c, 0, sizeof *c);
    c->isolated = isolated;
    c->busy = -1;
    prepare(&c->f, "static", 0.0, nodes, TENS * nodes, &config);
    begin(&c->f, 0, 0, 10.0, nodes);
}

static inline struct plb_message crash_of(const struct cluster *c, int node, struct plb_range range,
                                          int64_t block)
{
    struct plb_message m = message(&c->f, PLB_CRASH, node);
    m.crash = (struct plb_crashed){range, block, 0, SEGV, c->isolated, 0};
    return m;
}

/* Whether the task kills its executor; then the master hears of it. */
static inline bool crashes(struct cluster *c, int node, struct plb_range task, int64_t block)
{
    for (int64_t u = task.first; u < task.first + task.count; u++)
        if (c->bad[u]) {
            struct plb_message m = crash_of(c, node, task, block);
            c->deaths[u]++;
            c->dead[node] = !c->isolated;
            receive(&c->f, &m, 11.0);
            return true;
        }
    return false;
}

/* A node executes a block; task by task, where it is suspect, or else as one. */
static inline void execute(struct cluster *c, struct plb_message m)
{
    struct plb_block b = m.block;
    int64_t most = b.alone ? b.grain : b.range.count;
    assert_true(!b.alone || m.to != 0 || c->isolated); /* rank 0 must not die */
    c->trials[m.to] += b.alone != 0;
    c->longest = b.alone && most > c->longest ? most : c->longest;
    for (int64_t skip = 0; skip < b.range.count && !c->dead[m.to]; skip += most) {
        int64_t count = most < b.range.count - skip ? most : b.range.count - skip;
        if (!crashes(c, m.to, (struct plb_range){b.range.first + skip, count}, b.id))
            report(&c->f, m, m.to, skip, count);
    }
}

/* Nodes execute what they get, until nobody has anything. */
static inline void play(struct cluster *c)
{
    for (; c->next < c->f.out.n; c->next++) {
        struct plb_message m = c->f.out.at[c->next];
        if (m.type == PLB_BLOCK && !c->dead[m.to] && m.to != c->busy)
            execute(c, m);
    }
}

#endif
