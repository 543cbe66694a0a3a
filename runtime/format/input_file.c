/* open, fstat, pread. */
#include "format/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of one read. Linux moves less than 2 GiB at once; a smaller number would only mean more calls. */
#define CALL_BYTES ((size_t)1 << 30)

int plb_input_open(struct plb_input_file *file, const char *path, const char *expected, struct plb_error *err)
{
    struct stat info;
    *file = (struct plb_input_file){.path = path};
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* without O_NONBLOCK a pipe would wait here */
    if (file->fd < 0 || fstat(file->fd, &info) != 0)
        return plb_fail(err, PLB_EINPUT, "%s: cannot be read: %s; check the path and its permissions", path,
                        strerror(errno));
    if (!S_ISREG(info.st_mode))
        return plb_fail(err, PLB_EINPUT, "%s: is a %s, but %s", path,
                        S_ISDIR(info.st_mode) ? "folder" : "device or pipe", expected);
    file->bytes = info.st_size;
    return PLB_OK;
}

void plb_input_close(struct plb_input_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

int plb_input_read(const struct plb_input_file *file, void *into, size_t bytes, int64_t at, size_t *got,
                   struct plb_error *err)
{
    *got = 0;
    if (file->packed != NULL)
        return plb_inflate_read(file->packed, into, bytes, at, got, err);
    while (*got < bytes) {
        size_t left = bytes - *got;
        ssize_t more = pread(file->fd, (char *)into + *got, left < CALL_BYTES ? left : CALL_BYTES,
                             file->begin + at + (int64_t)*got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return plb_fail(err, PLB_EINPUT,
                            "%s: cannot be read at byte %" PRId64 ": %s; check the disk or "
                            "copy the file again",
                            file->path, at + (int64_t)*got, strerror(errno));
        if (more == 0)
            break;
        *got += (size_t)more;
    }
    return PLB_OK;
}

int plb_input_read_all(const struct plb_input_file *file, void *into, size_t bytes, int64_t at,
                       struct plb_error *err)
{
    size_t got;
    int status = plb_input_read(file, into, bytes, at, &got, err);
    if (status == PLB_OK && got < bytes)
        return plb_fail(err, PLB_EINPUT,
                        "%s: ended at byte %" PRId64 " although it had %" PRId64 " bytes "
                        "when it was opened; do not write to it during a run",
                        file->path, at + (int64_t)got, file->bytes);
    return status;
}
