/* The first rank makes the file, and the others open it. */
#include "inputs/host_copy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mapped.h"
#include "base/memory.h"
#include "inputs/host_file.h"

static struct plb_host_file make(size_t bytes)
{
    int fd = memfd_create("plbrun", MFD_CLOEXEC);
    struct plb_host_file file;
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && plb_host_file_offer(fd, &file))
        return file;
    if (fd >= 0)
        close(fd);
    return (struct plb_host_file){.fd = -1};
}

static void *map(int fd, size_t bytes, bool writes)
{
    void *at = fd < 0 ? MAP_FAILED
                      : mmap(NULL, bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
    return at != MAP_FAILED ? at : NULL;
}

void *plb_host_copy_new(size_t bytes, struct plb_mpi *mpi, bool *shared)
{
    int rank, size, first = plb_mpi_first_of_host(mpi);
    plb_mpi_local(mpi, &rank, &size);
    *shared = plb_mpi_max(mpi, size - first > 1) == 1;
    if (!*shared)
        return NULL;
    struct plb_host_file none = {.fd = -1}, *all = plb_alloc((size_t)size * sizeof *all);
    struct plb_host_file own = rank == first ? make(bytes) : none;
    plb_mpi_local_gather(mpi, &own, sizeof own, all);
    int fd = rank == first ? own.fd : rank > first ? plb_host_file_open(&all[first], O_RDONLY) : -1;
    void *copy = map(fd, bytes, rank == first);
    free(all);
    *shared = plb_mpi_max(mpi, rank >= first && copy == NULL) == 0; /* all have it open by then */
    if (fd >= 0)
        close(fd);
    if (!*shared) {
        plb_unmap(copy, bytes);
        copy = NULL;
    }
    return copy;
}

void plb_host_copy_seal(void *copy, size_t bytes)
{
    mprotect(copy, bytes, PROT_READ);
}
