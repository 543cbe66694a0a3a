/* A pidfd for each: it becomes readable when the process ends. Until it is opened, the process may end and
 * its number be used again, so ranks also tell when they have started. */
#include "membership/neighbours.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "host/process.h"

/* A process, as its rank knows it. */
struct self {
    int rank, pid;
    long long started;
    long long space; /* the PID name space in which that is its number; 0: not known */
};

struct plb_neighbours {
    struct plb_mpi *mpi;
    int n;
    int *ranks, *pids;
    struct pollfd *at;
};

static struct self find_self(int rank)
{
    struct stat info;
    struct self self = {.rank = rank, .pid = (int)getpid()};
    self.started = plb_process_started(self.pid);
    if (stat("/proc/self/ns/pid", &info) == 0)
        self.space = (long long)info.st_ino;
    return self;
}

static int open_process(const struct self *process, const struct self *self)
{
    if (process->space == 0 || process->space != self->space)
        return -1;
    return plb_process_open(process->pid, process->started);
}

struct plb_neighbours *plb_neighbours_new(struct plb_mpi *mpi)
{
    int rank, size;
    plb_mpi_local(mpi, &rank, &size);
    struct plb_neighbours *n = plb_alloc(sizeof *n);
    n->mpi = mpi;
    struct self self = find_self(plb_mpi_rank(mpi)), *all = plb_alloc((size_t)size * sizeof *all);
    n->ranks = plb_alloc((size_t)size * sizeof *n->ranks);
    n->pids = plb_alloc((size_t)size * sizeof *n->pids);
    n->at = plb_alloc((size_t)size * sizeof *n->at);
    plb_mpi_local_gather(mpi, &self, sizeof self, all);
    for (int i = 0; i < size; i++) {
        int fd = i != rank ? open_process(&all[i], &self) : -1;
        if (fd < 0)
            continue;
        n->ranks[n->n] = all[i].rank;
        n->pids[n->n] = all[i].pid;
        n->at[n->n++] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    free(all);
    return n;
}

void plb_neighbours_free(struct plb_neighbours *n)
{
    if (n == NULL)
        return;
    for (int i = 0; i < n->n; i++)
        if (n->at[i].fd >= 0)
            close(n->at[i].fd);
    free(n->at);
    free(n->ranks);
    free(n->pids);
    free(n);
}

int plb_neighbours_ended(struct plb_neighbours *n)
{
    if (n->n == 0 || poll(n->at, (nfds_t)n->n, 0) <= 0)
        return plb_mpi_failed(n->mpi);
    for (int i = 0; i < n->n; i++) {
        if ((n->at[i].revents & POLLIN) == 0)
            continue;
        close(n->at[i].fd);
        n->at[i].fd = -1; /* poll passes over it */
        return n->ranks[i];
    }
    return -1;
}

/* The number of a process is its own until its pidfd was read as ended. */
bool plb_neighbours_runs(const struct plb_neighbours *n, int rank)
{
    for (int i = 0; i < n->n; i++)
        if (n->ranks[i] == rank && n->at[i].fd >= 0) {
            char state = plb_process_state(n->pids[i]);
            return state == 'R' || state == 'S' || state == 'D' || state == 't'; /* t: a debugger holds it */
        }
    return false;
}

void plb_neighbours_kill(struct plb_neighbours *n, int rank)
{
    for (int i = 0; i < n->n; i++)
        if (n->ranks[i] == rank && n->at[i].fd >= 0)
            syscall(SYS_pidfd_send_signal, n->at[i].fd, SIGKILL, NULL, 0);
}

void plb_neighbours_see_off(struct plb_neighbours *n, int rank, double seconds)
{
    double until = plb_now() + seconds;
    for (int i = 0; i < n->n; i++) {
        int ms = (int)(1e3 * fmax(until - plb_now(), 0.0));
        if (n->ranks[i] > rank && n->at[i].fd >= 0 && poll(&n->at[i], 1, ms) == 0)
            plb_neighbours_kill(n, n->ranks[i]);
    }
}
