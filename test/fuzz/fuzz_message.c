/* A frame of messages from one rank: the master and a worker receive those that have the right form. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/master.h"
#include "core/worker/worker.h"
#include "fuzz.h"
#include "job/balancer_table.h"
#include "transport/frame.h"

enum { NODES = 3, UNITS = 100 };

static struct plb_master *start_master(const struct plb_cost_map *map, struct plb_outbox *out)
{
    static const struct plb_param params[8] = {{"pieces", 4.0, "4"}};
    struct plb_error err = {.status = PLB_OK};
    struct plb_pu_info infos[NODES];
    struct plb_master_config config = {.balancer = plb_balancer_find("greedy", "fuzz", &err),
                                       .params = params,
                                       .n_nodes = NODES,
                                       .phases = 1,
                                       .migration = true,
                                       .backups = true};
    for (int n = 0; n < NODES; n++)
        infos[n] = (struct plb_pu_info){.node = n, .power = 1.0, .memory = INFINITY};
    struct plb_master *master = plb_master_new(&config, infos, NODES);
    plb_master_begin(master, 1, 0, 0, map, 10.0, out);
    return master;
}

static struct plb_worker *start_worker(const struct plb_cost_map *map)
{
    static const struct plb_worker_pu pus[2] = {{1.0, {INT64_MAX, INFINITY}, false},
                                                {2.0, {4, INFINITY}, false}};
    struct plb_worker_config config = {.node = 1,
                                       .n_nodes = NODES,
                                       .n_pus = 2,
                                       .pus = pus,
                                       .maps = map,
                                       .n_phases = 1,
                                       .migration = {.on = true, .threshold = 1.0}};
    return plb_worker_new(&config);
}

/* Hands the messages of a frame to master or worker, and has the worker execute a task after each. */
static void receive(struct plb_frame_reader *reader, struct plb_master *master, struct plb_worker *worker,
                    struct plb_outbox *out)
{
    struct plb_message m;
    struct plb_slice task;
    const char *wrong;
    double now = 10.0;
    enum plb_frame_found found;
    while ((found = plb_frame_next(reader, &m, &wrong)) != PLB_FRAME_END) {
        if (found == PLB_FRAME_WRONG)
            continue;
        now += 0.1;
        if (m.to == 0)
            plb_master_receive(master, &m, now, out);
        else
            plb_worker_receive(worker, &m, out);
        if (plb_worker_take(worker, 0, &task)) {
            fuzz_check(task.range.first >= 0 && task.range.count > 0
                           && task.range.first + task.range.count <= UNITS,
                       "a task lies outside of the pass");
            plb_worker_done(worker, 0, &task, 0.1, 0.0, PLB_NO_SLOT);
        }
        plb_worker_collect(worker, now, out);
        plb_master_tick(master, now, out);
        const char *broken = plb_master_check(master);
        fuzz_check(broken == NULL, broken);
        out->n = 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plb_cost_map map;
    struct plb_outbox out = {0};
    struct plb_error err = {.status = PLB_OK};
    if (size < 1 || plb_cost_map_init(&map, UNITS, NULL, NULL, &err) != PLB_OK)
        return 0;
    struct plb_master *master = start_master(&map, &out);
    struct plb_worker *worker = start_worker(&map);
    for (int i = 0; i < out.n; i++) /* its PASS and its first block are right */
        if (out.at[i].to == 1)
            plb_worker_receive(worker, &out.at[i], &out);
    out.n = 0;
    int to = data[0] % 2; /* the first byte: to the master, or to the worker; and from whom */
    struct plb_frame_reader reader = {data + 1, size - 1, data[0] / 2 % NODES, to, NODES};
    receive(&reader, master, worker, &out);
    plb_worker_free(worker);
    plb_master_free(master);
    plb_outbox_fini(&out);
    plb_cost_map_fini(&map);
    return 0;
}
