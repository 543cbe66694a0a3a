/* Two numbers and their checksum. */
#include "app/stream_mark.h"

#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"

/* Zeros: nothing is written yet. */
struct mark {
    int64_t at;
    uint32_t crc, forgotten;
};

bool plb_stream_mark_write(int fd, int64_t at, uint32_t forgotten)
{
    struct mark mark = {at, plb_crc32c(forgotten, &at, sizeof at), forgotten};
    return pwrite(fd, &mark, sizeof mark, PLB_STREAM_MARK) == sizeof mark;
}

bool plb_stream_mark_read(int fd, int64_t *at, uint32_t *forgotten)
{
    static const struct mark none;
    struct mark mark = none;
    if (pread(fd, &mark, sizeof mark, PLB_STREAM_MARK) < 0)
        return false;
    *at = mark.at;
    *forgotten = mark.forgotten;
    return memcmp(&mark, &none, sizeof mark) == 0
        || mark.crc == plb_crc32c(mark.forgotten, &mark.at, sizeof mark.at);
}

int64_t plb_stream_mark_before(const struct plb_streamed *r, int64_t unit)
{
    return r->at < 0 || unit == plb_range_end(r->result) ? r->end : r->at + (unit - r->result.first);
}

int64_t plb_stream_mark_units(const struct plb_streamed *r, int64_t mark)
{
    return r->at < 0 || mark <= r->at ? 0 : mark >= r->end ? r->result.count : mark - r->at;
}
