/* Finds races: the threads of a rank take naps at random, where another thread or rank may come first: before
 * a lock and behind it, at signals to who waits, and at calls of MPI, of sockets and files. Preloaded.
 *
 * PLB_NAPS=SEED:CHANCE:MEAN: at each such place a nap has this chance, and naps last MEAN seconds on average,
 * few of them far longer. The seed, the rank and the number of the thread say which naps a thread takes; so a
 * seed that has found something finds it again more often than others.
 * PLB_NAPS_DEATH=RANK:N: the rank kills itself at the N-th place behind its first look for messages.
 *
 * Libraries of the system take no naps: nobody here can mend them. A rank says on stderr that it may. */
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double chance, mean;
static unsigned long seed;
static int rank = -1;
static long death; /* at which place; 0: nowhere */
static atomic_bool looks;

__attribute__((constructor)) static void begin(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *wanted = getenv("PLB_NAPS"), *dies = getenv("PLB_NAPS_DEATH");
    int victim;
    long at;
    for (int i = 0; i < 3 && rank < 0; i++)
        if (getenv(variables[i]) != NULL)
            rank = atoi(getenv(variables[i]));
    if (strcmp(program_invocation_short_name, "plbrun") != 0) /* what it starts, or who starts it */
        return;
    if (wanted != NULL && sscanf(wanted, "%lu:%lf:%lf", &seed, &chance, &mean) == 3)
        fprintf(stderr, "rank %d may take naps\n", rank);
    if (dies != NULL && sscanf(dies, "%d:%ld", &victim, &at) == 2 && victim == rank)
        death = at;
}

static bool is_ours(void *caller)
{
    Dl_info who;
    return dladdr(caller, &who) != 0 && strncmp(who.dli_fname, "/usr/", 5) != 0
        && strncmp(who.dli_fname, "/lib", 4) != 0;
}

static void seed_dice(unsigned short dice[3])
{
    static atomic_ulong threads;
    uint64_t x = seed * 1000003 + (uint64_t)(rank + 1) * 1009 + atomic_fetch_add(&threads, 1);
    for (int i = 0; i < 3; i++) { /* splitmix64 */
        x += 0x9e3779b97f4a7c15;
        uint64_t z = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        dice[i] = (unsigned short)(z >> 40);
    }
}

static void nap(void *caller, int times)
{
    static atomic_long places;
    static _Thread_local unsigned short dice[3];
    static _Thread_local bool seeded;
    if (death > 0 && atomic_load(&looks) && is_ours(caller) && atomic_fetch_add(&places, 1) + 1 == death)
        kill(getpid(), SIGKILL);
    if (chance == 0)
        return;
    if (!seeded)
        seed_dice(dice);
    seeded = true;
    if (erand48(dice) >= times * chance || !is_ours(caller))
        return;
    const int error = errno;
    double means = erand48(dice);
    while (erand48(dice) < 0.5)
        means++;
    const long ns = (long)(means / 1.5 * mean * 1e9);
    nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
    errno = error;
}

/* The function behind ours. Without its version the oldest one may be found, which has another struct. */
static void *behind(const char *name)
{
    void *function = strncmp(name, "pthread_cond", 12) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    return function != NULL ? function : dlsym(RTLD_NEXT, name);
}

/* A function with a nap before or behind it, or both: so many times as often as at a lock, since it is called
 * far less often. */
#define NAPS(times, before, after, type, name, parameters, arguments) \
    type name parameters \
    { \
        static void *_Atomic found; \
        type(*real) parameters; \
        if (atomic_load(&found) == NULL) \
            atomic_store(&found, behind(#name)); \
        *(void **)&real = atomic_load(&found); \
        if (before) \
            nap(__builtin_return_address(0), times); \
        const type result = real arguments; \
        if (after) \
            nap(__builtin_return_address(0), times); \
        return result; \
    }

NAPS(1, 1, 0, int, pthread_mutex_lock, (pthread_mutex_t * m), (m))
NAPS(1, 0, 1, int, pthread_mutex_unlock, (pthread_mutex_t * m), (m))
NAPS(4, 1, 1, int, pthread_cond_signal, (pthread_cond_t * c), (c))
NAPS(4, 1, 1, int, pthread_cond_broadcast, (pthread_cond_t * c), (c))
NAPS(10, 1, 0, int, poll, (struct pollfd * p, nfds_t n, int ms), (p, n, ms))
NAPS(10, 1, 1, ssize_t, send, (int to, const void *data, size_t n, int flags), (to, data, n, flags))
NAPS(10, 1, 0, ssize_t, recv, (int from, void *data, size_t n, int flags), (from, data, n, flags))
NAPS(10, 1, 1, int, fdatasync, (int fd), (fd))
NAPS(10, 1, 1, int, rename, (const char *from, const char *to), (from, to))
NAPS(10, 1, 1, int, MPI_Isend,
     (const void *data, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm, MPI_Request *r),
     (data, n, t, to, tag, comm, r))
NAPS(10, 1, 1, int, MPI_Irecv,
     (void *data, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Request *r),
     (data, n, t, from, tag, comm, r))
NAPS(10, 1, 1, int, MPI_Test, (MPI_Request * r, int *done, MPI_Status *s), (r, done, s))
NAPS(10, 1, 1, int, MPI_Testsome, (int n, MPI_Request r[], int *m, int at[], MPI_Status s[]),
     (n, r, m, at, s))
NAPS(1, (atomic_store(&looks, true), 1), 1, int, MPI_Iprobe,
     (int from, int tag, MPI_Comm comm, int *there, MPI_Status *s), (from, tag, comm, there, s))
