/* The MPI transport: control messages in frames, data in parts of at most 1 GiB.
 *
 * Two-sided messages only. Nothing blocks but the collectives, at the start and the end of a run and at the
 * start of a pass. One thread makes all calls, the one that opened the transport (MPI_THREAD_FUNNELED). MPI
 * errors abort the job. */
#ifndef PLB_TRANSPORT_MPI_H
#define PLB_TRANSPORT_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/message/message.h"
#include "transport/coming.h"

struct plb_mpi;

/* Tags of slots' data: 0 to PLB_TAGS - 1; that of streams follows (transport/stream.h), and no other below
 * PLB_DATA_TAGS. MPI promises tags up to 32,767, and some are the transport's own. */
#define PLB_TAGS 32000
#define PLB_STREAM_TAG PLB_TAGS
#define PLB_DATA_TAGS (PLB_TAGS + 1)

/* Initialises MPI. part_bytes: of the largest single MPI message of data; 0: 1 GiB. Where MPI cannot serve a
 * program of several threads, *err says so: on all ranks, with the sentence on rank 0. plb_mpi_close is due
 * in both cases. */
struct plb_mpi *plb_mpi_open(int *argc, char ***argv, size_t part_bytes, struct plb_error *err);

/* Waits for all ranks, then finalises MPI. False where a rank has not come within so many seconds: nothing is
 * freed, and the process must end by _exit. Where a rank dies or stops after that, MPI may wait for it for
 * ever (membership/leaving.h). */
bool plb_mpi_close(struct plb_mpi *mpi, double seconds);

/* Completes all transfers, or as many as can be completed within so many seconds. */
void plb_mpi_drain(struct plb_mpi *mpi, double seconds);

int plb_mpi_rank(const struct plb_mpi *mpi);
int plb_mpi_size(const struct plb_mpi *mpi);    /* with ranks that may join */
int plb_mpi_started(const struct plb_mpi *mpi); /* without; 0 on one that has joined */

/* Ranks that join later have the numbers from plb_mpi_started on, and are reached over a connection of their
 * own with rank 0 (transport/link.h). Rank 0 passes messages between them and others on. They count as lost
 * until they come.
 *
 * All ranks: so many may join. Before anything else is done with the transport. */
void plb_mpi_reserve(struct plb_mpi *mpi, int joiners);

/* On a rank that joins: the transport of a run of n ranks, over a connection with rank 0. Collectives end at
 * once there, but for broadcasts, which rank 0 makes for it alone. */
struct plb_mpi *plb_mpi_join(int socket, int rank, int n);
bool plb_mpi_has_joined(const struct plb_mpi *mpi);

/* Rank 0: a rank connects: what it sends is received. Broadcasts go to it alone from plb_mpi_tell on, until
 * that is called with -1; they raise *pending, and their data stays valid until it is lowered. It counts as
 * there from plb_mpi_admit on. */
void plb_mpi_attach(struct plb_mpi *mpi, int rank, int socket);
void plb_mpi_tell(struct plb_mpi *mpi, int rank, int *pending);
void plb_mpi_admit(struct plb_mpi *mpi, int rank);
void plb_mpi_detach(struct plb_mpi *mpi, int rank); /* the connection, if there is one, is closed */

/* The next rank after this one whose connection has ended; -1: none. */
int plb_mpi_gone(const struct plb_mpi *mpi, int after);

void plb_mpi_local(const struct plb_mpi *mpi, int *rank, int *size); /* among those on this host */
int plb_mpi_first_of_host(const struct plb_mpi *mpi);      /* of these, the first that is not rank 0 */
bool plb_mpi_is_near(const struct plb_mpi *mpi, int rank); /* MPI has started it on this host */

/* The ranks that MPI has started, in the order in which large data goes from one to the next: first rank 0,
 * and those of a host side by side. */
const int *plb_mpi_chain(const struct plb_mpi *mpi);

/* Puts a control message into the frame for its receiver, message->to, which is another rank. Frames leave
 * when they are full, and with plb_mpi_flush. */
void plb_mpi_send(struct plb_mpi *mpi, const struct plb_message *message);
void plb_mpi_flush(struct plb_mpi *mpi);

/* The next control message that has arrived; false where there is none. Bytes without the form of a
 * message, or not from their sender to this rank, are dropped; a warning tells of each sender's first. */
bool plb_mpi_receive(struct plb_mpi *mpi, struct plb_message *message);

/* Sends and receives data under a tag. *pending is raised for each part and lowered as it completes; buffer
 * and counter stay valid until then. Both sides name buffers of the same sizes in the same order. Data of one
 * tag to rank 0 (results) and from it (inputs) cannot be confused. */
void plb_mpi_put(struct plb_mpi *mpi, int to, int tag, const void *data, size_t bytes, int *pending);
void plb_mpi_get(struct plb_mpi *mpi, int from, int tag, void *data, size_t bytes, int *pending);

/* A rank is lost: nothing goes to it any more, and nothing is awaited from it. Counters of transfers are
 * lowered; their buffers stay valid until the process ends, since MPI may still use them. A process that has
 * called this ends by _exit, without plb_mpi_close. */
void plb_mpi_abandon(struct plb_mpi *mpi, int rank);
bool plb_mpi_is_lost(const struct plb_mpi *mpi, int rank); /* or has not joined */

/* A rank that has ended, as MPI itself says, each once; -1: none that it knows of. Few MPIs know any. */
int plb_mpi_failed(struct plb_mpi *mpi);

/* From now on the end of this process by exit() ends no other one: they go on without it. */
void plb_mpi_end_alone(void);

/* Completes what it can; true where something did. */
bool plb_mpi_progress(struct plb_mpi *mpi);

/* A number that grows where MPI is asked for what has arrived, and where it has answered: odd in between. Any
 * thread. */
unsigned plb_mpi_turns(const struct plb_mpi *mpi);
bool plb_mpi_busy(const struct plb_mpi *mpi); /* data is on its way */

/* Data on its way from a rank. `arrived` begins anew. */
struct plb_coming plb_mpi_coming(struct plb_mpi *mpi, int rank);

/* Collectives: all ranks call them in the same order. plb_mpi_meet waits for the last rank, and sleeps
 * meanwhile. One that has to wait calls `watch` again and again, NULL: nothing: MPI itself waits for ever for
 * a rank that has died. */
typedef void plb_mpi_watch_fn(void *watcher);
void plb_mpi_watch(struct plb_mpi *mpi, plb_mpi_watch_fn *watch, void *watcher);

/* For `watch`: tells another rank that one is lost; such a rank that another one has told, or -1. */
void plb_mpi_tell_lost(struct plb_mpi *mpi, int to, int lost);
int plb_mpi_hear_lost(struct plb_mpi *mpi);
void plb_mpi_meet(struct plb_mpi *mpi);
void plb_mpi_broadcast(struct plb_mpi *mpi, void *data, size_t bytes);

/* The same to the first rank of each host: the others do nothing, and their data may be NULL. */
void plb_mpi_broadcast_hosts(struct plb_mpi *mpi, void *data, size_t bytes);
int plb_mpi_max(struct plb_mpi *mpi, int value);
double plb_mpi_clock_offset(struct plb_mpi *mpi); /* to add to plb_now() for rank 0's clock */

/* Puts the bytes that each rank of this host gives into `all`, in their order, on all of them. */
void plb_mpi_local_gather(struct plb_mpi *mpi, const void *data, size_t bytes, void *all);

/* Gathers `bytes` of each rank on rank 0. Rank 0 gets them joined, to be freed, and their number; the others
 * NULL. */
void *plb_mpi_gather(struct plb_mpi *mpi, const void *data, size_t bytes, size_t *total);

/* Counts of what this rank has sent: control messages, and bytes of data by put and broadcast. And the bytes
 * of data that it received, or awaits. */
void plb_mpi_counts(const struct plb_mpi *mpi, int64_t *messages, int64_t *bytes, int64_t *received);

#endif
