/* Reduced arrays: their neutral elements, folding them, and what may be declared. Numbers are folded element
 * by element; pairs of value and index are lists of one or more, which are sorted by value and then by index.
 * So whatever the order of tasks, pairs, minima, maxima and sums of whole numbers have the same bits.
 *
 * Pure functions. Cost: O(elements); a list of k pairs that is not sorted O(k log k). */
#ifndef PLB_APP_REDUCE_H
#define PLB_APP_REDUCE_H

#include "plb/kernel.h"

/* Bytes of one element: a number, or a pair; 1 where the kernel folds. */
size_t plb_reduce_element(const struct plb_data *data);

#define PLB_REDUCE_TEXT 120 /* bytes of the description below, with its end */

/* Whether a declaration cannot be right, and what is wrong with the buffer. folds: the kernel has `fold`. */
bool plb_reduce_is_wrong(const struct plb_data *data, bool folds, char text[PLB_REDUCE_TEXT]);

/* Whether the neutral elements of an array are zero bytes. */
bool plb_reduce_is_zero(const struct plb_data *data);

/* Sets an array to the neutral elements of its operation. */
void plb_reduce_clear(const struct plb_data *data, void *array);

/* Folds one array into another, which is a cleared one into which others may have been folded. `from` may
 * have the pairs of a list in any order. Sums of whole numbers wrap around. Not for PLB_OWN_FOLD. */
void plb_reduce_fold(const struct plb_data *data, void *into, const void *from);

/* Sorts the lists of a task's array, so that others can be folded into it; other arrays stay as they are. */
void plb_reduce_sort(const struct plb_data *data, void *array);

/* Describes element number `element` of an array: "3.5", "3.5 of 17", or the bytes of own folds. */
void plb_reduce_print(const struct plb_data *data, const void *array, size_t element, char text[64]);

#endif
