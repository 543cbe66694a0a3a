/* Frames of messages: what is packed comes out, what is wrong is told, nothing is read beyond the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "plb/kernel.h"
#include "transport/frame.h"

#define RANKS 4
#define SENDER 3
#define RECEIVER 1

static struct plb_message *fill(struct plb_outbox *box, enum plb_message_type type, int64_t number)
{
    struct plb_message *m = plb_outbox_add(box, type, SENDER, RECEIVER, 1);
    if (type == PLB_DONE)
        m->done = (struct plb_done){.range = {number, 10}, .tasks = 1, .slot = PLB_NO_SLOT};
    if (type == PLB_BLOCK)
        m->block = (struct plb_block){.range = {number, 10}, .id = number, .grain = 10};
    return m;
}

/* A reader of exactly these bytes, at the end of memory that a sanitizer watches. */
static struct plb_frame_reader reader_of(unsigned char **copy, const void *bytes, size_t n)
{
    *copy = malloc(n);
    assert_non_null(*copy);
    memcpy(*copy, bytes, n);
    return (struct plb_frame_reader){*copy, n, SENDER, RECEIVER, RANKS, false};
}

static void what_is_packed_comes_out(void **state)
{
    (void)state;
    static const enum plb_message_type types[] = {PLB_STEAL, PLB_DONE, PLB_BYE, PLB_BLOCK, PLB_EMPTY};
    struct plb_frame frame = {0};
    struct plb_outbox box = {0};
    struct plb_message m;
    const char *wrong;
    unsigned char *copy;
    size_t bytes = 0;
    for (int i = 0; i < 5; i++) {
        fill(&box, types[i], i);
        bytes += plb_message_size((int)types[i]);
        assert_true(plb_frame_add(&frame, &box.at[i]));
    }
    assert_int_equal(frame.bytes, bytes);
    struct plb_frame_reader r = reader_of(&copy, frame.at, frame.bytes);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(plb_frame_next(&r, &m, &wrong), PLB_FRAME_MESSAGE);
        assert_int_equal(m.type, types[i]);
        assert_memory_equal(&m, &box.at[i], plb_message_size((int)types[i]));
    }
    assert_int_equal(plb_frame_next(&r, &m, &wrong), PLB_FRAME_END);
    free(copy);
    free(frame.at);
    plb_outbox_fini(&box);
}

static void a_full_frame_takes_no_more(void **state)
{
    (void)state;
    struct plb_frame frame = {0};
    struct plb_outbox box = {0};
    size_t size = plb_message_size(PLB_DONE), n = 0;
    fill(&box, PLB_DONE, 0);
    while (plb_frame_add(&frame, &box.at[0]))
        n++;
    assert_int_equal(n, PLB_FRAME_BYTES / size);
    assert_int_equal(frame.bytes, n * size);
    free(frame.at);
    plb_outbox_fini(&box);
}

/* Packs a good message, this one and another good one; expects the middle one to be refused, and says why. */
static const char *refused(const struct plb_message *bad, bool others_come)
{
    struct plb_frame frame = {0};
    struct plb_outbox box = {0};
    struct plb_message m;
    const char *wrong = NULL, *none;
    unsigned char *copy;
    fill(&box, PLB_DONE, 1);
    assert_true(plb_frame_add(&frame, &box.at[0]));
    assert_true(plb_frame_add(&frame, bad));
    assert_true(plb_frame_add(&frame, &box.at[0]));
    struct plb_frame_reader r = reader_of(&copy, frame.at, frame.bytes);
    assert_int_equal(plb_frame_next(&r, &m, &none), PLB_FRAME_MESSAGE);
    assert_int_equal(plb_frame_next(&r, &m, &wrong), PLB_FRAME_WRONG);
    if (others_come)
        assert_int_equal(plb_frame_next(&r, &m, &none), PLB_FRAME_MESSAGE);
    assert_int_equal(plb_frame_next(&r, &m, &none), PLB_FRAME_END);
    free(copy);
    free(frame.at);
    plb_outbox_fini(&box);
    assert_non_null(wrong);
    return wrong;
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    struct plb_outbox box = {0};
    fill(&box, PLB_BLOCK, 1);
    struct plb_message good = box.at[0], bad = good;
    bad.from = 2;
    assert_string_equal(refused(&bad, true), "in the name of another rank");
    bad = good;
    bad.to = 2;
    assert_string_equal(refused(&bad, true), "to another rank");
    bad = good;
    bad.block.range.count = -5;
    assert_non_null(strstr(refused(&bad, true), "block"));
    bad = good;
    bad.protocol++;
    assert_non_null(strstr(refused(&bad, true), "version"));
    bad = good; /* now nobody knows where the next one begins */
    bad.size = 60000;
    assert_non_null(strstr(refused(&bad, false), "size"));
    bad.size = 0;
    assert_non_null(strstr(refused(&bad, false), "size"));
    plb_outbox_fini(&box);
}

/* Cut anywhere, a frame gives the messages before the cut and then one that is wrong. */
/* A frame of one message, read by this rank from that one in a run that ranks may join. */
static enum plb_frame_found relayed(const struct plb_message *m, int reads, int sent)
{
    struct plb_frame frame = {0};
    struct plb_message got;
    const char *wrong = NULL;
    assert_true(plb_frame_add(&frame, m));
    struct plb_frame_reader r = {frame.at, frame.bytes, sent, reads, RANKS, true};
    enum plb_frame_found found = plb_frame_next(&r, &got, &wrong);
    free(frame.at);
    return found;
}

static void rank_0_passes_on_what_others_say_in_their_own_name(void **state)
{
    (void)state;
    struct plb_outbox box = {0};
    struct plb_message *m = plb_outbox_add(&box, PLB_STEAL, 2, 1, 1);
    assert_int_equal(relayed(m, 0, 2), PLB_FRAME_MESSAGE);
    assert_int_equal(relayed(m, 1, 0), PLB_FRAME_MESSAGE);
    assert_int_equal(relayed(m, 0, 1), PLB_FRAME_WRONG); /* in the name of another rank */
    assert_int_equal(relayed(m, 1, 2), PLB_FRAME_MESSAGE);
    assert_int_equal(relayed(m, 2, 0), PLB_FRAME_WRONG); /* to another rank */
    plb_outbox_fini(&box);
}

static void a_cut_frame_is_no_danger(void **state)
{
    (void)state;
    struct plb_frame frame = {0};
    struct plb_outbox box = {0};
    struct plb_message m;
    const char *wrong;
    size_t size = plb_message_size(PLB_BLOCK);
    for (int i = 0; i < 3; i++) {
        fill(&box, PLB_BLOCK, i);
        plb_frame_add(&frame, &box.at[i]);
    }
    for (size_t bytes = 1; bytes < frame.bytes; bytes++) {
        unsigned char *copy;
        struct plb_frame_reader r = reader_of(&copy, frame.at, bytes);
        for (size_t whole = 0; whole < bytes / size; whole++)
            assert_int_equal(plb_frame_next(&r, &m, &wrong), PLB_FRAME_MESSAGE);
        if (bytes % size != 0)
            assert_int_equal(plb_frame_next(&r, &m, &wrong), PLB_FRAME_WRONG);
        assert_int_equal(plb_frame_next(&r, &m, &wrong), PLB_FRAME_END);
        free(copy);
    }
    free(frame.at);
    plb_outbox_fini(&box);
}

/* Random bytes never give a message that is not one, and the reader ends. */
static void noise_ends(void **state)
{
    (void)state;
    unsigned char noise[PLB_FRAME_BYTES], *copy;
    struct plb_message m;
    const char *wrong;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        size_t n = 1 + (size_t)(plb_random_bits(seed, 1) % PLB_FRAME_BYTES);
        for (size_t i = 0; i < n; i++)
            noise[i] = (unsigned char)plb_random_bits(seed, 2 + i);
        struct plb_frame_reader r = reader_of(&copy, noise, n);
        enum plb_frame_found found;
        while ((found = plb_frame_next(&r, &m, &wrong)) != PLB_FRAME_END)
            assert_int_equal(found, PLB_FRAME_WRONG);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_out),
        cmocka_unit_test(a_full_frame_takes_no_more),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(rank_0_passes_on_what_others_say_in_their_own_name),
        cmocka_unit_test(a_cut_frame_is_no_danger),
        cmocka_unit_test(noise_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
