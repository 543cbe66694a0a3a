/* Texts in a table, such as the names of its rows. */
#ifndef PLB_FORMAT_LABELS_H
#define PLB_FORMAT_LABELS_H

#include <stddef.h>
#include <stdint.h>

struct plb_label {
    const char *text; /* ends with a NUL at text[length]; a damaged file may have others before */
    size_t length;
};

/* The first of n labels without text, or the same as one before it; -1: all are unlike. *before is that
 * other one, or -1. */
int64_t plb_labels_find_wrong(const struct plb_label *labels, int64_t n, int64_t *before);

/* The texts of n labels in one piece of memory, to be freed by the caller: pointers, and then what they point
 * to. */
const char **plb_labels_copy(const struct plb_label *labels, int64_t n);

#endif
