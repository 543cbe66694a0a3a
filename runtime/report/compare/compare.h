/* plbrun --compare: what differs between runs, by their reports. Runs of the same set-up are repeats of each
 * other: the same kernel, units, version, status, PUs and settings. The spread of repeats says which
 * differences between set-ups may be chance.
 *
 * A difference stands out where the values of one set-up are all below those of the other, with two repeats
 * of each at least. By chance that happens in 1 of 10 quantities with three repeats of each, and in 1 of 126
 * with five. Not thread-safe. */
#ifndef PLB_REPORT_COMPARE_COMPARE_H
#define PLB_REPORT_COMPARE_COMPARE_H

#include <stdbool.h>

#include "base/error.h"

/* Compares n reports, which are files; other set-ups with that of the first. Prints the comparison, unless
 * quiet, and writes it to a file, where one is named: as JSON, or as a page where its name ends in .html. "-"
 * is standard output, which then has nothing else. PLB_OK; or PLB_EINPUT or PLB_EFAILED and a sentence. */
int plb_compare(char *const *files, int n, const char *file, bool quiet, struct plb_error *err);

#endif
