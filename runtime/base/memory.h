/* Memory that is always there: where the system has none, the program ends with a sentence and status 1.
 * Thread-safe; released with free(), where nothing else is said. */
#ifndef PLB_BASE_MEMORY_H
#define PLB_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory, aligned to 64 bytes, or to a page where it has a page or more. 0 bytes give a valid
 * pointer. */
void *plb_alloc(size_t bytes);

/* The same with any contents, for memory that is written before it is read. Whoever writes a page first
 * decides where it is. */
void *plb_alloc_unset(size_t bytes);

/* Zeroed whole pages, which all cores touch side by side. Each is zeroed once. Free: plb_shared_free. */
void *plb_pages_alloc(size_t bytes);

/* The same in a file without a name, which other processes may map (memfd_create). *fd: the file, closed by
 * the caller; -1: the system has none, and only children have the pages. *huge: all of them but the last are
 * in huge pages. */
void *plb_file_pages_alloc(size_t bytes, int *fd, bool *huge);

/* mmap, from 4 MiB on at an address where huge pages of the file can be mapped whole. at: a multiple of a
 * page. MAP_FAILED: errno says why. Free: munmap. */
void *plb_map_pages(size_t bytes, int protection, int flags, int fd, int64_t at);

/* Whole pages of any contents. old: NULL, or pages of this call that have `had` bytes and grow. They stay, so
 * the system zeroes no new ones in their place. Free: plb_shared_free. */
void *plb_pages_grow(void *old, size_t had, size_t bytes);

/* Zeroed whole pages that this process shares with the children that it forks afterwards. */
void *plb_shared_alloc(size_t bytes);
void plb_shared_free(void *memory, size_t bytes); /* as many as were asked for; NULL: nothing */

/* Addresses for so many bytes, zeroed, with memory where they are written; shared: with later children.
 * NULL: the system refuses, or limits addresses (ulimit -v), and others need them. Free: plb_shared_free. */
void *plb_reserve(size_t bytes, bool shared);

/* Gives the whole pages of a part of them back; they are zeroed then. */
void plb_reserve_drop(void *part, size_t bytes, bool shared);

/* Has the pages of a part of reserved or mapped memory there before they are written, and keeps what is in
 * them. Nothing where the system cannot. */
void plb_touch(void *part, size_t bytes);

/* Has the whole pages of a part of memory that nobody has touched come from this NUMA node, while there are
 * free ones. Nothing where the system refuses, or node is negative. */
void plb_memory_prefer(void *part, size_t bytes, int node);

/* memcpy by so many threads, around the caches: for what nobody here reads soon. Other threads, and processes
 * that have the memory, see it afterwards. threads: of the caller's OpenMP; 1: none are started. */
void plb_copy_away(void *to, const void *from, size_t bytes, int threads);

/* Bytes of an array of n elements of `size` bytes. Where no memory can have as many, or n is negative, the
 * program ends as said above. */
size_t plb_array_bytes(int64_t n, size_t size);

/* Like realloc. The new part is not zeroed, and nothing is aligned beyond what malloc does. */
void *plb_grow(void *old, size_t bytes);

/* The array with room for at least twice as many elements as *capacity says, which it sets. */
void *plb_double(void *array, int *capacity, size_t size);

/* An array of n elements with room for one more, as plb_grow would make it; *capacity is how many there is
 * room for. O(1) on average. */
static inline void *plb_room(void *array, int n, int *capacity, size_t size)
{
    return n < *capacity ? array : plb_double(array, capacity, size);
}

#endif
