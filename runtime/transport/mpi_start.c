/* MPI_Init, with variables for it that nobody else is to see. One that the user has set stays as it is. */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "transport/mpi_inside.h"

struct variable {
    const char *name, *value;
};

/* hwloc inside of MPI would open OpenCL, CUDA, other GPUs and X, which takes time and brings libraries that
 * take signals. MPI needs none of it. */
static const struct variable always = {"HWLOC_COMPONENTS", "-opencl,-cuda,-nvml,-rsmi,-levelzero,-gl"};

/* A process that no launcher has started is alone. Open MPI would start a daemon for it, which could start
 * others, and look for networks: that takes 0.5 s instead of 0.1 s. */
static const struct variable alone[] = {
    {"OMPI_MCA_ess_singleton_isolated", "1"},
    {"OMPI_MCA_orte_create_session_dirs", "0"}, /* all of them would share one */
    {"OMPI_MCA_pml", "ob1"},
    {"OMPI_MCA_btl", "self"}};

enum { N_ALONE = sizeof alone / sizeof *alone };

/* Whether a launcher has left something in the environment: any of them, since ranks of a run that are taken
 * for alone find no way to each other. */
static bool is_launched(void)
{
    static const char *const of_launchers[] = {"PMIX_",          "PMI_",          "OMPI_COMM_WORLD_",
                                               "OMPI_UNIVERSE_", "OMPI_MCA_ess=", "PRTE_",
                                               "HYDRA_",         "MPIR_CVAR_",    "FLUX_",
                                               "SLURM_STEP",     "ALPS_",         "PALS_",
                                               "JSM_NAMESPACE"};
    for (char **e = environ; *e != NULL; e++)
        for (size_t i = 0; i < sizeof of_launchers / sizeof *of_launchers; i++)
            if (strncmp(*e, of_launchers[i], strlen(of_launchers[i])) == 0)
                return true;
    return false;
}

/* Seconds after which a start is said to be slow: a rank that ends inside of it may keep all others there,
 * and they can say nothing else. Larger: users wait longer for the sentence. Smaller: large jobs read it. */
#define SLOW_START 30

/* Who says so. The lock is held by who starts MPI, until it has. */
static void *say_slow(void *started)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SLOW_START;
    if (pthread_mutex_timedlock(started, &until) == ETIMEDOUT)
        plb_log(
            PLB_LOG_WARNING,
            "MPI has not started within %d s; if a rank has ended meanwhile, the others wait until mpirun "
            "is ended",
            SLOW_START);
    else
        pthread_mutex_unlock(started);
    return NULL;
}

/* MPI_Init_thread, watched where other ranks start, too. */
static int start(int *argc, char ***argv, bool launched)
{
    pthread_mutex_t started = PTHREAD_MUTEX_INITIALIZER;
    pthread_t watch;
    sigset_t all, before;
    int provided;
    pthread_mutex_lock(&started);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool watched = launched && pthread_create(&watch, NULL, say_slow, &started) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    pthread_mutex_unlock(&started);
    if (watched)
        pthread_join(watch, NULL);
    return provided;
}

static bool set(const struct variable *v)
{
    bool ours = getenv(v->name) == NULL;
    if (ours)
        setenv(v->name, v->value, 1);
    return ours;
}

int plb_mpi_start(int *argc, char ***argv)
{
    bool launched = is_launched();
    int n = launched ? 0 : N_ALONE;
    bool ours[N_ALONE] = {false}, hwloc = set(&always);
    for (int i = 0; i < n; i++)
        ours[i] = set(&alone[i]);
    int provided = start(argc, argv, launched);
    if (hwloc) /* they are not for programs that this one starts */
        unsetenv(always.name);
    for (int i = 0; i < n; i++)
        if (ours[i])
            unsetenv(alone[i].name);
    return provided;
}
