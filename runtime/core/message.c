/* The outbox: an array that grows. */
#include "core/message.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

struct plb_message *plb_outbox_add(struct plb_outbox *box, enum plb_message_type type, int to)
{
    if (box->n == box->capacity) {
        box->capacity = box->capacity > 0 ? 2 * box->capacity : 16;
        box->at = plb_grow(box->at, (size_t)box->capacity * sizeof *box->at);
    }
    struct plb_message *m = &box->at[box->n++];
    *m = (struct plb_message){.type = (int32_t)type, .to = to, .slot = PLB_NO_SLOT};
    return m;
}

void plb_outbox_fini(struct plb_outbox *box)
{
    free(box->at);
    *box = (struct plb_outbox){0};
}
