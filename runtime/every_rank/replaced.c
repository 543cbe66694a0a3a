/* What PASS has said of the chain holds for the whole pass, whatever is lost: a loss changes only from whom
 * one rank gets its pieces. */
#include "every_rank/replaced.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lease.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stop.h"

static_assert(PLB_MAX_DATA <= PLB_STREAM_BUFFERS, "a stream has room for all buffers");

void plb_replaced_fini(struct plb_replaced *replaced)
{
    plb_stream_fini(&replaced->stream);
    plb_outbox_fini(&replaced->held);
    plb_parts_fini(&replaced->parts);
    free(replaced->packet);
    free(replaced->awaits);
    *replaced = (struct plb_replaced){0};
}

/* The memory for a packet of so many bytes, in the place of the one before. */
static char *room_for(struct plb_replaced *p, size_t bytes)
{
    (p->packet_abandoned ? plb_lease_for_ever : free)(p->packet);
    p->packet_abandoned = false;
    return p->packet = bytes > 0 ? plb_alloc_unset(bytes) : NULL;
}

/* The buffers and the packet of a PASS become the stream from a rank; from < 0: they are here. */
static void make_stream(struct plb_rank *r, const struct plb_pass *begin, int from)
{
    struct plb_replaced *p = &r->replaced;
    plb_stream_fini(&p->stream);
    plb_stream_init(&p->stream, r->mpi, from);
    plb_dataset_stream(&r->data, begin->replaced & ~begin->parts, &p->stream);
    if (begin->packet > 0)
        plb_stream_add(&p->stream, p->packet, (size_t)begin->packet);
    if (begin->after > 0)
        plb_stream_hand_on(&p->stream, begin->after, 0);
}

/* ---------------------------------------------------------------------- rank 0 */

static size_t bytes_of(const struct plb_dataset *set, const struct plb_pass *begin)
{
    size_t bytes = (size_t)begin->packet;
    for (int i = 0; i < set->n; i++)
        bytes += plb_dataset_is_replaced(set, i, begin->replaced & ~begin->parts) ? set->at[i].bytes : 0;
    return bytes;
}

/* Writes the packet of the parts that have changed, where there is another rank. */
static void pack(struct plb_rank *r, const struct plb_pass *begin, int first)
{
    struct plb_replaced *p = &r->replaced;
    int64_t bytes = 0;
    if (begin->parts != 0 && r->size > 1) {
        bytes = (int64_t)plb_parts_packet(&p->parts);
        plb_parts_pack(&p->parts, r->data.host, room_for(p, (size_t)bytes));
    }
    for (int i = first; i < r->out.n; i++)
        if (r->out.at[i].type == PLB_PASS) {
            r->out.at[i].begin.parts = begin->parts;
            r->out.at[i].begin.packet = bytes;
        }
}

void plb_replaced_plan(struct plb_rank *r, const struct plb_pass *begin, int first)
{
    struct plb_replaced *p = &r->replaced;
    pack(r, begin, first);
    struct plb_message **to = plb_alloc((size_t)r->size * sizeof *to); /* by rank: the PASS to it */
    for (int i = first; i < r->out.n; i++)
        if (r->out.at[i].type == PLB_PASS && !plb_mpi_is_lost(r->mpi, r->out.at[i].to))
            to[r->out.at[i].to] = &r->out.at[i];
    struct plb_message *last = to[0];
    int n = 0;
    bool along = last != NULL && bytes_of(&r->data, &last->begin) > PLB_STREAM_SMALL;
    if (along && p->awaits == NULL)
        p->awaits = plb_alloc((size_t)r->size * sizeof *p->awaits);
    for (int i = 1; along && i < plb_mpi_started(r->mpi); i++) {
        int rank = plb_mpi_chain(r->mpi)[i];
        if (to[rank] == NULL)
            continue;
        to[rank]->begin.along = 1;
        to[rank]->begin.before = last->to;
        last->begin.after = rank;
        last = to[rank];
        p->awaits[rank] = true;
        n++;
    }
    if (along)
        plb_log(PLB_LOG_DEBUG, "replaced buffers go along %d rank%s", n, n == 1 ? "" : "s");
    free(to);
}

void plb_replaced_send(struct plb_rank *r, const struct plb_message *pass)
{
    struct plb_replaced *p = &r->replaced;
    int64_t whole = pass->begin.replaced & ~pass->begin.parts;
    make_stream(r, &pass->begin, -1);
    for (int to = 1; to < r->size; to++)
        if (p->awaits == NULL || !p->awaits[to]) {
            plb_dataset_send_to(&r->data, whole, r->mpi, to, &p->sends);
            plb_stream_put(r->mpi, to, p->packet, (size_t)pass->begin.packet, &p->sends);
        }
    plb_stream_step(&p->stream); /* before PUs of this rank take the cores */
}

void plb_replaced_hear(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_replaced *p = &r->replaced;
    if (m->pass != r->pass || p->awaits == NULL || !p->awaits[m->from])
        return;
    if (m->type == PLB_HERE) {
        p->awaits[m->from] = false;
    } else if (m->lack.piece < (int64_t)p->stream.pieces) {
        plb_log(PLB_LOG_INFO, "rank %d lacks replaced buffers from piece %lld of %zu on; rank 0 sends them",
                m->from, (long long)m->lack.piece, p->stream.pieces);
        plb_stream_hand_on(&p->stream, m->from, (size_t)m->lack.piece);
    }
}

/* ---------------------------------------------------------------- another rank */

/* Signs of life are handled, other messages wait. */
static void listen(struct plb_rank *r, struct plb_outbox *out)
{
    struct plb_message m;
    while (plb_mpi_receive(r->mpi, &m))
        if (m.type == PLB_BEAT || m.type == PLB_LOST)
            plb_life_heard(r->life, &m, out);
        else
            plb_outbox_copy(&r->replaced.held, &m);
}

/* Lets data and signs of life go on, until the stream is here, or over. */
static void await(struct plb_rank *r, bool (*enough)(const struct plb_stream *stream))
{
    struct plb_stream *stream = &r->replaced.stream;
    struct plb_outbox out = {0};
    plb_pace_moved(&r->pace, plb_now());
    while (!enough(stream)) {
        bool moved = plb_mpi_progress(r->mpi);
        moved |= plb_stream_step(stream);
        listen(r, &out);
        plb_life_step(r->life, &out);
        if (plb_stream_broken(stream)) {
            plb_stream_mend(stream, 0);
            plb_outbox_add(&out, PLB_LACK, r->rank, 0, r->pass)->lack.piece = (int64_t)stream->here;
        }
        for (int i = 0; i < out.n; i++)
            plb_mpi_send(r->mpi, &out.at[i]);
        out.n = 0;
        plb_mpi_flush(r->mpi);
        double now = plb_now();
        if (moved)
            plb_pace_moved(&r->pace, now);
        else if (plb_pace_at_once(&r->pace, now, PLB_PACE_AWAITING, PLB_PACE_SOME))
            plb_pace_yield(&r->pace);
        else
            plb_sleep_until(now + plb_pace_sleep(&r->pace, now, PLB_PACE_AWAITING, PLB_PACE_SOME));
    }
    plb_outbox_fini(&out);
}

/* Where rank 0 has sent something else, this rank cannot go on: its tasks would read wrong inputs. */
static void unpack(struct plb_rank *r, const struct plb_pass *begin)
{
    struct plb_replaced *p = &r->replaced;
    if (begin->parts == 0
        || plb_parts_unpack(&p->parts, begin->parts, r->data.at, r->data.host, p->packet,
                            (size_t)begin->packet))
        return;
    plb_log(PLB_LOG_ERROR, "the received parts of replaced buffers are invalid; rank %d ends", r->rank);
    plb_stop_clean();
    _exit(PLB_EFAILED);
}

void plb_replaced_receive(struct plb_rank *r, const struct plb_message *pass)
{
    struct plb_replaced *p = &r->replaced;
    bool busy = plb_node_works(r->node, 0, pass->pass);
    await(r, plb_stream_over); /* the last ones are handed on: all have them, but MPI may not have seen it */
    if (pass->begin.replaced != 0 || pass->pass == 1)
        plb_life_quiet(r->life); /* buffers are taken and locked in memory */
    p->abandoned |= p->stream.abandoned ? p->buffers : 0;
    p->packet_abandoned |= p->stream.abandoned;
    plb_dataset_renew(&r->data, &pass->begin, pass->pass, busy, p->abandoned, &r->old);
    p->abandoned &= ~pass->begin.replaced;
    p->buffers = pass->begin.replaced & ~pass->begin.parts;
    room_for(p, (size_t)pass->begin.packet);
    make_stream(r, &pass->begin, pass->begin.before);
    await(r, plb_stream_here);
    unpack(r, &pass->begin);
    if (pass->begin.along)
        plb_outbox_add(&r->out, PLB_HERE, r->rank, 0, pass->pass);
}

bool plb_replaced_next(struct plb_rank *r, struct plb_message *m)
{
    struct plb_replaced *p = &r->replaced;
    if (p->next == p->held.n)
        return plb_mpi_receive(r->mpi, m);
    memcpy(m, &p->held.at[p->next], p->held.at[p->next].size);
    p->next++;
    if (p->next == p->held.n)
        p->next = p->held.n = 0;
    return true;
}

/* --------------------------------------------------------------------- all ranks */

bool plb_replaced_step(struct plb_rank *r)
{
    return plb_stream_step(&r->replaced.stream);
}

bool plb_replaced_goes_on(const struct plb_rank *r)
{
    const struct plb_replaced *p = &r->replaced;
    bool any = p->sends > 0 || !plb_stream_over(&p->stream);
    if (p->awaits != NULL)
        for (int i = 1; i < r->size; i++)
            any |= p->awaits[i] && !plb_mpi_is_lost(r->mpi, i);
    return any;
}
