/* Training without barriers: the sizes of a PU's blocks until there is a curve of every PU, and the
 * counts by which a balancer knows when that is. Used by plb-hac.
 *
 * Every PU executes one tiny block, then blocks that last about the same time everywhere. A CPU
 * beside GPUs (`beside`) may be thousands of times slower, and powers are guesses. It starts after
 * the others with a tiny block, and then gets blocks that last at most the time that has passed.
 * Training does not wait for its curve. O(1) per call, but for plb_training_init and
 * plb_training_count, which are O(n). */
#ifndef PLB_MODEL_TRAINING_H
#define PLB_MODEL_TRAINING_H

#include "plb/balancer.h"

/* PUs up to which asking all that wait costs the master little. There a PU that has to wait is told
 * PLB_WAIT, to be asked after every event; on more PUs it is told PLB_WAIT_OWN. */
#define PLB_FEW_PUS 64

struct plb_trainee {
    double rate;  /* work per second of its latest report; 0 = none */
    int reports;  /* blocks finished, in this pass or before it: two make a curve */
    bool beside;  /* a CPU beside GPUs: the others do not wait for its curve */
    double guess; /* its power over that of the strongest PU that is not `beside`; at most 1 */
};

struct plb_training {
    struct plb_trainee *pus; /* one per PU of the view; owned */
    double first_block;      /* work */
    double part;             /* of all work, to train with */
    bool synchronise;        /* a PU with two reports waits for the others */
    double rates;            /* sum of the rates of the PUs that have reported, */
    double beside_rates;     /* and the part of it of CPUs beside GPUs */
    double unreported;       /* sum of the guesses of the PUs that have not reported */
    int needed;              /* PUs that training waits for; of these: */
    int trained, n_rates;    /* those with two reports, those with any, */
    int unstarted;           /* those without a report and without a block */
};

/* Before a pass. `first_block`: work, or 0 for a thousandth of a fair share. `part`: of all work,
 * to train with. PUs that have samples of an earlier pass or run need no training. False where
 * there is no memory. */
bool plb_training_init(struct plb_training *training, const struct plb_view *view, double first_block,
                       double part, bool synchronise);
void plb_training_fini(struct plb_training *training);

/* Takes all sums anew from what is known of each PU: after a loss. */
void plb_training_count(struct plb_training *training, const struct plb_view *view);

/* The work that PU p gets next, or PLB_WAIT or PLB_WAIT_OWN. */
double plb_training_block(const struct plb_training *training, const struct plb_view *view, int p);

/* The first block of a CPU beside GPUs, in training or later; likewise. */
double plb_training_probe(const struct plb_training *training, const struct plb_view *view, int p);

/* Whether a PU has one report, and a long one: starting a block may cost it much, so none is kept
 * ahead. */
bool plb_start_unknown(const struct plb_training *training, const struct plb_view *view, int p);

/* PU p, which had no block, gets one. True where all PUs have now been given their first block. */
bool plb_training_started(struct plb_training *training, int p);

/* PU p has reported this rate. */
void plb_training_rate(struct plb_training *training, int p, double rate);

/* PU p has finished a block. */
void plb_training_block_end(struct plb_training *training, int p);

#endif
