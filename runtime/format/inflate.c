/* zlib, block by block. The sum is compared when the last byte has come, so that damage is seen before any
 * element is used. */
#include "format/inflate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

/* Bytes that are read, or skipped, at a time. Larger: more memory, and no faster. Smaller: more calls. */
#define BLOCK 65536

struct plb_inflate {
    const char *path;
    int fd;
    int64_t begin, packed, bytes;
    uint32_t crc;
    bool runs; /* the stream is open */
    z_stream stream;
    int64_t taken, at; /* of the packed bytes; of those that came out */
    uLong sum;         /* of these */
    unsigned char block[BLOCK];
};

struct plb_inflate *plb_inflate_new(const char *path, int fd, int64_t begin, int64_t packed, int64_t bytes,
                                    uint32_t crc)
{
    struct plb_inflate *f = plb_alloc(sizeof *f);
    f->path = path;
    f->fd = fd;
    f->begin = begin;
    f->packed = packed;
    f->bytes = bytes;
    f->crc = crc;
    return f;
}

void plb_inflate_free(struct plb_inflate *inflate)
{
    if (inflate != NULL && inflate->runs)
        inflateEnd(&inflate->stream);
    free(inflate);
}

static int damaged(const struct plb_inflate *f, struct plb_error *err)
{
    return plb_fail(err, PLB_EINPUT, "%s: its compressed data is damaged; copy the file again", f->path);
}

static int start(struct plb_inflate *f, struct plb_error *err)
{
    if (f->runs)
        inflateEnd(&f->stream);
    memset(&f->stream, 0, sizeof f->stream);
    f->taken = f->at = 0;
    f->sum = crc32(0, NULL, 0);
    f->runs = inflateInit2(&f->stream, -MAX_WBITS) == Z_OK; /* without zlib's own head */
    return f->runs ? PLB_OK : plb_fail(err, PLB_EFAILED, "there is no memory to read %s", f->path);
}

/* Reads the next block of the file. */
static int fill(struct plb_inflate *f, struct plb_error *err)
{
    int64_t left = f->packed - f->taken;
    ssize_t n;
    do
        n = pread(f->fd, f->block, left < BLOCK ? (size_t)left : BLOCK, f->begin + f->taken);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return plb_fail(err, PLB_EINPUT, "%s: cannot be read: %s; check the disk or copy the file again",
                        f->path, strerror(errno));
    if (n == 0)
        return damaged(f, err);
    f->taken += n;
    f->stream.next_in = f->block;
    f->stream.avail_in = (uInt)n;
    return PLB_OK;
}

/* The next bytes, at most BLOCK, and no more than there are left. */
static int next(struct plb_inflate *f, unsigned char *into, size_t bytes, struct plb_error *err)
{
    f->stream.next_out = into;
    f->stream.avail_out = (uInt)bytes;
    while (f->stream.avail_out > 0) {
        if (f->stream.avail_in == 0 && fill(f, err) != PLB_OK)
            return err->status;
        int status = inflate(&f->stream, Z_NO_FLUSH);
        if ((status != Z_OK && status != Z_STREAM_END) || (status == Z_STREAM_END && f->stream.avail_out > 0))
            return damaged(f, err);
    }
    f->sum = crc32(f->sum, into, (uInt)bytes);
    f->at += (int64_t)bytes;
    return f->at == f->bytes && f->sum != f->crc ? damaged(f, err) : PLB_OK;
}

int plb_inflate_read(struct plb_inflate *inflate, void *into, size_t bytes, int64_t at, size_t *got,
                     struct plb_error *err)
{
    unsigned char skipped[BLOCK];
    *got = 0;
    if ((!inflate->runs || at < inflate->at) && start(inflate, err) != PLB_OK)
        return err->status;
    for (size_t n; inflate->at < at && inflate->at < inflate->bytes;) {
        int64_t left = (at < inflate->bytes ? at : inflate->bytes) - inflate->at;
        n = left < BLOCK ? (size_t)left : BLOCK;
        if (next(inflate, skipped, n, err) != PLB_OK)
            return err->status;
    }
    while (*got < bytes && inflate->at < inflate->bytes) {
        size_t n = bytes - *got < BLOCK ? bytes - *got : BLOCK;
        n = (int64_t)n < inflate->bytes - inflate->at ? n : (size_t)(inflate->bytes - inflate->at);
        if (next(inflate, (unsigned char *)into + *got, n, err) != PLB_OK)
            return err->status;
        *got += n;
    }
    return PLB_OK;
}
