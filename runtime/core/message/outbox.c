/* The outbox of message.h: an array that grows. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/message/message.h"

static struct plb_message *room(struct plb_outbox *box)
{
    box->at = plb_room(box->at, box->n, &box->capacity, sizeof *box->at);
    return &box->at[box->n++];
}

struct plb_message *plb_outbox_add(struct plb_outbox *box, enum plb_message_type type, int from, int to,
                                   int pass)
{
    struct plb_message *m = room(box);
    size_t size = plb_message_size((int)type);
    memset(m, 0, size);
    m->type = (int32_t)type;
    m->protocol = PLB_PROTOCOL;
    m->size = (uint16_t)size;
    m->from = from;
    m->to = to;
    m->pass = pass;
    return m;
}

struct plb_message *plb_outbox_copy(struct plb_outbox *box, const struct plb_message *message)
{
    struct plb_message *m = room(box);
    memcpy(m, message, message->size);
    return m;
}

void plb_outbox_fini(struct plb_outbox *box)
{
    free(box->at);
    *box = (struct plb_outbox){0};
}
