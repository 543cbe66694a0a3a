/* A journal as a run finds it. Not thread-safe. */
#ifndef PLB_JOURNAL_FOUND_H
#define PLB_JOURNAL_FOUND_H

#include "app/stream/forgotten.h"
#include "journal/files.h"

struct plb_found {
    enum {
        PLB_FOUND_NOTHING, /* no run has kept anything there */
        PLB_FOUND_BROKEN,  /* a run that did not come to its end */
        PLB_FOUND_COMPLETE,
    } what;
    char *bytes; /* the contents of FILE */
    size_t end;  /* of its last whole record */
    uint64_t id;
    char *job;     /* the job as text, which ends in 0; or NULL */
    char *failed;  /* of a complete run that failed: its sentence, which ends in 0; or NULL */
    int last_pass; /* of which there is a record; 0: none */
};

/* Reads FILE. PLB_OK; or PLB_EINPUT and a sentence: it is no journal, or a damaged one. To be released in any
 * case. */
int plb_found_read(struct plb_found *found, const struct plb_journal_files *files, struct plb_error *err);
void plb_found_fini(struct plb_found *found);

/* Adds the units that the records of a pass name. False where one of them is not among so many units. */
bool plb_found_units(const struct plb_found *found, int pass, int64_t units, struct plb_rangeset *accepted);

/* How often units were forgotten, and what in *list, with a zeroed entry behind it: to be given to
 * plb_forgotten_free. Below 0 and NULL: a record names units that are not among so many. */
int plb_found_forgotten(const struct plb_found *found, int64_t units, struct plb_forgotten **list);

/* The records of a pass that name some of these units; how many, and in *list, which the caller frees. */
int plb_found_overlapping(const struct plb_found *found, int pass, const struct plb_rangeset *units,
                          struct plb_record_done **list);

/* Removes units of this pass from `accepted` whose outputs, which are in memory, are not those of their last
 * record. */
void plb_found_check(const struct plb_found *found, int pass, const struct plb_dataset *set,
                     struct plb_rangeset *accepted);

#endif
