/* Records from the first to the last whole one. */
#include "journal/found.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The parts of a record about results; false where it has another form. */
static bool take_done(const struct plb_record *record, struct plb_record_pass *pass,
                      const struct plb_record_done **done, size_t *n)
{
    if (record->type != PLB_RECORD_DONE || record->bytes < sizeof *pass
        || (record->bytes - sizeof *pass) % sizeof **done != 0)
        return false;
    memcpy(pass, record->body, sizeof *pass);
    *done = (const void *)((const char *)record->body + sizeof *pass);
    *n = (record->bytes - sizeof *pass) / sizeof **done;
    return true;
}

/* The bytes of a record behind its first ones, as text. */
static char *text_behind(const struct plb_record *record, size_t first)
{
    char *text = plb_alloc(record->bytes - first + 1);
    memcpy(text, (const char *)record->body + first, record->bytes - first);
    return text;
}

static void take_job(struct plb_found *f, const struct plb_record *record)
{
    struct plb_record_job job;
    if (record->type != PLB_RECORD_JOB || record->bytes < sizeof job)
        return;
    memcpy(&job, record->body, sizeof job);
    f->id = job.id;
    f->job = text_behind(record, sizeof job);
}

int plb_found_read(struct plb_found *f, const struct plb_journal_files *files, struct plb_error *err)
{
    struct plb_record record;
    size_t bytes;
    *f = (struct plb_found){.what = PLB_FOUND_NOTHING};
    if (!plb_journal_files_read(files, &f->bytes, &bytes, err) || bytes == 0)
        return err->status;
    if (!plb_record_is_journal(f->bytes, bytes))
        return plb_fail(err, PLB_EINPUT,
                        "journal %s: this file is not a journal of plbrun; name another file", files->path);
    if (plb_record_read(f->bytes, bytes, &f->end, &record))
        take_job(f, &record);
    if (f->job == NULL && plb_record_is_torn(f->bytes, bytes))
        return PLB_OK; /* a run was killed when it had just begun */
    if (f->job == NULL)
        return plb_fail(err, PLB_EINPUT, "journal %s: its head is damaged; remove it to begin anew",
                        files->path);
    f->what = PLB_FOUND_BROKEN;
    while (plb_record_read(f->bytes, bytes, &f->end, &record)) {
        struct plb_record_pass pass;
        const struct plb_record_done *done;
        size_t n;
        if (take_done(&record, &pass, &done, &n) && pass.pass > f->last_pass)
            f->last_pass = pass.pass;
        bool ends = record.type == PLB_RECORD_END;
        f->what = ends ? PLB_FOUND_COMPLETE : PLB_FOUND_BROKEN;
        free(f->failed);
        f->failed = ends && record.bytes > 0 ? text_behind(&record, 0) : NULL;
    }
    return PLB_OK;
}

void plb_found_fini(struct plb_found *f)
{
    free(f->bytes);
    free(f->job);
    free(f->failed);
    *f = (struct plb_found){.what = PLB_FOUND_NOTHING};
}

/* The units of a record that were forgotten; false where it has another form. */
static bool take_forgotten(const struct plb_record *record, struct plb_record_forgotten *of,
                           const struct plb_range **ranges, size_t *n)
{
    if (record->type != PLB_RECORD_FORGOTTEN || record->bytes < sizeof *of
        || (record->bytes - sizeof *of) % sizeof **ranges != 0)
        return false;
    memcpy(of, record->body, sizeof *of);
    *ranges = (const void *)((const char *)record->body + sizeof *of);
    *n = (record->bytes - sizeof *of) / sizeof **ranges;
    return true;
}

static void forget(const struct plb_record *record, int pass, struct plb_rangeset *accepted)
{
    struct plb_record_forgotten of;
    const struct plb_range *ranges;
    size_t n;
    if (take_forgotten(record, &of, &ranges, &n) && of.pass == pass)
        for (size_t i = 0; i < n; i++)
            plb_rangeset_remove(accepted, ranges[i]);
}

int plb_found_forgotten(const struct plb_found *f, int64_t units, struct plb_forgotten **list)
{
    struct plb_record record;
    int32_t n = 0, capacity = 1;
    bool wrong = false;
    *list = plb_alloc(sizeof **list);
    for (size_t at = 0; plb_record_read(f->bytes, f->end, &at, &record);) {
        struct plb_record_forgotten of;
        const struct plb_range *ranges;
        size_t n_ranges;
        if (!take_forgotten(&record, &of, &ranges, &n_ranges))
            continue;
        *list = plb_room(*list, n + 1, &capacity, sizeof **list);
        (*list)[n] = (struct plb_forgotten){.pass = (int)of.pass, .records = of.records, .mark = of.mark};
        (*list)[n + 1] = (struct plb_forgotten){0};
        for (size_t i = 0; i < n_ranges; i++) {
            wrong |= ranges[i].first < 0 || ranges[i].count < 1 || ranges[i].first > units - ranges[i].count;
            if (!wrong)
                plb_rangeset_add(&(*list)[n].units, ranges[i]);
        }
        wrong |= of.mark < 0 || of.mark > units;
        n++;
    }
    if (!wrong)
        return n;
    plb_forgotten_free(*list, n);
    *list = NULL;
    return -1;
}

bool plb_found_units(const struct plb_found *f, int pass, int64_t units, struct plb_rangeset *accepted)
{
    struct plb_record record;
    for (size_t at = 0; plb_record_read(f->bytes, f->end, &at, &record);) {
        struct plb_record_pass of;
        const struct plb_record_done *done;
        size_t n;
        if (record.type == PLB_RECORD_FORGOTTEN)
            forget(&record, pass, accepted);
        if (!take_done(&record, &of, &done, &n) || of.pass != pass)
            continue;
        for (size_t i = 0; i < n; i++) {
            if (done[i].first < 0 || done[i].count < 1 || done[i].first > units - done[i].count)
                return false;
            plb_rangeset_add(accepted, (struct plb_range){done[i].first, done[i].count});
        }
    }
    return true;
}

int plb_found_overlapping(const struct plb_found *f, int pass, const struct plb_rangeset *units,
                          struct plb_record_done **list)
{
    struct plb_record record;
    int32_t n = 0, capacity = 0;
    *list = NULL;
    for (size_t at = 0; plb_record_read(f->bytes, f->end, &at, &record);) {
        struct plb_record_pass of;
        const struct plb_record_done *done;
        size_t n_done;
        if (!take_done(&record, &of, &done, &n_done) || of.pass != pass)
            continue;
        for (size_t i = 0; i < n_done; i++)
            if (plb_rangeset_overlaps(units, (struct plb_range){done[i].first, done[i].count})) {
                *list = plb_room(*list, n, &capacity, sizeof **list);
                (*list)[n++] = done[i];
            }
    }
    return n;
}

/* A unit that was executed again has a record of each time, and the last one counts. */
void plb_found_check(const struct plb_found *f, int pass, const struct plb_dataset *set,
                     struct plb_rangeset *accepted)
{
    struct plb_rangeset wrong = {0};
    struct plb_record record;
    for (size_t at = 0; plb_record_read(f->bytes, f->end, &at, &record);) {
        struct plb_record_pass of;
        const struct plb_record_done *done;
        size_t n;
        if (!take_done(&record, &of, &done, &n) || of.pass != pass)
            continue;
        for (size_t i = 0; i < n; i++) {
            struct plb_range range = {done[i].first, done[i].count};
            if (range.first < 0 || range.count < 1 || range.first > set->units - range.count)
                continue;
            if (plb_journal_files_sum(set, range) == done[i].sum)
                plb_rangeset_remove(&wrong, range);
            else
                plb_rangeset_add(&wrong, range);
        }
    }
    for (int i = 0; i < wrong.n; i++)
        plb_rangeset_remove(accepted, wrong.at[i]);
    plb_rangeset_fini(&wrong);
}
