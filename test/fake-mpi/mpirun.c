/* mpirun of the fake MPI: starts the ranks on this host, with the options that tests use, and does with them
 * what Open MPI's does: where one fails, the others are ended, unless --enable-recovery says otherwise;
 * SIGINT and SIGTERM end all, SIGUSR1 and SIGUSR2 are passed on. Where it is given anything else, it becomes
 * the real mpirun.
 *
 * Ranks write where mpirun would, and not through it. A start costs a tenth of that of Open MPI, which starts
 * a server for the ranks and looks at the machine in each. */
#include <errno.h>
#include <mpi.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shared.h"

#define MOST_VARIABLES 16
#define KILL_AFTER "OMPI_MCA_odls_base_sigkill_timeout" /* seconds between SIGTERM and SIGKILL; 1 */

struct program {
    int first, ranks, n_variables;
    char *variables[MOST_VARIABLES]; /* -x NAME=VALUE: of these ranks */
    char **command;
};

static struct program programs[MOST_RANKS];
static int n_programs, n_ranks, kill_after = 1;
static bool recovers;
static pid_t pids[MOST_RANKS];
static struct shared *all;

/* Takes a folder out of a list of folders in the environment. */
static void leave_out(const char *variable, const char *folder)
{
    const char *list = getenv(variable);
    char *rest = calloc(1, list != NULL ? strlen(list) + 1 : 1), *copy = strdup(list != NULL ? list : "");
    for (char *at = strtok(copy, ":"); at != NULL; at = strtok(NULL, ":"))
        if (strcmp(at, folder) != 0)
            strcat(strcat(rest, *rest != '\0' ? ":" : ""), at);
    if (*rest != '\0')
        setenv(variable, rest, 1);
    else
        unsetenv(variable);
    free(copy);
    free(rest);
}

static void become_the_real_one(char **argv)
{
    char folder[4096] = "";
    if (readlink("/proc/self/exe", folder, sizeof folder - 1) > 0)
        *strrchr(folder, '/') = '\0';
    leave_out("PATH", folder);
    leave_out("LD_LIBRARY_PATH", folder);
    execvp("mpirun", argv);
    perror("mpirun");
    exit(127);
}

/* Reads the options and the command of the programs from argv on. False where anything is unknown. */
static bool read_arguments(char **argv)
{
    bool unbound = false;
    for (char **a = argv + 1; *a != NULL;) {
        struct program p = {.first = n_ranks};
        for (; *a != NULL && **a == '-'; a++) {
            if (strcmp(*a, "--enable-recovery") == 0)
                recovers = true;
            else if (strcmp(*a, "--oversubscribe") == 0)
                continue;
            else if (a[1] == NULL)
                return false;
            else if (strcmp(*a, "--bind-to") == 0 && strcmp(*++a, "none") == 0)
                unbound = true;
            else if (strcmp(*a, "-np") == 0 && atoi(a[1]) > 0)
                p.ranks = atoi(*++a);
            else if (strcmp(*a, "-x") != 0)
                return false;
            else if (strchr(*++a, '=') != NULL && p.n_variables < MOST_VARIABLES) /* others go there anyway */
                p.variables[p.n_variables++] = *a;
        }
        if (*a == NULL || p.ranks == 0 || n_ranks + p.ranks > MOST_RANKS)
            return false;
        p.command = a;
        programs[n_programs++] = p;
        n_ranks += p.ranks;
        while (*a != NULL && strcmp(*a, ":") != 0)
            a++;
        if (*a != NULL)
            *a++ = NULL;
    }
    return n_programs > 0 && unbound;
}

static void set_number(const char *name, int value)
{
    char text[12];
    snprintf(text, sizeof text, "%d", value);
    setenv(name, text, 1);
}

static void run_rank(int rank, const struct program *p)
{
    int nothing = open("/dev/null", O_RDONLY);
    set_number("OMPI_COMM_WORLD_RANK", rank);
    set_number("OMPI_COMM_WORLD_LOCAL_RANK", rank);
    set_number("PMIX_RANK", rank);
    for (int i = 0; i < p->n_variables; i++)
        putenv(p->variables[i]);
    if (rank > 0)
        dup2(nothing, STDIN_FILENO);
    close(nothing);
    execvp(p->command[0], p->command);
    fprintf(stderr, "mpirun cannot start %s: %s\n", p->command[0], strerror(errno));
    _exit(127);
}

static void start_all(const sigset_t *before)
{
    size_t bytes = sizeof *all + (size_t)(n_ranks * n_ranks) * sizeof *all->rings;
    int memory = memfd_create("fake-mpi", 0);
    if (memory < 0 || ftruncate(memory, (off_t)bytes) != 0)
        perror("mpirun"), exit(1);
    all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    all->aborted = -1;
    set_number(FAKE_MPI, memory);
    set_number("OMPI_COMM_WORLD_SIZE", n_ranks);
    if (recovers)
        setenv("OMPI_MCA_orte_enable_recovery", "1", 1);
    for (int p = 0; p < n_programs; p++)
        for (int i = 0; i < programs[p].ranks; i++) {
            int rank = programs[p].first + i;
            pids[rank] = fork();
            if (pids[rank] == 0) {
                setpgid(0, 0);
                sigprocmask(SIG_SETMASK, before, NULL);
                run_rank(rank, &programs[p]);
            }
            setpgid(pids[rank], pids[rank]);
        }
    close(memory);
}

/* To the ranks, and for the end to what they have started too. */
static void signal_all(int signal, bool groups)
{
    for (int r = 0; r < n_ranks; r++)
        if (pids[r] > 0)
            kill(groups ? -pids[r] : pids[r], signal);
}

/* The status of the job after rank r has ended so: the first failure's, or what it was. With
 * --enable-recovery nothing counts as a failure but MPI_Abort. */
static int after_end(int r, int how, int status, bool *ends_all)
{
    bool improper = all->begun[r] && !all->finalized[r];
    int own = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    *ends_all |= all->aborted >= 0 || (!recovers && (own != 0 || improper));
    if (WIFSIGNALED(how) && status == 0)
        fprintf(stderr, "mpirun: rank %d was ended by signal %d\n", r, WTERMSIG(how));
    return status != 0 || (recovers && all->aborted < 0) ? status : own;
}

int main(int argc, char **argv)
{
    sigset_t heard, before;
    int left, status = 0, signal = 0;
    bool ending = false, killed = false;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("mpirun (Open MPI) %d.%d, the fake of the tests\n", OMPI_MAJOR_VERSION,
                      OMPI_MINOR_VERSION)
             < 0;
    char **given = malloc((size_t)(argc + 1) * sizeof *given);
    memcpy(given, argv, (size_t)(argc + 1) * sizeof *given);
    if (!read_arguments(argv))
        become_the_real_one(given);
    free(given);
    if (getenv(KILL_AFTER) != NULL)
        kill_after = atoi(getenv(KILL_AFTER));
    sigemptyset(&heard);
    for (const int *s = (const int[]){SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, 0}; *s != 0; s++)
        sigaddset(&heard, *s);
    sigprocmask(SIG_BLOCK, &heard, &before);
    start_all(&before);
    for (left = n_ranks; left > 0;) {
        struct timespec patience = {ending && !killed ? kill_after : 3600, 0};
        bool ends_all = false;
        int s = sigtimedwait(&heard, NULL, &patience), how;
        if (s < 0 && errno == EAGAIN && ending && !killed) {
            signal_all(SIGKILL, true);
            killed = true;
        }
        if (s == SIGUSR1 || s == SIGUSR2)
            signal_all(s, false);
        if (s == SIGINT || s == SIGTERM || s == SIGHUP) {
            signal = signal == 0 ? s : signal;
            ends_all = true;
        }
        for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
            for (int r = 0; r < n_ranks; r++)
                if (pids[r] == pid) {
                    pids[r] = 0;
                    left--;
                    status = after_end(r, how, status, &ends_all);
                }
        if (ends_all && !ending) {
            signal_all(SIGCONT, true);
            signal_all(SIGTERM, true);
            ending = true;
        }
    }
    return status == 0 && signal != 0 ? 128 + signal : status;
}
