/* A zip archive for make bench-libraries. */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/memory.h"

enum { MEMBER = 32 << 20 }; /* bytes of each member */

static char archive[] = "/tmp/plb-bench-XXXXXX";

static void put(FILE *out, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(number >> 8 * i & 0xff), out);
}

/* The part that both headers of a member have. */
static void put_member(FILE *out, uint32_t crc_of, size_t packed)
{
    put(out, 20, 2), put(out, 0, 2), put(out, 8, 2), put(out, 0, 4);
    put(out, crc_of, 4), put(out, packed, 4), put(out, MEMBER, 4), put(out, 1, 2), put(out, 0, 2);
}

/* Five members "0" to "4" with the same bytes: whole numbers such as columns of a matrix. */
static void write_archive(void)
{
    uint32_t *columns = plb_alloc(MEMBER);
    uLongf room = compressBound(MEMBER);
    unsigned char *packed = plb_alloc(room);
    long at[6];
    for (uint32_t i = 0; i < MEMBER / sizeof *columns; i++)
        columns[i] = i * 2654435761u >> 16;
    z_stream z = {
        .next_in = (void *)columns, .avail_in = MEMBER, .next_out = packed, .avail_out = (uInt)room};
    deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    deflate(&z, Z_FINISH);
    size_t n = z.total_out;
    deflateEnd(&z);
    uint32_t sum = (uint32_t)crc32(0, (void *)columns, MEMBER);
    FILE *out = fdopen(mkstemp(archive), "wb");
    for (int i = 0; i < 5; i++) {
        at[i] = ftell(out);
        fwrite("PK\3\4", 1, 4, out), put_member(out, sum, n), fputc('0' + i, out);
        fwrite(packed, 1, n, out);
    }
    at[5] = ftell(out);
    for (int i = 0; i < 5; i++) {
        fwrite("PK\1\2", 1, 4, out), put(out, 20, 2), put_member(out, sum, n);
        put(out, 0, 2), put(out, 0, 2), put(out, 0, 2), put(out, 0, 4), put(out, (uint64_t)at[i], 4);
        fputc('0' + i, out);
    }
    long end = ftell(out);
    fwrite("PK\5\6", 1, 4, out), put(out, 0, 4), put(out, 5, 2), put(out, 5, 2);
    put(out, (uint64_t)(end - at[5]), 4), put(out, (uint64_t)at[5], 4), put(out, 0, 2);
    fclose(out);
    free(columns);
    free(packed);
}

#endif
