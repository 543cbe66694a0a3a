/* A master and several workers, whose messages arrive in any order and at any time, while nodes die and take
 * messages with them. Every run ends. Every unit is accepted once in each pass, and only when it was executed
 * there; where no node died it is executed once. No clock, no threads: the seed says what happens next.
 * PLB_SEEDS: how many; PLB_SEED: only this one, to look at a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/master.h"
#include "core/worker/worker.h"
#include "dice.h"
#include "freed.h"
#include "job/balancer_table.h"
#include "params.h"

#define NODES 6
#define PUS 3 /* of a node, at most */
#define UNITS 400
#define PASSES 3
#define STEPS 1000000 /* after which a run counts as one that hangs */

static const char *const balancers[] = {"static", "gss",     "factoring", "awf",    "hdss",
                                        "acosta", "plb-hec", "plb-hac",   "greedy", "af"};
enum { BALANCERS = sizeof balancers / sizeof *balancers };

struct node {
    struct plb_worker *worker;
    int n_pus;
    bool dead, told; /* told: the master knows that it is dead */
    bool busy[PUS];
    struct plb_slice tasks[PUS];
    struct plb_worker_pu pus[PUS];
};

struct run {
    struct dice dice;
    struct plb_cost_map maps[2];
    int64_t offsets[UNITS + 1];
    struct plb_sizes sizes;
    struct plb_master_config config;
    struct plb_param params[MAX_PARAMS];
    struct plb_master *master;
    struct node nodes[NODES];
    int n_nodes, pass, losses;
    bool nodes_die;
    int64_t delay, duration, unheard; /* of messages, tasks and deaths: so many things happen meanwhile */
    struct plb_outbox way;            /* messages on their way */
    int executed[PASSES + 1][UNITS];  /* how often */
    bool accepted[UNITS];             /* in this pass */
    double now, tick;                 /* seconds; of one thing that happens */
};

#define EXPECT(r, what) \
    do { \
        if (!(what)) \
            fail_msg("seed %llu, pass %d: not %s", (unsigned long long)(r)->dice.seed, (r)->pass, #what); \
    } while (0)

/* ------------------------------------------------------------------------- the world */

static double from_offsets(const void *context, int64_t first, int64_t count)
{
    const int64_t *offsets = context;
    return (double)(offsets[first + count] - offsets[first]);
}

static void make_units(struct run *r)
{
    struct plb_error err = {.status = PLB_OK};
    int64_t units = whole(&r->dice, 1, one_in(&r->dice, 4) ? 20 : UNITS);
    for (int64_t u = 0; u < units; u++) {
        int64_t bytes = one_in(&r->dice, 10) ? whole(&r->dice, 0, 90) : whole(&r->dice, 1, 4);
        r->offsets[u + 1] = r->offsets[u] + bytes;
    }
    r->sizes = (struct plb_sizes){.task_bytes = real(&r->dice, 0.0, 20.0), .n_indexed = 1};
    r->sizes.indexed[0].offsets = r->offsets;
    r->sizes.indexed[0].element_bytes = 1.0;
    for (int i = 0; i < 2; i++)
        plb_cost_map_init(&r->maps[i], units, one_in(&r->dice, 2) ? NULL : from_offsets, r->offsets, &err);
}

/* PUs with and without limits; some have too little memory. Returns how many there are. */
static int make_pus(struct run *r, struct plb_pu_info *infos)
{
    int n = 0;
    for (int i = 0; i < r->n_nodes; i++) {
        struct node *node = &r->nodes[i];
        node->n_pus = i == 0 ? 1 : (int)whole(&r->dice, 0, PUS);
        for (int p = 0; p < node->n_pus; p++, n++) {
            bool small = n > 0 && one_in(&r->dice, 3);
            infos[n] = (struct plb_pu_info){.node = i,
                                            .local = p,
                                            .power = real(&r->dice, 0.1, 10.0),
                                            .memory = small ? real(&r->dice, 100.0, 900.0) : INFINITY};
            node->pus[p].power = infos[n].power;
            node->pus[p].limit = plb_task_limit(&r->sizes, &infos[n], r->config.grain, 0.0);
        }
    }
    return n;
}

static void make_run(struct run *r, uint64_t seed)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_pu_info infos[NODES * PUS];
    memset(r, 0, sizeof *r);
    r->dice.seed = seed;
    r->n_nodes = (int)whole(&r->dice, 1, NODES);
    r->delay = whole(&r->dice, 1, one_in(&r->dice, 2) ? 3 : 10);
    r->duration = whole(&r->dice, 1, one_in(&r->dice, 2) ? 5 : 50);
    r->tick = one_in(&r->dice, 2) ? 1e-3 : 1e-5;
    r->unheard = whole(&r->dice, 1, one_in(&r->dice, 2) ? 10 : 200);
    make_units(r);
    /* static leaves most to thieves, so it is half of the runs */
    const char *name = balancers[one_in(&r->dice, 2) ? 0 : whole(&r->dice, 0, BALANCERS - 1)];
    r->config = (struct plb_master_config){
        .balancer = plb_balancer_find(name, "test", &err),
        .params = r->params,
        .n_nodes = r->n_nodes,
        .sizes = &r->sizes,
        .units = r->maps[0].units,
        .phases = 2,
        .grain = one_in(&r->dice, 3) ? 5.0 : 0.0,
        .migration = !one_in(&r->dice, 4),
        .victim = (enum plb_victim)whole(&r->dice, 0, 3),
        .whole_results = one_in(&r->dice, 2),
    };
    default_params(r->config.balancer, r->params);
    int n = make_pus(r, infos);
    r->master = plb_master_new(&r->config, infos, n);
    struct plb_worker_config worker = {.n_nodes = r->n_nodes, .sizes = &r->sizes, .maps = r->maps};
    worker.n_phases = 2;
    worker.migration = (struct plb_migration){.on = r->config.migration,
                                              .victim = r->config.victim,
                                              .threshold = real(&r->dice, 0.0, 5.0),
                                              .by_power = one_in(&r->dice, 3)};
    for (int i = 0; i < r->n_nodes; i++) {
        worker.node = i;
        worker.n_pus = r->nodes[i].n_pus;
        worker.pus = r->nodes[i].pus;
        r->nodes[i].worker = plb_worker_new(&worker);
    }
}

static void end_run(struct run *r)
{
    for (int i = 0; i < r->n_nodes; i++)
        plb_worker_free(r->nodes[i].worker);
    plb_master_free(r->master);
    plb_outbox_fini(&r->way);
    for (int i = 0; i < 2; i++)
        plb_cost_map_fini(&r->maps[i]);
}

/* -------------------------------------------------------------------------- messages */

static void accept(struct run *r, const struct plb_message *m)
{
    struct plb_range range = m->done.range;
    enum plb_verdict verdict = plb_master_judge(r->master, m);
    int64_t open = 0, fresh = plb_master_receive(r->master, m, r->now, &r->way);
    for (int64_t u = range.first; u < range.first + range.count; u++) {
        EXPECT(r, r->executed[m->pass][u] > 0);
        open += m->pass == r->pass && !r->accepted[u];
    }
    if (verdict == PLB_NOT_SENSIBLE) {
        EXPECT(r, fresh == 0 && r->losses > 0);
        return;
    }
    EXPECT(r, fresh == (r->config.whole_results && open < range.count ? 0 : open));
    for (int64_t u = range.first; u < range.first + range.count && fresh > 0; u++)
        r->accepted[u] = true;
}

/* A node dies, and with it some of what it has sent. The master hears of that later. */
static void die(struct run *r, int i)
{
    if (i == 0 || r->nodes[i].dead || !r->nodes_die)
        return;
    r->nodes[i].dead = true;
    r->losses++;
    for (int k = r->way.n - 1; k >= 0; k--)
        if (r->way.at[k].from == i && one_in(&r->dice, 2))
            r->way.at[k] = r->way.at[--r->way.n];
}

/* A message arrives, whichever. */
static void deliver(struct run *r)
{
    int i = (int)whole(&r->dice, 0, r->way.n - 1);
    struct plb_message m = {0};
    memcpy(&m, &r->way.at[i], r->way.at[i].size);
    r->way.at[i] = r->way.at[--r->way.n];
    EXPECT(r, plb_message_check(&m, m.size, r->n_nodes) == NULL);
    bool to_master = m.type == PLB_DONE || m.type == PLB_MOVED;
    if (m.type == PLB_DONE)
        accept(r, &m);
    else if (to_master)
        plb_master_receive(r->master, &m, r->now, &r->way);
    else if (!r->nodes[m.to].dead)
        plb_worker_receive(r->nodes[m.to].worker, &m, &r->way);
    if (m.type == PLB_MOVED && one_in(&r->dice, 6)) /* while units change hands a loss is worst */
        die(r, one_in(&r->dice, 2) ? m.from : m.gifts.thief);
}

static void begin_pass(struct run *r)
{
    int phase = (int)whole(&r->dice, 0, 1);
    memset(r->accepted, 0, sizeof r->accepted);
    plb_master_begin(r->master, ++r->pass, phase, 0, &r->maps[phase], r->now, &r->way);
}

/* ----------------------------------------------------------------- what nodes do by themselves */

static void execute(struct run *r, struct node *node, int p)
{
    struct plb_slice *task = &node->tasks[p];
    double seconds = real(&r->dice, 0.5, 1.5) * (double)task->range.count / node->pus[p].power;
    for (int64_t u = task->range.first; u < task->range.first + task->range.count; u++)
        r->executed[task->pass][u]++;
    plb_worker_done(node->worker, p, task, seconds, 0.0, one_in(&r->dice, 4) ? 7 : PLB_NO_SLOT);
    node->busy[p] = false;
}

/* True where the node has done, or may do, something. */
static bool work(struct run *r, struct node *node)
{
    bool busy = false;
    if (node->dead)
        return false;
    for (int p = 0; p < node->n_pus; p++) {
        if (node->busy[p] && one_in(&r->dice, r->duration))
            execute(r, node, p);
        else if (!node->busy[p])
            node->busy[p] = plb_worker_take(node->worker, p, &node->tasks[p]);
        if (!node->busy[p])
            continue;
        busy = true;
        const struct plb_range *range = &node->tasks[p].range;
        EXPECT(r, range->count == 1 || plb_sizes_bytes(&r->sizes, *range) <= node->pus[p].limit.bytes);
        EXPECT(r, range->count <= node->pus[p].limit.units);
    }
    int before = r->way.n;
    bool waits = !one_in(&r->dice, 2) || plb_worker_collect(node->worker, r->now, &r->way);
    return busy || waits || r->way.n > before;
}

static void tell_of_a_loss(struct run *r)
{
    for (int i = 0; i < r->n_nodes; i++)
        if (r->nodes[i].dead && !r->nodes[i].told && one_in(&r->dice, r->unheard)) {
            r->nodes[i].told = true;
            plb_master_lost(r->master, i, r->now, &r->way);
        }
}

/* One thing after another. Returns whether anything may yet happen. */
static bool step(struct run *r)
{
    bool alive = r->way.n > 0;
    r->now += r->tick;
    if (one_in(&r->dice, 400))
        die(r, (int)whole(&r->dice, 0, r->n_nodes - 1));
    tell_of_a_loss(r);
    if (r->way.n > 0 && one_in(&r->dice, r->delay))
        deliver(r);
    alive |= work(r, &r->nodes[whole(&r->dice, 0, r->n_nodes - 1)]);
    for (int i = 0; i < r->n_nodes; i++)
        alive |= r->nodes[i].dead && !r->nodes[i].told;
    const char *wrong = plb_master_check(r->master);
    if (wrong != NULL)
        fail_msg("seed %llu: %s", (unsigned long long)r->dice.seed, wrong);
    return alive || r->way.n > 0;
}

static void run(struct run *r)
{
    int idle = 0;
    int64_t units = r->maps[0].units;
    begin_pass(r);
    for (int i = 0; i < STEPS && idle < 1000; i++) {
        idle = step(r) ? 0 : idle + 1;
        if (!plb_master_over(r->master))
            continue;
        for (int64_t u = 0; u < units; u++) {
            EXPECT(r, r->accepted[u] && r->executed[r->pass][u] >= 1);
            EXPECT(r, r->losses > 0 || r->executed[r->pass][u] == 1);
        }
        if (r->pass == PASSES)
            return;
        begin_pass(r);
    }
    const char *why = plb_master_failure(r->master);
    fail_msg("seed %llu: pass %d ends not, with %lld of %lld units; %s", (unsigned long long)r->dice.seed,
             r->pass, (long long)plb_master_accepted(r->master), (long long)units,
             why != NULL ? why : "it hangs");
}

static void every_run_ends(void **state)
{
    static struct run r;
    (void)state;
    for (uint64_t seed = seeds(1000).first; seed < seeds(1000).end; seed++) {
        make_run(&r, seed);
        r.nodes_die = seed % 3 != 0;
        run(&r);
        const struct plb_master_counts *c = plb_master_counts(r.master);
        EXPECT(&r, r.losses > 0 || c->dropped + c->twice + c->partly_new + freed_units(r.master) == 0);
        end_run(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
