/* The parts of simulated nodes, for simulate/node.c, and for the meter that looks at them. */
#ifndef PLB_SIMULATE_NODE_INSIDE_H
#define PLB_SIMULATE_NODE_INSIDE_H

#include <math.h>

#include "core/worker/worker.h"
#include "simulate/inputs.h"
#include "simulate/network.h"

/* As PLB_TASKS_AHEAD of node/pu/slot.h. Larger: a PU binds tasks that others could take. Smaller: it waits
 * for inputs. */
#define PLB_VIRTUAL_TASKS_AHEAD 2

struct plb_virtual_meter;

/* A task that a PU has taken and not started. */
struct staged {
    struct plb_slice task;
    int phase, number; /* number: of the tasks of this PU */
    double asked;      /* when its inputs were asked for */
    bool ready;        /* they are there, and what comes unasked */
    bool asks;         /* for some of them, which have not come */
};

/* A number for what a task of a PU pulls. */
static inline int64_t plb_virtual_pull(int pu, int number)
{
    return (int64_t)pu << 32 | number;
}

struct virtual_pu {
    const struct plb_pu_spec *spec;
    struct staged line[PLB_VIRTUAL_TASKS_AHEAD];
    int n_line, taken; /* taken: tasks so far */
    bool executing;
    double limit; /* the time at which `current` hangs; infinite: it never does */
    struct staged current;
    double started, idle_since, worked_s;   /* worked_s: of all tasks but one that it executes */
    double copies_s, execute_s, transfer_s; /* of `current`; the last with the wait for its inputs */
    struct plb_held_report held;
};

/* Seconds that a PU has executed its task. */
static inline double plb_virtual_pu_executes_s(const struct virtual_pu *pu, double now)
{
    return pu->executing ? fmin(now - pu->started, pu->copies_s + pu->execute_s) : 0.0;
}

struct virtual_node {
    struct plb_worker *worker;
    int first_pu, n_pus;
    int ahead;      /* tasks taken beside the one that is executed */
    bool slots;     /* each task is reported by itself, with its results */
    bool combines;  /* reduced arrays of consecutive tasks are one result */
    double look_at; /* when it looks next; once at a time */
    bool heard;     /* a message in this turn, after which PUs may go on */
    bool stopped;
    int executing;     /* PUs that execute a task */
    double busy_since; /* the first of them began */
};

struct plb_virtual_nodes {
    struct plb_world *world;
    const struct plb_cost_map *true_maps;
    struct plb_faults *faults;
    struct plb_network *network;
    struct plb_virtual_inputs *inputs;
    struct plb_virtual_meter *meter; /* NULL: there are none */
    struct virtual_node *at;
    struct virtual_pu *pus;
    struct plb_outbox out;
};

/* A PU of the node begins a task, or ends one. */
static inline void plb_virtual_count_tasks(struct plb_virtual_nodes *v, int n, int more)
{
    struct plb_node_seconds *seconds = v->world->in->node_s;
    struct virtual_node *node = &v->at[n];
    if (node->executing == 0)
        node->busy_since = v->world->now;
    node->executing += more;
    if (node->executing > 0 || seconds == NULL)
        return;
    seconds[n].busy_s += v->world->now - node->busy_since;
    seconds[n].last_s = v->world->now;
}

#endif
