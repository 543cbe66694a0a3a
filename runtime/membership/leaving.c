/* An alarm. Its handler makes only calls that a handler may make: poll, kill by pidfd, _exit. */
#include "membership/leaving.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"

/* A handler knows no more than these. */
static volatile sig_atomic_t last_status;
static struct plb_life *volatile last_life;

static void end_process(int number)
{
    static const char line[] =
        "plbrun: warning: MPI_Finalize does not return, so this rank ends without it\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
    (void)written; /* whoever does not read it does not miss it */
    if (last_life != NULL)
        plb_life_see_off(last_life); /* NOLINT(bugprone-signal-handler): see above which calls it makes */
    _exit(last_status);
}

bool plb_leave_mpi(struct plb_mpi *mpi, struct plb_life *life, int status)
{
    double seconds = life != NULL ? plb_life_farewell(life) : PLB_FAREWELL;
    fflush(stdout); /* the handler cannot */
    last_status = status;
    last_life = life;
    signal(SIGALRM, end_process);
    alarm((unsigned)(2.0 * seconds)); /* as long to leave as to meet */
    bool left = plb_mpi_close(mpi, seconds);
    alarm(0);
    if (!left)
        plb_log_here(PLB_LOG_WARNING,
                     "not all ranks reached the end of MPI within %g s; this one ends without them", seconds);
    if (left && life != NULL)
        plb_life_see_off(life);
    if (left)
        plb_life_free(life);
    return left;
}
