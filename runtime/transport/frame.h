/* Frames: several messages to one rank in one transmission, packed one after the other.
 *
 * Each message takes as many bytes as its type needs. Nothing in a frame that arrives is trusted. Pure
 * functions of bytes: no I/O, not thread-safe. */
#ifndef PLB_TRANSPORT_FRAME_H
#define PLB_TRANSPORT_FRAME_H

#include "core/message/message.h"

/* Bytes of a frame at most. Larger: MPI would not send a frame at once, but would first ask the receiver;
 * 4,096 bytes is the least such limit that we know (Open MPI on shared memory). Smaller: more frames. */
#define PLB_FRAME_BYTES 4000

/* A frame that is being filled. A zeroed struct is empty. */
struct plb_frame {
    unsigned char *at; /* the caller may take it over, and free it */
    size_t bytes, capacity;
};

/* Adds a message; false where the frame has no room for it. */
bool plb_frame_add(struct plb_frame *frame, const struct plb_message *message);

/* Reads the messages of a frame that `from` has sent to `to` in a run of n ranks. */
struct plb_frame_reader {
    const unsigned char *at;
    size_t left; /* bytes */
    int from, to, n_ranks;
    bool relays; /* rank 0 passes messages on, from and to ranks that have joined */
};

enum plb_frame_found { PLB_FRAME_END, PLB_FRAME_MESSAGE, PLB_FRAME_WRONG };

/* The next message. WRONG: *wrong says in a few words what is wrong with it, and the reader has left it
 * behind; where nobody can tell how long it is, the rest of the frame too. */
enum plb_frame_found plb_frame_next(struct plb_frame_reader *reader, struct plb_message *message,
                                    const char **wrong);

#endif
