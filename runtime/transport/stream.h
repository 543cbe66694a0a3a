/* Buffers that go from rank to rank, piece by piece: a rank hands a piece on as soon as it has it. So each
 * link carries the data once, and all of them are at work at the same time. The pieces of the buffers follow
 * each other, and have numbers. Communication thread only. */
#ifndef PLB_TRANSPORT_STREAM_H
#define PLB_TRANSPORT_STREAM_H

#include "transport/mpi.h"

#define PLB_STREAM_BUFFERS 32 /* at most */

/* Bytes up to which data goes from rank 0 to each rank. Larger: rank 0's link sends more. Smaller: data that
 * needs a moment goes through many ranks. */
#define PLB_STREAM_SMALL ((size_t)64 * 1024)

struct plb_stream_buffer {
    char *data;
    size_t bytes;
};

struct plb_stream_way;

/* A rank's part in it. A zeroed struct has no data, and is over. */
struct plb_stream {
    struct plb_mpi *mpi;
    struct plb_stream_buffer at[PLB_STREAM_BUFFERS];
    int n;
    size_t pieces, here;         /* of all buffers, and the first of them that have come */
    struct plb_stream_way *in;   /* NULL: all were here from the beginning */
    struct plb_stream_way *outs; /* to whom pieces go on */
    bool abandoned;              /* a rank was lost with pieces on their way from or to it: MPI may use the
                                    buffers until the process ends */
};

/* The buffers n of at[] come from a rank; from < 0: they are here. They stay valid until the stream is over,
 * and where it is abandoned until the process ends. */
void plb_stream_init(struct plb_stream *stream, struct plb_mpi *mpi, int from);
void plb_stream_fini(struct plb_stream *stream);

/* A buffer more, before anything moves. */
void plb_stream_add(struct plb_stream *stream, void *data, size_t bytes);

/* The pieces from this one on go to a rank. */
void plb_stream_hand_on(struct plb_stream *stream, int to, size_t piece);

/* Moves what can be moved after plb_mpi_progress; true where anything was. Forgets ranks that are lost. */
bool plb_stream_step(struct plb_stream *stream);

/* Whether all is here, and whether all has been handed on, too. */
bool plb_stream_here(const struct plb_stream *stream);
bool plb_stream_over(const struct plb_stream *stream);

/* Whether the rank from which pieces should come is lost. The missing ones may then come from another one. */
bool plb_stream_broken(const struct plb_stream *stream);
void plb_stream_mend(struct plb_stream *stream, int from);

/* Puts all pieces of a buffer on their way to a rank whose stream has it: *pending is that of plb_mpi_put. */
void plb_stream_put(struct plb_mpi *mpi, int to, const void *data, size_t bytes, int *pending);

#endif
