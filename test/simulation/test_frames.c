/* Messages that leave one node for another one in one turn travel in one frame, as over MPI
 * (transport/frame.h), and rank 0 pays for each frame and for each message in one. */
#include "simulate/network.h"
#include "small_cluster.h"
#include "transport/frame.h"

/* A network of the fixture's nodes, and nothing else of a simulation. */
struct net {
    struct plb_world world;
    struct plb_faults *faults;
    struct plb_network *is;
};

static void open_net(struct net *n, struct fixture *f)
{
    n->world = (struct plb_world){.in = &f->s, .out = &f->result, .clock = plb_events_new()};
    n->faults = plb_faults_new(&n->world);
    n->is = plb_network_new(&n->world, n->faults);
}

static void close_net(struct net *n)
{
    plb_network_free(n->is);
    plb_faults_free(n->faults);
    plb_events_free(n->world.clock);
}

static void put(struct net *n, int type, int from, int to, int pass)
{
    struct plb_outbox out = {0};
    plb_network_put(n->is, plb_outbox_add(&out, type, from, to, pass));
    plb_outbox_fini(&out);
}

/* The next frame arrives at a node, with messages of these passes. */
static void arrives(struct net *n, double time, int node, int first_pass, int messages)
{
    struct plb_event e;
    const struct plb_message *m;
    assert_true(plb_events_next(n->world.clock, &e));
    near(e.time, time);
    assert_int_equal(e.node, node);
    int at = e.item, i = 0;
    for (plb_network_open(n->is, at); (m = plb_network_next(n->is, &at)) != NULL; i++)
        assert_int_equal(m->pass, first_pass + i);
    assert_int_equal(i, messages);
    plb_network_release(n->is, e.item);
}

/* Those of each node are together, in the order in which they were said; the sender's thread sends one frame
 * after the other, and that to its own node costs it nothing. */
static void messages_of_a_turn_are_one_frame_for_each_node(void **state)
{
    (void)state;
    static struct fixture f;
    struct net n;
    struct plb_event none;
    set_up(&f, 3, "static");
    f.nodes[1].latency = 1.0;
    f.nodes[2].latency = 2.0;
    open_net(&n, &f);
    put(&n, PLB_PASS, 0, 1, 1);
    put(&n, PLB_PASS, 0, 0, 1);
    put(&n, PLB_PASS, 0, 2, 5);
    put(&n, PLB_BLOCK, 0, 1, 2);
    put(&n, PLB_EMPTY, 0, 1, 3);
    assert_int_equal(plb_network_flush(n.is, 10.0, 0.1), 2);
    arrives(&n, 10.2, 0, 1, 1);
    arrives(&n, 11.1, 1, 1, 3);
    arrives(&n, 12.2, 2, 5, 1);
    near(plb_network_left(n.is, 1), 10.1);
    assert_int_equal(plb_network_flush(n.is, 20.0, 0.1), 0);
    assert_false(plb_events_next(n.world.clock, &none));
    assert_int_equal(f.result.messages, 4);
    assert_int_equal(f.result.frames, 2);
    close_net(&n);
    tear_down(&f);
}

/* A frame has so many bytes at most, and a short one does not overtake a long one. */
static void what_finds_no_room_follows_in_another_frame(void **state)
{
    (void)state;
    static struct fixture f;
    struct net n;
    int fit = (int)(PLB_FRAME_BYTES / plb_message_size(PLB_BLOCK));
    double full_s = (double)((size_t)fit * plb_message_size(PLB_BLOCK)) / 1000.0;
    for (int from = 0; from < 3; from += 2) { /* the master, or a node */
        set_up(&f, 3, "static");
        f.nodes[from].bandwidth = f.nodes[1].bandwidth = 1000.0;
        open_net(&n, &f);
        for (int i = 0; i < fit + 1; i++)
            put(&n, PLB_BLOCK, from, 1, i);
        assert_int_equal(plb_network_flush(n.is, 0.0, 0.0), 2);
        arrives(&n, full_s, 1, 0, fit);
        arrives(&n, full_s, 1, fit, 1);
        close_net(&n);
        tear_down(&f);
    }
}

/* MPI loses no part of a frame. */
static void a_frame_of_the_dead_is_lost_as_a_whole(void **state)
{
    (void)state;
    static struct fixture f;
    const struct plb_fault death = {.kind = PLB_DIES, .node = 1, .pu = -1, .at = -1.0};
    struct net n;
    struct plb_event e;
    const struct plb_message *m;
    int got[4] = {0};
    set_up(&f, 2, "static");
    f.s.faults = &death;
    f.s.n_faults = 1;
    f.s.lost_messages = 0.5;
    open_net(&n, &f);
    for (int frame = 0; frame < 100; frame++) {
        for (int i = 0; i < 3; i++)
            put(&n, PLB_DONE, 1, 0, 1);
        plb_network_flush(n.is, 0.0, 0.0);
    }
    assert_int_equal(plb_faults_before_first_pass(n.faults), 1);
    for (int messages; plb_events_next(n.world.clock, &e); got[messages]++) {
        int at = e.item;
        messages = 0;
        for (plb_network_open(n.is, at); (m = plb_network_next(n.is, &at)) != NULL;)
            messages++;
        plb_network_release(n.is, e.item);
    }
    assert_int_equal(got[0] + got[3], 100);
    assert_true(got[0] > 25 && got[3] > 25);
    assert_int_equal(f.result.stress.lost_others, 3 * got[0]);
    close_net(&n);
    tear_down(&f);
}

/* Two PUs of a node: PASS and two BLOCKs are one frame for rank 0 to send, and three messages. Each PU ends
 * by itself, and says so in a frame. */
static void rank_0_pays_for_frames_and_for_messages(void **state)
{
    (void)state;
    static struct fixture f;
    for (int frames = 0; frames <= 1; frames++) {
        set_up(&f, 2, "static");
        f.nodes[1] = (struct plb_node_spec){"n", INFINITY, 0.0, 1, 2};
        f.cluster.n_pus = 3;
        f.pus[1] = f.pus[2] = f.pus[0];
        f.pus[2].overhead = 1.0;
        f.s.master_only = true;
        *(frames ? &f.s.frame_s : &f.s.message_s) = 0.01;
        run(&f);
        assert_int_equal(f.sent[PLB_BLOCK], 2);
        assert_int_equal(f.sent[PLB_DONE], 2);
        near(f.result.makespan_s, frames ? 0.01 + 6.0 + 0.01 : 0.04 + 6.0 + 0.01);
        tear_down(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_a_turn_are_one_frame_for_each_node),
        cmocka_unit_test(what_finds_no_room_follows_in_another_frame),
        cmocka_unit_test(a_frame_of_the_dead_is_lost_as_a_whole),
        cmocka_unit_test(rank_0_pays_for_frames_and_for_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
