/* The PUs of a run as they say HELLO: each once, in any order. */
#ifndef PLB_MEMBERSHIP_PU_LIST_H
#define PLB_MEMBERSHIP_PU_LIST_H

#include <stdbool.h>

#include "core/message/message.h"

/* Adds a PU to a list of n, which may be NULL. False where it is in the list already. */
bool plb_pu_list_add(struct plb_pu_info **pus, int *n, const struct plb_pu_info *pu);

/* Sorts by rank, and then by the number on the rank. */
void plb_pu_list_sort(struct plb_pu_info *pus, int n);

#endif
