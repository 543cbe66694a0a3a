/* Write, sync, rename, sync the folder. */
#include "journal/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/path.h"

#define MAGIC "plbsnap1"
#define READ 65536 /* bytes that are read at a time */

struct head {
    char magic[8];
    struct plb_snapshot about;
    uint64_t bytes; /* of all parts */
    uint32_t crc;   /* of the rest of the head, and of all parts */
    uint32_t zero;
};

static uint32_t checksum_of_head(const struct head *head)
{
    return plb_crc32c(0, head, offsetof(struct head, crc));
}

/* A new file, whatever had the name: also where that is a link to somebody's file. */
static bool write_all(const char *path, const struct head *head, const struct plb_snapshot_part *parts, int n)
{
    unlink(path);
    FILE *f = fopen(path, "wbxe");
    if (f == NULL)
        return false;
    bool written = fwrite(head, sizeof *head, 1, f) == 1;
    for (int i = 0; i < n && written; i++)
        written = fwrite(parts[i].data, 1, parts[i].bytes, f) == parts[i].bytes;
    written = written && fflush(f) == 0 && fdatasync(fileno(f)) == 0;
    int reason = errno;
    fclose(f);
    errno = reason;
    return written;
}

bool plb_snapshot_write(const char *path, const struct plb_snapshot *about,
                        const struct plb_snapshot_part *parts, int n)
{
    struct head head = {.magic = {0}, .about = *about};
    char *fresh = NULL;
    memcpy(head.magic, MAGIC, sizeof head.magic);
    for (int i = 0; i < n; i++)
        head.bytes += parts[i].bytes;
    head.crc = checksum_of_head(&head);
    for (int i = 0; i < n; i++)
        head.crc = plb_crc32c(head.crc, parts[i].data, parts[i].bytes);
    if (asprintf(&fresh, "%s.new", path) < 0)
        return false;
    bool written = write_all(fresh, &head, parts, n) && rename(fresh, path) == 0;
    int reason = errno;
    if (written)
        plb_path_sync_folder(path);
    else
        unlink(fresh);
    free(fresh);
    errno = reason;
    return written;
}

/* Whether what follows the head in the stream is what the head says. */
static bool is_whole(FILE *f, const struct head *head)
{
    static const size_t most = READ;
    char *buffer = malloc(most);
    uint32_t crc = checksum_of_head(head);
    uint64_t left = head->bytes;
    while (buffer != NULL && left > 0) {
        size_t n = fread(buffer, 1, left < most ? (size_t)left : most, f);
        if (n == 0)
            break;
        crc = plb_crc32c(crc, buffer, n);
        left -= n;
    }
    free(buffer);
    return left == 0 && crc == head->crc;
}

FILE *plb_snapshot_open(const char *path, uint64_t id, struct plb_snapshot *about, size_t *bytes)
{
    struct head head;
    FILE *f = fopen(path, "rbe");
    if (f == NULL)
        return NULL;
    if (fread(&head, sizeof head, 1, f) != 1 || memcmp(head.magic, MAGIC, sizeof head.magic) != 0
        || head.about.id != id || head.zero != 0 || !is_whole(f, &head)
        || fseek(f, sizeof head, SEEK_SET) != 0) {
        fclose(f);
        return NULL;
    }
    *about = head.about;
    *bytes = head.bytes;
    return f;
}
