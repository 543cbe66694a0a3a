/* Packing and unpacking messages. */
#include "transport/frame.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

/* Bytes of a new frame, which holds the few messages that most frames have. Larger: more memory per frame on
 * its way. Smaller: most frames grow. */
#define FIRST_CAPACITY 512

static_assert(sizeof(struct plb_message) <= FIRST_CAPACITY, "a new frame has room for any message");

bool plb_frame_add(struct plb_frame *f, const struct plb_message *message)
{
    size_t size = plb_message_size(message->type);
    if (f->bytes + size > PLB_FRAME_BYTES)
        return false;
    if (f->bytes + size > f->capacity) {
        f->capacity = f->capacity == 0 ? FIRST_CAPACITY : PLB_FRAME_BYTES;
        f->at = plb_grow(f->at, f->capacity);
    }
    memcpy(f->at + f->bytes, message, size);
    f->bytes += size;
    return true;
}

enum plb_frame_found plb_frame_next(struct plb_frame_reader *r, struct plb_message *message,
                                    const char **wrong)
{
    if (r->left == 0)
        return PLB_FRAME_END;
    size_t header = plb_message_size(PLB_IDLE); /* it has no body */
    size_t known = r->left < sizeof *message ? r->left : sizeof *message;
    memcpy(message, r->at, known);
    size_t size = r->left < header ? r->left : message->size;
    bool has_an_end = size >= header && size <= known;
    size = has_an_end ? size : r->left;
    *wrong = plb_message_check(message, size, r->n_ranks);
    bool relay = r->relays && r->to == 0, relayed = r->relays && r->from == 0;
    if (*wrong == NULL && message->from != r->from && !relayed)
        *wrong = "in the name of another rank";
    if (*wrong == NULL && message->to != r->to && !relay)
        *wrong = "to another rank";
    r->at += size;
    r->left -= size;
    return *wrong == NULL ? PLB_FRAME_MESSAGE : PLB_FRAME_WRONG;
}
