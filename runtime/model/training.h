/* The papers' modelling phase (PLB-HeC, IV.B; PLB-HAC, 3.1): rounds of blocks that give every PU the points
 * for its first curve. Used by plb-hec and plb-hac.
 *
 * Round 1: every PU gets the first block. Then the PU with the earliest finish time t_f gets 2 times that
 * block, and PU k gets 2 · t_f / t_k times; in the next rounds 4 and 8 times. A round ends for all PUs
 * together, or with `flows` all rounds do: then a PU goes on as soon as it has finished its block. Where no
 * first block is given, one is searched first, in rounds of equal blocks that end for all together.
 *
 * O(1) per call, but for init and next_round, which are O(n). */
#ifndef PLB_MODEL_TRAINING_H
#define PLB_MODEL_TRAINING_H

#include "plb/balancer.h"

struct plb_training_rules {
    double first_block; /* work: the papers' initialBlockSize; 0: find a size */
    double part;        /* of all work, to train with where a size is to be found */
    int rounds;         /* up to which the multiplier doubles */
    double least;       /* units that a block is at least. 0: a PU whose block rounds to none is left out */
    bool flows;         /* with a given first block, one barrier ends all rounds */
};

struct plb_trainee {
    double size;    /* work in this round; 0: it is left out */
    double before;  /* work granted to it before this round */
    double seconds; /* of this round */
    double done;    /* work that it has reported in this round */
    double each;    /* seconds per unit of work, by its latest round; 0: unknown */
    int blocks;     /* that it has had since the last barrier */
    bool granted;   /* has had its last one before the next barrier */
};

struct plb_training {
    struct plb_trainee *pus; /* one per PU of the view; owned */
    struct plb_training_rules rules;
    int round;      /* rounds that are over */
    double base;    /* work: the papers' initialBlockSize */
    double fastest; /* the least `each` of the PUs that have finished a block since the last barrier */
    bool probing;   /* base is still being searched */
    int granted;    /* living PUs that have had their last block before the next barrier */
};

/* Before a pass. False where there is no memory. */
bool plb_training_init(struct plb_training *training, const struct plb_view *view,
                       const struct plb_training_rules *rules);
void plb_training_fini(struct plb_training *training);

/* Whether every living PU has had its last block before the next barrier and none is at work: the barrier. */
bool plb_training_round_over(const struct plb_training *training, const struct plb_view *view);

/* Sizes of the next round, after one is over. */
void plb_training_next_round(struct plb_training *training, const struct plb_view *view);

/* The work that PU p gets now, PLB_WAIT or PLB_WAIT_OWN. */
double plb_training_block(struct plb_training *training, const struct plb_view *view, int p);

/* PU p has reported, or is lost. */
void plb_training_reported(struct plb_training *training, int p, const struct plb_sample *sample);
void plb_training_lost(struct plb_training *training, int p);

/* Whether every living PU has that many samples, of earlier passes or runs: there is no need to train. */
bool plb_trained_before(const struct plb_view *view, int samples);

#endif
