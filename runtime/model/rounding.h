/* How far numbers may be apart that should be equal, and what stands for nothing. */
#ifndef PLB_MODEL_ROUNDING_H
#define PLB_MODEL_ROUNDING_H

/* Relative: sums of work, times or watts that were added up in unlike orders differ by less. Larger: a limit
 * is broken, or a difference goes unseen. Smaller: the last digits of a sum decide. */
#define PLB_ROUNDING 1e-9

/* Steps of a bisection, at most. More: only time. Fewer: what is looked for is less exact. 40 give twelve
 * digits. */
#define PLB_HALVINGS 40

/* Work, or seconds, that stands for none where zero would be no rate, or would look like an end. Any number
 * far below a real one will do. */
#define PLB_ALMOST_NONE 1e-9

#endif
