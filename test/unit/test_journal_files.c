/* FILE.data: outputs are there byte by byte, past the page cache or through it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>

#include "base/memory.h"
#include "folder.h"
#include "journal/files.h"
#include "journal/snapshot.h"

enum { UNITS = 3000, UNIT_BYTES = 333 }; /* ranges begin and end within pages */
#define BYTES ((size_t)UNITS * UNIT_BYTES)

static void *memory_of(int shift)
{
    unsigned char *bytes = plb_alloc(BYTES + 4096);
    for (size_t i = 0; i < BYTES; i++)
        bytes[(size_t)shift + i] = (unsigned char)(i * 7 + i / 251);
    return bytes;
}

/* Opens a journal whose job has one output, which lies so many bytes beside a page. */
static void open_both(struct plb_journal_files *files, struct plb_dataset *set, const char *path,
                      char *memory)
{
    struct plb_error err = {.status = PLB_OK};
    *set = (struct plb_dataset){.n = 1, .on_rank0 = true, .units = UNITS};
    set->at[0] = (struct plb_data){
        .name = "out", .mode = PLB_OUTPUT, .data = memory, .unit_bytes = UNIT_BYTES};
    set->host[0] = memory;
    assert_int_equal(plb_journal_files_open(files, path, &err), PLB_OK);
    assert_int_equal(plb_journal_files_open_data(files, set, true, &err), PLB_OK);
}

/* What FILE.data has of the output: these units are there, and all others are zero. */
static void expect_units(struct plb_journal_files *files, const char *memory,
                         const struct plb_rangeset *units)
{
    char *there = plb_alloc(BYTES), *wanted = plb_alloc(BYTES);
    for (int i = 0; i < units->n; i++) {
        size_t first = (size_t)units->at[i].first * UNIT_BYTES;
        memcpy(wanted + first, memory + first, (size_t)units->at[i].count * UNIT_BYTES);
    }
    assert_int_equal(pread(files->data, there, BYTES, files->at[0]), BYTES);
    assert_memory_equal(there, wanted, BYTES);
    free(there);
    free(wanted);
}

/* direct: a descriptor that takes its place, or -1: as opened. */
static void write_all(const struct folder *folder, int shift, int direct)
{
    static const struct plb_range batches[][3] = {
        {{1, 1000}, {1500, 3}, {2000, 700}}, {{0, 1}, {1001, 499}, {2700, 300}}, {{1503, 497}}};
    struct plb_journal_files files;
    struct plb_dataset set;
    struct plb_rangeset units = {0}, all = {0};
    char *memory = memory_of(shift);
    open_both(&files, &set, folder->file, memory + shift);
    if (direct >= 0) {
        if (files.direct >= 0)
            close(files.direct);
        files.direct = direct;
    }
    for (int b = 0; b < 3; b++) {
        plb_rangeset_clear(&units);
        for (int i = 0; i < 3; i++) {
            plb_rangeset_add(&units, batches[b][i]);
            plb_rangeset_add(&all, batches[b][i]);
        }
        assert_true(plb_journal_files_write(&files, &set, &units));
        expect_units(&files, memory + shift, &all);
    }
    assert_int_equal(all.units, UNITS);
    plb_journal_files_remove(&files, true);
    plb_journal_files_close(&files);
    plb_rangeset_fini(&units);
    plb_rangeset_fini(&all);
    free(memory);
}

static void outputs_are_written_whole(void **state)
{
    write_all(*state, 0, -1);
}

static void so_are_those_that_no_disk_can_read(void **state)
{
    write_all(*state, 8, -1);
}

static void where_a_direct_write_fails_the_page_cache_is_used(void **state)
{
    int nothing = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(nothing >= 0);
    write_all(*state, 0, nothing);
}

/* Of the middle of a large range nothing is left for the page cache. */
static void whole_pages_go_past_the_page_cache(void **state)
{
    const struct folder *folder = *state;
    struct plb_journal_files files;
    struct plb_dataset set;
    struct plb_rangeset units = {0};
    char *memory = memory_of(0), other[80];
    snprintf(other, sizeof other, "%s/other", folder->path);
    open_both(&files, &set, folder->file, memory);
    int elsewhere = open(other, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (files.direct >= 0)
        close(files.direct);
    files.direct = elsewhere; /* so it is seen what is written so */
    plb_rangeset_add(&units, (struct plb_range){0, UNITS});
    assert_true(plb_journal_files_write(&files, &set, &units));
    assert_int_equal(lseek(elsewhere, 0, SEEK_END), files.at[0] + (off_t)(BYTES / 4096 * 4096));
    plb_journal_files_remove(&files, true);
    plb_journal_files_close(&files);
    plb_rangeset_fini(&units);
    unlink(other);
    free(memory);
}

/* Names beside the journal may be links to files of others, which stay as they are. */
static void links_are_not_followed(void **state)
{
    static const char *const links[] = {".data", ".records", ".pass.new"};
    const struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_journal_files files;
    struct plb_dataset set = {.n = 1, .on_rank0 = true, .units = 1};
    char memory[8] = "ours", text[8] = "", path[3][200], pass[200], other[200];
    snprintf(other, sizeof other, "%s/other", folder->path);
    snprintf(pass, sizeof pass, "%s.pass", folder->file);
    put(other, "theirs", 6);
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s%s", folder->file, links[i]);
        assert_int_equal(symlink(other, path[i]), 0);
    }
    set.at[0] = (struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = memory, .unit_bytes = 8};
    set.host[0] = memory;
    assert_int_equal(plb_journal_files_open(&files, folder->file, &err), PLB_OK);
    assert_int_equal(plb_journal_files_open_data(&files, &set, true, &err), PLB_EINPUT);
    err = (struct plb_error){.status = PLB_OK};
    assert_int_equal(plb_journal_files_open_records(&files, true, &err), PLB_EINPUT);
    assert_true(plb_snapshot_write(pass, &(struct plb_snapshot){.id = 1},
                                   &(struct plb_snapshot_part){memory, sizeof memory}, 1));
    plb_journal_files_close(&files);
    int fd = open(other, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, text, sizeof text), 6);
    close(fd);
    assert_string_equal(text, "theirs");
    for (int i = 0; i < 3; i++)
        unlink(path[i]);
    unlink(pass);
    unlink(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(outputs_are_written_whole),
        TEST_IN_FOLDER(so_are_those_that_no_disk_can_read),
        TEST_IN_FOLDER(where_a_direct_write_fails_the_page_cache_is_used),
        TEST_IN_FOLDER(whole_pages_go_past_the_page_cache),
        TEST_IN_FOLDER(links_are_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
