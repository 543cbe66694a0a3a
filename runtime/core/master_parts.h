/* What the two halves of the master share: master.c, the ledger, and grants.c. Private to them; include core/master.h first. */
#ifndef PLB_CORE_MASTER_PARTS_H
#define PLB_CORE_MASTER_PARTS_H

#define AHEAD 2             /* blocks at one PU: one being executed, one waiting */
#define NOWHERE (-1)

struct block {
    int64_t id;                 /* the number of its PU is contained: id % n_pus */
    struct plb_rangeset pending; /* units whose result is awaited */
};

/* What only the master knows of a PU; the balancers' part is struct plb_pu. */
struct pu {
    struct plb_pu_info info;
    struct plb_pu_totals totals;
    struct block blocks[AHEAD];
    struct plb_history *histories; /* one per kernel */
    double max_units;           /* per task, by its memory */
    int place;                  /* in the list of waiting PUs, or NOWHERE */
    int taken_back;             /* of its blocks, ended by the loss that is being dealt with */
    bool refused;
    bool served;                /* has ever been granted a block */
};

struct plb_master {
    struct plb_master_config config;
    struct pu *pus;
    struct plb_pu *seen;        /* as the balancer sees them */
    struct plb_view view;
    struct plb_balancer_stats stats;
    void *policy;               /* the balancer's state in this pass */
    const struct plb_cost_map *map;
    struct plb_rangeset free, accepted;
    int64_t next_block;
    int pass, kernel;
    int *waiting;               /* PUs to ask when the balancer wants it */
    int n_waiting, outstanding; /* outstanding: blocks at all PUs */
    int served;                 /* living PUs that have ever been granted a block: only they take from others */
    struct plb_members members;
    int64_t migrations, migrated; /* gifts between nodes, and units executed on another node than granted to */
    bool announced;             /* that nothing is left to grant */
    double pass_began;
    char failure[200];
};

/* Makes a PU one of those that are asked when the balancer wants it, or no longer one. */
void plb_grants_wait(struct plb_master *master, int pu);
void plb_grants_leave(struct plb_master *master, int pu);

/* After an event: asks the balancer for `first`, or where that is negative for all PUs, and for everyone who
 * waits where the balancer wants it. Announces when nothing is left. */
void plb_grants_feed(struct plb_master *master, int first, struct plb_outbox *out);

/* Tells a node that nothing is left to grant, and who has most left. */
void plb_grants_announce(struct plb_master *master, int node, struct plb_outbox *out);

/* What remains to be granted, as balancers see it. */
void plb_grants_remaining(struct plb_master *master, double work);

#endif
