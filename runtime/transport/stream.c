/* Few pieces are on their way at a time: MPI moves those to one rank side by side. */
#include "transport/stream.h"

#include <stdlib.h>

#include "base/memory.h"

/* Bytes of a piece, and pieces on their way to a rank. Their product is what each rank of the chain waits for
 * before it has something to hand on. Larger: the last rank gets all later. Smaller: more messages, and links
 * of long delay are not used up. */
#define PIECE ((size_t)128 * 1024)
#define AHEAD 4

/* Pieces that a rank is ready to receive. Fewer: a sender waits for a rank that has no core. */
#define READY (2 * AHEAD)

struct plb_stream_way {
    int peer;
    size_t next, ended; /* the first piece that is not on its way, and the first that has not arrived */
    int pending[READY]; /* by piece: parts on their way */
    struct plb_stream_way *after;
};

static size_t pieces_of(size_t bytes)
{
    return (bytes + PIECE - 1) / PIECE;
}

static char *piece_of(const struct plb_stream *s, size_t piece, size_t *bytes)
{
    const struct plb_stream_buffer *b = s->at;
    for (; piece >= pieces_of(b->bytes); b++)
        piece -= pieces_of(b->bytes);
    size_t left = b->bytes - piece * PIECE;
    *bytes = left < PIECE ? left : PIECE;
    return b->data + piece * PIECE;
}

void plb_stream_init(struct plb_stream *s, struct plb_mpi *mpi, int from)
{
    *s = (struct plb_stream){.mpi = mpi};
    if (from < 0)
        return;
    s->in = plb_alloc(sizeof *s->in);
    s->in->peer = from;
}

void plb_stream_fini(struct plb_stream *s)
{
    for (struct plb_stream_way *w = s->outs, *after; w != NULL; w = after) {
        after = w->after;
        free(w);
    }
    free(s->in);
    *s = (struct plb_stream){0};
}

void plb_stream_add(struct plb_stream *s, void *data, size_t bytes)
{
    s->at[s->n++] = (struct plb_stream_buffer){data, bytes};
    s->pieces += pieces_of(bytes);
    s->here = s->in == NULL ? s->pieces : 0;
}

void plb_stream_hand_on(struct plb_stream *s, int to, size_t piece)
{
    struct plb_stream_way *w = plb_alloc(sizeof *w);
    w->peer = to;
    w->next = w->ended = piece;
    w->after = s->outs;
    s->outs = w;
}

/* Looks which pieces have arrived, in their order. */
static bool look(struct plb_stream_way *w)
{
    size_t before = w->ended;
    while (w->ended < w->next && w->pending[w->ended % READY] == 0)
        w->ended++;
    return w->ended > before;
}

static bool receive(struct plb_stream *s, struct plb_stream_way *in)
{
    size_t bytes;
    bool moved = look(in);
    s->here = in->ended;
    for (; in->next < s->pieces && in->next < in->ended + READY; in->next++) {
        char *piece = piece_of(s, in->next, &bytes);
        plb_mpi_get(s->mpi, in->peer, PLB_STREAM_TAG, piece, bytes, &in->pending[in->next % READY]);
    }
    return moved;
}

static bool send(const struct plb_stream *s, struct plb_stream_way *out)
{
    size_t bytes;
    bool moved = look(out);
    for (; out->next < s->here && out->next < out->ended + AHEAD; out->next++) {
        const char *piece = piece_of(s, out->next, &bytes);
        plb_mpi_put(s->mpi, out->peer, PLB_STREAM_TAG, piece, bytes, &out->pending[out->next % READY]);
    }
    return moved;
}

bool plb_stream_step(struct plb_stream *s)
{
    bool moved = false;
    if (!plb_stream_here(s) && !plb_stream_broken(s))
        moved = receive(s, s->in);
    for (struct plb_stream_way **at = &s->outs; *at != NULL;) {
        struct plb_stream_way *w = *at;
        bool lost = plb_mpi_is_lost(s->mpi, w->peer);
        s->abandoned |= lost && w->next > w->ended;
        moved |= !lost && send(s, w);
        if (lost || w->ended == s->pieces) {
            *at = w->after;
            free(w);
        } else {
            at = &w->after;
        }
    }
    return moved;
}

bool plb_stream_here(const struct plb_stream *s)
{
    return s->here == s->pieces;
}

bool plb_stream_over(const struct plb_stream *s)
{
    return plb_stream_here(s) && s->outs == NULL;
}

/* plb_mpi_abandon has lowered the counters of pieces that have not come. So nobody looks at them after it. */
bool plb_stream_broken(const struct plb_stream *s)
{
    return !plb_stream_here(s) && plb_mpi_is_lost(s->mpi, s->in->peer);
}

void plb_stream_mend(struct plb_stream *s, int from)
{
    s->abandoned |= s->in->next > s->in->ended;
    s->in->peer = from;
    s->in->next = s->in->ended;
}

void plb_stream_put(struct plb_mpi *mpi, int to, const void *data, size_t bytes, int *pending)
{
    for (size_t at = 0; at < bytes; at += PIECE)
        plb_mpi_put(mpi, to, PLB_STREAM_TAG, (const char *)data + at, bytes - at < PIECE ? bytes - at : PIECE,
                    pending);
}
