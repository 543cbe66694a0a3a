/* A file of results in the order in which they came, and an index of it.
 *
 *     begin | head, ranges that count, bytes | head, ranges, bytes | ...
 *
 * A journal writes whose file it is into the begin, and a stream how far it came. */
#include "app/record_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"

#define BEGIN 64       /* bytes; a page is not needed: nothing is mapped */
#define COPY (1 << 20) /* bytes that are copied at a time. Larger: more memory. Smaller: more calls */

/* One result in the file. */
struct head {
    int64_t first, count, bytes;
    int32_t pass, n_ranges;
    uint32_t crc; /* of the ranges and bytes, with the head before this one's members */
    uint32_t zero;
};

/* A range whose records are in a result. */
struct piece {
    struct plb_range units;
    struct plb_range result;
    int64_t at; /* the byte of the file where the result's bytes begin; below 0: there are no records */
};

struct plb_record_store {
    int n_parts, *of; /* by buffer: which of the parts of a result */
    char *beside;
    int fd; /* -1: not open yet */
    bool borrowed;
    int64_t end;
    int failure;
    struct piece *pieces;
    int n_pieces, capacity;
    struct plb_record_stream *stream; /* NULL: there is none */
    struct plb_forgotten *forgotten;  /* whose earlier records do not count; n_forgotten of them */
    int n_forgotten;
};

struct plb_record_store *plb_record_store_new(const struct plb_data *data, int n, const char *beside)
{
    struct plb_record_store *s = plb_alloc(sizeof *s);
    s->of = plb_alloc((size_t)n * sizeof *s->of);
    for (int i = 0; i < n; i++)
        s->of[i] = data[i].mode == PLB_RECORDS ? s->n_parts++ : -1;
    s->beside = beside != NULL ? strdup(beside) : NULL;
    s->fd = -1;
    s->end = BEGIN;
    return s;
}

void plb_record_store_free(struct plb_record_store *s)
{
    if (s == NULL)
        return;
    plb_record_stream_free(s->stream);
    if (s->fd >= 0 && !s->borrowed)
        close(s->fd);
    free(s->of);
    free(s->beside);
    free(s->pieces);
    free(s);
}

/* ------------------------------------------------------------------------ file */

/* A file without a name in a folder; -1 where there cannot be one. */
static int open_nameless(const char *folder)
{
    char name[4096];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || snprintf(name, sizeof name, "%s/plbrun-XXXXXX", folder) >= (int)sizeof name)
        return fd;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static bool open_file(struct plb_record_store *s)
{
    const char *other = getenv("TMPDIR");
    char *folder = s->beside != NULL && strncmp(s->beside, "/dev/", 5) != 0 ? plb_path_folder(s->beside)
                                                                            : NULL;
    if (folder != NULL)
        s->fd = open_nameless(folder);
    free(folder);
    if (s->fd < 0)
        s->fd = open_nameless(other != NULL ? other : "/tmp");
    if (s->fd >= 0 && s->stream != NULL)
        plb_record_stream_begin(s->stream, s->fd, false);
    return s->fd >= 0;
}

static void add_piece(struct plb_record_store *s, struct plb_range units, struct plb_range result, int64_t at)
{
    s->pieces = plb_room(s->pieces, s->n_pieces, &s->capacity, sizeof *s->pieces);
    s->pieces[s->n_pieces++] = (struct piece){units, result, at};
}

/* Tells the stream of units whose records are in a result, or that have none. */
static void give(struct plb_record_store *s, struct plb_range units, struct plb_range result, int64_t at,
                 int64_t end)
{
    struct plb_streamed r = {units, result, at, end, 0};
    if (s->stream == NULL)
        return;
    r.written = plb_record_stream_written(s->stream, &r);
    plb_record_stream_give(s->stream, &r);
}

static uint32_t sum(const struct head *head, const void *rest, size_t n, uint32_t so_far)
{
    uint32_t crc = head != NULL ? plb_crc32c(0, head, offsetof(struct head, crc)) : so_far;
    return plb_crc32c(crc, rest, n);
}

bool plb_record_store_keep(struct plb_record_store *s, int pass, struct plb_range range, const void *bytes,
                           size_t n, const struct plb_rangeset *units)
{
    struct head head = {range.first, range.count, (int64_t)n, pass, units->n, 0, 0};
    size_t ranges = (size_t)units->n * sizeof *units->at;
    int64_t at = s->end + (int64_t)(sizeof head + ranges);
    if (units->n == 0 || s->failure != 0)
        return units->n == 0;
    head.crc = s->borrowed ? sum(NULL, bytes, n, sum(&head, units->at, ranges, 0)) : 0;
    if ((s->fd < 0 && !open_file(s)) || !plb_file_move(s->fd, true, &head, sizeof head, s->end)
        || !plb_file_move(s->fd, true, units->at, ranges, s->end + (int64_t)sizeof head)
        || !plb_file_move(s->fd, true, (void *)bytes, n, at)) {
        s->failure = errno;
        return false;
    }
    s->end = at + (int64_t)n;
    for (int i = 0; i < units->n; i++) {
        add_piece(s, units->at[i], range, at);
        give(s, units->at[i], range, at, s->end);
    }
    return true;
}

void plb_record_store_drop(struct plb_record_store *s, struct plb_range range)
{
    add_piece(s, range, range, -1);
    give(s, range, range, -1, 0);
}

bool plb_record_store_stream(struct plb_record_store *s, int i, const struct plb_stream_shape *shape,
                             const char *path)
{
    if (s->stream == NULL)
        s->stream = plb_record_stream_new(shape, s->n_parts);
    return plb_record_stream_add(s->stream, s->of[i], path);
}

void plb_record_store_grow(struct plb_record_store *s, int i, const struct plb_stream_shape *shape,
                           const char *path, const char *head)
{
    if (s->stream == NULL)
        s->stream = plb_record_stream_new(shape, s->n_parts);
    plb_record_stream_grow(s->stream, s->of[i], path, head);
}

int plb_record_store_end(struct plb_record_store *s, bool rest, const char **path)
{
    *path = NULL;
    if (s == NULL || s->stream == NULL)
        return 0;
    plb_record_stream_end(s->stream, rest);
    return plb_record_stream_failure(s->stream, path);
}

int plb_record_store_failure(const struct plb_record_store *s, const char **path)
{
    *path = NULL;
    return s->failure != 0 || s->stream == NULL ? s->failure : plb_record_stream_failure(s->stream, path);
}

/* ------------------------------------------------------------------- a journal's */

/* Adds what counts of the units of a result to the index, and those of the pass to `found`. A stream out of
 * order prints all of it, also what this run executes again: behind a mark, no result may be unprinted. */
static void adopt(struct plb_record_store *s, const struct head *head, const struct plb_rangeset *ranges,
                  int64_t at, int pass, const struct plb_rangeset *units, struct plb_rangeset *found)
{
    struct plb_range result = {head->first, head->count};
    int64_t all = at + head->bytes;
    bool prints = head->pass == pass && s->stream != NULL && !plb_record_stream_in_order(s->stream);
    for (int k = 0; k < ranges->n; k++) {
        if (head->pass < pass)
            add_piece(s, ranges->at[k], result, at);
        if (head->pass < pass || prints)
            give(s, ranges->at[k], result, at, all);
    }
    struct plb_rangeset both = {0};
    if (head->pass == pass)
        for (int k = 0; k < ranges->n; k++)
            plb_rangeset_add_common(&both, ranges->at[k], units);
    for (int i = 0; i < both.n; i++) {
        add_piece(s, both.at[i], result, at);
        plb_rangeset_add(found, both.at[i]);
        if (!prints)
            give(s, both.at[i], result, at, all);
    }
    plb_rangeset_fini(&both);
}

/* The same without units that were forgotten since. */
static void adopt_rest(struct plb_record_store *s, const struct head *head, const struct plb_range *ranges,
                       int64_t at, int pass, const struct plb_rangeset *units, struct plb_rangeset *found)
{
    struct plb_rangeset rest = {0};
    for (int k = 0; k < head->n_ranges; k++)
        plb_rangeset_add(&rest, ranges[k]);
    plb_forgotten_remove(s->forgotten, s->n_forgotten, at, &rest);
    adopt(s, head, &rest, at, pass, units, found);
    plb_rangeset_fini(&rest);
}

/* Reads the result at the end of what is known. False where there is none that is whole. */
static bool read_next(struct plb_record_store *s, int64_t size, int pass, const struct plb_rangeset *units,
                      struct plb_rangeset *found)
{
    struct head head;
    if (size - s->end < (int64_t)sizeof head || !plb_file_move(s->fd, false, &head, sizeof head, s->end))
        return false;
    int64_t left = size - s->end - (int64_t)sizeof head, ranges = (int64_t)sizeof(struct plb_range);
    if (head.zero != 0 || head.n_ranges < 1 || head.bytes < 0 || head.n_ranges > left / ranges
        || head.bytes > left - head.n_ranges * ranges)
        return false;
    size_t n = (size_t)(head.n_ranges * ranges + head.bytes);
    char *rest = malloc(n);
    bool whole = rest != NULL && plb_file_move(s->fd, false, rest, n, s->end + (int64_t)sizeof head)
              && sum(&head, rest, n, 0) == head.crc;
    if (whole) {
        adopt_rest(s, &head, (const void *)rest, s->end + (int64_t)sizeof head + head.n_ranges * ranges, pass,
                   units, found);
        s->end += (int64_t)(sizeof head + n);
    }
    free(rest);
    return whole;
}

void plb_record_store_forget(struct plb_record_store *s, struct plb_forgotten *list, int n)
{
    s->forgotten = list;
    s->n_forgotten = n;
}

bool plb_record_store_adopt(struct plb_record_store *s, int fd, int pass, struct plb_rangeset *units)
{
    struct plb_rangeset found = {0};
    int64_t size = lseek(fd, 0, SEEK_END);
    s->fd = fd;
    s->borrowed = true;
    if (units == NULL && ftruncate(fd, 0) != 0)
        return false;
    if (s->stream != NULL && !plb_record_stream_begin(s->stream, fd, true))
        return false;
    if (s->stream != NULL && s->n_forgotten > 0)
        plb_record_stream_forget(s->stream, s->forgotten, s->n_forgotten);
    while (units != NULL && read_next(s, size, pass, units, &found)) {
    }
    if (s->n_forgotten > 0 && s->forgotten[s->n_forgotten - 1].records == INT64_MAX)
        s->forgotten[s->n_forgotten - 1].records = s->end;
    if (units != NULL)
        plb_rangeset_clear(units);
    for (int i = 0; i < found.n; i++)
        plb_rangeset_add(units, found.at[i]);
    plb_rangeset_fini(&found);
    return size >= 0;
}

bool plb_record_store_go_on(struct plb_record_store *s)
{
    return ftruncate(s->fd, s->end) == 0 && (s->stream == NULL || plb_record_stream_cut(s->stream, s->end));
}

int64_t plb_record_store_bytes(const struct plb_record_store *s)
{
    return s->end;
}

/* ---------------------------------------------------------------------- results */

/* Where a unit's record is. */
struct record {
    int64_t at, bytes;
};

/* Finds where the records of a part of a piece's result are. *lengths: of its units, in memory that grows. */
static bool find(const struct plb_record_store *s, const struct piece *p, int part, int64_t **lengths,
                 int64_t *at)
{
    size_t n = (size_t)p->result.count * sizeof **lengths;
    *lengths = plb_grow(*lengths, n);
    *at = p->at;
    for (int k = 0;; k++) {
        if (!plb_file_move(s->fd, false, *lengths, n, *at))
            return false;
        *at += (int64_t)n;
        for (int64_t u = 0; u < p->result.count && k < part; u++)
            *at += (*lengths)[u] > 0 ? (*lengths)[u] : 0;
        if (k == part)
            return true;
    }
}

/* Enters the records of a piece; of earlier ones of the same units those remain that it has none of. */
static bool locate(const struct plb_record_store *s, const struct piece *p, int part, int64_t **lengths,
                   struct record *records)
{
    struct plb_range units = p->units;
    int64_t at = 0;
    if (p->at < 0)
        memset(records + units.first, 0, (size_t)units.count * sizeof *records);
    else if (!find(s, p, part, lengths, &at))
        return false;
    for (int64_t u = p->result.first; u < units.first + units.count && p->at >= 0; u++) {
        int64_t length = (*lengths)[u - p->result.first];
        if (u >= units.first && length >= 0)
            records[u] = (struct record){at, length};
        at += length > 0 ? length : 0;
    }
    return true;
}

/* Copies bytes of the file. Errors of `out` show when it is closed. */
static bool copy(const struct plb_record_store *s, int64_t at, int64_t bytes, char *buffer, FILE *out)
{
    for (int64_t n; bytes > 0; at += n, bytes -= n) {
        n = bytes < COPY ? bytes : COPY;
        if (!plb_file_move(s->fd, false, buffer, (size_t)n, at))
            return false;
        fwrite(buffer, 1, (size_t)n, out);
    }
    return true;
}

/* Copies the records in the order of the units. Neighbours are copied at once. */
static bool print(const struct plb_record_store *s, const struct record *records, int64_t units,
                  const int64_t *order, FILE *out)
{
    char *buffer = malloc(COPY);
    bool right = buffer != NULL;
    for (int64_t i = 0; i < units && right;) {
        struct record of = records[order != NULL ? order[i] : i];
        int64_t at = of.at, end = at + of.bytes;
        for (i++; i < units; i++, end += of.bytes) {
            of = records[order != NULL ? order[i] : i];
            if (of.bytes != 0 && of.at != end)
                break;
        }
        right = copy(s, at, end - at, buffer, out);
    }
    free(buffer);
    return right;
}

int plb_record_store_print(const struct plb_record_store *s, int i, int64_t units, const int64_t *order,
                           FILE *out)
{
    struct record *records = plb_alloc((size_t)units * sizeof *records);
    int64_t *lengths = NULL;
    bool right = true;
    errno = 0;
    for (int k = 0; k < s->n_pieces && right; k++)
        right = locate(s, &s->pieces[k], s->of[i], &lengths, records);
    right = right && print(s, records, units, order, out);
    free(lengths);
    free(records);
    return right ? 0 : errno != 0 ? errno : ENOMEM;
}
