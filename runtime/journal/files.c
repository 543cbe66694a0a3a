/* Open, lock, read, write. */
#include "journal/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/quantity.h"

#define PAGE 4096 /* bytes; outputs begin at a page of FILE.data, the first of which says whose it is */

/* Seconds that a lock is waited for. A process that was killed releases it some milliseconds later. Larger:
 * the sentence about another run comes later. Smaller: a rerun right after a kill is refused. */
#define LOCK_WAIT 1.0

/* Bytes: a write of less goes through the page cache. Larger: more is copied. Smaller: more single transfers
 * of the disk. */
#define LEAST_DIRECT 65536

/* Bytes that a disk's transfers begin at, in memory. */
#define SECTOR 512

/* Bytes a second: a disk that is slower is written through the page cache, and so is one that has had too few
 * bytes to tell. A pass waits until its last outputs are written or copied. Larger: a copy costs 3 % of a
 * core at 100 MB/s. Smaller: the end of a pass waits longer for the disk. */
#define LEAST_RATE 200e6
#define TELLING (4 << 20)

static char *with_ending(const char *path, const char *ending)
{
    char *name = NULL;
    return asprintf(&name, "%s%s", path, ending) < 0 ? NULL : name;
}

bool plb_journal_files_belong(const char *journal, const char *file)
{
    static const char *const endings[] = {".data", ".pass", ".sums", ".records", ".pass.new", ".sums.new"};
    bool belongs = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !belongs; i++) {
        char *name = with_ending(journal, endings[i]);
        belongs = name != NULL && plb_file_same(name, file);
        free(name);
    }
    return belongs;
}

static int cannot(const struct plb_journal_files *f, struct plb_error *err)
{
    return plb_fail(err, PLB_EINPUT,
                    "journal %s: cannot be written: %s; name a file in a folder where you may write", f->path,
                    strerror(errno));
}

/* Whether the name still leads to the file that is open. */
static bool is_named(const struct plb_journal_files *f)
{
    struct stat open, named;
    return fstat(f->fd, &open) == 0 && stat(f->path, &named) == 0 && open.st_dev == named.st_dev
        && open.st_ino == named.st_ino;
}

/* Opens and locks FILE. Another run may remove it in between: then the lock is of no use. */
static int open_locked(struct plb_journal_files *f, struct plb_error *err)
{
    double until = plb_now() + LOCK_WAIT;
    do {
        if (f->fd >= 0)
            close(f->fd);
        f->fd = open(f->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (f->fd < 0)
            return cannot(f, err);
        while (flock(f->fd, LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK && errno != EINTR)
                return plb_fail(err, PLB_EINPUT,
                                "journal %s: cannot be locked: %s; name a file on another file system",
                                f->path, strerror(errno));
            if (plb_now() > until)
                return plb_fail(err, PLB_EINPUT,
                                "journal %s: another run uses it; wait until that has ended, or name another "
                                "file",
                                f->path);
            plb_sleep_until(plb_now() + 0.02);
        }
    } while (!is_named(f));
    return PLB_OK;
}

int plb_journal_files_open(struct plb_journal_files *f, const char *path, struct plb_error *err)
{
    struct stat info;
    *f = (struct plb_journal_files){.fd = -1, .data = -1, .records = -1, .direct = -1, .path = strdup(path)};
    f->data_path = with_ending(path, ".data");
    f->pass_path = with_ending(path, ".pass");
    f->sums_path = with_ending(path, ".sums");
    f->records_path = with_ending(path, ".records");
    if (f->path == NULL || f->data_path == NULL || f->pass_path == NULL || f->sums_path == NULL
        || f->records_path == NULL)
        return plb_fail(err, PLB_EFAILED, "no memory for the name of the journal");
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return plb_fail(err, PLB_EINPUT, "journal %s: is a pipe or a device; name a file", path);
    return open_locked(f, err);
}

bool plb_journal_files_read(const struct plb_journal_files *f, char **bytes, size_t *n, struct plb_error *err)
{
    struct stat info;
    errno = 0;
    *n = fstat(f->fd, &info) == 0 ? (size_t)info.st_size : 0;
    *bytes = plb_alloc(*n);
    for (size_t at = 0; at < *n && errno == 0;) {
        ssize_t got = pread(f->fd, *bytes + at, *n - at, (off_t)at);
        if (got <= 0)
            break;
        at += (size_t)got;
    }
    if (errno == 0)
        return true;
    plb_fail(err, PLB_EINPUT, "journal %s: cannot be read: %s", f->path, strerror(errno));
    return false;
}

bool plb_journal_files_begin(struct plb_journal_files *f)
{
    return getrandom(&f->id, sizeof f->id, 0) == sizeof f->id && ftruncate(f->fd, 0) == 0;
}

/* --------------------------------------------------------------------- outputs */

/* The first page of FILE.data. */
struct mark {
    char magic[8];
    uint64_t id;
};
#define MAGIC "plbdata1"

bool plb_journal_files_mark_data(const struct plb_journal_files *f)
{
    struct mark mark = {.id = f->id};
    memcpy(mark.magic, MAGIC, sizeof mark.magic);
    return (f->data < 0 || pwrite(f->data, &mark, sizeof mark, 0) == sizeof mark)
        && (f->records < 0 || pwrite(f->records, &mark, sizeof mark, 0) == sizeof mark);
}

static bool is_marked(const struct plb_journal_files *f, int fd)
{
    struct mark mark;
    return pread(fd, &mark, sizeof mark, 0) == sizeof mark
        && memcmp(mark.magic, MAGIC, sizeof mark.magic) == 0 && mark.id == f->id;
}

static bool is_data(const struct plb_journal_files *f)
{
    struct stat info;
    return is_marked(f, f->data) && fstat(f->data, &info) == 0 && info.st_size == f->data_bytes;
}

static void lay_out(struct plb_journal_files *f, const struct plb_dataset *set)
{
    int64_t end = PAGE;
    for (int i = 0; i < set->n; i++) {
        if (set->at[i].mode != PLB_OUTPUT)
            continue;
        size_t offset, bytes;
        plb_dataset_bytes(set, i, (struct plb_range){0, set->units}, &offset, &bytes);
        f->at[i] = end;
        end += ((int64_t)bytes + PAGE - 1) / PAGE * PAGE;
    }
    f->data_bytes = end > PAGE ? end : 0;
}

/* Takes room for all outputs, so that a full disk is found before work begins. Where the file system cannot
 * do that, it is found later. */
static int reserve(const struct plb_journal_files *f, struct plb_error *err)
{
    char text[PLB_QUANTITY_TEXT];
    bool full = fallocate(f->data, 0, 0, f->data_bytes) != 0
             && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG);
    if (!full && ftruncate(f->data, f->data_bytes) == 0)
        return PLB_OK;
    int reason = errno;
    if (ftruncate(f->data, 0) != 0)
        reason = errno;
    return plb_fail(
        err, PLB_EINPUT,
        "journal %s: there is no space for the %s of outputs in %s: %s; free some, or name a file elsewhere",
        f->path, plb_bytes_print((double)f->data_bytes, text), f->data_path, strerror(reason));
}

int plb_journal_files_open_data(struct plb_journal_files *f, const struct plb_dataset *set, bool fresh,
                                struct plb_error *err)
{
    lay_out(f, set);
    if (f->data_bytes == 0)
        return PLB_OK;
    f->data = open(f->data_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | (fresh ? O_CREAT | O_TRUNC : 0), 0666);
    if (f->data < 0 && fresh)
        return plb_fail(err, PLB_EINPUT, "journal %s: %s cannot be written: %s; name another file", f->path,
                        f->data_path, strerror(errno));
    if (!fresh && (f->data < 0 || !is_data(f)))
        return plb_fail(err, PLB_EINPUT,
                        "journal %s: its outputs in %s are missing or of another run; bring that file back, "
                        "or remove the journal to begin anew",
                        f->path, f->data_path);
    f->direct = open(f->data_path, O_WRONLY | O_NOFOLLOW | O_DIRECT | O_CLOEXEC);
    return fresh ? reserve(f, err) : PLB_OK;
}

int plb_journal_files_open_records(struct plb_journal_files *f, bool fresh, struct plb_error *err)
{
    int how = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (fresh ? O_CREAT | O_TRUNC : 0);
    f->records = open(f->records_path, how, 0666);
    if (f->records < 0 && fresh)
        return plb_fail(err, PLB_EINPUT, "journal %s: %s cannot be written: %s; name another file", f->path,
                        f->records_path, strerror(errno));
    if (f->records < 0 || (!fresh && !is_marked(f, f->records)))
        return plb_fail(err, PLB_EINPUT,
                        "journal %s: its records in %s are missing or of another run; bring that file back, "
                        "or remove the journal to begin anew",
                        f->path, f->records_path);
    return PLB_OK;
}

static void leave_direct(struct plb_journal_files *f)
{
    if (f->direct >= 0)
        close(f->direct);
    f->direct = -1;
}

/* Bytes from memory, as far as they are written past the page cache. Where that fails, for whatever reason,
 * nothing is written so any more. */
static size_t write_direct(struct plb_journal_files *f, const char *memory, size_t bytes, int64_t at)
{
    double began = plb_now();
    size_t written = 0;
    while (written < bytes) {
        ssize_t n = pwrite(f->direct, memory + written, bytes - written, at + (int64_t)written);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || n % PAGE != 0)
            leave_direct(f);
        if (f->direct < 0)
            return written;
        written += (size_t)n;
    }
    if (bytes >= TELLING && (double)bytes < LEAST_RATE * (plb_now() - began))
        leave_direct(f);
    return written;
}

/* Writes the whole pages of a range, and then its ends. */
static bool write_range(struct plb_journal_files *f, char *memory, size_t bytes, int64_t at)
{
    size_t before = (size_t)((PAGE - at % PAGE) % PAGE), whole = 0;
    if (f->direct >= 0 && bytes >= LEAST_DIRECT + before && (uintptr_t)(memory + before) % SECTOR == 0)
        whole = write_direct(f, memory + before, (bytes - before) / PAGE * PAGE, at + (int64_t)before);
    size_t after = whole > 0 ? before + whole : 0;
    return (after == 0 || plb_file_move(f->data, true, memory, before, at))
        && plb_file_move(f->data, true, memory + after, bytes - after, at + (int64_t)after);
}

static bool move_units(struct plb_journal_files *f, const struct plb_dataset *set, bool writes,
                       const struct plb_rangeset *units)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_OUTPUT)
            for (int k = 0; k < units->n; k++) {
                size_t offset, bytes;
                plb_dataset_bytes(set, i, units->at[k], &offset, &bytes);
                char *memory = (char *)set->host[i] + offset;
                int64_t at = f->at[i] + (int64_t)offset;
                if (writes ? !write_range(f, memory, bytes, at)
                           : !plb_file_move(f->data, false, memory, bytes, at))
                    return false;
            }
    return true;
}

bool plb_journal_files_write(struct plb_journal_files *f, const struct plb_dataset *set,
                             const struct plb_rangeset *units)
{
    return move_units(f, set, true, units);
}

bool plb_journal_files_read_data(struct plb_journal_files *f, const struct plb_dataset *set,
                                 const struct plb_rangeset *units)
{
    return move_units(f, set, false, units);
}

uint32_t plb_journal_files_sum(const struct plb_dataset *set, struct plb_range range)
{
    uint32_t sum = 0;
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        if (set->at[i].mode != PLB_OUTPUT)
            continue;
        plb_dataset_bytes(set, i, range, &offset, &bytes);
        sum = plb_crc32c(sum, (const char *)set->host[i] + offset, bytes);
    }
    return sum;
}

/* ----------------------------------------------------------------------- end */

void plb_journal_files_remove(const struct plb_journal_files *f, bool all)
{
    unlink(f->data_path);
    unlink(f->pass_path);
    unlink(f->sums_path);
    unlink(f->records_path);
    if (all)
        unlink(f->path);
}

void plb_journal_files_close(struct plb_journal_files *f)
{
    leave_direct(f);
    if (f->data >= 0)
        close(f->data);
    if (f->records >= 0)
        close(f->records);
    if (f->fd >= 0)
        close(f->fd);
    free(f->records_path);
    free(f->path);
    free(f->data_path);
    free(f->pass_path);
    free(f->sums_path);
    *f = (struct plb_journal_files){.fd = -1, .data = -1, .records = -1, .direct = -1};
}
