/* What the samples of a PU say of its next blocks, beyond the curve: what starting one costs, how small
 * one may be. Pure functions; thread-safe. */
#ifndef PLB_MODEL_ESTIMATE_H
#define PLB_MODEL_ESTIMATE_H

#include "model/curve.h"
#include "plb/balancer.h"

struct plb_estimate {
    double start_s; /* seconds that a block costs before its work counts */
    double least;   /* work: a smaller block is far from the PU's best rate */
};

/* Work per second of one report; huge where its time says nothing. Positive and finite. */
double plb_sample_rate(const struct plb_sample *sample);

/* Seconds that a block costs before its work counts, by what the quickest report took beyond its work; 0
 * where that may be noise. `rate` is that of the latest report. */
double plb_start_cost(const struct plb_model *model, const struct plb_pu *pu, double rate);

/* Fits the model of a PU to its samples and fills in the estimate. A sample counts half as much
 * `half_life` samples later. `rate` is that of the latest report. Returns false, and an unknown model,
 * where no sample is usable; the estimate is left alone then. */
bool plb_estimate(const struct plb_pu *pu, double half_life, double rate, struct plb_model *model,
                  struct plb_estimate *estimate);

/* The size of a PU's quickest report of a unit or more, where that report says that such a block,
 * or at least `unit`, would end in half of `left_s` seconds; else 0. Tries a PU whose curve rests
 * on a hiccup. */
double plb_retry_block(const struct plb_pu *pu, double unit, double left_s);

#endif
