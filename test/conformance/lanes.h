/* The promises of lanes, for test_devices alone: tasks under way at once do not disturb each other, and their
 * times add up to no more than has passed. */
#ifndef TEST_LANES_H
#define TEST_LANES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "kinds.h"
#include "skip.h"

/* The work of a lane. */
struct work {
    double *in, *out; /* the host's */
    void *data[2];
};

static struct work new_work(const struct kind *k, struct plb_device *d, int64_t salt)
{
    struct work w = {plb_alloc(N * sizeof(double)), plb_alloc(N * sizeof(double)), {NULL, NULL}};
    for (int i = 0; i < N; i++)
        w.in[i] = (double)(i + 1000 * salt);
    if (k->ops->pin != NULL) {
        k->ops->pin(d, w.in, N * sizeof(double));
        k->ops->pin(d, w.out, N * sizeof(double));
    }
    for (int b = 0; b < 2; b++)
        w.data[b] = k->ops->alloc(d, N * sizeof(double));
    return w;
}

static void free_work(const struct kind *k, struct plb_device *d, struct work *w)
{
    for (int b = 0; b < 2; b++)
        k->ops->free(d, w->data[b]);
    if (k->ops->unpin != NULL) {
        k->ops->unpin(w->in);
        k->ops->unpin(w->out);
    }
    free(w->in);
    free(w->out);
}

static void ask(const struct kind *k, struct plb_device *d, int lane, struct work *w, int64_t first)
{
    struct plb_phase phase = phase_of(twice, "twice");
    struct plb_task task = {.first = first, .count = N, .data = w->data, .threads = 1};
    memset(w->out, 0, N * sizeof(double));
    assert_int_equal(k->ops->copy_in(d, lane, w->data[0], w->in, N * sizeof(double)), 0);
    assert_int_equal(k->ops->launch(d, lane, &phase, &task), 0);
    assert_int_equal(k->ops->copy_out(d, lane, w->out, w->data[1], N * sizeof(double)), 0);
}

/* All lanes at work at once, round and round: each gets its own result, and what the tasks took adds up to no
 * more than what passed. */
static void lanes_do_not_disturb_each_other(void **state)
{
    (void)state;
    for (int k = 0; k < n_kinds; k++) {
        const struct plb_device_ops *ops = kinds[k].ops;
        struct plb_device *d = open_kind(&kinds[k]);
        struct work work[PLB_MAX_LANES];
        double began = plb_now(), sum = 0.0;
        bool on_host = plb_device_on_host(ops, d);
        for (int lane = 0; lane < ops->lanes && !on_host; lane++) {
            work[lane] = new_work(&kinds[k], d, lane);
            ask(&kinds[k], d, lane, &work[lane], lane);
        }
        for (int round = 0; round < 20 && !on_host; round++)
            for (int lane = 0; lane < ops->lanes; lane++) {
                struct plb_device_times times;
                while (round % 2 == 1 && ops->done != NULL && !ops->done(d, lane)) {
                }
                assert_int_equal(ops->wait(d, lane, &times), 0);
                sum += times.execute_s + times.transfer_s;
                for (int i = 0; i < N; i++)
                    if (work[lane].out[i] != 2.0 * work[lane].in[i] + (double)(lane + round))
                        fail_msg("%s, lane %d, round %d: out[%d] is %g", kinds[k].name, lane, round, i,
                                 work[lane].out[i]);
                if (round < 19)
                    ask(&kinds[k], d, lane, &work[lane], lane + round + 1);
            }
        assert_true(sum <= plb_now() - began);
        for (int lane = 0; lane < ops->lanes && !on_host; lane++)
            free_work(&kinds[k], d, &work[lane]);
        ops->close(d);
    }
}

/* A lane that follows another one finds the inputs of its task, whichever is awaited first. */
static void a_lane_finds_what_another_one_brings(void **state)
{
    (void)state;
    for (int k = 0; k < n_kinds; k++) {
        const struct plb_device_ops *ops = kinds[k].ops;
        struct plb_device *d = ops->follow != NULL ? open_kind(&kinds[k]) : NULL;
        for (int64_t round = 0; round < 5 && d != NULL; round++) {
            struct work bring = new_work(&kinds[k], d, round), find = new_work(&kinds[k], d, -1);
            struct plb_phase phase = phase_of(twice, "twice");
            void *data[2] = {bring.data[0], find.data[1]};
            struct plb_task task = {.first = 5, .count = N, .data = data, .threads = 1};
            ask(&kinds[k], d, 0, &bring, round);
            assert_int_equal(ops->follow(d, 1, 0), 0);
            assert_int_equal(ops->launch(d, 1, &phase, &task), 0);
            assert_int_equal(ops->copy_out(d, 1, find.out, find.data[1], N * sizeof(double)), 0);
            assert_int_equal(ops->wait(d, 1, &(struct plb_device_times){0}), 0);
            for (int i = 0; i < N; i++)
                assert_true(find.out[i] == 2.0 * bring.in[i] + 5.0);
            assert_int_equal(ops->wait(d, 0, &(struct plb_device_times){0}), 0);
            free_work(&kinds[k], d, &bring);
            free_work(&kinds[k], d, &find);
        }
        if (d != NULL)
            ops->close(d);
    }
}

/* A task that overtakes the one before it adds nothing, and what comes after counts from where the slower one
 * ended: the sum is still no more than the time that has passed. */
static void overtake(const struct kind *k)
{
    const struct plb_device_ops *ops = k->ops;
    struct plb_device *d = open_kind(k);
    struct plb_phase phase = phase_of(NULL, "spin");
    void *data[1] = {ops->alloc(d, sizeof(double))};
    struct plb_task slow = {.count = 100000, .data = data, .threads = 1},
                    quick = {.count = 100, .data = data, .threads = 1};
    struct plb_device_times times;
    double zero = 0.0, sum = 0.0, began = plb_now();
    assert_int_equal(ops->copy_in(d, 2, data[0], &zero, sizeof zero), 0); /* begun before the others end */
    while (!ops->done(d, 2)) {
    }
    assert_int_equal(ops->launch(d, 0, &phase, &slow), 0);
    assert_int_equal(ops->launch(d, 1, &phase, &quick), 0);
    while (!ops->done(d, 1)) {
    }
    for (int lane = 0; lane < 3; lane++) {
        if (lane == 2)
            assert_int_equal(ops->launch(d, lane, &phase, &quick), 0);
        assert_int_equal(ops->wait(d, lane, &times), 0);
        sum += times.execute_s + times.transfer_s;
    }
    if (sum > plb_now() - began)
        fail_msg("%s: the tasks took %g s in %g s", k->name, sum, plb_now() - began);
    ops->free(d, data[0]);
    ops->close(d);
}

static void overtaking_is_counted_once(void **state)
{
    (void)state;
    int tried = 0;
    for (int k = 0; k < n_kinds; k++)
        if (kinds[k].ops->lanes > 2) {
            overtake(&kinds[k]);
            tried++;
        }
    if (tried == 0)
        skip_since("no device here overlaps tasks");
}

/* Tasks that are under way at once may have unlike sizes: PoCL 3.1 aborts where a larger one begins before a
 * smaller one of the same kernel has ended. On two devices, and in the lanes of each. */
static void tasks_of_unlike_sizes_overlap(void **state)
{
    (void)state;
    struct plb_phase phase = phase_of(NULL, "spin_each");
    for (int k = 0; k < n_kinds; k++) {
        const struct plb_device_ops *ops = kinds[k].ops;
        struct plb_device *d[2];
        void *data[2];
        if (ops->lanes == 1 || kinds[k].driver->entry(&phase) == NULL)
            continue;
        for (int i = 0; i < 2; i++) {
            d[i] = open_kind(&kinds[k]);
            data[i] = ops->alloc(d[i], sizeof(double));
        }
        struct plb_task task = {.count = 1, .threads = 1};
        for (int lane = 0; lane < ops->lanes; lane++)
            for (int i = 0; i < 2; i++, task.count++) {
                task.data = &data[i];
                assert_int_equal(ops->launch(d[i], lane, &phase, &task), 0);
            }
        for (int i = 0; i < 2; i++) {
            for (int lane = 0; lane < ops->lanes; lane++)
                assert_int_equal(ops->wait(d[i], lane, &(struct plb_device_times){0}), 0);
            ops->free(d[i], data[i]);
            ops->close(d[i]);
        }
    }
}

/* A wait for no task takes no time from tasks in other lanes. After a sync the lane's task goes on. */
static void tasks_alone_count(void **state)
{
    (void)state;
    for (int k = 0; k < n_kinds; k++) {
        const struct plb_device_ops *ops = kinds[k].ops;
        if (ops->lanes < 3)
            continue;
        struct plb_device *d = open_kind(&kinds[k]);
        struct plb_phase phase = phase_of(NULL, "spin");
        void *data[1] = {ops->alloc(d, sizeof(double))};
        struct plb_task task = {.count = 10000, .data = data, .threads = 1};
        struct plb_device_times times;
        double x, sum = 0.0, began = plb_now();
        for (int lane = 0; lane < 3; lane++) { /* one after another, so that none overtakes */
            assert_int_equal(ops->launch(d, lane, &phase, &task), 0);
            while (!ops->done(d, lane)) {
            }
        }
        assert_int_equal(ops->wait(d, 2, NULL), 0); /* it has ended last */
        for (int lane = 0; lane < 2; lane++) {
            assert_int_equal(ops->sync(d, lane), 0);
            if (lane == 1)
                assert_int_equal(ops->copy_out(d, lane, &x, data[0], sizeof x), 0);
            assert_int_equal(ops->wait(d, lane, &times), 0);
            assert_true(times.execute_s > 0.0);
            sum += times.execute_s + times.transfer_s;
        }
        assert_true(sum <= plb_now() - began);
        ops->free(d, data[0]);
        ops->close(d);
    }
}

#endif
