/* One block, for the way that was written last. */
#include "app/stream/stream_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

void plb_stream_output_init(struct plb_stream_output *o, int most)
{
    *o = (struct plb_stream_output){.most = most};
    o->ways = plb_alloc((size_t)most * sizeof *o->ways);
    o->block = plb_alloc_unset(PLB_STREAM_BLOCK);
}

void plb_stream_output_fini(struct plb_stream_output *o)
{
    for (int i = 0; i < o->n_ways; i++) {
        close(o->ways[i].fd);
        free(o->ways[i].path);
        free(o->ways[i].head);
    }
    free(o->ways);
    free(o->block);
}

bool plb_stream_output_add(struct plb_stream_output *o, int part, const char *path)
{
    int own = plb_file_descriptor(path), fd = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0) : -1;
    struct stat s;
    if (fd < 0 || o->n_ways == o->most)
        return false;
    o->lags |= fstat(fd, &s) != 0 || !S_ISREG(s.st_mode);
    o->ways[o->n_ways++] = (struct plb_record_way){part, fd, strdup(path), NULL};
    return true;
}

void plb_stream_output_grow(struct plb_stream_output *o, int part, const char *path, const char *head)
{
    if (o->n_ways < o->most)
        o->ways[o->n_ways++] = (struct plb_record_way){part, -1, strdup(path), strdup(head)};
}

static void fail(struct plb_stream_output *o, const struct plb_record_way *way)
{
    o->failure = errno;
    o->failed = way;
}

void plb_stream_output_flush(struct plb_stream_output *o)
{
    if (o->filled > 0 && o->way->fd < 0) {
        o->way->fd = plb_file_grow(o->way->path, o->way->head);
        if (o->way->fd < 0)
            fail(o, o->way);
    }
    for (size_t at = 0; at < o->filled && o->failure == 0;) {
        ssize_t n = write(o->way->fd, o->block + at, o->filled - at);
        if (n >= 0)
            at += (size_t)n;
        else if (errno == EAGAIN) /* mpirun may have made it so */
            poll(&(struct pollfd){o->way->fd, POLLOUT, 0}, 1, -1);
        else if (errno != EINTR)
            fail(o, o->way);
    }
    o->unmarked += o->filled;
    o->written += (int64_t)o->filled;
    o->filled = 0;
}

void plb_stream_output_copy(struct plb_stream_output *o, struct plb_record_way *way, int file, int64_t at,
                            int64_t bytes)
{
    if (o->way != way)
        plb_stream_output_flush(o);
    o->way = way;
    while (bytes > 0 && o->failure == 0) {
        size_t room = PLB_STREAM_BLOCK - o->filled, n = (size_t)bytes < room ? (size_t)bytes : room;
        if (!plb_file_move(file, false, o->block + o->filled, n, at)) {
            fail(o, NULL);
            return;
        }
        o->filled += n;
        at += (int64_t)n;
        bytes -= (int64_t)n;
        if (o->filled == PLB_STREAM_BLOCK)
            plb_stream_output_flush(o);
    }
}

int64_t plb_stream_output_unread(const struct plb_stream_output *o)
{
    int64_t unread = 0;
    for (int i = 0, bytes = 0; i < o->n_ways; i++)
        if (o->ways[i].head == NULL && ioctl(o->ways[i].fd, FIONREAD, &bytes) == 0)
            unread += bytes;
    return unread;
}
