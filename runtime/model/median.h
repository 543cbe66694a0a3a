/* The middle of some numbers. Cost: O(n log n), and no memory. */
#ifndef PLB_MODEL_MEDIAN_H
#define PLB_MODEL_MEDIAN_H

/* The smallest comes first. */
void plb_sort(double *values, int n);

/* Sorts the numbers, of which there is one at least. Of two in the middle it is the mean. */
double plb_median(double *values, int n);

#endif
