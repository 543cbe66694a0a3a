/* Head, body, and up to seven zeros. */
#include "journal/record.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/crc32c.h"

struct head {
    uint32_t type, crc; /* of the other numbers and the body */
    uint64_t bytes;     /* of the body */
};

static size_t padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

static uint32_t checksum(const struct head *head, const void *first, size_t first_bytes, const void *second,
                         size_t second_bytes)
{
    uint32_t crc = plb_crc32c(0, &head->type, sizeof head->type);
    crc = plb_crc32c(crc, &head->bytes, sizeof head->bytes);
    return plb_crc32c(plb_crc32c(crc, first, first_bytes), second, second_bytes);
}

bool plb_record_read(const void *file, size_t bytes, size_t *at, struct plb_record *record)
{
    const char *here = (const char *)file + *at;
    size_t left = bytes - *at;
    struct head head;
    if (left < sizeof head)
        return false;
    memcpy(&head, here, sizeof head);
    left -= sizeof head;
    if (head.bytes > left || padded(head.bytes) > left || head.type < PLB_RECORD_JOB
        || head.type > PLB_RECORD_FORGOTTEN
        || checksum(&head, here + sizeof head, head.bytes, "", 0) != head.crc)
        return false;
    *record = (struct plb_record){(enum plb_record_type)head.type, here + sizeof head, head.bytes};
    *at += sizeof head + padded(head.bytes);
    return true;
}

bool plb_record_is_journal(const void *file, size_t bytes)
{
    const char *magic = (const char *)file + sizeof(struct head);
    size_t n = bytes > sizeof(struct head) ? bytes - sizeof(struct head) : 0;
    uint32_t type = PLB_RECORD_JOB;
    size_t typed = bytes < sizeof type ? bytes : sizeof type;
    return memcmp(file, &type, typed) == 0
        && memcmp(magic, PLB_RECORD_MAGIC, n < strlen(PLB_RECORD_MAGIC) ? n : strlen(PLB_RECORD_MAGIC)) == 0;
}

bool plb_record_is_torn(const void *file, size_t bytes)
{
    struct head head;
    if (bytes < sizeof head)
        return true;
    memcpy(&head, file, sizeof head);
    return head.bytes > bytes - sizeof head || padded(head.bytes) > bytes - sizeof head;
}

bool plb_record_append(int fd, enum plb_record_type type, const void *first, size_t first_bytes,
                       const void *second, size_t second_bytes)
{
    static const char zeros[8];
    size_t bytes = first_bytes + second_bytes, all = sizeof(struct head) + padded(bytes);
    struct head head = {.type = type, .bytes = bytes};
    head.crc = checksum(&head, first, first_bytes, second, second_bytes);
    struct iovec parts[] = {{&head, sizeof head},
                            {(void *)first, first_bytes},
                            {(void *)second, second_bytes},
                            {(void *)zeros, padded(bytes) - bytes}};
    ssize_t written = writev(fd, parts, 4);
    if (written == (ssize_t)all)
        return true;
    if (written >= 0)
        errno = ENOSPC; /* a part was written, because there was room for no more */
    return false;
}
