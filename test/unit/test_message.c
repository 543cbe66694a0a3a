/* The form of messages. They are checked in memory of just their size, for the sanitizers' sake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/message/message.h"
#include "dice.h"
#define NODES 4

static const char *check(const struct plb_message *message, size_t bytes)
{
    void *copy = memcpy(malloc(bytes > 0 ? bytes : 1), message, bytes);
    const char *wrong = plb_message_check(copy, bytes, NODES);
    free(copy);
    return wrong;
}

static void fill(struct plb_message *m)
{
    switch ((enum plb_message_type)m->type) {
    case PLB_HELLO:
        m->hello.pu = (struct plb_pu_info){m->from, 0, PLB_ACCELERATOR, 0, 2.0, .memory = INFINITY};
        memset(m->hello.pu.name, 'x', sizeof m->hello.pu.name - 1);
        break;
    case PLB_PASS:
        m->begin = (struct plb_pass){3, -1, 6, 99, 5, 1, 0.5, 1, 2, 3, 2, .feeds = {{2, 0, 1}, {62, 62, 0}}};
        break;
    case PLB_LACK: m->lack = (struct plb_lack){7}; break;
    case PLB_BLOCK: m->block = (struct plb_block){{10, 5}, 7, 1, 3, 8.0, 1}; break;
    case PLB_AUDIT:
    case PLB_BACKUP: m->block = (struct plb_block){{10, 5}, 7, 5, 0, 0.0, 0}; break;
    case PLB_CANCEL: m->cancel.range = (struct plb_range){10, 5}; break;
    case PLB_RECALL: m->recall = (struct plb_recall){5.0, 3, 1, PLB_RESTS}; break;
    case PLB_FETCH: m->fetch = (struct plb_fetch){{10, 5}, 0, 1, 2, 1, 1}; break;
    case PLB_FROM: m->sources = (struct plb_sources){3, 7, 1, 2, {{{10, 5}, 1, 0}, {{20, 1}, 2, 3}}}; break;
    case PLB_DONE:
        m->done = (struct plb_done){
            .range = {10, 5}, .block = 7, .slot = PLB_NO_SLOT, .tasks = 1, .execute_s = 0.5, .records = 9};
        break;
    case PLB_COUNTED: m->counted = (struct plb_counted){{{10, 5}, {20, 1}}, 2}; break;
    case PLB_FAIL:
        m->fail = (struct plb_failure){.range = {10, 5}, .among = {9, 8}, .text = "no memory", .why = "x"};
        break;
    case PLB_CRASH: m->crash = (struct plb_crashed){{10, 5}, 7, 0, 11, 1, 2}; break;
    case PLB_LOST: m->lost = (struct plb_lost){3, 1}; break;
    case PLB_EMPTY:
        m->empty = (struct plb_empty){
            2, {0, 3}, .amounts = {5.0, 1.0}, .rates = {2.0, 0.0}, .least = {9}, .sure = {7.0}};
        break;
    case PLB_STEAL: m->steal = (struct plb_steal){0.0, 1.0, 0.0}; break;
    case PLB_GIFT:
    case PLB_MOVED:
        m->gifts = (struct plb_gifts){.n = 2, .thief = 1, .left = 4.0, .rate = 2.0};
        m->gifts.at[0] = (struct plb_gift){{10, 5}, 7, 1};
        m->gifts.at[1] = (struct plb_gift){{9, 1}, 3, PLB_HOPS};
        break;
    default: break;
    }
}

/* A message that is right. */
static struct plb_message right(int type)
{
    struct plb_outbox box = {0};
    struct plb_message m = *plb_outbox_add(&box, (enum plb_message_type)type, 2, 1, 5);
    fill(&m);
    plb_outbox_fini(&box);
    return m;
}

static void every_type_passes_at_its_size(void **state)
{
    (void)state;
    for (int type = 1; type < PLB_MESSAGE_TYPES; type++) {
        struct plb_message m = right(type);
        assert_int_equal(m.size, plb_message_size(type));
        if (check(&m, m.size) != NULL)
            fail_msg("%s is refused: %s", plb_message_name(type), check(&m, m.size));
    }
}

static void names_and_sizes_are_those_of_the_types(void **state)
{
    static const int none[] = {0, -1, PLB_MESSAGE_TYPES, INT32_MAX, INT32_MIN};
    (void)state;
    assert_string_equal(plb_message_name(PLB_HELLO), "HELLO");
    assert_string_equal(plb_message_name(PLB_MOVED), "MOVED");
    assert_string_equal(plb_message_name(PLB_BYE), "BYE");
    for (int i = 0; i < 5; i++) {
        assert_string_equal(plb_message_name(none[i]), "?");
        assert_int_equal(plb_message_size(none[i]), 0);
    }
    for (int type = 1; type < PLB_MESSAGE_TYPES; type++) { /* no more bytes than a type needs */
        assert_true(plb_message_size(type) >= plb_message_size(PLB_IDLE));
        assert_true(plb_message_size(type) <= sizeof(struct plb_message));
    }
    assert_true(plb_message_size(PLB_STOP) < plb_message_size(PLB_DONE));
    assert_true(plb_message_size(PLB_DONE) < plb_message_size(PLB_GIFT));
}

static void other_sizes_are_refused(void **state)
{
    struct plb_message m;
    (void)state;
    for (int type = 1; type < PLB_MESSAGE_TYPES; type++) {
        size_t size = plb_message_size(type);
        for (size_t bytes = 0; bytes <= sizeof m; bytes++) {
            m = right(type);
            assert_true((check(&m, bytes) == NULL) == (bytes == size));
            m.size = (uint16_t)bytes; /* also where the header agrees */
            assert_true((check(&m, bytes) == NULL) == (bytes == size));
        }
    }
}

enum field { I16, I32, I64, REAL, TEXT };

/* A field, and a value that it cannot have. TEXT: so many bytes, none of which ends it. */
struct wrong {
    int type;
    const char *name;
    size_t at;
    enum field field;
    int64_t number;
    double real;
};

#define AT(member) offsetof(struct plb_message, member)
#define I16(type, member, number) \
    { \
        type, #member, AT(member), I16, number, 0.0 \
    }
#define I32(type, member, number) \
    { \
        type, #member, AT(member), I32, number, 0.0 \
    }
#define I64(type, member, number) \
    { \
        type, #member, AT(member), I64, number, 0.0 \
    }
#define REAL(type, member, value) \
    { \
        type, #member, AT(member), REAL, 0, value \
    }
#define TEXT(type, member) \
    { \
        type, #member, AT(member), TEXT, sizeof(((struct plb_message *)0)->member), 0.0 \
    }
#define RANGE(type, member) \
    I64(type, member.first, -1), I64(type, member.first, INT64_MIN), I64(type, member.first, INT64_MAX), \
        I64(type, member.count, 0), I64(type, member.count, -1), I64(type, member.count, INT64_MAX)
#define AMOUNT(type, member) REAL(type, member, -1.0), REAL(type, member, NAN), REAL(type, member, INFINITY)
#define RANK(type, rank) \
    I32(type, rank, -1), I32(type, rank, NODES), I32(type, rank, INT32_MAX), I32(type, rank, INT32_MIN)
#define HEADER(type) \
    RANK(type, from), RANK(type, to), I32(type, pu, -1), I32(type, pass, -1), \
        I16(type, protocol, PLB_PROTOCOL + 1), I16(type, protocol, 0), I16(type, size, 0), \
        I16(type, size, 65535)
#define GIFTS(type) \
    I32(type, gifts.n, -1), I32(type, gifts.n, PLB_GIFTS + 1), I32(type, gifts.n, INT32_MAX), \
        RANK(type, gifts.thief), AMOUNT(type, gifts.left), AMOUNT(type, gifts.rate), \
        RANGE(type, gifts.at[0].range), RANGE(type, gifts.at[1].range), I64(type, gifts.at[1].block, -1), \
        I64(type, gifts.at[1].hop, 0), I64(type, gifts.at[1].hop, -1), \
        I64(type, gifts.at[1].hop, PLB_HOPS + 1)

static const struct wrong wrongs[] = {
    HEADER(PLB_HELLO),
    HEADER(PLB_PASS),
    HEADER(PLB_BLOCK),
    HEADER(PLB_FETCH),
    HEADER(PLB_DONE),
    HEADER(PLB_FAIL),
    HEADER(PLB_CRASH),
    HEADER(PLB_EMPTY),
    HEADER(PLB_STEAL),
    HEADER(PLB_GIFT),
    HEADER(PLB_MOVED),
    HEADER(PLB_STOP),
    HEADER(PLB_BYE),
    I32(PLB_BYE, type, 0),
    I32(PLB_BYE, type, -1),
    I32(PLB_BYE, type, PLB_MESSAGE_TYPES),
    I32(PLB_BYE, type, PLB_STOP),
    I32(PLB_HELLO, hello.pu.node, 1),
    I32(PLB_HELLO, hello.pu.local, -1),
    I32(PLB_HELLO, hello.pu.kind, 3),
    I32(PLB_HELLO, hello.pu.kind, -1),
    I32(PLB_HELLO, hello.pu.threads, -1),
    AMOUNT(PLB_HELLO, hello.pu.power),
    AMOUNT(PLB_HELLO, hello.pu.task_bytes),
    AMOUNT(PLB_HELLO, hello.pu.start_s),
    REAL(PLB_HELLO, hello.pu.memory, -1.0),
    REAL(PLB_HELLO, hello.pu.memory, NAN),
    TEXT(PLB_HELLO, hello.pu.name),
    TEXT(PLB_HELLO, hello.pu.host),
    TEXT(PLB_HELLO, hello.pu.cores),
    TEXT(PLB_HELLO, hello.pu.model),
    TEXT(PLB_HELLO, hello.pu.id),
    TEXT(PLB_HELLO, hello.build.version),
    I64(PLB_PASS, begin.phase, -1),
    I64(PLB_PASS, begin.replaced, 1),
    I64(PLB_PASS, begin.packet, -1),
    AMOUNT(PLB_PASS, begin.stands_s),
    I32(PLB_PASS, begin.along, 2),
    I32(PLB_PASS, begin.before, NODES),
    I32(PLB_PASS, begin.after, -1),
    I64(PLB_LACK, lack.piece, -1),
    RANGE(PLB_BLOCK, block.range),
    I64(PLB_BLOCK, block.id, -1),
    I64(PLB_BLOCK, block.grain, 0),
    I64(PLB_BLOCK, block.grain, -1),
    I64(PLB_BLOCK, block.least, -1),
    AMOUNT(PLB_BLOCK, block.share),
    I64(PLB_BLOCK, block.alone, -1),
    I64(PLB_BLOCK, block.alone, 2),
    I64(PLB_BACKUP, block.range.count, 0),
    I64(PLB_BACKUP, block.grain, 0),
    RANGE(PLB_CANCEL, cancel.range),
    I64(PLB_CANCEL, cancel.why, -1),
    I64(PLB_CANCEL, cancel.why, 3),
    AMOUNT(PLB_RECALL, recall.work),
    RANK(PLB_RECALL, recall.thief),
    I32(PLB_RECALL, recall.turn, 3),
    I32(PLB_RECALL, recall.thief_pu, -1),
    RANGE(PLB_FETCH, fetch.range),
    I64(PLB_FETCH, fetch.slot, -1),
    I64(PLB_FETCH, fetch.buffers, -1),
    RANK(PLB_FETCH, fetch.to),
    I16(PLB_FETCH, fetch.halo, -1),
    I16(PLB_FETCH, fetch.halo, 2),
    I16(PLB_FETCH, fetch.again, -1),
    I16(PLB_FETCH, fetch.again, 2),
    I64(PLB_FROM, sources.slot, -1),
    I32(PLB_FROM, sources.n, -1),
    I32(PLB_FROM, sources.n, PLB_SOURCES + 1),
    I32(PLB_FROM, sources.last, -1),
    I32(PLB_FROM, sources.last, 2),
    RANGE(PLB_FROM, sources.at[0].range),
    RANK(PLB_FROM, sources.at[1].node),
    I64(PLB_FROM, sources.at[1].buffers, -1),
    RANGE(PLB_DONE, done.range),
    I64(PLB_DONE, done.block, -1),
    I64(PLB_DONE, done.slot, -2),
    I64(PLB_DONE, done.buffers, -1),
    I64(PLB_DONE, done.records, -1),
    I64(PLB_DONE, done.tasks, 0),
    I64(PLB_DONE, done.so_far.copied_in, -1),
    I64(PLB_DONE, done.so_far.copied_out, -1),
    I64(PLB_DONE, done.tasks, -1),
    I64(PLB_DONE, done.tasks, 6),
    RANGE(PLB_FAIL, fail.range),
    RANGE(PLB_FAIL, fail.among),
    I64(PLB_FAIL, fail.block, -1),
    TEXT(PLB_FAIL, fail.text),
    TEXT(PLB_FAIL, fail.why),
    RANGE(PLB_CRASH, crash.range),
    I64(PLB_CRASH, crash.block, -1),
    I32(PLB_CRASH, crash.signal, -1),
    I32(PLB_CRASH, crash.signal, -11),
    I32(PLB_CRASH, crash.alive, -1),
    I32(PLB_CRASH, crash.alive, 2),
    I32(PLB_CRASH, crash.others, -1),
    RANK(PLB_LOST, lost.rank),
    I32(PLB_LOST, lost.ends, -1),
    I32(PLB_LOST, lost.ends, 2),
    I32(PLB_EMPTY, empty.n_victims, -1),
    I32(PLB_EMPTY, empty.n_victims, PLB_VICTIMS + 1),
    RANK(PLB_EMPTY, empty.victims[0]),
    RANK(PLB_EMPTY, empty.victims[1]),
    AMOUNT(PLB_EMPTY, empty.amounts[1]),
    AMOUNT(PLB_EMPTY, empty.rates[1]),
    I64(PLB_EMPTY, empty.least[0], -1),
    I64(PLB_EMPTY, empty.least[PLB_LEAST - 1], -1),
    AMOUNT(PLB_EMPTY, empty.sure[0]),
    AMOUNT(PLB_EMPTY, empty.sure[PLB_LEAST - 1]),
    AMOUNT(PLB_STEAL, steal.rate),
    AMOUNT(PLB_STEAL, steal.power),
    AMOUNT(PLB_STEAL, steal.best),
    GIFTS(PLB_GIFT),
    GIFTS(PLB_MOVED),
};

static void put(struct plb_message *m, const struct wrong *w)
{
    char *at = (char *)m + w->at;
    int16_t i16 = (int16_t)w->number;
    int32_t i32 = (int32_t)w->number;
    switch (w->field) {
    case I16: memcpy(at, &i16, sizeof i16); break;
    case I32: memcpy(at, &i32, sizeof i32); break;
    case I64: memcpy(at, &w->number, sizeof w->number); break;
    case REAL: memcpy(at, &w->real, sizeof w->real); break;
    default: memset(at, 'x', (size_t)w->number);
    }
}

static void each_impossible_field_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        struct plb_message m = right(wrongs[i].type);
        put(&m, &wrongs[i]);
        if (check(&m, plb_message_size(wrongs[i].type)) == NULL)
            fail_msg("%s: %s = %lld, %g passes", plb_message_name(wrongs[i].type), wrongs[i].name,
                     (long long)wrongs[i].number, wrongs[i].real);
    }
}

/* A device's measurements may be anything, and unused entries of a list too. */
static void other_values_pass(void **state)
{
    (void)state;
    struct plb_message m = right(PLB_DONE);
    m.done.execute_s = NAN;
    m.done.transfer_s = -1.0;
    assert_null(check(&m, m.size));
    m.done.range = (struct plb_range){INT64_MAX - 5, 5};
    assert_null(check(&m, m.size));
    m = right(PLB_EMPTY);
    m.empty.n_victims = 0;
    m.empty.victims[0] = -7;
    m.empty.amounts[5] = m.empty.rates[5] = NAN;
    assert_null(check(&m, m.size));
    m = right(PLB_GIFT);
    m.gifts.n = 0;
    m.gifts.at[0].range.count = -1;
    assert_null(check(&m, m.size));
    m.from = m.to = 0; /* a rank sends to itself */
    assert_null(check(&m, m.size));
}

/* Every reader of a message that passed relies upon this. */
static void expect_safe(const struct plb_message *m)
{
    assert_true(m->from >= 0 && m->from < NODES && m->to >= 0 && m->to < NODES && m->pu >= 0 && m->pass >= 0);
    if (m->type == PLB_EMPTY)
        for (int i = 0; i < m->empty.n_victims; i++)
            assert_true(i < PLB_VICTIMS && m->empty.victims[i] >= 0 && m->empty.victims[i] < NODES);
    if (m->type == PLB_GIFT || m->type == PLB_MOVED)
        for (int i = 0; i < m->gifts.n; i++)
            assert_true(i < PLB_GIFTS && m->gifts.at[i].range.first >= 0 && m->gifts.at[i].range.count > 0);
    assert_true(m->type != PLB_FAIL || strlen(m->fail.text) < sizeof m->fail.text);
}

static void random_bytes_do_no_harm(void **state)
{
    int passed = 0;
    (void)state;
    for (uint64_t seed = seeds(100000).first; seed < seeds(100000).end; seed++) {
        struct dice d = {seed, 0};
        struct plb_message m;
        size_t bytes = (size_t)whole(&d, 0, (int64_t)sizeof m);
        for (size_t i = 0; i < sizeof m / 8 + 1; i++) {
            uint64_t random = bits(&d) >> (one_in(&d, 2) ? 60 : 0);
            memcpy((char *)&m + 8 * i, &random, 8 * i + 8 <= sizeof m ? 8 : sizeof m - 8 * i);
        }
        if (!one_in(&d, 3)) { /* a header that is right, so that the body is looked at */
            struct plb_message r = right((int)whole(&d, 1, PLB_MESSAGE_TYPES - 1));
            memcpy(&m, &r, AT(hello));
            bytes = r.size;
        }
        if (check(&m, bytes) == NULL) {
            expect_safe(&m);
            passed++;
        }
    }
    assert_true(passed > 0 || seeds(100000).end == seeds(100000).first + 1);
}

/* Each check tells what it found: one that a later check makes up for is seen to be there. */
static void what_is_wrong_is_told(void **state)
{
    (void)state;
    struct plb_message m = {.type = PLB_GIFT, .protocol = PLB_PROTOCOL, .from = 1, .pass = 1};
    m.size = (uint16_t)plb_message_size(PLB_GIFT);
    m.gifts = (struct plb_gifts){.left = 1.0, .n = PLB_GIFTS + 1};
    for (int i = 0; i < PLB_GIFTS; i++)
        m.gifts.at[i] = (struct plb_gift){{i, 1}, 0, 1};
    assert_string_equal(plb_message_check(&m, m.size, 3), "an impossible number of gifts");
    assert_string_equal(plb_message_check(&m, 10, 3), "too short for a message");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_passes_at_its_size),
        cmocka_unit_test(names_and_sizes_are_those_of_the_types),
        cmocka_unit_test(other_sizes_are_refused),
        cmocka_unit_test(each_impossible_field_is_refused),
        cmocka_unit_test(other_values_pass),
        cmocka_unit_test(random_bytes_do_no_harm),
        cmocka_unit_test(what_is_wrong_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
