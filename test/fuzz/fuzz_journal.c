/* A file of a journal: FILE with its records, or FILE.pass or FILE.sums, which are snapshots. Its begin tells
 * which. Random bytes never have the right checksum. So each input is read twice: as it is, and after lengths
 * that go beyond its end and all checksums were made right. The seeds are of a run of test/kernels/chain.c
 * with 16 units. */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/crc32c.h"
#include "device/driver.h"
#include "fuzz.h"
#include "journal/found.h"
#include "journal/joblog.h"
#include "journal/state.h"

enum { UNITS = 16, KEPT = 100, FIELD = 0 };

const struct plb_device_driver *const plb_device_drivers[] = {NULL}; /* the names of phases need none */

/* The head of a record, as in journal/record.c, and that of a snapshot, as in journal/snapshot.c. */
struct record_head {
    uint32_t type, crc;
    uint64_t bytes;
};
struct snapshot_head {
    char magic[8];
    struct plb_snapshot about;
    uint64_t bytes;
    uint32_t crc, zero;
};

static bool is_snapshot(const uint8_t *data, size_t size)
{
    return size >= sizeof(struct snapshot_head) && memcmp(data, "plbsnap1", 8) == 0;
}

/* A body that goes beyond the end ends there. */
static uint64_t cut(uint64_t bytes, size_t left)
{
    return bytes < left ? bytes : left;
}

static void mend_snapshot(uint8_t *data, size_t size)
{
    struct snapshot_head head;
    memcpy(&head, data, sizeof head);
    head.bytes = cut(head.bytes, size - sizeof head);
    uint32_t crc = plb_crc32c(0, &head, offsetof(struct snapshot_head, crc));
    head.crc = plb_crc32c(crc, data + sizeof head, head.bytes);
    memcpy(data, &head, sizeof head);
}

static void mend_records(uint8_t *data, size_t size)
{
    for (size_t at = 0; size - at >= sizeof(struct record_head);) {
        struct record_head head;
        memcpy(&head, data + at, sizeof head);
        size_t left = size - at - sizeof head;
        head.bytes = cut(head.bytes, left / 8 * 8); /* with the zeros that follow a body */
        uint32_t crc = plb_crc32c(0, &head.type, sizeof head.type);
        crc = plb_crc32c(crc, &head.bytes, sizeof head.bytes);
        head.crc = plb_crc32c(crc, data + at + sizeof head, head.bytes);
        memcpy(data + at, &head, sizeof head);
        at += sizeof head + (head.bytes + 7) / 8 * 8;
    }
}

/* ------------------------------------------------------------------------ FILE */

static void check_units(const struct plb_found *found)
{
    struct plb_rangeset units = {0};
    bool right = plb_found_units(found, found->last_pass, UNITS, &units);
    for (int i = 0; i < units.n; i++)
        fuzz_check(units.at[i].first >= 0 && units.at[i].count > 0 && units.at[i].first < UNITS
                       && units.at[i].count <= UNITS - units.at[i].first,
                   "a unit lies outside of the job");
    fuzz_check(!right || found->last_pass == 0 || units.units <= UNITS, "there are too many units");
    plb_rangeset_fini(&units);
}

/* A journal tells the same after its torn end was cut off. */
static void check_end(const struct plb_found *found, const struct plb_journal_files *files)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_found again;
    fuzz_check(ftruncate(files->fd, (off_t)found->end) == 0, "no file in memory");
    fuzz_check(plb_found_read(&again, files, &err) == PLB_OK && again.what == found->what
                   && again.end == found->end && again.id == found->id && again.last_pass == found->last_pass
                   && strcmp(again.job, found->job) == 0,
               "without its torn end a journal tells something else");
    plb_found_fini(&again);
}

static void read_journal(const uint8_t *data, size_t size)
{
    struct plb_error err = {.status = PLB_OK}, printed = {.status = PLB_OK};
    struct plb_found found;
    static FILE *nowhere = NULL;
    char name[64];
    snprintf(name, sizeof name, "%s", fuzz_file(data, size));
    if (nowhere == NULL)
        nowhere = fopen("/dev/null", "w");
    struct plb_journal_files files = {
        .path = strdup(name), .fd = open(name, O_RDWR | O_CLOEXEC), .data = -1, .records = -1, .direct = -1};
    fuzz_check(files.fd >= 0 && nowhere != NULL, "no file in memory");
    int status = plb_joblog_print(name, nowhere, &printed);
    fflush(nowhere);
    plb_found_read(&found, &files, &err);
    bool tells = err.status == PLB_OK && found.what != PLB_FOUND_NOTHING;
    fuzz_check((status == PLB_OK) == tells, "a journal that counts is not printed, or another one is");
    fuzz_check((err.status == PLB_OK || err.text[0] != '\0') && (tells || printed.text[0] != '\0'),
               "a journal is refused without a sentence");
    if (tells) {
        fuzz_check(found.job != NULL && found.end <= size, "a journal without a job, or beyond its end");
        check_units(&found);
        check_end(&found, &files);
    }
    plb_found_fini(&found);
    plb_journal_files_close(&files);
}

/* ------------------------------------------------------- FILE.pass and FILE.sums */

static void read_pass(const char *path, uint64_t id)
{
    static const struct plb_phase phases[] = {{.name = "one"}, {.name = "two"}, {0}};
    static const struct plb_kernel kernel = {.name = "chain", .phases = phases};
    static const double zeros[UNITS];
    double field[UNITS] = {0}, out[UNITS] = {0};
    int64_t sum = 0, sums[KEPT];
    struct plb_pass_state state = {.changed = 0};
    int pass;
    static struct plb_app app; /* it is large */
    app = (struct plb_app){.kernel = &kernel, .units = UNITS, .n_data = 3, .n_kept = 1};
    app.data[FIELD] = (struct plb_data){.mode = PLB_REPLICATE, .data = field, .bytes = sizeof field};
    app.data[1] = (struct plb_data){.mode = PLB_OUTPUT, .data = out, .unit_bytes = sizeof *out};
    app.data[2] = (struct plb_data){.mode = PLB_REDUCE, .data = &sum, .bytes = 8, .type = PLB_INT64};
    app.kept[0] = (struct plb_kept){sums, sizeof sums};
    if (plb_state_read_pass(path, id, &app, &state, &pass) != PLB_OK)
        return;
    fuzz_check(pass > 0 || memcmp(field, zeros, sizeof field) == 0, "there is no pass, but its buffers");
    fuzz_check(pass >= 0 && app.coming >= 0 && app.coming < 2, "a pass or a phase that does not exist");
    fuzz_check((state.changed & ~((int64_t)1 << FIELD)) == 0, "a buffer is replaced that cannot be");
    for (int i = 0; i < PLB_MAX_PHASES; i++)
        fuzz_check(app.passes[i] >= 0, "a phase had fewer passes than none");
}

static void read_sums(const char *path, const struct plb_snapshot *of)
{
    struct plb_rangeset folded = {0};
    char sums[8];
    if (plb_state_read_sums(path, of, UNITS, &folded, sums, sizeof sums)) {
        fuzz_check(folded.units >= 0 && folded.units <= UNITS, "there are too many units");
        for (int i = 0; i < folded.n; i++)
            fuzz_check(folded.at[i].first >= 0 && folded.at[i].count > 0 && folded.at[i].first < UNITS
                           && folded.at[i].count <= UNITS - folded.at[i].first,
                       "a unit lies outside of the job");
    } else
        fuzz_check(folded.n == 0 && folded.units == 0, "sums that cannot be read have units");
    plb_rangeset_fini(&folded);
}

static void read_file(const uint8_t *data, size_t size)
{
    struct snapshot_head head;
    if (!is_snapshot(data, size)) {
        read_journal(data, size);
        return;
    }
    memcpy(&head, data, sizeof head);
    const char *path = fuzz_file(data, size);
    read_pass(path, head.about.id);
    read_sums(path, &head.about);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_file(data, size);
    uint8_t *right = malloc(size + 1);
    fuzz_check(right != NULL, "there is no memory");
    memcpy(right, data, size);
    if (is_snapshot(right, size))
        mend_snapshot(right, size);
    else
        mend_records(right, size);
    read_file(right, size);
    free(right);
    return 0;
}
