/* Records: the form of a file that only grows. Each has its length and a checksum. A process or a machine
 * that dies may leave a torn one at the end: a reader stops before it, and a writer goes on there. Numbers
 * are as this machine keeps them. Not thread-safe. */
#ifndef PLB_JOURNAL_RECORD_H
#define PLB_JOURNAL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plb_record_type {
    PLB_RECORD_JOB = 1, /* the first one: struct plb_record_job, and the job as text (journal/identity.h) */
    PLB_RECORD_PUS,     /* of a run that begins or goes on: an array of struct plb_record_pu */
    PLB_RECORD_DONE,    /* struct plb_record_pass, and an array of struct plb_record_done */
    PLB_RECORD_END,  /* the job is complete; the sentence with which its run failed all the same, or empty */
    PLB_RECORD_PAST, /* results that no run needs any more, for people: an array of struct plb_record_past */
    PLB_RECORD_FORGOTTEN, /* struct plb_record_forgotten, and an array of struct plb_range */
};

struct plb_record_job {
    char magic[8]; /* PLB_RECORD_MAGIC, without its 0 */
    uint64_t id;   /* of the journal: its other files have it too */
};
#define PLB_RECORD_MAGIC "plbjrnl2"

struct plb_record_pu {
    int32_t node, pu; /* rank, and number on the rank */
    char host[64];
};

struct plb_record_pass {
    int32_t pass, phase; /* passes count from 1 */
};

/* Units that were accepted, and whose outputs are on disk. */
struct plb_record_done {
    int64_t first, count;
    int32_t node, pu;       /* that executed them */
    double start, seconds;  /* since 1970; of their execution and their copies */
    int64_t sent, received; /* bytes that went from rank 0 to that rank for them, and back */
    uint64_t sum;           /* of their outputs: plb_journal_files_sum */
};

/* Units that failed in this pass or an earlier one, and are executed anew: they count as accepted only by
 * records behind this one. As in struct plb_forgotten (app/stream/forgotten.h). */
struct plb_record_forgotten {
    int64_t pass, records, mark;
};

/* Units of a pass that is over. Their outputs need not be on disk. */
struct plb_record_past {
    struct plb_record_pass of;
    struct plb_record_done done;
};

struct plb_record {
    enum plb_record_type type;
    const void *body; /* aligned to 8 bytes */
    size_t bytes;
};

/* Reads the record at *at of a file's bytes, and moves *at behind it. False where no whole and right record
 * is there. `file` is aligned to 8 bytes. */
bool plb_record_read(const void *file, size_t bytes, size_t *at, struct plb_record *record);

/* Whether the bytes can be the begin of a journal, torn or not; and whether they end before their first
 * record does. */
bool plb_record_is_journal(const void *file, size_t bytes);
bool plb_record_is_torn(const void *file, size_t bytes);

/* Appends a record whose body is made of two parts to an open file. False, and errno, where it cannot. */
bool plb_record_append(int fd, enum plb_record_type type, const void *first, size_t first_bytes,
                       const void *second, size_t second_bytes);

#endif
