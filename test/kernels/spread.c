/* spread: passes whose replicated buffer is replaced. A unit's output is the sum of the whole buffer; `next`
 * looks at all of them, and fills the buffer anew, or some parts of it and the whole of a second one. The
 * environment of rank 0 may say what happens to other ranks while a buffer travels: SPREAD_FOLDER, a folder
 * in which each rank leaves its process number, and SPREAD_VICTIM, "PASS RANK SIGNAL MILLISECONDS" after the
 * end of that pass. SPREAD_LATE=RANK: the first task of that rank reads the second half of the buffer when
 * the second pass has ended, and says what it found; the third pass waits for it. Tasks wait at the gate
 * (gate.h). */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gate.h"
#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "64", 1, 1e6, NULL, "how many"},
    {"passes", PLB_INT, "3", 1, 1e6, NULL, "how many"},
    {"bytes", PLB_INT, "1000000", 8, 4e9, NULL, "of the buffer"},
    {"parts", PLB_INT, "0", 0, 1e6, NULL, "of the buffer change, an eighth of it in all; 0: all of it"},
    {"second", PLB_INT, "8", 8, 1e9, NULL, "bytes of the second buffer, which changes as a whole"},
    {0},
};

enum { BUFFER, OUT, SECOND }; /* handles */

static uint64_t *buffer, *out, *second;
static int64_t words, more_words, units;

/* Each process leaves its number before it executes anything. */
__attribute__((constructor)) static void tell_process(void)
{
    const char *folder = getenv("SPREAD_FOLDER"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    char path[4096];
    if (folder == NULL || rank == NULL)
        return;
    snprintf(path, sizeof path, "%s/%s", folder, rank);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return;
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
}

static void *strike(void *unused)
{
    int pass, rank, number, ms, process = 0;
    char path[4096];
    (void)unused;
    sscanf(getenv("SPREAD_VICTIM"), "%d %d %d %d", &pass, &rank, &number, &ms);
    snprintf(path, sizeof path, "%s/%d", getenv("SPREAD_FOLDER"), rank);
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NULL;
    if (fscanf(file, "%d", &process) == 1 && process > 0)
        kill(process, number);
    fclose(file);
    return NULL;
}

/* At once, where there is nothing to wait for: then the rank is part of the next pass, and cannot act. */
static void strike_after(int64_t pass)
{
    int when, rank, number, ms;
    const char *victim = getenv("SPREAD_VICTIM");
    pthread_t thread;
    if (victim == NULL || sscanf(victim, "%d %d %d %d", &when, &rank, &number, &ms) != 4 || when != pass)
        return;
    if (ms == 0)
        strike(NULL);
    else if (pthread_create(&thread, NULL, strike, NULL) == 0)
        pthread_detach(thread);
}

static uint64_t sum_of(const uint64_t *at, int64_t n)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum = sum * 3 + at[i];
    return sum;
}

static void fill(uint64_t pass)
{
    for (int64_t i = 0; i < words; i++)
        buffer[i] = pass * 1000003 + (uint64_t)i;
}

static void fill_second(uint64_t pass)
{
    for (int64_t i = 0; i < more_words; i++)
        second[i] = pass * 7919 + (uint64_t)i;
}

/* Changes a word of each part at least. */
static void change(struct plb_app *app, uint64_t pass, int64_t parts)
{
    int64_t apart = words / parts, n = (apart + 7) / 8;
    for (int64_t k = 0; k < parts; k++) {
        int64_t first = k * apart + ((int64_t)pass + k) % (apart - n + 1);
        for (int64_t i = first; i < first + n; i++)
            buffer[i] += pass * 1000003 + (uint64_t)k;
        plb_app_replace_part(app, BUFFER, (size_t)first * sizeof *buffer, (size_t)n * sizeof *buffer);
    }
    fill_second(pass);
    plb_app_replace(app, SECOND);
}

static void await_file(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("SPREAD_FOLDER"), name);
    while (access(path, F_OK) != 0)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void make_file(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("SPREAD_FOLDER"), name);
    FILE *file = fopen(path, "w");
    if (file != NULL)
        fclose(file);
}

/* Reads a buffer that others replace meanwhile. */
static void be_late(const uint64_t *at)
{
    static atomic_bool been;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *late = getenv("SPREAD_LATE");
    if (late == NULL || rank == NULL || strcmp(late, rank) != 0 || atomic_exchange(&been, true))
        return;
    int64_t right = 0;
    for (; right < words / 2 && at[right] == (uint64_t)right; right++)
        continue;
    await_file("second");
    for (; right < words && at[right] == (uint64_t)right; right++)
        continue;
    fprintf(stderr, "a late task has read %s\n", right == words ? "its buffer" : "another buffer");
    make_file("late");
}

static int run(const struct plb_task *task)
{
    uint64_t *to = task->data[OUT];
    wait_at_gate(task);
    words = (int64_t)(task->bytes[BUFFER] / sizeof *buffer);
    be_late(task->data[BUFFER]);
    uint64_t sum = sum_of(task->data[BUFFER], words)
                 + sum_of(task->data[SECOND], (int64_t)(task->bytes[SECOND] / sizeof *second));
    for (int64_t i = 0; i < task->count; i++)
        to[i] = sum;
    return 0;
}

static int setup(struct plb_app *app)
{
    units = plb_app_int(app, "units");
    words = plb_app_int(app, "bytes") / (int64_t)sizeof *buffer;
    buffer = plb_app_alloc_array(app, words, sizeof *buffer);
    out = plb_app_alloc_array(app, units, sizeof *out);
    more_words = plb_app_int(app, "second") / (int64_t)sizeof *second;
    second = plb_app_alloc_array(app, more_words, sizeof *second);
    fill(0);
    fill_second(0);
    plb_app_units(app, units);
    plb_app_data(app, &(struct plb_data){.name = "buffer",
                                         .mode = PLB_REPLICATE,
                                         .data = buffer,
                                         .bytes = (size_t)words * sizeof *buffer});
    plb_app_data(
        app, &(struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = out, .unit_bytes = sizeof *out});
    plb_app_data(app, &(struct plb_data){.name = "second",
                                         .mode = PLB_REPLICATE,
                                         .data = second,
                                         .bytes = (size_t)more_words * sizeof *second});
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    uint64_t sum = sum_of(buffer, words) + sum_of(second, more_words);
    for (int64_t i = 0; i < units; i++)
        if (out[i] != sum) {
            plb_app_error(app, "pass %" PRId64 ": unit %" PRId64 " has read another buffer", pass, i);
            return PLB_EVERIFY;
        }
    *again = pass + 1 < plb_app_int(app, "passes");
    for (int64_t i = 0; i < units; i++)
        out[i] = 0;
    if (plb_app_int(app, "parts") > 0) {
        change(app, (uint64_t)pass + 1, plb_app_int(app, "parts"));
    } else {
        fill((uint64_t)pass + 1);
        plb_app_replace(app, BUFFER);
    }
    strike_after(pass);
    if (pass == 1 && getenv("SPREAD_LATE") != NULL) {
        make_file("second");
        await_file("late");
    }
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "spread",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "passes whose replicated buffer is replaced",
    .options = options,
    .cpu = run,
#ifdef SPREAD_OPENCL /* test/opencl/spread.c */
    .opencl = SPREAD_OPENCL,
#endif
    .setup = setup,
    .next = next,
};
