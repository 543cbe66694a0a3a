/* A simulation and its outcome: data alone. simulate/simulate.h runs it.
 *
 * A virtual cluster works as the real one does: the same master and workers, the same messages, each with its
 * time. These are the rules; the files of this folder keep them.
 *
 * - A task lasts (cost + half) / rate + overhead seconds, times log-normal noise, at the speed that the PU's
 *   `slow` lines give it at each moment. The cost is the true one. Copies to a device come before it.
 * - A link of a node carries its bytes one after the other, each direction by itself. Bytes to or from
 *   rank 0 occupy rank 0's link too. Small messages do not wait behind data, since packets interleave.
 * - All nodes see all files, and each is a machine of its own. Data in files crosses no link, and reading and
 *   writing it takes no time.
 * - Messages that leave one node for another one in one turn are one frame (transport/frame.h). A message
 *   that data follows arrives with it, in a frame of its own.
 * - Rank 0 has one thread. It handles one frame at a time, and sends when none waits. It needs `frame_s` for
 *   each frame that it receives or sends, `message_s` for each message in one, `solve_s` for each active PU
 *   where the balancer solved, and `fit_s` for each curve.
 * - Results are right, but for the PUs of `wrong`. Two wrong ones differ from each other.
 * - A node that falls silent is judged as in a real run (core/liveness.h): by missing BEATs, by what its host
 *   says of its process, and at once where its host sees that it has ended. Then the master gives it up.
 * BEATs are counted only while a node is silent; until then they change nothing (simulate/life.h).
 * - A PU that hangs stops the process of its node `stuck_s` seconds later, with all its PUs.
 * - A device that fails is noticed in its task, or in its next one: its node says FAIL, and goes on with its
 *   other PUs. So it does with a PU that hangs in a task, where costs are told and `hung_after` is set
 *   (core/overdue.h).
 * - A node that joins says HELLO at its moment: what it needs is there by then. Nothing comes from it before.
 * - A task with a unit of `deadly` kills its node, at its end, or only itself where tasks are isolated. Its
 *   CRASH is not lost. On node 0 the master lives on.
 *
 * Left out: the time in which replicated data is broadcast before a pass, as a real run's makespan leaves it
 * out; the time that a node's own thread needs for messages; several tasks in flight on one GPU. */
#ifndef PLB_SIMULATE_SIMULATION_H
#define PLB_SIMULATE_SIMULATION_H

#include "app/phase.h"
#include "core/master.h"
#include "core/worker/queue.h"
#include "model/cluster_spec.h"
#include "report/report.h"
#include "report/trace.h"

/* Seconds of rank 0 for each message that it receives or sends, beside those of its frame. Larger: clusters
 * of many PUs wait for their master sooner. Smaller: the master seems free. bench/core measures 0.10 to 0.15
 * us for half of a grant with its report on an EPYC, and 0.27 us on a 2.x GHz Xeon; the master of
 * bench/short_passes needs 0.35 to 0.45 us for each message of 1,000 nodes; to pack or read one takes 0.03 us
 * (bench/frames). */
#define PLB_MESSAGE_SECONDS 4e-7

/* Seconds of rank 0 for each frame. Larger and smaller: as above. An MPI call on shared memory, measured by
 * bench/frames (0.1 to 0.2 us on an EPYC, and 0.9 us where many are on their way) and bench/steal (a round
 * trip of 3 to 5 us is four calls, on that Xeon). */
#define PLB_FRAME_SECONDS 6e-7

/* Seconds of rank 0 for each active PU in a solve. Larger and smaller: as above. bench/solver measures 5 µs
 * per PU for SLSQP at 10 PUs from equal shares, and 1 to 2 µs for bisection at 1,000 and more. */
#define PLB_SOLVE_SECONDS 2e-6

/* Seconds of rank 0 for each curve that the balancer or the master fits. Larger and smaller: as above.
 * plb_belief_fit takes 9 to 18 µs with 8 to 64 samples of unlike sizes, 25 µs with 128, and 1 to 9 µs where
 * sizes are alike; 13 to 16 µs in the mean of the growth bench. Fewer than four samples give a line, in 0.1
 * to 0.7 µs: that is no curve. */
#define PLB_FIT_SECONDS 1.5e-5

enum plb_fault_kind {
    PLB_DIES,    /* does nothing more; what it has sent may be lost on the way; its host sees that it ended */
    PLB_HANGS,   /* does nothing more; what it has sent arrives; its host sees that its process runs */
    PLB_STOPS,   /* its process is stopped and continued: for a while it hears and says nothing, and its PUs
                    only   end what they execute. Not node 0, which shares a process with the master */
    PLB_UNHEARD, /* goes on, but what it says to rank 0 does not arrive before some moment: where that is
                    late, it has been given up meanwhile, and is a zombie */
    PLB_BREAKS,  /* the device of one PU fails, in all that it has in hand */
};

enum plb_moment {
    PLB_AT,           /* `at` seconds after the run began */
    PLB_AFTER_GIVING, /* right after the node has sent a GIFT with units */
    PLB_AFTER_TAKING, /* right after it has received one */
    PLB_AFTER_EMPTY,  /* right after it has heard EMPTY */
    PLB_MOMENTS       /* one more than the last */
};

/* One fault, for tests. */
struct plb_fault {
    enum plb_fault_kind kind;
    int node;
    int pu;               /* of the cluster: this PU alone hangs or breaks; negative: the whole node */
    double at;            /* seconds since the run began; negative: it is lost before the first pass */
    double lasts;         /* seconds, of PLB_STOPS and PLB_UNHEARD */
    enum plb_moment when; /* other than PLB_AT: right after the `count`-th of these, and `at` means nothing */
    int count;
};

/* A unit that kills its executors, for tests. */
struct plb_deadly_unit {
    int phase;
    int64_t unit;
};

/* Calls to a test or a bench while the simulation runs. NULL: nothing. PUs by their number in the
 * cluster. */
struct plb_watch {
    void *context;
    void (*granted)(void *context, double now, int pu, struct plb_range range);
    void (*sent)(void *context, const struct plb_message *message); /* it is said, and leaves this turn */
    void (*executed)(void *context, int pu, const struct plb_slice *task);
    /* The master has handled a DONE, perhaps of a node that it had given up: what it judged before the
     * results were taken, and how many units it took. */
    void (*reported)(void *context, const struct plb_message *done, bool given_up, enum plb_verdict verdict,
                     int64_t fresh);
    void (*gathered)(void *context, const struct plb_message *from,
                     bool given_up);                                             /* a FROM that was awaited */
    void (*stepped)(void *context, double now, const struct plb_master *master); /* after every event */
    /* A pass begins. pass: of the run, from 1, again where it begins anew; number: as messages have it. */
    void (*begun)(void *context, int pass, int number, int64_t fed);
    /* A node sends these inputs of units, a mask, to one that lacks them; or the latter has them itself. */
    void (*lent)(void *context, int from, int to, int64_t inputs, struct plb_range range);
};

/* Meters, for tests: a run learns the watts of the .cluster file from them, and is not told. Zeroed: there
 * are none, and watts are told. */
struct plb_virtual_meters {
    bool on;
    double noise;      /* the relative spread of the joules between two readings */
    double lie;        /* each shows this part too much, or too little */
    double range_j;    /* after which a counter begins again; 0: it does not */
    double still;      /* the part of the counters that stand still */
    double still_from; /* from this second on */
};

/* When a node had tasks: for how long, copies included, and the end of the last one. */
struct plb_node_seconds {
    double busy_s, last_s;
};

struct plb_simulation {
    const struct plb_cluster_spec *cluster;
    const struct plb_cost_map
        *maps; /* one per phase, master.phases of them, as told to balancers; all borrowed */
    const struct plb_cost_map *true_maps; /* that tasks cost; NULL: as told */
    double cost_error; /* where there are no true maps: the relative spread of true costs around the
                          told ones, log-normal, drawn from the seed; 0: as told */
    struct plb_master_config master;
    struct plb_sizes inputs, results; /* that a task pulls, and that it sends back */
    double shared_bytes;              /* of the replicated data: in files, so that nobody sends it */
    struct plb_sizes staying;         /* of the results: those of master.stays */
    int feeds; /* so many inputs are results of an earlier pass, each a part of the bytes of all; with
                  master.feeds_stay they go from node to node, and after a loss the run begins anew:
                  there are no copies of later inputs */
    const int64_t *fed; /* of each pass: mask of those that results of the pass before become; NULL: all */
    uint64_t seed;
    int passes;        /* 0 counts as 1 */
    const int *phases; /* of each pass; NULL = 0 */
    struct plb_migration migration;
    bool master_only;  /* node 0 has no PUs */
    double hung_after; /* seconds after which a task may be late; 0: none is */
    double lost_after; /* seconds of silence after which a node is lost; 0: PLB_LOST_AFTER */
    double message_s, frame_s, solve_s, fit_s; /* of rank 0, see above; 0: the default, negative: nothing */
    struct plb_trace *trace;                   /* or NULL */
    double *worked_s; /* of each PU of the cluster: the seconds of its tasks, with their copies, are added,
                         also of tasks that were cancelled, or in vain. Not of one whose node was lost
                         meanwhile. NULL: not wanted */
    struct plb_node_seconds *node_s;    /* of each node of the cluster, in the same way; NULL: not wanted */
    struct plb_report_traffic *traffic; /* of each node: what it sends is added; NULL: not wanted */
    struct plb_profiles *profiles;      /* to begin with, or NULL */
    struct plb_virtual_meters meters;
    /* Stress, for tests. */
    double delay;         /* every message is up to so many seconds late, so that they overtake */
    double no_room;       /* the part of the results that find no room to stay */
    double lost_messages; /* the part of a dead node's messages on their way that is lost */
    double beat_s;    /* between two BEATs of a node; the other times of core/liveness.h are scaled with it.
                         0: PLB_BEAT_SECONDS */
    double stuck_s;   /* from the hang of a PU to that of its process; infinite: it goes on without the PU */
    const int *hosts; /* by node, equal for nodes of one host; NULL: each has a host of its own */
    int n_joiners;    /* the last so many nodes come later */
    const double *join_at; /* of each of these: seconds after the run began; borrowed */
    int n_faults;
    const struct plb_fault *faults;
    int n_deadly;
    const struct plb_deadly_unit *deadly;
    const double *wrong; /* by PU: the part of its results that is wrong; NULL: all are right */
    int64_t max_events;  /* 0: any number; more are an error */
    struct plb_watch watch;
};

/* Counts of what happened under stress, as the master cannot know it. */
struct plb_stress_counts {
    int64_t early;                               /* messages that overtook the PASS of their pass */
    int64_t lost_gifts, lost_moved, lost_others; /* messages of the dead that were lost on their way */
    int64_t to_the_dead;                         /* GIFTs with units that reached a dead node */
    int64_t from_zombies;                        /* messages to the master from nodes that it had given up */
    int64_t moved_to_lost,
        moved_from_lost; /* MOVED to the master that name a node given up as thief, as giver */
    int64_t deaths, hangs, stops, unheard, hung_pus, broken_pus; /* faults that happened */
    int64_t killed_nodes, killed_children;                       /* by deadly units */
    int64_t before_first_pass;                                   /* of these */
    int64_t at_moment[PLB_MOMENTS];                              /* of these, by their moment */
    int64_t given_up, given_up_slow; /* PUs that their node took for hung; of these: they were not */
    int64_t suspects;                /* silences so long that the node was one */
    int64_t questions, answers;      /* about them, between ranks of a host */
    int64_t recovered;               /* silences that ended before the node was given up */
    int64_t ended_seen;              /* processes whose end their host has seen */
    int64_t lost_silent;             /* nodes given up for their silence */
    int64_t lost_running;            /* of these: their host had said that the process runs */
    int64_t zombies;                 /* nodes given up that lived */
    int64_t halos;                   /* ranges of inputs that nodes got unasked */
    int64_t lent;                    /* ranges of inputs that went from one node to another */
    double folds_s;                  /* seconds in which arrays went along the tree */
    int64_t late_looks;              /* rank 0 was busy for so long that silence meanwhile did not count */
};

struct plb_simulated {
    struct plb_master *master; /* for plb_report_from_master; free it */
    double makespan_s;         /* virtual, as all times but two. A pass counts from the moment at which rank 0
                                  begins it until it has handled the last result */
    double stopped_s;          /* when the last living node has heard STOP */
    double rank0_s;            /* that rank 0 was busy */
    double master_s, solve_s;  /* real seconds in the master, and in those of its calls that solved */
    struct plb_report_phase times[PLB_MAX_PHASES]; /* of the phases' passes */
    double optimum_s;                              /* of all passes, by the told costs (model/optimum.h) */
    int64_t messages, bytes, events;
    int64_t frames; /* in which the messages went */
    struct plb_stress_counts stress;
};

/* Data that the parts of one simulation share. */
struct plb_world {
    const struct plb_simulation *in;
    struct plb_simulated *out;
    struct plb_events *clock;
    double now;
    struct plb_virtual_sets *sets; /* NULL: reduced arrays go to node 0 at once */
};

#endif
