/* Rank 0 describes each file by its path and its look, and every other rank tries to open it.
 *
 * A result may be stored only by ranks that have the kernel of rank 0's system in common, or whose parts
 * share no page with those of others: an NFS client writes whole pages. Such a rank opens the file so that
 * each write is on the server's disk before its DONE; otherwise the loss of its node would lose it.
 *
 * Weak at: two files of the same length, time and 16 pages are taken for the same one. */
#include "inputs/share_files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mapped.h"
#include "base/memory.h"

#define BOOT 40 /* characters of the name that a system gives itself when it starts */

/* A file, as rank 0 describes it. */
struct offer {
    char path[PATH_MAX];
    bool result;
    int64_t at;
    size_t bytes;
    struct plb_file_look look;
};

static void name_boot(char name[BOOT])
{
    memset(name, 0, BOOT);
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file == NULL)
        return;
    if (fgets(name, BOOT, file) == NULL)
        name[0] = '\0';
    fclose(file);
}

static void describe(const struct plb_data_memory *file, struct offer *offer)
{
    *offer = (struct offer){.result = file->result, .at = file->at, .bytes = file->bytes, .look = file->look};
    if (strlen(file->path) < sizeof offer->path)
        strcpy(offer->path, file->path); /* an empty one is found by nobody */
}

/* Maps an input that looks as it does on rank 0. */
static void open_input(struct plb_near_files *near, int i, const struct offer *offer)
{
    struct plb_file_look look;
    int fd = open(offer->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    if (plb_file_look(fd, &look) && plb_file_looks_same(&look, &offer->look))
        near->at[i].data = plb_map(offer->path, fd, offer->at, offer->bytes, false);
    near->at[i].bytes = offer->bytes;
    close(fd);
}

/* Opens a result. Its name has 64 random bits, so that a file of this name is the same one. */
static void open_result(struct plb_near_files *near, int i, const struct offer *offer, bool same_system)
{
    struct stat info;
    int fd = open(offer->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | (same_system ? 0 : O_DSYNC));
    bool right = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)
              && info.st_size == offer->at + (int64_t)offer->bytes;
    if (right)
        near->at[i].fd = fd;
    else if (fd >= 0)
        close(fd);
}

/* The buffers that this rank has, as a mask. Replicated ones are in place where every rank has them: the
 * others are broadcast. Collective. */
static int64_t take(struct plb_near_files *near, struct plb_dataset *set, bool same_system,
                    struct plb_mpi *mpi)
{
    int64_t has = 0;
    for (int i = 0; i < set->n; i++) {
        int file = set->file[i] - 1;
        if (file < 0)
            continue;
        char *data = set->on_rank0 ? set->host[i] : near->at[file].data;
        bool there = data != NULL || (near->at[file].fd > 0 && plb_dataset_may_store(set, i, same_system));
        if (set->at[i].mode == PLB_REPLICATE)
            there = plb_mpi_max(mpi, !there) == 0;
        has |= there ? PLB_BUFFER(i) : 0;
        if (there && set->at[i].mode == PLB_REPLICATE) /* rank 0 sends it to nobody */
            set->whole |= PLB_BUFFER(i);
        if (!there || set->on_rank0)
            continue;
        if (set->at[i].mode == PLB_OUTPUT) {
            set->stored |= PLB_BUFFER(i);
            set->fd[i] = near->at[file].fd;
        } else {
            set->whole |= PLB_BUFFER(i);
            set->host[i] = data + set->file_in[i];
        }
    }
    return has;
}

/* One line for each host, and for ranks of it that differ. */
static void tell(const struct plb_dataset *set, const char *host, int64_t has, struct plb_mpi *mpi)
{
    struct member {
        char host[64];
        int64_t has;
    } self = {.has = has}, *all;
    size_t bytes;
    snprintf(self.host, sizeof self.host, "%s", host);
    all = plb_mpi_gather(mpi, &self, sizeof self, &bytes);
    if (all != NULL)
        for (int r = 1; r < plb_mpi_started(mpi); r++) {
            char text[500] = "";
            bool said = false;
            for (int k = 1; k < r; k++)
                said |= all[k].has == all[r].has && strcmp(all[k].host, all[r].host) == 0;
            for (int i = 0, n = 0; i < set->n && n < (int)sizeof text - 100; i++)
                if (set->file[i] > 0)
                    n += snprintf(text + n, 100, "%s%.40s %s", n > 0 ? ", " : "", set->at[i].name,
                                  all[r].has & PLB_BUFFER(i) ? "itself" : "through rank 0");
            if (!said)
                plb_log(PLB_LOG_INFO, "rank %d on %s reads and writes files: %s", r, all[r].host, text);
        }
    free(all);
}

void plb_files_share(struct plb_near_files *near, struct plb_dataset *set, const struct plb_app *app,
                     const char *host, struct plb_mpi *mpi)
{
    char boot[BOOT], first_boot[BOOT];
    name_boot(boot);
    memcpy(first_boot, boot, sizeof boot);
    near->n = app != NULL ? app->files.n : 0;
    plb_mpi_broadcast(mpi, &near->n, sizeof near->n);
    if (near->n == 0 || plb_mpi_started(mpi) == 1)
        return;
    plb_mpi_broadcast(mpi, first_boot, sizeof first_boot);
    bool same_system = boot[0] != '\0' && strcmp(boot, first_boot) == 0;
    struct offer *offer = plb_alloc(sizeof *offer);
    for (int i = 0; i < near->n; i++) {
        if (app != NULL)
            describe(&app->files.at[i], offer);
        plb_mpi_broadcast(mpi, offer, sizeof *offer);
        if (app == NULL && offer->result)
            open_result(near, i, offer, same_system);
        else if (app == NULL)
            open_input(near, i, offer);
    }
    free(offer);
    tell(set, host, take(near, set, same_system, mpi), mpi);
}

void plb_near_files_fini(struct plb_near_files *near)
{
    for (int i = 0; i < near->n; i++) {
        plb_unmap(near->at[i].data, near->at[i].bytes);
        if (near->at[i].fd > 0)
            close(near->at[i].fd);
    }
    near->n = 0;
}
