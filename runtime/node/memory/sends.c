/* A list of transfers. */
#include "node/memory/sends.h"

#include <stdlib.h>

#include "base/memory.h"

struct plb_sent_inputs {
    struct plb_range range;
    int pending;
    struct plb_fetch fetch;
    struct plb_sent_inputs *next;
};

void plb_sends_fini(struct plb_sends *s)
{
    for (struct plb_sent_inputs *sent = s->inputs, *next; sent != NULL; sent = next) {
        next = sent->next;
        free(sent);
    }
    s->inputs = NULL;
    for (struct plb_sent_inputs *sent = s->owed, *next; sent != NULL; sent = next) {
        next = sent->next;
        free(sent);
    }
    s->owed = NULL;
}

void plb_sends_under_way(struct plb_sends *s, struct plb_rangeset *units)
{
    for (struct plb_sent_inputs **at = &s->inputs; *at != NULL;) {
        struct plb_sent_inputs *sent = *at;
        if (sent->pending > 0) {
            plb_rangeset_add(units, sent->range);
            at = &sent->next;
            continue;
        }
        *at = sent->next;
        free(sent);
    }
}

/* Sends these units of some buffers, which begin here. */
static void put(const struct plb_node_config *config, const struct plb_fetch *f,
                void *const parts[PLB_MAX_DATA], int *pending)
{
    for (int i = 0; i < config->data->n; i++)
        if ((f->buffers & PLB_BUFFER(i)) != 0)
            config->wire.put(config->wire.context, f->to, (int)f->slot, parts[i],
                             (size_t)f->range.count * config->data->at[i].unit_bytes, pending);
}

/* Sends inputs out of the mirror. */
static void put_inputs(struct plb_sends *s, const struct plb_node_config *config,
                       const struct plb_mirror *mirror, struct plb_sent_inputs *sent)
{
    sent->next = s->inputs;
    s->inputs = sent;
    const struct plb_fetch *f = &sent->fetch;
    void *parts[PLB_MAX_DATA];
    for (int i = 0; i < config->data->n; i++)
        parts[i] = f->buffers & PLB_BUFFER(i) ? plb_mirror_place(mirror, i, f->range.first) : NULL;
    put(config, f, parts, &sent->pending);
}

static bool send_inputs(struct plb_sends *s, const struct plb_node_memory *memory, const struct plb_fetch *f)
{
    const struct plb_dataset *set = memory->config->data;
    const struct plb_mirror *mirror = memory->mirror;
    if (mirror == NULL || (f->buffers & ~(plb_mirror_buffers(mirror) & set->fed)) != 0)
        return false;
    struct plb_sent_inputs *sent = plb_alloc(sizeof *sent), **last = &s->owed;
    *sent = (struct plb_sent_inputs){.range = f->range, .fetch = *f};
    bool owed = false;
    for (; *last != NULL; last = &(*last)->next) /* what one rank gets keeps its order */
        owed |= (*last)->fetch.to == f->to;
    for (int i = 0; i < set->n; i++)
        if ((f->buffers & PLB_BUFFER(i)) != 0)
            owed |= !plb_device_results_bring_input(memory->results, i, f->range, NULL);
    if (owed)
        *last = sent;
    else
        put_inputs(s, memory->config, mirror, sent);
    return true;
}

void plb_sends_pay(struct plb_sends *s, const struct plb_node_config *config, const struct plb_mirror *mirror)
{
    for (struct plb_sent_inputs *sent = s->owed, *next; sent != NULL; sent = next) {
        next = sent->next;
        put_inputs(s, config, mirror, sent);
    }
    s->owed = NULL;
}

/* Where results that were reported are, buffer by buffer. False: some are not here. */
static bool find_results(const struct plb_node_memory *memory, const struct plb_message *m,
                         void *parts[PLB_MAX_DATA])
{
    const struct plb_dataset *set = memory->config->data;
    const struct plb_mirror *mirror = memory->mirror;
    const struct plb_staying *staying = memory->staying;
    const struct plb_fetch *f = &m->fetch;
    bool feed = set->fed != 0; /* then they are in the mirror */
    if (feed && (mirror == NULL || !plb_mirror_made(mirror, m->pass, f->range)))
        return false;
    if (!feed && (staying == NULL || !plb_staying_made(staying, m->pass, f->range)))
        return false;
    int64_t here = feed ? plb_mirror_outputs(mirror) : plb_staying_buffers(staying);
    for (int i = 0; i < set->n; i++)
        if ((f->buffers & here & PLB_BUFFER(i)) != 0)
            parts[i] = feed ? plb_mirror_result(mirror, i, f->range.first)
                            : plb_staying_place(staying, i, f->range.first);
    bool there = (f->buffers & ~here) == 0;
    if (feed)
        for (int i = 0; i < set->n; i++)
            if ((f->buffers & PLB_BUFFER(i)) != 0)
                there = there && plb_device_results_bring(memory->results, -1, i, f->range);
    return there;
}

bool plb_send(struct plb_sends *s, const struct plb_node_memory *memory, const struct plb_message *m,
              struct plb_outbox *out)
{
    const struct plb_node_config *config = memory->config;
    const struct plb_fetch *f = &m->fetch;
    void *parts[PLB_MAX_DATA] = {NULL};
    if (plb_range_end(f->range) > config->data->units)
        return false;
    if ((f->buffers & plb_dataset_results(config->data)) == 0)
        return send_inputs(s, memory, f);
    struct plb_sources *from = &plb_outbox_add(out, PLB_FROM, config->rank, 0, m->pass)->sources;
    *from = (struct plb_sources){.slot = f->slot, .last = 1};
    if (f->to != 0 || !find_results(memory, m, parts))
        return true;
    from->at[from->n++] = (struct plb_source){f->range, f->buffers, config->rank};
    if (config->checksums)
        from->sum = plb_dataset_sum(config->data, f->range, false, parts, f->buffers);
    put(config, f, parts, &s->results);
    return true;
}
