/* The belief about a processing unit: the seconds that a block takes, and how sure that is. Pure
 * functions; thread-safe.
 *
 * The curve gives the seconds m(x) for x units of work, of which s are starts. They are believed to be at
 * most
 *
 *     late(x) = s · (1 + spread) + (m(x) - s) · (1 + z(x))
 *
 * so that what is not known of the work never multiplies a start. z comes from three things. One is the
 * scatter of the reports about their curve, as a part of the work in the largest of them. One is age: the
 * further a block reaches beyond the time that was watched, the more may have changed. One is size: of sizes
 * larger than any seen, less is known. Before its first report a PU has a prior: what its device measured of
 * an empty task, a rate, and a spread of a factor of ten. */
#ifndef PLB_MODEL_BELIEF_H
#define PLB_MODEL_BELIEF_H

#include "model/curve.h"
#include "model/estimate.h"
#include "plb/balancer.h"

/* The terms of a PU's curve: the few that the samples pay for, or all that the papers name in one sum. */
enum plb_terms { PLB_FEW_TERMS, PLB_ALL_TERMS };
#define PLB_TERMS_CHOICES "few|all" /* as users name them, in the enum's order */

struct plb_belief {
    struct plb_model model; /* m(x); unknown before a prior is set */
    double start_s;         /* seconds that a block costs before its work counts; a lower bound */
    double spread;          /* relative error of m(x) at the sizes and at the time of the reports */
    double work_spread;     /* the same of the work in m(x), without its start */
    double costs;           /* z of what units cost, beside that; 0 where they cost what is said */
    double watched_s;       /* seconds of work that its reports tell of; 0 = it has none: a prior */
};

/* Whether the PU has reported in this phase; a prior is all that is known otherwise. */
static inline bool plb_belief_reported(const struct plb_belief *belief)
{
    return belief->watched_s > 0.0;
}

/* A PU that has not reported: start_s + x / rate seconds for x units of work, within a factor of ten. An
 * empty task of it lasts `start_s` seconds. */
void plb_belief_prior(struct plb_belief *belief, double rate, double start_s);

/* Fits the belief to a PU's samples, each of which counts half after `half_life` later ones; INFINITY: all
 * count alike. A start costs at least the `start_s` seconds of an empty task. False where no sample can be
 * used; the belief is left alone then. */
bool plb_belief_fit(struct plb_belief *belief, const struct plb_pu *pu, double start_s, double half_life);

/* The curves of a PU: those of its belief or, with all terms in one sum, through its samples. All zero where
 * it has not reported, or is lost. */
struct plb_model plb_belief_curves(const struct plb_pu *pu, enum plb_terms terms);

/* z of x units of work that begin `wait_s` seconds after what was last heard of the PU. */
double plb_belief_spread(const struct plb_belief *belief, double x, double wait_s);

/* Whether no report says more of x units of work than a prior would: they are too small beside it. */
bool plb_belief_guesses(const struct plb_belief *belief, double x);

/* late(x): the seconds that x units of work take if the PU is as slow as it may be. */
double plb_belief_late(const struct plb_belief *belief, double x, double wait_s);

/* The most work, nearly, and at most `limit`, that the PU finishes within `seconds` even if it is as slow
 * as it may be. It begins `wait_s` seconds after what was last heard. 0 for a PU that has not reported. */
double plb_belief_sure(const struct plb_belief *belief, double seconds, double wait_s, double limit);

/* The most work, nearly, and at most `limit`, that ends at most `seconds` later than m(x) even then. */
double plb_belief_harmless(const struct plb_belief *belief, double seconds, double wait_s, double limit);

#endif
