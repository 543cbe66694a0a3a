/* The costs of the master with every balancer, its fits and solves included: 1,000 PUs of three kinds execute
 * a job in virtual time, and report what each block took. Seconds of CPU in the master, by block. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "core/ledger/open_blocks.h"
#include "core/master.h"
#include "dice.h"
#include "job/balancer_table.h"
#include "params.h"
#include "simulate/events.h"

#define PUS 1000
#define PUS_OF_A_NODE 10
#define SECONDS 60.0  /* that the job lasts at best */
#define ALLOWED 50e-6 /* seconds of the master for a block */
#define NOISE 0.03    /* of a block's time, both ways */

struct pu {
    double rate, start_s; /* work per second; seconds before a block's work counts */
    struct plb_block blocks[PLB_BLOCKS_AHEAD];
    int n;
    double took; /* seconds of the block that it executes */
};

struct run {
    struct plb_master *master;
    struct plb_events *events;
    struct plb_outbox out;
    struct pu pus[PUS];
    struct dice dice;
    double now, spent, worst; /* virtual seconds; CPU seconds of the master, of its longest event */
};

/* Of ten PUs one is a GPU and one an accelerator. */
static void describe(int p, struct plb_pu_info *info, struct pu *pu)
{
    static const double rates[] = {[PLB_CPU] = 20.0, [PLB_GPU] = 1000.0, [PLB_ACCELERATOR] = 200.0};
    enum plb_pu_kind kind = p % 10 == 0 ? PLB_GPU : p % 10 == 1 ? PLB_ACCELERATOR : PLB_CPU;
    *info = (struct plb_pu_info){.node = p / PUS_OF_A_NODE, .local = p % PUS_OF_A_NODE, .kind = kind};
    info->power = 1.0;
    info->memory = INFINITY;
    *pu = (struct pu){.rate = rates[kind] * (1.0 + 0.1 * (p % 7)), .start_s = kind == PLB_CPU ? 1e-4 : 5e-3};
}

static void begin_block(struct run *r, int p)
{
    struct pu *pu = &r->pus[p];
    double work = (double)pu->blocks[0].range.count;
    pu->took = (pu->start_s + work / pu->rate) * real(&r->dice, 1.0 - NOISE, 1.0 + NOISE);
    plb_events_add(r->events, (struct plb_event){.time = r->now + pu->took, .pu = p});
}

static void collect_blocks(struct run *r)
{
    for (int i = 0; i < r->out.n; i++) {
        const struct plb_message *m = &r->out.at[i];
        if (m->type != PLB_BLOCK)
            continue;
        int p = m->to * PUS_OF_A_NODE + m->pu;
        r->pus[p].blocks[r->pus[p].n++] = m->block;
        if (r->pus[p].n == 1)
            begin_block(r, p);
    }
    r->out.n = 0;
}

static void report(struct run *r, int p)
{
    struct pu *pu = &r->pus[p];
    const struct plb_block block = pu->blocks[0];
    struct plb_message done = {.type = PLB_DONE,
                               .protocol = PLB_PROTOCOL,
                               .from = p / PUS_OF_A_NODE,
                               .pu = p % PUS_OF_A_NODE,
                               .pass = 1};
    done.size = (uint16_t)plb_message_size(PLB_DONE);
    done.done = (struct plb_done){
        .range = block.range, .block = block.id, .slot = PLB_NO_SLOT, .tasks = 1, .execute_s = pu->took};
    pu->blocks[0] = pu->blocks[1];
    if (--pu->n > 0)
        begin_block(r, p);
    double began = plb_thread_seconds();
    plb_master_receive(r->master, &done, r->now, &r->out);
    double took = plb_thread_seconds() - began;
    r->spent += took;
    r->worst = fmax(r->worst, took);
    collect_blocks(r);
}

static void measure(const struct plb_balancer *balancer)
{
    static struct run r;
    struct plb_error err = {.status = PLB_OK};
    struct plb_param params[MAX_PARAMS];
    struct plb_pu_info infos[PUS];
    struct plb_cost_map map;
    struct plb_event event;
    double rate = 0.0;
    int64_t blocks = 0;
    r = (struct run){.events = plb_events_new(), .dice = {.seed = 1}};
    for (int p = 0; p < PUS; p++) {
        describe(p, &infos[p], &r.pus[p]);
        rate += r.pus[p].rate;
    }
    default_params(balancer, params);
    plb_cost_map_init(&map, (int64_t)(SECONDS * rate), NULL, NULL, &err);
    r.master = plb_master_new(&(struct plb_master_config){.balancer = balancer,
                                                          .params = params,
                                                          .n_nodes = PUS / PUS_OF_A_NODE,
                                                          .units = map.units,
                                                          .migration = true},
                              infos, PUS);
    double began = plb_thread_seconds();
    plb_master_begin(r.master, 1, 0, 0, &map, 0.0, &r.out);
    r.spent = plb_thread_seconds() - began;
    collect_blocks(&r);
    for (; plb_events_next(r.events, &event); blocks++) {
        r.now = event.time;
        report(&r, event.pu);
    }
    const struct plb_balancer_stats *stats = plb_master_stats(r.master);
    printf("%d PUs, %-10s %7.2f us of the master per block = %.2f of what is allowed  (%lld blocks, "
           "%lld solves, %lld fits; longest event %.2f ms; makespan %.3f of the ideal)%s\n",
           PUS, balancer->name, 1e6 * r.spent / (double)blocks, r.spent / (double)blocks / ALLOWED,
           (long long)blocks, (long long)stats->solves, (long long)stats->fits, 1e3 * r.worst,
           r.now / SECONDS, plb_master_over(r.master) ? "" : "  NOT OVER");
    plb_master_free(r.master);
    plb_outbox_fini(&r.out);
    plb_events_free(r.events);
    plb_cost_map_fini(&map);
}

int main(void)
{
    for (int i = 0; plb_balancers[i] != NULL; i++)
        if (!plb_balancers[i]->simulation_only)
            measure(plb_balancers[i]);
    return 0;
}
