/* A 64-bit hash of bytes and of files: FNV-1a (Fowler, Noll, Vo). It tells apart what differs by accident; it
 * is no protection against an attacker. Thread-safe. */
#ifndef PLB_BASE_HASH_H
#define PLB_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes: what a sequence of plb_hash calls begins with. */
#define PLB_HASH_BEGIN 0xcbf29ce484222325u

/* Continues hash `h` with n more bytes. */
uint64_t plb_hash(uint64_t h, const void *bytes, size_t n);

/* Hashes a file's contents into *hash; false, and *hash untouched, where the file cannot be read. */
bool plb_hash_file(const char *file, uint64_t *hash);

#endif
