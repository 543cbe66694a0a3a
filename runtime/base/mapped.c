/* mmap, and a list of it. */
#include "base/mapped.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

/* Files whose names are known to plb_mapped_path: more than a job has. Larger: a handler looks longer. */
#define MOST 64

struct mapped {
    atomic_uintptr_t begin, end; /* 0, 0: the entry is free */
    _Atomic(char *) path;
};

static struct mapped list[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of those who change the list */

static uintptr_t page_of(uintptr_t address)
{
    return address / (uintptr_t)sysconf(_SC_PAGESIZE) * (uintptr_t)sysconf(_SC_PAGESIZE);
}

/* The first entry without memory (begin = 0), or the one that begins there. */
static struct mapped *find(uintptr_t begin)
{
    for (int i = 0; i < MOST; i++)
        if (atomic_load(&list[i].begin) == begin)
            return &list[i];
    return NULL;
}

void *plb_map(const char *path, int fd, int64_t at, size_t bytes, bool writes)
{
    int64_t first = (int64_t)page_of((uintptr_t)at); /* a mapping begins with a page */
    size_t before = (size_t)(at - first);
    char *memory = plb_map_pages(before + bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ,
                                 writes ? MAP_SHARED : MAP_PRIVATE, fd, first);
    if (memory == MAP_FAILED)
        return NULL;
    pthread_mutex_lock(&lock);
    struct mapped *m = find(0);
    if (m != NULL) {
        atomic_store(&m->path, strdup(path));
        atomic_store(&m->end, (uintptr_t)memory + before + bytes);
        atomic_store(&m->begin, (uintptr_t)memory);
    }
    pthread_mutex_unlock(&lock);
    return memory + before;
}

void plb_unmap(void *data, size_t bytes)
{
    if (data == NULL)
        return;
    uintptr_t begin = page_of((uintptr_t)data);
    pthread_mutex_lock(&lock);
    struct mapped *m = find(begin);
    if (m != NULL) {
        atomic_store(&m->begin, 0);
        free(atomic_exchange(&m->path, NULL));
    }
    pthread_mutex_unlock(&lock);
    munmap((char *)data - ((uintptr_t)data - begin), (uintptr_t)data - begin + bytes);
}

const char *plb_mapped_path(const void *address)
{
    for (int i = 0; i < MOST; i++) {
        uintptr_t begin = atomic_load(&list[i].begin);
        if (begin != 0 && (uintptr_t)address >= begin && (uintptr_t)address < atomic_load(&list[i].end))
            return atomic_load(&list[i].path);
    }
    return NULL;
}
