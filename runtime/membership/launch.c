/* A table of launchers, the innermost first: mpirun inside a job of Slurm counts, and not Slurm.
 *
 * In a script of sbatch or a shell of salloc SLURM_NTASKS and SLURM_PROCID are set too, and plbrun is started
 * once, on purpose. Only a step of srun has SLURM_STEP_NUM_TASKS, and with it the number of processes. */
#include "membership/launch.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"

/* Set by scripts/plbrun-mpirun. */
#define STATUS_FILE "PLB_STATUS_FILE"

static const struct {
    const char *size, *rank; /* variables */
    const char *launcher, *remedy;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpirun",
     "start it with the mpirun of the MPI that plbrun is built with"},
    {"PMI_SIZE", "PMI_RANK", "a launcher of MPICH's kind",
     "start it with the mpirun of the MPI that plbrun is built with"},
    {NULL, "PMIX_RANK", NULL, NULL},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun",
     "start it with srun --mpi=pmix (srun --mpi=list shows what there is), or with mpirun"},
    {"FLUX_JOB_SIZE", "FLUX_TASK_RANK", "flux run", "start it with flux run -o mpi=..., or with mpirun"},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

struct plb_launch plb_launch_read(void)
{
    struct plb_launch launch = {.rank = -1, .processes = 1};
    for (int i = 0; i < LAUNCHERS; i++) {
        const char *rank = getenv(launchers[i].rank);
        const char *size = launchers[i].size != NULL ? getenv(launchers[i].size) : NULL;
        if (rank != NULL && launch.rank < 0)
            launch.rank = atoi(rank);
        if (size == NULL || launch.variable != NULL)
            continue;
        launch.processes = atoi(size);
        launch.launcher = launchers[i].launcher;
        launch.variable = launchers[i].size;
        launch.remedy = launchers[i].remedy;
    }
    return launch;
}

double plb_launch_time_left(void)
{
    const char *end = getenv("SLURM_JOB_END_TIME"); /* seconds since 1970 */
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double left = end != NULL ? strtod(end, NULL) - (double)now.tv_sec - 1e-9 * (double)now.tv_nsec : 0.0;
    return left > 0.0 ? left : INFINITY;
}

int plb_launch_check(const struct plb_launch *launch, int ranks, struct plb_error *err)
{
    if (ranks > 1 || launch->processes <= 1)
        return PLB_OK;
    if (launch->rank > 0)
        return plb_fail(err, PLB_EINPUT, "%s", ""); /* rank 0 tells */
    return plb_fail(
        err, PLB_EINPUT,
        "%s has started %d processes (%s=%d), but MPI sees one rank, so each would run the whole job "
        "into the same files; %s; to run it once on purpose, unset %s",
        launch->launcher, launch->processes, launch->variable, launch->processes, launch->remedy,
        launch->variable);
}

/* Variables and their values with which launchers tell that they go on where they lose a process. NULL: any
 * value. MPICH's mpirun does not go on. */
static const struct {
    const char *name, *value;
} surviving[] = {
    {"OMPI_MCA_orte_enable_recovery", "1"}, /* Open MPI 4: mpirun --enable-recovery */
    {"OMPI_MCA_mpi_ft_enable", "1"},        /* Open MPI 5: mpirun --with-ft ulfm */
};

bool plb_launch_survives(void)
{
    bool found = false;
    for (size_t i = 0; i < sizeof surviving / sizeof *surviving; i++) {
        const char *value = getenv(surviving[i].name);
        found |= value != NULL && (surviving[i].value == NULL || strcmp(value, surviving[i].value) == 0);
    }
    return found;
}

static const char *remedy(void)
{
    return getenv(STATUS_FILE) != NULL
             ? "this MPI's mpirun then ends all ranks; that of Open MPI continues"
             : "if it is started with plbrun-mpirun instead of mpirun, it continues with the other ranks";
}

void plb_launch_say_fragile(bool several_hosts)
{
    if (!plb_launch_survives())
        plb_log(several_hosts ? PLB_LOG_WARNING : PLB_LOG_INFO, "the loss of one rank may end this job; %s",
                remedy());
}

void plb_launch_say_lost(bool survives)
{
    if (!survives)
        plb_log(PLB_LOG_WARNING, "mpirun may end this job now, since a rank is lost; %s", remedy());
}

/* A mark that cannot be left is not worth a word: the status will not be heard either, and that is told. */
void plb_launch_begin(void)
{
    const char *path = getenv(STATUS_FILE);
    char *mark = NULL;
    int fd = -1;
    if (path != NULL && asprintf(&mark, "%s.begun", path) >= 0)
        fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0)
        close(fd);
    free(mark);
}

static void tell(const char *path, const char *status, const char *others)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_file file;
    if (plb_file_create(&file, path, &err) == PLB_OK) {
        fprintf(file.stream, "%s%s\n", status, others);
        plb_file_commit(&file, &err);
    }
    if (err.status != PLB_OK)
        plb_log(PLB_LOG_WARNING, "the exit status %s cannot be passed to plbrun-mpirun: %s", status,
                err.text);
}

void plb_launch_tell(int status, bool in_order)
{
    const char *path = getenv(STATUS_FILE);
    char text[20];
    snprintf(text, sizeof text, "%d", status);
    if (path != NULL)
        tell(path, text, in_order ? "" : " without others");
}

void plb_launch_tell_lost(void)
{
    const char *path = getenv(STATUS_FILE);
    if (path != NULL && access(path, F_OK) != 0)
        tell(path, "lost", " without others");
}
