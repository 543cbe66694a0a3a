/* Two numbers and their checksum. Of marks that wait, the oldest one and the newest one are kept. */
#include "app/stream/stream_mark.h"

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

static bool put(const struct plb_stream_marks *m, int64_t mark)
{
    return m->file < 0 || mark == 0 || plb_stream_mark_write(m->file, mark, m->forgotten);
}

bool plb_stream_marks_move(struct plb_stream_marks *m, int64_t mark, uint32_t forgotten,
                           const struct plb_stream_place *place)
{
    m->forgotten = forgotten;
    if (!m->lags)
        return put(m, mark);
    m->latest = mark;
    m->latest_at = *place;
    if (m->aging != 0)
        return plb_stream_marks_look(m, place);
    m->aging = mark;
    m->aging_at = *place;
    return true;
}

bool plb_stream_marks_look(struct plb_stream_marks *m, const struct plb_stream_place *place)
{
    int64_t due = m->aging;
    if (due == 0 || place->now < m->aging_at.now + PLB_STREAM_LAG || place->read < m->aging_at.written)
        return true;
    m->aging = m->latest != due ? m->latest : 0;
    m->aging_at = m->latest_at;
    return put(m, due);
}

bool plb_stream_marks_end(struct plb_stream_marks *m)
{
    int64_t last = m->aging != 0 ? m->latest : 0;
    m->aging = 0;
    return put(m, last);
}

int64_t plb_stream_mark_before(const struct plb_streamed *r, int64_t unit)
{
    return r->at < 0 || unit == plb_range_end(r->result) ? r->end : r->at + (unit - r->result.first);
}

int64_t plb_stream_mark_units(const struct plb_streamed *r, int64_t mark)
{
    return r->at < 0 || mark <= r->at ? 0 : mark >= r->end ? r->result.count : mark - r->at;
}
