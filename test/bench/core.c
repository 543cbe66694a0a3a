/* The costs of the master: a grant with its report beside uncontended lock/unlock pairs of a mutex, from 10
 * to 10,000 PUs; then the events that concern every node, at 10,000 PUs. Seconds of CPU, and the least of
 * several runs: these machines are noisy, and noise only adds. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "core/ledger/open_blocks.h"
#include "core/master.h"
#include "job/balancer_table.h"

#define PAIRS_ALLOWED 12.0

/* A block that a PU has been granted. */
struct granted {
    int node, pu;
    struct plb_block block;
};

struct run {
    struct plb_master *master;
    struct plb_outbox out;
    struct plb_message done; /* the report; but for a few fields, they are all the same */
    struct granted *ring;    /* blocks on their way: two for each PU */
    unsigned mask, head, tail;
    int64_t reports;
    double worst; /* seconds of the longest report */
};

static void begin(struct run *r, int n_pus, const struct plb_cost_map *map, bool migration)
{
    struct plb_error err = {.status = PLB_OK};
    static char text[32];
    static struct plb_param params[1];
    struct plb_pu_info *pus = plb_alloc((size_t)n_pus * sizeof *pus);
    snprintf(text, sizeof text, "%lld", (long long)map->units);
    params[0] = (struct plb_param){"pieces", (double)map->units, text};
    for (int p = 0; p < n_pus; p++)
        pus[p] = (struct plb_pu_info){
            .node = p, .kind = (enum plb_pu_kind)(p % 3), .power = 1.0, .memory = INFINITY};
    struct plb_master_config config = {.balancer = plb_balancer_find("greedy", "bench", &err),
                                       .params = params,
                                       .n_nodes = n_pus,
                                       .units = map->units,
                                       .migration = migration};
    *r = (struct run){.master = plb_master_new(&config, pus, n_pus),
                      .done = {.type = PLB_DONE, .protocol = PLB_PROTOCOL, .pass = 1},
                      .mask = 1};
    r->done.size = (uint16_t)plb_message_size(PLB_DONE);
    while (r->mask < PLB_BLOCKS_AHEAD * (unsigned)n_pus)
        r->mask = 2 * r->mask + 1;
    r->ring = plb_alloc((r->mask + 1) * sizeof *r->ring);
    free(pus);
    plb_master_begin(r->master, 1, 0, 0, map, 0.0, &r->out);
}

static void end(struct run *r)
{
    plb_master_free(r->master);
    plb_outbox_fini(&r->out);
    free(r->ring);
}

static void collect_blocks(struct run *r)
{
    for (int i = 0; i < r->out.n; i++)
        if (r->out.at[i].type == PLB_BLOCK)
            r->ring[r->tail++ & r->mask] = (struct granted){r->out.at[i].to, r->out.at[i].pu,
                                                            r->out.at[i].block};
    r->out.n = 0;
}

/* The oldest block is reported. Its times scatter by 3 %. */
static void report_one(struct run *r, bool watch)
{
    const struct granted *g = &r->ring[r->head++ & r->mask];
    double seconds = 1e-3 * (1.0 + 0.005 * ((double)(r->head * 7919 % 13) - 6.0));
    r->done.from = g->node;
    r->done.pu = g->pu;
    r->done.done = (struct plb_done){
        .range = g->block.range, .block = g->block.id, .slot = PLB_NO_SLOT, .tasks = 1, .execute_s = seconds};
    double began = watch ? plb_thread_seconds() : 0.0;
    plb_master_receive(r->master, &r->done, 1e-3 * (double)r->reports++, &r->out);
    r->worst = watch ? fmax(r->worst, plb_thread_seconds() - began) : 0.0;
    collect_blocks(r);
}

/* Seconds of a grant with its report, over all blocks of a pass. */
static double grant_and_report(int n_pus, int64_t blocks)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_cost_map map;
    struct run r;
    plb_cost_map_init(&map, blocks, NULL, NULL, &err);
    begin(&r, n_pus, &map, false);
    collect_blocks(&r);
    double began = plb_thread_seconds();
    while (!plb_master_over(r.master))
        report_one(&r, false);
    double took = (plb_thread_seconds() - began) / (double)r.reports;
    end(&r);
    plb_cost_map_fini(&map);
    return took;
}

static double least(double (*measure)(int, int64_t), int n, int64_t blocks, int times)
{
    double best = INFINITY;
    for (int i = 0; i < times; i++)
        best = fmin(best, measure(n, blocks));
    return best;
}

static double lock_pair(int unused, int64_t times)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    double began = plb_thread_seconds();
    (void)unused;
    for (int64_t i = 0; i < times; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return (plb_thread_seconds() - began) / (double)times;
}

/* The longest report of a pass that tells nodes that nothing is left: it sends EMPTY to 10,000 nodes. */
static double announcement(int n_pus, int64_t blocks)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_cost_map map;
    struct run r;
    plb_cost_map_init(&map, blocks, NULL, NULL, &err);
    begin(&r, n_pus, &map, true);
    collect_blocks(&r);
    while (r.head != r.tail)
        report_one(&r, true);
    end(&r);
    plb_cost_map_fini(&map);
    return r.worst;
}

/* A node with thousands of ranges that moved to it is lost, near the end; also the most expensive MOVED
 * before. */
static double loss(int n_pus, int64_t blocks, double *moved)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_cost_map map;
    struct run r;
    plb_cost_map_init(&map, blocks, NULL, NULL, &err);
    begin(&r, n_pus, &map, true);
    collect_blocks(&r);
    *moved = 0.0;
    for (unsigned i = r.head; i != r.tail && i - r.head < 2500; i++) {
        const struct granted *g = &r.ring[i & r.mask];
        struct plb_message m = {.type = PLB_MOVED, .protocol = PLB_PROTOCOL, .from = g->node, .pass = 1};
        m.gifts = (struct plb_gifts){.at = {{g->block.range, g->block.id, 1}}, .n = 1, .thief = n_pus - 1};
        double began = plb_thread_seconds();
        plb_master_receive(r.master, &m, 1.0, &r.out);
        *moved = fmax(*moved, plb_thread_seconds() - began);
    }
    double began = plb_thread_seconds();
    plb_master_lost(r.master, n_pus - 1, 2.0, &r.out);
    double took = plb_thread_seconds() - began;
    end(&r);
    plb_cost_map_fini(&map);
    return took;
}

int main(void)
{
    static const int counts[] = {10, 100, 1000, 10000};
    double pair = least(lock_pair, 0, 20000, 200), at_10 = 0.0;
    printf("an uncontended lock/unlock pair: %.1f ns; a grant with its report may cost %.0f of them\n",
           pair * 1e9, PAIRS_ALLOWED);
    for (int i = 0; i < 4; i++) {
        double took = least(grant_and_report, counts[i], 100000 + 20 * counts[i],
                            counts[i] < 10000 ? 30 : 10);
        at_10 = i == 0 ? took : at_10;
        printf("%6d PUs: grant and report %6.0f ns = %5.1f pairs, %.1f times 10 PUs\n", counts[i], took * 1e9,
               took / pair, took / at_10);
    }
    double empty = least(announcement, 10000, 40000, 5), lost = INFINITY, moved = INFINITY;
    for (int i = 0; i < 5; i++) {
        double m;
        lost = fmin(lost, loss(10000, 20000, &m));
        moved = fmin(moved, m);
    }
    printf("10000 PUs: EMPTY to all %.2f ms, MOVED at most %.3f ms, a loss with 2500 moved ranges %.2f ms "
           "(each allowed 1 ms)\n",
           empty * 1e3, moved * 1e3, lost * 1e3);
    return 0;
}
