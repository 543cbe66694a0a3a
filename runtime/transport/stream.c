/* Few pieces are on their way to another host at a time: MPI may move those to one rank side by side. */
#include "transport/stream.h"

#include <stdlib.h>

#include "base/memory.h"

/* Bytes of a piece, and pieces on their way to a rank of another host. Their product is what each rank of the
 * chain waits for before it has something to hand on. Larger: the last rank gets all later. Smaller: more
 * messages, and links of long delay are not used up. */
#define PIECE ((size_t)128 * 1024)
#define AHEAD 4

/* The same to a rank of this host. It copies one after the other by itself where MPI can, and waits for no
 * core of the sender, which computes meanwhile. Larger: rank 0 is given up later while they come. Smaller: it
 * waits more often. */
#define AHEAD_NEAR 64

/* Pieces that a rank is ready to receive from another host. Fewer: a sender waits for a rank that has no
 * core. */
#define READY (2 * AHEAD)

struct plb_stream_way {
    int peer;
    size_t ahead;       /* pieces on their way at once */
    size_t next, ended; /* the first piece that is not on its way, and the first that has not arrived */
    struct plb_stream_way *after;
    int pending[]; /* by piece: parts on their way */
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

/* To a rank, or from it; from this piece on. far: pieces at once where it is on another host. */
static struct plb_stream_way *new_way(const struct plb_stream *s, int peer, size_t piece, size_t far)
{
    size_t ahead = plb_mpi_is_near(s->mpi, peer) ? AHEAD_NEAR : far;
    struct plb_stream_way *w = plb_alloc(sizeof *w + ahead * sizeof w->pending[0]);
    w->peer = peer;
    w->ahead = ahead;
    w->next = w->ended = piece;
    return w;
}

void plb_stream_init(struct plb_stream *s, struct plb_mpi *mpi, int from)
{
    *s = (struct plb_stream){.mpi = mpi};
    if (from < 0)
        return;
    s->in = new_way(s, from, 0, READY);
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
    struct plb_stream_way *w = new_way(s, to, piece, AHEAD);
    w->after = s->outs;
    s->outs = w;
}

/* Looks which pieces have arrived, in their order. */
static bool look(struct plb_stream_way *w)
{
    size_t before = w->ended;
    while (w->ended < w->next && w->pending[w->ended % w->ahead] == 0)
        w->ended++;
    return w->ended > before;
}

static bool receive(struct plb_stream *s, struct plb_stream_way *in)
{
    size_t bytes;
    bool moved = look(in);
    s->here = in->ended;
    for (; in->next < s->pieces && in->next < in->ended + in->ahead; in->next++) {
        char *piece = piece_of(s, in->next, &bytes);
        plb_mpi_get(s->mpi, in->peer, PLB_STREAM_TAG, piece, bytes, &in->pending[in->next % in->ahead]);
    }
    return moved;
}

static bool send(const struct plb_stream *s, struct plb_stream_way *out)
{
    size_t bytes;
    bool moved = look(out);
    for (; out->next < s->here && out->next < out->ended + out->ahead; out->next++) {
        const char *piece = piece_of(s, out->next, &bytes);
        plb_mpi_put(s->mpi, out->peer, PLB_STREAM_TAG, piece, bytes, &out->pending[out->next % out->ahead]);
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
