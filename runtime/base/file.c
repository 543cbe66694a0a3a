/* Create, write, sync, name. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "base/stop.h"

/* Seconds that a pipe without a reader is waited for. Larger: a run whose reader has gone ends later.
 * Smaller: a reader that starts with the run may come too late. */
#define READER_WAIT 5.0

#define READER_LOOK 20e-3 /* seconds between two tries to open the pipe */

/* Bytes of a file's name that the names made from it keep. With their random part and a suffix they fit
 * where names have 143 bytes (encrypted file systems) or 255. Larger: they do not. Smaller: what is left
 * behind is harder to recognise. */
#define NAME_KEPT 100

static int cannot(struct plb_error *err, const char *path, int reason)
{
    const char *why = strerror(reason);
    if (reason == ENXIO || reason == EPIPE)
        return plb_fail(err, PLB_EFAILED,
                        "%s: cannot be written: nobody reads this pipe; start its reader before the run, and "
                        "keep it until the end",
                        path);
    return plb_fail(err, PLB_EFAILED,
                    "%s: cannot be written: %s; check that its folder exists, that you may "
                    "write there and that there is room",
                    path, why);
}

/* --------------------------------------------------------------------- open */

/* Chooses a temporary name beside the target, which nobody can foresee. A signal that ends the program
 * removes the file from now on: it may come before the call that makes the file returns. */
static bool choose_temporary(struct plb_file *file)
{
    const char *slash = strrchr(file->target, '/');
    int folder = slash != NULL ? (int)(slash - file->target) + 1 : 0;
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random
        || asprintf(&file->temporary, "%.*s%.*s.%016" PRIx64, folder, file->target, NAME_KEPT,
                    file->target + folder, random)
               < 0) {
        file->temporary = NULL;
        return false;
    }
    plb_stop_remove(file->temporary);
    return true;
}

/* The temporary name is gone, or was never taken. errno stays. */
static void forget_temporary(struct plb_file *file)
{
    int reason = errno;
    plb_stop_keep(file->temporary);
    free(file->temporary);
    file->temporary = NULL;
    errno = reason;
}

static int open_named(struct plb_file *file)
{
    if (!choose_temporary(file))
        return -1;
    int fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        forget_temporary(file);
    return fd;
}

/* A new file in the target's folder; unless `named`, without a name where the file system has such files. */
static int open_new(struct plb_file *file, bool named)
{
    struct stat older;
    bool there = stat(file->target, &older) == 0;
    if (!there && errno == ENAMETOOLONG)
        return -1;
    char *folder = named ? NULL : plb_path_folder(file->target);
    int fd = folder != NULL ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    free(folder);
    if (fd < 0)
        fd = open_named(file);
    if (fd >= 0 && there)
        fchmod(fd, older.st_mode & 0777);
    return fd;
}

bool plb_file_streams(const char *path)
{
    struct stat info;
    int own = plb_file_descriptor(path);
    bool there = own >= 0 ? fstat(own, &info) == 0 : stat(path, &info) == 0;
    return there && !S_ISREG(info.st_mode);
}

/* Opens a pipe or device. The open of a pipe would wait for a reader forever. */
static int open_in_place(const char *path)
{
    double end = plb_now() + READER_WAIT;
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (fd < 0 && errno == ENXIO && plb_now() < end) {
        plb_sleep_until(plb_now() + READER_LOOK);
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    }
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

static void release(struct plb_file *file)
{
    plb_stop_keep(file->temporary);
    free(file->path);
    free(file->target);
    free(file->temporary);
    *file = (struct plb_file){0};
}

int plb_file_create(struct plb_file *file, const char *path, struct plb_error *err)
{
    int fd = -1;
    *file = (struct plb_file){.path = strdup(path), .target = plb_path_target(path)};
    int own = file->target != NULL ? plb_path_descriptor(file->target) : -1;
    bool in_place = own >= 0 || plb_file_streams(path);
    if (file->target == NULL)
        errno = ELOOP;
    else if (own >= 0)
        fd = fcntl(own, F_DUPFD_CLOEXEC, 0);
    else
        fd = in_place ? open_in_place(path) : open_new(file, false);
    if (in_place) {
        free(file->target);
        file->target = NULL;
    }
    file->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file->stream != NULL)
        return PLB_OK;
    cannot(err, path, errno);
    if (fd >= 0)
        close(fd);
    release(file);
    return err->status;
}

int plb_file_create_shared(struct plb_file *file, const char *path, struct plb_error *err)
{
    if (plb_file_streams(path) || plb_file_descriptor(path) >= 0)
        return plb_fail(err, PLB_EFAILED,
                        "%s: is not a regular file, which PUs need to write at any position; name one", path);
    *file = (struct plb_file){.path = strdup(path), .target = plb_path_target(path)};
    int fd = file->target != NULL ? open_new(file, true) : -1;
    file->stream = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (file->stream != NULL)
        return PLB_OK;
    cannot(err, path, file->target == NULL ? ELOOP : errno);
    if (fd >= 0)
        close(fd);
    release(file);
    return err->status;
}

void plb_file_aim(struct plb_file *file, const char *suffix)
{
    char *path, *target;
    if (suffix[0] == '\0' || asprintf(&path, "%s%s", file->path, suffix) < 0)
        return;
    target = plb_path_target(path);
    if (target != NULL) {
        free(file->target);
        free(file->path);
        file->target = target;
        file->path = path;
    } else {
        free(path);
    }
}

int plb_file_reserve(struct plb_file *file, int64_t bytes)
{
    struct statvfs system;
    if (file->target == NULL)
        return 0;
    if (fallocate(fileno(file->stream), 0, 0, bytes) == 0)
        return 0;
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
        return errno;
    bool full = fstatvfs(fileno(file->stream), &system) == 0 && system.f_blocks > 0
             && (double)system.f_bavail * (double)system.f_frsize < (double)bytes;
    return full ? ENOSPC : 0;
}

/* ------------------------------------------------------------------- commit */

/* Gives back what was reserved beyond the end. */
static bool shorten(const struct plb_file *file)
{
    struct stat info;
    off_t end = ftello(file->stream);
    return end < 0 || fstat(fileno(file->stream), &info) != 0 || info.st_size <= end
        || ftruncate(fileno(file->stream), end) == 0;
}

/* Gives a nameless file a name that is not taken; false where the name is, or where there can be none. */
static bool link_to(const struct plb_file *file, const char *name)
{
    char from[64];
    snprintf(from, sizeof from, "/proc/self/fd/%d", fileno(file->stream));
    return linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* A nameless file cannot replace another one; one with a name can. */
static bool link_to_temporary(struct plb_file *file)
{
    if (!choose_temporary(file))
        return false;
    if (link_to(file, file->temporary))
        return true;
    forget_temporary(file);
    return false;
}

/* Gives the complete file its name. */
static bool name_it(struct plb_file *file)
{
    if (file->temporary == NULL && link_to(file, file->target))
        return true;
    if (file->temporary == NULL && (errno != EEXIST || !link_to_temporary(file)))
        return false;
    if (rename(file->temporary, file->target) != 0)
        return false; /* the caller removes the temporary name */
    forget_temporary(file);
    return true;
}

int plb_file_commit(struct plb_file *file, struct plb_error *err)
{
    if (!ferror(file->stream))
        errno = 0; /* else errno still says why a write failed */
    bool written = fflush(file->stream) == 0 && !ferror(file->stream);
    if (written && file->target != NULL)
        written = shorten(file);
    if (written && fsync(fileno(file->stream)) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
        written = false;
    if (written && file->target != NULL && err->status == PLB_OK && (written = name_it(file)))
        plb_path_sync_folder(file->target); /* else a crash of the system may lose the name */
    int reason = errno;
    if (fclose(file->stream) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (!written)
        cannot(err, file->path, reason != 0 ? reason : EIO);
    if (file->temporary != NULL)
        unlink(file->temporary);
    release(file);
    return err->status;
}

void plb_file_drop(struct plb_file *file)
{
    fclose(file->stream);
    if (file->temporary != NULL)
        unlink(file->temporary);
    release(file);
}

/* ---------------------------------------------------------------- questions */

char *plb_file_elsewhere(const char *path, const char *suffix, int number)
{
    const char *folders[] = {".", getenv("TMPDIR")}, *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    size_t length = strlen(file);
    uint64_t random;
    char *name = NULL;
    folders[1] = folders[1] != NULL ? folders[1] : "/tmp";
    file += length > NAME_KEPT ? length - NAME_KEPT : 0;
    if (number > 1 || getrandom(&random, sizeof random, 0) != sizeof random
        || asprintf(&name, "%s/%016" PRIx64 "-%s%s", folders[number], random, file, suffix) < 0)
        return NULL;
    return name;
}

int plb_file_descriptor(const char *path)
{
    char *target = plb_path_target(path);
    int own = target != NULL ? plb_path_descriptor(target) : -1;
    free(target);
    return own;
}

int plb_file_check(const char *path, struct plb_error *err)
{
    struct plb_file f;
    int own = plb_file_descriptor(path), flags = own >= 0 ? fcntl(own, F_GETFL) : 0;
    if (own >= 0 && (flags < 0 || (flags & O_ACCMODE) == O_RDONLY))
        return cannot(err, path, EBADF);
    if (own < 0 && plb_file_streams(path))
        return access(path, W_OK) == 0 ? PLB_OK : cannot(err, path, errno);
    if (own < 0 && plb_file_create(&f, path, err) == PLB_OK)
        plb_file_drop(&f);
    return err->status;
}

/* The folder of a target without links, and the name in it. */
static char *plain(const char *path)
{
    char *target = plb_path_target(path), *folder = target != NULL ? plb_path_folder(target) : NULL;
    char *real = folder != NULL ? realpath(folder, NULL) : NULL, *all = NULL;
    const char *slash = target != NULL ? strrchr(target, '/') : NULL;
    if (real != NULL && asprintf(&all, "%s/%s", real, slash != NULL ? slash + 1 : target) < 0)
        all = NULL;
    free(real);
    free(folder);
    free(target);
    return all;
}

bool plb_file_same(const char *a, const char *b)
{
    struct stat x, y;
    if (stat(a, &x) == 0 && stat(b, &y) == 0)
        return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    char *p = plain(a), *q = plain(b);
    bool same = p != NULL && q != NULL && strcmp(p, q) == 0;
    free(p);
    free(q);
    return same;
}

bool plb_file_clash(const char *a, const char *b)
{
    int one = plb_file_descriptor(a), other = plb_file_descriptor(b);
    return plb_file_same(a, b) && (one < 0 || other < 0 || one == other);
}

bool plb_file_move(int fd, bool writes, void *memory, size_t bytes, int64_t at)
{
    for (char *data = memory; bytes > 0;) {
        ssize_t n = writes ? pwrite(fd, data, bytes, at) : pread(fd, data, bytes, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = writes ? ENOSPC : EIO;
        if (n <= 0)
            return false;
        data += n;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

int plb_file_grow(const char *path, const char *head)
{
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_TRUNC, 0666);
    if (fd < 0 || write(fd, head, strlen(head)) == (ssize_t)strlen(head))
        return fd;
    close(fd);
    return -1;
}

void plb_file_open_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}
