/* One lock for all GPUs of the process. */
#include "gpu.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "plb/kernel.h"
#include "progress.h"

/* Lines that end with each number of programs, for each of them, before it is decided. More: a wrong number
 * is tried for longer. Fewer: chance decides, where lines differ. */
#define ENOUGH 4

/* A larger number of programs must do so many times as many lines. Larger: a gain is missed. Smaller: chance
 * decides, and each program takes memory. */
#define GAIN 1.1

#define MOST_GPUS 64

void command_level_add(struct command_level *l, double cost, double began, double ended, bool failed)
{
    int allowed = l->allowed > 0 ? l->allowed : 1;
    if (l->settled)
        return;
    l->allowed = allowed;
    if (failed && allowed > 1) {
        *l = (struct command_level){.allowed = allowed / 2, .settled = true};
        return;
    }
    if (failed)
        return;
    l->since = l->n == 0 || began < l->since ? began : l->since;
    l->work += cost;
    if (++l->n < ENOUGH * allowed)
        return;
    double rate = l->work / (ended - l->since);
    bool better = allowed == 1 || rate > GAIN * l->before;
    l->settled = !better || allowed == COMMAND_MOST_PER_GPU;
    l->allowed = !better ? allowed / 2 : l->settled ? allowed : 2 * allowed;
    l->before = rate;
    l->n = 0;
    l->work = 0.0;
}

struct gpu {
    char name[64]; /* "": none */
    struct command_level level;
    int running, changes; /* programs; times that the level has changed */
    int slots[COMMAND_MOST_PER_GPU], n_slots;
    int begun[COMMAND_MOST_PER_GPU];  /* by slot: changes when its program began */
    bool tried[COMMAND_MOST_PER_GPU]; /* then more than one program was tried */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static struct gpu gpus[MOST_GPUS];

/* The GPU of a task, and which of its slots this is. NULL: there are too many. */
static struct gpu *find(const struct plb_task *task, int *slot)
{
    for (int i = 0; i < MOST_GPUS; i++) {
        struct gpu *g = &gpus[i];
        if (g->name[0] == '\0')
            strncpy(g->name, task->gpu, sizeof g->name - 1);
        if (strcmp(g->name, task->gpu) != 0)
            continue;
        for (*slot = 0; *slot < g->n_slots && g->slots[*slot] != task->slot; ++*slot) {
        }
        if (*slot == COMMAND_MOST_PER_GPU)
            return NULL;
        if (*slot == g->n_slots)
            g->slots[g->n_slots++] = task->slot;
        return g;
    }
    return NULL;
}

static int allowed(const struct gpu *g)
{
    return g->level.allowed > 0 ? g->level.allowed : 1;
}

static bool is_needless(const struct gpu *g, int slot)
{
    return g != NULL && g->level.settled && slot >= allowed(g);
}

bool command_gpu_enter(struct command_progress *progress, bool *leaves)
{
    int slot;
    bool may = *leaves, wanted = command_progress_goes_on(progress);
    pthread_mutex_lock(&lock);
    struct gpu *g = find(progress->task, &slot);
    *leaves = may && is_needless(g, slot);
    while (g != NULL && wanted && !*leaves && g->running >= allowed(g)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(1e9 * COMMAND_LOOK);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&change, &lock, &until);
        *leaves = may && is_needless(g, slot);
        wanted = command_progress_goes_on(progress);
    }
    bool enters = !*leaves && wanted;
    if (enters && g != NULL) {
        g->running++;
        g->begun[slot] = g->changes;
        g->tried[slot] = allowed(g) > 1 && !g->level.settled;
    }
    pthread_mutex_unlock(&lock);
    return enters;
}

bool command_gpu_leave(const struct plb_task *task, double cost, double seconds, bool failed)
{
    int slot;
    bool again = false;
    pthread_mutex_lock(&lock);
    struct gpu *g = find(task, &slot);
    if (g != NULL) {
        int before = allowed(g);
        double now = command_seconds();
        again = failed && g->tried[slot];
        g->running--;
        if (g->begun[slot] == g->changes)
            command_level_add(&g->level, cost, now - seconds, now, failed);
        g->changes += allowed(g) != before;
        pthread_cond_broadcast(&change);
    }
    pthread_mutex_unlock(&lock);
    return again;
}
