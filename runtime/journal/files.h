/* The files of a journal, without what they mean. Not thread-safe. */
#ifndef PLB_JOURNAL_FILES_H
#define PLB_JOURNAL_FILES_H

#include "app/dataset.h"
#include "base/rangeset.h"
#include "journal/record.h"

struct plb_journal_files {
    char *path; /* FILE */
    char *data_path, *pass_path, *sums_path, *records_path;
    int fd, data, records;    /* FILE, FILE.data and FILE.records; -1: not open */
    int direct;               /* FILE.data once more, to be written past the page cache; -1: not so */
    uint64_t id;              /* of the journal */
    int64_t at[PLB_MAX_DATA]; /* where each output begins in FILE.data */
    int64_t data_bytes;       /* of FILE.data; 0: the job has no outputs, and there is no such file */
};

/* Whether the journal FILE has this file beside it, as one of its own. */
bool plb_journal_files_belong(const char *journal, const char *file);

/* Opens or creates FILE and locks it, until the process ends. PLB_OK; or PLB_EINPUT and a sentence: another
 * run uses it, it cannot be written, or it is no regular file. To be closed in any case. */
int plb_journal_files_open(struct plb_journal_files *files, const char *path, struct plb_error *err);

/* The contents of FILE; to be freed. False and a sentence where it cannot be read. */
bool plb_journal_files_read(const struct plb_journal_files *files, char **bytes, size_t *n,
                            struct plb_error *err);

/* Begins anew: gives the journal a number, and empties FILE. False, and errno, where it cannot. */
bool plb_journal_files_begin(struct plb_journal_files *files);

/* Opens FILE.data for these outputs and takes room for them. fresh: whatever it has is gone; else it must be
 * that of this journal. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_journal_files_open_data(struct plb_journal_files *files, const struct plb_dataset *set, bool fresh,
                                struct plb_error *err);

/* Opens FILE.records, as FILE.data. Its contents are the store's (app/record_store.h). */
int plb_journal_files_open_records(struct plb_journal_files *files, bool fresh, struct plb_error *err);

/* Says in FILE.data and FILE.records whose they are. False, and errno, where it cannot. */
bool plb_journal_files_mark_data(const struct plb_journal_files *files);

/* Writes the outputs of some units, or reads them. False, and errno, where it cannot. Whole pages go past the
 * page cache, without a copy, where the file system and the disk allow it. */
bool plb_journal_files_write(struct plb_journal_files *files, const struct plb_dataset *set,
                             const struct plb_rangeset *units);
bool plb_journal_files_read_data(struct plb_journal_files *files, const struct plb_dataset *set,
                                 const struct plb_rangeset *units);

/* The checksum (base/crc32c.h) of the outputs of a range, as they are in memory. */
uint32_t plb_journal_files_sum(const struct plb_dataset *set, struct plb_range range);

/* Removes the files but FILE; all: that too. */
void plb_journal_files_remove(const struct plb_journal_files *files, bool all);

void plb_journal_files_close(struct plb_journal_files *files);

#endif
