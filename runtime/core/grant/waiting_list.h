/* The PUs that were told PLB_WAIT, in any order. Entering and leaving cost O(1). Part of the agenda; not
 * thread-safe. */
#ifndef PLB_CORE_GRANT_WAITING_LIST_H
#define PLB_CORE_GRANT_WAITING_LIST_H

#include <stdbool.h>

struct plb_waiting_list {
    int *pus, n;
    int *index; /* by PU: its index in the list, or -1 */
    int n_pus;
};

void plb_waiting_list_init(struct plb_waiting_list *list, int n_pus);
void plb_waiting_list_fini(struct plb_waiting_list *list);
void plb_waiting_list_clear(struct plb_waiting_list *list);

/* Both may be called for a PU that is there already, or is not there. The last PU takes the index of one that
 * leaves. */
void plb_waiting_list_enter(struct plb_waiting_list *list, int pu);
void plb_waiting_list_leave(struct plb_waiting_list *list, int pu);

/* Whether list and indices agree. O(PUs). */
bool plb_waiting_list_sound(const struct plb_waiting_list *list);

#endif
