/* A rank that is neither rank 0 nor the only one, its mirror, and transfers that the test ends. */
#ifndef TEST_SENDS_FIXTURE_H
#define TEST_SENDS_FIXTURE_H

#include <string.h>

#include "node/memory/sends.h"
#include "node/pu/slot.h"
#include "stub_device.h"

#define UNITS 100
#define RANK 3
#define LOST 5
#define PAGE 4096

/* One input that the output feeds, one that nothing feeds, and a halo. */
static const struct plb_dataset set = {
    .n = 3,
    .units = UNITS,
    .fed = PLB_BUFFER(0),
    .at = {{.mode = PLB_PARTITION, .unit_bytes = PAGE, .before = 1, .after = 1},
           {.mode = PLB_PARTITION, .unit_bytes = 8},
           {.mode = PLB_OUTPUT, .unit_bytes = PAGE, .stays = true}}};
static const struct plb_device_driver driver = {.name = "stub", .entry = stub_entry, .ops = {STUB_OPS}};
static const struct plb_pass named = {.n_feeds = 1, .feeds = {{2, 0, 0}}},
                             feeds = {.n_feeds = 1, .feeds = {{2, 0, 1}}};

/* Transfers that have begun. The test ends them. */
static struct {
    int peer, tag; /* peer: 0 for rank 0 */
    void *data;
    size_t bytes;
    int *pending;
} way[20];
static int n;

static inline void note(int peer, int tag, const void *data, size_t bytes, int *pending)
{
    assert_true(n < 20);
    way[n].peer = peer;
    way[n].tag = tag;
    way[n].data = (void *)data;
    way[n].bytes = bytes;
    way[n++].pending = pending;
    ++*pending;
}

static inline void get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)context;
    if (from != LOST)
        note(from, tag, data, bytes, pending);
}

static inline void put(void *context, int to, int tag, const void *data, size_t bytes, int *pending)
{
    (void)context;
    note(to, tag, data, bytes, pending);
}

static int lost_later; /* a rank; 0: none */

static inline bool is_lost(void *context, int rank)
{
    (void)context;
    return rank == LOST || (rank != 0 && rank == lost_later);
}

static const struct plb_node_config config = {.rank = RANK, .data = &set, .wire = {NULL, get, put, is_lost}};

static inline void end_transfers(void)
{
    while (n > 0)
        --*way[--n].pending;
}

static inline void begin(struct plb_mirror *m, struct plb_sends *sends, int pass,
                         const struct plb_pass *pass_begin)
{
    struct plb_mirror_tasks tasks = {0};
    struct plb_rangeset busy = {0};
    plb_sends_under_way(sends, &tasks.read);
    plb_mirror_feed(m, pass, pass_begin, &tasks);
    plb_mirror_begin_pass(m, &busy);
    plb_rangeset_fini(&tasks.read);
}

static inline bool fetch(struct plb_mirror *m, struct plb_slot *slot, int pass, int64_t first, int64_t count)
{
    struct plb_executor e = {.ops = &driver.ops, .limit = {INT64_MAX, 1e9}};
    slot->task.range = (struct plb_range){first, count};
    slot->task.pass = pass;
    slot->anew = true;
    plb_slot_bind(slot, &set, &e, m);
    return plb_slot_pull(slot, &set, &config.wire, false);
}

static inline void release(struct plb_mirror *m, struct plb_slot *slot)
{
    struct plb_executor e = {.ops = &driver.ops};
    plb_slot_fini(slot, &e);
    plb_mirror_free(m);
    n = 0;
}

static inline struct plb_message tell(int slot, int last, int n_parts, const struct plb_source *parts)
{
    struct plb_message m = {
        .type = PLB_FROM, .to = RANK, .sources = {.slot = slot, .n = n_parts, .last = last}};
    memcpy(m.sources.at, parts, (size_t)n_parts * sizeof *parts);
    return m;
}

/* Task 10 to 19 pulls 9 to 20, which a mirror keeps or not. */
static inline struct plb_mirror *pull(struct plb_slot *slot, struct plb_sends *sends, bool kept)
{
    struct plb_mirror *m = plb_mirror_new(&set, kept ? 1e9 : 1.0, false, NULL);
    begin(m, sends, 1, &named);
    assert_true(fetch(m, slot, 1, 10, 10) && slot->mirrored == kept);
    return m;
}

static inline void is_sent(int at, int to, const void *data, size_t bytes)
{
    assert_true(at < n && way[at].peer == to && way[at].data == data);
    assert_int_equal(way[at].bytes, bytes);
}

#endif
