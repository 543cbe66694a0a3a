/* The samples of a PU say more than the curve does: its latest rate, and what starting a block costs. Pure
 * functions; thread-safe. */
#ifndef PLB_MODEL_ESTIMATE_H
#define PLB_MODEL_ESTIMATE_H

#include "model/curve.h"
#include "plb/balancer.h"

/* Work per second of one report; huge where its time says nothing. Positive and finite. */
double plb_sample_rate(const struct plb_sample *sample);

/* Seconds that a block costs before its work counts, by what the quickest report took beyond its work; 0
 * where that may be noise. */
double plb_start_cost(const struct plb_model *model, const struct plb_pu *pu);

#endif
