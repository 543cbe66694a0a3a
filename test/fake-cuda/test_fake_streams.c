/* The fake CUDA runtime keeps its promises: when work runs and in which order, events, threads. */
#ifndef WITH_CUDA_HEADERS
#include <stdio.h>
int main(void)
{
    puts("ok 1 - streams of the fake CUDA runtime # SKIP no CUDA headers\n1..1");
    return 0;
}
#else
#include "cases.h"

#include <pthread.h>

struct trail { /* what ran, in order */
    char text[64];
    size_t length;
};

struct step {
    struct trail *trail;
    char letter;
};

static void walk(void *argument)
{
    struct step *step = argument;
    step->trail->text[step->trail->length++] = step->letter;
}

static void launch(cudaStream_t stream, struct step *step)
{
    OK(cudaLaunchHostFunc(stream, walk, step));
}

static void expect_trail(const struct trail *trail, const char *want, int line)
{
    if (strcmp(trail->text, want) != 0) {
        fprintf(stderr, "line %d: ran \"%s\", not \"%s\"\n", line, trail->text, want);
        _exit(1);
    }
}
#define RAN(trail, want) expect_trail(trail, want, __LINE__)

static void work_is_late(void)
{
    int *host = new_pinned(2 * sizeof *host), *d = new_device(sizeof *d);
    cudaStream_t s = new_stream();
    host[0] = 1;
    host[1] = 7;
    OK(cudaMemcpyAsync(d, host, sizeof *d, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyAsync(host + 1, d, sizeof *d, cudaMemcpyDeviceToHost, s));
    host[0] = 2; /* too early: the copy has not read it */
    EXPECT(host[1], 7);
    OK(cudaStreamSynchronize(s));
    EXPECT(host[1], 2);
    OK(cudaMemsetAsync(d, 1, sizeof *d, s));
    OK(cudaMemcpyAsync(host + 1, d, sizeof *d, cudaMemcpyDeviceToHost, s));
    EXPECT(host[1], 2);
    OK(cudaStreamSynchronize(s));
    EXPECT(host[1], 0x01010101);
    OK(cudaMemcpyAsync(host, host + 1, sizeof *d, cudaMemcpyHostToHost, s));
    EXPECT(host[0], 0x01010101); /* between host and host nothing is late */
    OK(cudaFree(d));
    OK(cudaFreeHost(host));
    OK(cudaStreamDestroy(s));
}

static void pageable_source_is_read_late(void)
{
    int host = 1, back = 0, *d = new_device(sizeof *d);
    cudaStream_t s = new_stream();
    OK(cudaMemcpyAsync(d, &host, sizeof host, cudaMemcpyHostToDevice, s));
    host = 2;
    OK(cudaMemcpyAsync(&back, d, sizeof host, cudaMemcpyDeviceToHost, s));
    EXPECT(back, 2); /* and to pageable memory the call itself waits */
    OK(cudaFree(d));
    OK(cudaStreamDestroy(s));
}

static void pageable_target_is_written_late(void)
{
    int host = 1, *d = new_device(sizeof *d);
    cudaStream_t s = new_stream();
    OK(cudaMemcpyAsync(&host, d, sizeof host, cudaMemcpyDeviceToHost, s));
    EXPECT(host, 1);
    OK(cudaStreamSynchronize(s));
    EXPECT(host, -1);
    OK(cudaFree(d));
    OK(cudaStreamDestroy(s));
}

#ifdef __SANITIZE_ADDRESS__
static void source_freed_too_early(void)
{
    char *host = calloc(1, 64);
    cudaStream_t s = new_stream();
    OK(cudaMemcpyAsync(new_device(64), host, 64, cudaMemcpyHostToDevice, s));
    free(host);
    cudaStreamSynchronize(s);
}
#endif

/* cudaMemcpy from pageable memory has read its source, but only stream 0 knows that the device has it. */
static void synchronous_copy_stages(void)
{
    int host = 1, *back = new_pinned(sizeof *back), *d = new_device(sizeof *d);
    cudaStream_t s = new_stream();
    OK(cudaMemcpy(d, &host, sizeof host, cudaMemcpyHostToDevice));
    host = 2;
    OK(cudaMemcpyAsync(back, d, sizeof host, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(*back, -1);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(back, d, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(*back, 1);
    *back = 3;
    OK(cudaMemcpy(d, back, sizeof host, cudaMemcpyHostToDevice)); /* from pinned memory it is done */
    *back = 4;
    OK(cudaMemcpyAsync(back, d, sizeof host, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(*back, 3);
    OK(cudaFree(d));
    OK(cudaFreeHost(back));
    OK(cudaStreamDestroy(s));
}

static void only_what_is_needed_runs(void)
{
    struct trail t = {.text = ""};
    struct step a = {&t, 'a'}, b = {&t, 'b'}, c = {&t, 'c'}, x = {&t, 'x'};
    cudaStream_t s = new_stream(), other = new_stream();
    cudaEvent_t e = new_event(cudaEventDisableTiming);
    launch(other, &x);
    launch(s, &a);
    launch(s, &b);
    OK(cudaEventRecord(e, s));
    launch(s, &c);
    RAN(&t, "");
    OK(cudaEventSynchronize(e));
    RAN(&t, "ab"); /* the prefix, in order, and not the other stream */
    OK(cudaStreamSynchronize(s));
    RAN(&t, "abc");
    OK(cudaStreamDestroy(other)); /* does not wait */
    RAN(&t, "abc");
    OK(cudaDeviceSynchronize()); /* but its work is still to be done */
    RAN(&t, "abcx");
    OK(cudaStreamDestroy(s));
    OK(cudaEventDestroy(e));
}

static void streams_wait_for_what_was_captured(void)
{
    struct trail t = {.text = ""};
    struct step a = {&t, 'a'}, b = {&t, 'b'}, c = {&t, 'c'}, d = {&t, 'd'};
    cudaStream_t s = new_stream(), w = new_stream();
    cudaEvent_t e = new_event(cudaEventDisableTiming);
    OK(cudaStreamWaitEvent(w, e, 0)); /* never recorded: nothing to wait for */
    launch(s, &a);
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(w, e, 0));
    launch(s, &b);
    OK(cudaEventRecord(e, s)); /* too late for the wait */
    launch(w, &c);
    OK(cudaEventRecord(e, w)); /* and s waits for w in turn */
    OK(cudaStreamWaitEvent(s, e, 0));
    OK(cudaEventDestroy(e));
    OK(cudaStreamSynchronize(w));
    RAN(&t, "ac");
    launch(s, &d);
    OK(cudaStreamSynchronize(s));
    RAN(&t, "acbd");
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(w));
}

static void free_waits_for_its_device(void)
{
    struct trail t = {.text = ""};
    struct step a = {&t, 'a'}, b = {&t, 'b'};
    void *memory = new_device(64);
    cudaStream_t s = new_stream();
    launch(s, &a);
    OK(cudaSetDevice(1));
    cudaStream_t other = new_stream();
    launch(other, &b);
    OK(cudaFree(memory)); /* of device 0 */
    RAN(&t, "a");
    OK(cudaDeviceSynchronize());
    RAN(&t, "ab");
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(other));
}

static void queries_say_not_ready_at_first(void)
{
    struct trail t = {.text = ""};
    struct step a = {&t, 'a'}, b = {&t, 'b'};
    cudaStream_t s = new_stream();
    cudaEvent_t e = new_event(cudaEventDisableTiming);
    OK(cudaEventQuery(e)); /* never recorded */
    OK(cudaEventSynchronize(e));
    OK(cudaStreamQuery(s));
    launch(s, &a);
    for (int round = 0; round < 2; round++) {
        OK(cudaEventRecord(e, s));
        for (int i = 0; i < 3; i++)
            EXPECT(cudaEventQuery(e), cudaErrorNotReady);
        RAN(&t, round == 0 ? "" : "a");
        OK(cudaEventQuery(e));
        RAN(&t, "a");
    }
    EXPECT(cudaGetLastError(), cudaErrorNotReady); /* CUDA keeps that as an error too */
    for (int round = 0; round < 2; round++) {
        launch(s, &b);
        OK(cudaEventQuery(e));
        for (int i = 0; i < 3; i++)
            EXPECT(cudaStreamQuery(s), cudaErrorNotReady);
        OK(cudaStreamQuery(s));
        RAN(&t, round == 0 ? "ab" : "abb");
    }
    OK(cudaStreamDestroy(s));
    OK(cudaEventDestroy(e));
}

static void other_devices_handles(void)
{
    struct trail t = {.text = ""};
    struct step a = {&t, 'a'}, b = {&t, 'b'};
    float ms = 0.0f;
    cudaStream_t s0 = new_stream();
    cudaEvent_t e0 = new_event(0);
    OK(cudaSetDevice(1));
    cudaStream_t s1 = new_stream();
    cudaEvent_t e1 = new_event(0);
    EXPECT(cudaEventRecord(e0, s1), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventRecord(e0, NULL), cudaErrorInvalidResourceHandle);
    EXPECT(cudaLaunchHostFunc(s0, walk, &a), cudaErrorInvalidResourceHandle);
    OK(cudaSetDevice(0));
    launch(s0, &a);
    OK(cudaEventRecord(e0, s0));
    OK(cudaSetDevice(1));
    OK(cudaEventRecord(e1, s1));
    OK(cudaStreamWaitEvent(s1, e0, 0)); /* that is allowed, as are these */
    launch(s1, &b);
    OK(cudaStreamSynchronize(s1));
    RAN(&t, "ab");
    OK(cudaEventSynchronize(e0));
    OK(cudaEventQuery(e0));
    EXPECT(cudaEventElapsedTime(&ms, e0, e1), cudaErrorInvalidResourceHandle);
    OK(cudaStreamDestroy(s0));
    OK(cudaStreamDestroy(s1));
    OK(cudaEventDestroy(e0));
    OK(cudaEventDestroy(e1));
}

static void events_time_what_ran(void) /* 20 kB at 1 MB/s */
{
    static char host[20000];
    float ms = -1.0f;
    void *d = new_device(sizeof host);
    cudaStream_t s = new_stream();
    cudaEvent_t begin = new_event(0), end = new_event(cudaEventBlockingSync),
                untimed = new_event(cudaEventDisableTiming);
    EXPECT(cudaEventElapsedTime(&ms, begin, end), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(begin, s));
    OK(cudaMemcpyAsync(d, host, sizeof host, cudaMemcpyHostToDevice, s));
    OK(cudaEventRecord(end, s));
    OK(cudaEventRecord(untimed, s));
    EXPECT(cudaEventElapsedTime(&ms, begin, end), cudaErrorNotReady);
    OK(cudaEventSynchronize(begin));
    EXPECT(cudaEventElapsedTime(&ms, begin, end), cudaErrorNotReady);
    OK(cudaStreamSynchronize(s));
    OK(cudaEventElapsedTime(&ms, begin, end));
    EXPECT(ms >= 20.0f, 1);
    EXPECT(cudaEventElapsedTime(&ms, begin, untimed), cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(begin));
    OK(cudaEventDestroy(end));
    OK(cudaEventDestroy(untimed));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
}

static pthread_barrier_t meeting;

static void meet(void *argument)
{
    (void)argument;
    pthread_barrier_wait(&meeting);
}

static void *drive_a_device(void *number)
{
    OK(cudaSetDevice(*(int *)number));
    cudaStream_t s = new_stream();
    int *d = new_device(sizeof *d), back = 0;
    for (int i = 0; i < 100; i++) {
        OK(cudaMemcpyAsync(d, &i, sizeof i, cudaMemcpyHostToDevice, s));
        OK(cudaLaunchHostFunc(s, meet, NULL));
        OK(cudaMemcpyAsync(&back, d, sizeof i, cudaMemcpyDeviceToHost, s));
        EXPECT(back, i);
    }
    OK(cudaFree(d));
    OK(cudaStreamDestroy(s));
    return NULL;
}

/* Host functions that wait for one another: neither holds the other up. */
static void threads_drive_devices_at_once(void)
{
    int numbers[] = {0, 1};
    pthread_t threads[2];
    EXPECT(pthread_barrier_init(&meeting, NULL, 2), 0);
    for (int i = 0; i < 2; i++)
        EXPECT(pthread_create(&threads[i], NULL, drive_a_device, &numbers[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&meeting);
}

struct shared {
    cudaStream_t stream, other;
    int next;
};

static void *synchronise_again_and_again(void *argument)
{
    const struct shared *shared = argument;
    for (int i = 0; i < 200; i++)
        OK(cudaStreamSynchronize(i % 2 ? shared->stream : shared->other));
    return NULL;
}

struct turn {
    int *next;
    int mine;
};

static void take_turn(void *argument)
{
    const struct turn *turn = argument;
    EXPECT(*turn->next, turn->mine);
    ++*turn->next;
}

/* Two streams of which each waits for the other's last work, run by three threads. */
static void order_holds_whoever_runs_it(void)
{
    static struct turn turns[400];
    struct shared shared = {.stream = new_stream(), .other = new_stream()};
    cudaEvent_t e = new_event(cudaEventDisableTiming);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        EXPECT(pthread_create(&threads[i], NULL, synchronise_again_and_again, &shared), 0);
    for (int i = 0; i < 400; i++) {
        cudaStream_t s = i % 2 ? shared.stream : shared.other;
        turns[i] = (struct turn){&shared.next, i};
        OK(cudaStreamWaitEvent(s, e, 0));
        OK(cudaLaunchHostFunc(s, take_turn, &turns[i]));
        OK(cudaEventRecord(e, s));
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    OK(cudaDeviceSynchronize());
    EXPECT(shared.next, 400);
    OK(cudaStreamDestroy(shared.stream));
    OK(cudaStreamDestroy(shared.other));
    OK(cudaEventDestroy(e));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE("work is late", work_is_late, .told = NULL),
        CASE("a pageable source is read late", pageable_source_is_read_late, .told = NULL),
        CASE("a pageable target with pageable=late", pageable_target_is_written_late,
             .told = "pageable=late"),
#ifdef __SANITIZE_ADDRESS__
        CASE("a source freed too early", source_freed_too_early, .status = -1,
             .output = "heap-use-after-free"),
#endif
        CASE("a synchronous copy stages", synchronous_copy_stages, .told = NULL),
        CASE("only what is needed runs", only_what_is_needed_runs, .told = NULL),
        CASE("streams wait for what was captured", streams_wait_for_what_was_captured, .told = NULL),
        CASE("free waits for its device", free_waits_for_its_device, .told = "devices=2"),
        CASE("queries say not ready at first", queries_say_not_ready_at_first, .told = NULL),
        CASE("other devices' handles", other_devices_handles, .told = "devices=2"),
        CASE("events time what ran", events_time_what_ran, .told = "copy=1000000"),
        CASE("threads drive devices at once", threads_drive_devices_at_once, .told = "devices=2"),
        CASE("order holds whoever runs it", order_holds_whoever_runs_it, .told = NULL),
    };
    if (argc == 2)
        return run_case(tests, sizeof tests / sizeof tests[0], argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
