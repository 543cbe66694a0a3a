/* Rank 0 describes its files to all, and each rank of its host opens them. */
#include "inputs/share_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mapped.h"
#include "inputs/host_file.h"

/* Memory of a buffer: so many bytes of a file. */
struct offer {
    struct plb_host_file file; /* fd < 0: it is not offered */
    int64_t at;
    size_t bytes;
    bool huge; /* its pages are, but the last */
};

/* Whether results of a pass may become this input: no other change of an input is allowed. */
static bool may_be_fed(const struct plb_dataset *set, int i)
{
    if (set->kernel->next == NULL || set->at[i].mode != PLB_PARTITION)
        return false;
    for (int k = 0; k < set->n; k++)
        if (set->at[k].mode == PLB_OUTPUT && set->at[k].unit_bytes == set->at[i].unit_bytes)
            return true;
    return false;
}

static bool is_offered(const struct plb_dataset *set, int i, bool results)
{
    if (plb_data_is_partitioned(&set->at[i]))
        return !may_be_fed(set, i);
    return results && set->at[i].mode == PLB_OUTPUT && plb_dataset_may_store(set, i, true);
}

static void describe(const struct plb_dataset *set, int i, const struct plb_app *app, bool results,
                     struct offer *offer)
{
    size_t first;
    const struct plb_owned *memory = plb_app_mapped(app, set->host[i]);
    *offer = (struct offer){.file.fd = -1};
    if (memory == NULL || !is_offered(set, i, results))
        return;
    plb_dataset_bytes(set, i, (struct plb_range){0, set->units}, &first, &offer->bytes);
    offer->bytes += first; /* offsets of an indexed buffer may begin later */
    offer->at = (const char *)set->host[i] - (const char *)memory->data;
    offer->huge = memory->huge;
    if (offer->bytes > 0 && (size_t)offer->at + offer->bytes <= memory->bytes)
        plb_host_file_offer(memory->fd, &offer->file);
}

/* An output of rank 0's. With small pages, to map it costs more page faults than it saves: results came to 4
 * GB/s there, and to 13 by pwrite. With huge ones they came to 37. */
static bool take_result(struct plb_dataset *set, int i, const struct offer *offer, int fd)
{
    set->stored |= PLB_BUFFER(i);
    set->fd[i] = fd;
    set->file_at[i] = offer->at;
    if (offer->huge)
        set->target[i] = plb_map("an output that ranks share with rank 0", fd, offer->at, offer->bytes, true);
    set->mapped[i] = set->target[i] != NULL ? offer->bytes : 0;
    return true;
}

/* True where this rank has the buffer then. */
static bool take(struct plb_dataset *set, int i, const struct offer *offer)
{
    bool result = set->at[i].mode == PLB_OUTPUT;
    int fd = plb_host_file_open(&offer->file, result ? O_RDWR : O_RDONLY);
    if (fd < 0)
        return false;
    if (result)
        return take_result(set, i, offer, fd);
    set->host[i] = plb_map("an input that ranks share with rank 0", fd, offer->at, offer->bytes, false);
    close(fd);
    set->mapped[i] = set->host[i] != NULL ? offer->bytes : 0;
    set->whole |= set->host[i] != NULL ? PLB_BUFFER(i) : 0;
    return set->host[i] != NULL;
}

void plb_memory_share(struct plb_dataset *set, const struct plb_app *app, bool results, struct plb_mpi *mpi)
{
    struct offer offers[PLB_MAX_DATA];
    int n = 0, taken = 0, huge = 0, mapped = 0;
    if (app != NULL)
        for (int i = 0; i < set->n; i++) {
            describe(set, i, app, results, &offers[i]);
            n += offers[i].file.fd >= 0;
        }
    plb_mpi_broadcast(mpi, &n, sizeof n);
    if (n == 0)
        return;
    plb_mpi_broadcast(mpi, offers, (size_t)set->n * sizeof *offers);
    for (int i = 0; i < set->n && app == NULL && plb_mpi_first_of_host(mpi) == 1; i++)
        if (offers[i].file.fd >= 0)
            taken += take(set, i, &offers[i]);
    for (int i = 0; i < set->n; i++) {
        huge += offers[i].file.fd >= 0 && offers[i].huge;
        mapped += set->target[i] != NULL;
    }
    plb_log(PLB_LOG_DEBUG, "%d of %d buffers are in memory of rank 0, with huge pages %d; results mapped: %d",
            taken, n, huge, mapped);
}

void plb_memory_share_end(struct plb_dataset *set)
{
    for (int i = 0; i < set->n; i++)
        if (!set->on_rank0 && set->file[i] == 0 && (set->stored & PLB_BUFFER(i)) != 0) {
            plb_unmap(set->target[i], set->mapped[i]);
            set->target[i] = NULL;
            set->mapped[i] = 0;
            close(set->fd[i]);
        }
}
