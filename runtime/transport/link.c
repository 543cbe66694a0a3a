/* Two queues, and what has arrived before it was awaited. */
#include "transport/link.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"

#define FRAME (-1) /* the tag of frames */

/* Bytes of one item at most: more is no data of a run. */
#define MOST_BYTES ((int64_t)1 << 46)

/* Before each item on the wire. Both ends are machines of one architecture, as with MPI. */
struct header {
    int32_t tag, check; /* check: the tag's complement */
    int64_t bytes;
};

/* That is sent, awaited, or has arrived: in a list, in its order. */
struct item {
    struct item *next;
    struct header header;
    char *data;
    int *pending; /* or NULL */
    bool owned;   /* the data is the link's */
    bool whole;   /* all of it has arrived */
};

struct list {
    struct item *first, **end;
};

struct plb_link {
    int socket; /* negative: closed */
    bool broken;
    struct list sent, awaited, arrived, frames;
    size_t out; /* bytes of the first item sent so far, with its header */
    struct header header;
    size_t in;            /* bytes of the item that arrives, with its header */
    struct item *filling; /* it; NULL: its header is not whole */
    bool direct;          /* it is one that is awaited */
    size_t arrived_bytes;
    int pending; /* counters that are raised */
};

static void clear(struct list *l)
{
    *l = (struct list){0};
    l->end = &l->first;
}

static void append(struct list *l, struct item *item)
{
    item->next = NULL;
    *l->end = item;
    l->end = &item->next;
}

/* Takes the first item of a tag out of a list; NULL: there is none. */
static struct item *take(struct list *l, int tag)
{
    for (struct item **at = &l->first; *at != NULL; at = &(*at)->next) {
        struct item *item = *at;
        if (item->header.tag != tag)
            continue;
        *at = item->next;
        if (item->next == NULL)
            l->end = at;
        return item;
    }
    return NULL;
}

static struct item *new_item(int tag, void *data, size_t bytes, int *pending)
{
    struct item *item = plb_alloc(sizeof *item);
    *item = (struct item){.header = {tag, ~tag, (int64_t)bytes}, .data = data};
    item->pending = pending;
    return item;
}

static void raise_counter(struct plb_link *l, int *pending)
{
    if (pending == NULL)
        return;
    ++*pending;
    l->pending++;
}

static void free_item(struct plb_link *l, struct item *item)
{
    if (item->pending != NULL) {
        --*item->pending;
        l->pending--;
    }
    if (item->owned)
        free(item->data);
    free(item);
}

struct plb_link *plb_link_new(int socket)
{
    struct plb_link *l = plb_alloc(sizeof *l);
    l->socket = socket;
    clear(&l->sent);
    clear(&l->awaited);
    clear(&l->arrived);
    clear(&l->frames);
    return l;
}

static void drop(struct plb_link *l, struct list *list)
{
    while (list->first != NULL)
        free_item(l, take(list, list->first->header.tag));
}

void plb_link_close(struct plb_link *l)
{
    if (l->socket >= 0)
        close(l->socket);
    l->socket = -1;
    l->broken = true;
    if (l->filling != NULL && l->direct) /* else it is in a list */
        free_item(l, l->filling);
    l->filling = NULL;
    drop(l, &l->sent);
    drop(l, &l->awaited);
    drop(l, &l->arrived);
    drop(l, &l->frames);
}

void plb_link_free(struct plb_link *l)
{
    if (l == NULL)
        return;
    plb_link_close(l);
    free(l);
}

/* ------------------------------------------------------------------------- send */

static void push(struct plb_link *l, struct item *item)
{
    if (!l->broken)
        append(&l->sent, item);
    else
        free_item(l, item);
}

void plb_link_put(struct plb_link *l, int tag, const void *data, size_t bytes, int *pending)
{
    raise_counter(l, pending);
    push(l, new_item(tag, (void *)data, bytes, pending)); /* it is only read */
}

void plb_link_put_frame(struct plb_link *l, void *frame, size_t bytes)
{
    struct item *item = new_item(FRAME, frame, bytes, NULL);
    item->owned = true;
    push(l, item);
}

/* Writes a part of the first item; false where the socket takes nothing. */
static bool write_some(struct plb_link *l)
{
    struct item *item = l->sent.first;
    size_t head = sizeof item->header, all = head + (size_t)item->header.bytes;
    bool in_head = l->out < head;
    const char *from = in_head ? (const char *)&item->header + l->out : item->data + (l->out - head);
    ssize_t n = send(l->socket, from, (in_head ? head : all) - l->out, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        l->broken = true;
    if (n <= 0)
        return false;
    l->out += (size_t)n;
    if (l->out == all) {
        free_item(l, take(&l->sent, item->header.tag));
        l->out = 0;
    }
    return true;
}

/* ---------------------------------------------------------------------- receive */

/* An item has arrived whole. */
static void finish(struct plb_link *l)
{
    struct item *item = l->filling;
    l->filling = NULL;
    l->in = 0;
    if (l->direct)
        free_item(l, item);
    else
        item->whole = true;
}

/* A header has arrived: finds memory for its data. */
static void begin(struct plb_link *l)
{
    const struct header *h = &l->header;
    if (h->check != ~h->tag || h->tag < FRAME || h->bytes < 0 || h->bytes > MOST_BYTES) {
        l->broken = true;
        return;
    }
    struct item *item = take(&l->awaited, h->tag);
    l->direct = item != NULL;
    if (l->direct && item->header.bytes != h->bytes) { /* it is not what is awaited */
        append(&l->awaited, item);
        l->broken = true;
        return;
    }
    if (item == NULL) {
        item = new_item(h->tag, plb_alloc((size_t)h->bytes), (size_t)h->bytes, NULL);
        item->owned = true;
        append(h->tag == FRAME ? &l->frames : &l->arrived, item);
    }
    l->filling = item;
    if (h->bytes == 0)
        finish(l);
}

/* Reads a part of what arrives; false where nothing is there. */
static bool read_some(struct plb_link *l)
{
    size_t head = sizeof l->header;
    bool in_head = l->filling == NULL;
    char *to = in_head ? (char *)&l->header + l->in : l->filling->data + (l->in - head);
    size_t all = in_head ? head : head + (size_t)l->filling->header.bytes;
    ssize_t n = recv(l->socket, to, all - l->in, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        l->broken = true;
    if (n <= 0)
        return false;
    l->in += (size_t)n;
    l->arrived_bytes += (size_t)n;
    if (l->in == all && in_head)
        begin(l);
    else if (l->in == all)
        finish(l);
    return true;
}

void plb_link_get(struct plb_link *l, int tag, void *data, size_t bytes, int *pending)
{
    struct item *early = take(&l->arrived, tag), *item = new_item(tag, data, bytes, pending);
    raise_counter(l, pending);
    bool strange = early != NULL && early->header.bytes != item->header.bytes;
    l->broken |= strange;
    if (l->socket < 0) {
        free_item(l, item);
    } else if (early == NULL
               || strange) { /* of a broken link: what never comes counts as on its way until the end */
        append(&l->awaited, item);
    } else {                              /* also of a broken link: it came before */
        memcpy(data, early->data, bytes); /* as far as it has come; the rest follows to its place */
        if (!early->whole) {
            l->filling = item;
            l->direct = true;
        } else {
            free_item(l, item);
        }
    }
    if (early != NULL)
        free_item(l, early);
}

size_t plb_link_frame(struct plb_link *l, void *frame, size_t room)
{
    struct item *item = l->frames.first;
    if (item == NULL || !item->whole)
        return 0;
    size_t bytes = (size_t)item->header.bytes < room ? (size_t)item->header.bytes : room;
    memcpy(frame, item->data, bytes);
    free_item(l, take(&l->frames, FRAME));
    return bytes;
}

bool plb_link_progress(struct plb_link *l)
{
    bool moved = false;
    while (!l->broken && read_some(l))
        moved = true;
    while (!l->broken && l->sent.first != NULL && write_some(l))
        moved = true;
    return moved;
}

bool plb_link_broken(const struct plb_link *l)
{
    return l->broken;
}

bool plb_link_busy(const struct plb_link *l)
{
    return l->pending > 0 && !l->broken;
}

bool plb_link_sends(const struct plb_link *l)
{
    return l->sent.first != NULL && !l->broken;
}

struct plb_coming plb_link_coming(struct plb_link *l)
{
    struct plb_coming coming = {.arrived = l->arrived_bytes};
    for (const struct item *item = l->awaited.first; item != NULL; item = item->next)
        coming.bytes += (size_t)item->header.bytes;
    if (l->filling != NULL && l->direct)
        coming.bytes += (size_t)l->filling->header.bytes;
    l->arrived_bytes = 0;
    return coming;
}
