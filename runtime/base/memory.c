/* aligned_alloc, realloc and mmap. */
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/crash_call.h"
#include "base/memory_limit.h"
#include "plb/status.h"

#define CACHE_LINE 64 /* bytes; the widest vector registers have as many */
#define PAGE 4096     /* bytes; a GPU's driver locks whole pages, and nothing else should lie in them */

/* Bytes of a request from which on it is compared with the memory there is: Linux gives more than that, and
 * ends a process that uses it without a sentence. Larger: more requests end so. Smaller: more requests read
 * the limits, which takes 0.1 ms. Zeroing as much takes 20 ms. */
#define LARGE ((size_t)256 << 20)

/* Bytes of a request from which on it asks for huge pages, of 2 MiB on x86: it has at least one whole one.
 * One thread had 5.5 GB/s of them set to zero, and 1.5 GB/s of small ones. Larger: more memory comes in small
 * pages. Smaller: a part of a huge page stays unused. */
#define HUGE ((size_t)4 << 20)

/* Bytes of a huge page on x86, and on others with pages of 4 KiB. Where it is another size, pages stay
 * small. */
#define HUGE_PAGE ((size_t)2 << 20)

/* Bytes that a thread copies at a time. Larger: fewer threads share a copy. Smaller: they are started for
 * less than that costs, a few microseconds. */
#define PART ((size_t)256 << 10)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1; older headers do not have it */
#endif

static void out_of_memory(size_t bytes)
{
    fprintf(stderr, "plbrun: out of memory: %zu bytes are needed; use a smaller input or more nodes\n",
            bytes);
    plb_crash_end(); /* no kernel has called exit() */
    exit(PLB_EFAILED);
}

/* Whether memory that is asked for can be there beside what the process uses now. */
static bool can_be_there(size_t bytes, int64_t used)
{
    return bytes < LARGE || (int64_t)bytes <= plb_memory_limit("") - used;
}

static size_t pad(size_t bytes)
{
    size_t align = bytes >= PAGE ? PAGE : CACHE_LINE;
    return bytes > 0 ? (bytes + align - 1) / align * align : align;
}

void *plb_alloc_unset(size_t bytes)
{
    size_t padded = pad(bytes);
    bool there = padded >= bytes && can_be_there(bytes, bytes < LARGE ? 0 : plb_memory_used());
    void *memory = there ? aligned_alloc(bytes >= PAGE ? PAGE : CACHE_LINE, padded) : NULL;
    if (memory == NULL)
        out_of_memory(bytes);
    return memory;
}

void *plb_alloc(size_t bytes)
{
    return memset(plb_alloc_unset(bytes), 0, pad(bytes));
}

/* Gives back the addresses of a reservation outside of a part of it. */
static void trim(char *reserved, size_t all, const char *part, size_t bytes)
{
    size_t before = (size_t)(part - reserved), after = all - before - (bytes + PAGE - 1) / PAGE * PAGE;
    if (before > 0)
        munmap(reserved, before);
    if (after > 0)
        munmap(reserved + all - after, after);
}

void *plb_map_pages(size_t bytes, int protection, int flags, int fd, int64_t at)
{
    size_t all = (bytes + PAGE - 1) / PAGE * PAGE + HUGE_PAGE;
    char *reserved = bytes < HUGE
                       ? MAP_FAILED
                       : mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) /* a small one; or the system has no such addresses, but may have fewer */
        return mmap(NULL, bytes > 0 ? bytes : 1, protection, flags, fd, at);
    char *memory = reserved + ((uintptr_t)at - (uintptr_t)reserved) % HUGE_PAGE;
    if (mmap(memory, bytes, protection, flags | MAP_FIXED, fd, at) == MAP_FAILED) {
        int why = errno;
        munmap(reserved, all);
        errno = why;
        return MAP_FAILED;
    }
    trim(reserved, all, memory, bytes);
    return memory;
}

/* Maps pages, or ends the program. They are zeroed by the system, when they are touched. */
static void *map_pages(size_t bytes, int flags, int fd)
{
    bool there = can_be_there(bytes, bytes < LARGE ? 0 : plb_memory_used());
    void *memory = there ? plb_map_pages(bytes, PROT_READ | PROT_WRITE, flags, fd, 0) : MAP_FAILED;
    if (memory == MAP_FAILED)
        out_of_memory(bytes);
    return memory;
}

/* All cores touch them. Memory that others give back and take again, as slots do, asks for no huge pages: MPI
 * waited longer for the first touch of these. */
static void *touch_pages(volatile char *memory, size_t bytes)
{
    if (bytes >= HUGE) /* where the system has none, small pages do */
        madvise((void *)memory, bytes, MADV_HUGEPAGE);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bytes; i += PAGE)
        memory[i] = 0;
    return (void *)memory;
}

/* The same of pages in a file. Most systems give a file small pages whatever a program asks for
 * (shmem_enabled). But they make a huge page of those that are there, if one is. That takes a quarter of the
 * time of touching them all. */
static void *touch_file_pages(volatile char *memory, size_t bytes, bool *huge)
{
    char *first = (char *)memory + (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;
    size_t n = bytes < HUGE ? 0 : (size_t)((const char *)memory + bytes - first) / HUGE_PAGE;
    bool all = n > 0;
#pragma omp parallel for schedule(static) reduction(&& : all)
    for (size_t i = 0; i < n; i++) {
        *(volatile char *)(first + i * HUGE_PAGE) = 0;
        all = madvise(first + i * HUGE_PAGE, HUGE_PAGE, MADV_COLLAPSE) == 0 && all;
    }
    *huge = all;
    return touch_pages(memory, bytes);
}

void *plb_pages_alloc(size_t bytes)
{
    return touch_pages(map_pages(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1), bytes);
}

void *plb_pages_grow(void *old, size_t had, size_t bytes)
{
    if (old == NULL)
        return map_pages(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    bool there = can_be_there(bytes, bytes < LARGE ? 0 : plb_memory_used() - (int64_t)had);
    void *memory = there ? mremap(old, had > 0 ? had : 1, bytes > 0 ? bytes : 1, MREMAP_MAYMOVE) : MAP_FAILED;
    if (memory == MAP_FAILED)
        out_of_memory(bytes);
    return memory;
}

void *plb_file_pages_alloc(size_t bytes, int *fd, bool *huge)
{
    *fd = memfd_create("plbrun", MFD_CLOEXEC);
    if (*fd >= 0 && ftruncate(*fd, (off_t)bytes) != 0) {
        close(*fd);
        *fd = -1;
    }
    return touch_file_pages(map_pages(bytes, MAP_SHARED | (*fd < 0 ? MAP_ANONYMOUS : 0), *fd), bytes, huge);
}

void *plb_shared_alloc(size_t bytes)
{
    return map_pages(bytes, MAP_SHARED | MAP_ANONYMOUS, -1);
}

void plb_shared_free(void *memory, size_t bytes)
{
    if (memory != NULL)
        munmap(memory, bytes > 0 ? bytes : 1);
}

void *plb_reserve(size_t bytes, bool shared)
{
    int flags = (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_NORESERVE;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return NULL;
    void *memory = plb_map_pages(bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (bytes >= HUGE)
        madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

void plb_reserve_drop(void *part, size_t bytes, bool shared)
{
    uintptr_t first = ((uintptr_t)part + PAGE - 1) / PAGE * PAGE,
              end = ((uintptr_t)part + bytes) / PAGE * PAGE;
    if (first < end)
        madvise((char *)part + (first - (uintptr_t)part), end - first, shared ? MADV_REMOVE : MADV_DONTNEED);
}

void plb_touch(void *part, size_t bytes)
{
    uintptr_t first = (uintptr_t)part / PAGE * PAGE, end = ((uintptr_t)part + bytes + PAGE - 1) / PAGE * PAGE;
    madvise((char *)part - ((uintptr_t)part - first), end - first, MADV_POPULATE_WRITE);
}

void plb_memory_prefer(void *part, size_t bytes, int node)
{
    enum { MOST = 1024, BITS = 8 * sizeof(unsigned long) }; /* Linux has at most so many nodes */
    unsigned long nodes[MOST / BITS] = {0};
    const uintptr_t first = ((uintptr_t)part + PAGE - 1) / PAGE * PAGE,
                    end = ((uintptr_t)part + bytes) / PAGE * PAGE;
    if (node < 0 || node >= MOST || first >= end)
        return;
    /* Linux reads one bit less than it is told. */
    nodes[node / BITS] = 1UL << (node % BITS);
    syscall(SYS_mbind, first, end - first, MPOL_PREFERRED, nodes, MOST + 1UL, 0UL);
}

static void copy_part(char *to, const char *from, size_t bytes)
{
    size_t at = 0;
#ifdef __SSE2__
    enum { LINE = CACHE_LINE };
    size_t before = (0 - (uintptr_t)to) % LINE;
    at = before < bytes ? before : bytes;
    memcpy(to, from, at);
    for (; at + LINE <= bytes; at += LINE)
        for (size_t i = at; i < at + LINE; i += sizeof(__m128i))
            _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
    _mm_sfence();
#endif
    memcpy(to + at, from + at, bytes - at);
}

void plb_copy_away(void *to, const void *from, size_t bytes, int threads)
{
    size_t parts = (bytes + PART - 1) / PART;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && parts > 1)
    for (size_t i = 0; i < parts; i++)
        copy_part((char *)to + i * PART, (const char *)from + i * PART,
                  i + 1 < parts ? PART : bytes - i * PART);
}

size_t plb_array_bytes(int64_t n, size_t size)
{
    size_t bytes;
    if (n >= 0 && !__builtin_mul_overflow((size_t)n, size, &bytes) && bytes <= PTRDIFF_MAX)
        return bytes;
    fprintf(stderr,
            "plbrun: out of memory: %" PRId64 " elements of %zu bytes were asked for, more than any memory "
            "has; use a smaller input\n",
            n, size);
    plb_crash_end();
    exit(PLB_EFAILED);
}

void *plb_grow(void *old, size_t bytes)
{
    void *memory = can_be_there(bytes, 0) ? realloc(old, bytes > 0 ? bytes : 1) : NULL;
    if (memory == NULL)
        out_of_memory(bytes);
    return memory;
}

void *plb_double(void *array, int *capacity, size_t size)
{
    *capacity = *capacity > 0 ? 2 * *capacity : 8;
    return plb_grow(array, plb_array_bytes(*capacity, size));
}
