/* The files that a job's results go to, as its kernel has declared them (plb_app_save_npy,
 * plb_app_save_png). Rank 0, main thread only. */
#ifndef PLB_APP_RESULTS_H
#define PLB_APP_RESULTS_H

#include "base/file.h"
#include "plb/kernel.h"

#define PLB_MAX_RESULTS 32

struct plb_record_store;

struct plb_result {
    char *path;
    struct plb_array array; /* borrowed data */
    bool whole;             /* of int32 or int64 */
    struct plb_image image; /* of a .png: borrowed data, a palette of its own; no channels: it is an array */
    struct plb_file file;   /* with room for all of it; no stream: none is reserved */
    bool mapped;            /* the file has the data: it is `array.data` */
    bool raw;               /* mapped: the bytes as they are, no .npy */
    bool records;           /* those of buffer `buffer`, behind `head` */
    int buffer;
    char *head;    /* or NULL */
    bool log;      /* records that are also written where the run ends early */
    bool streamed; /* records that are written as they arrive (app/stream/record_stream.h) */
    void (*print)(const struct plb_app *app, FILE *out); /* of a text; else NULL */
    const struct plb_app *app;                           /* for print */
};

struct plb_results {
    struct plb_result at[PLB_MAX_RESULTS];
    int n;
    const struct plb_record_store *store; /* with the records; borrowed */
    int64_t units;
    const int64_t *order; /* of the units, as plb_app_order_records says it; NULL: ascending; borrowed */
};

/* Sees to it that there is room for all results, as far as their file systems can tell, before work begins,
 * and that all are different files. PLB_OK, or PLB_EINPUT and a sentence. */
int plb_results_reserve(struct plb_results *results, struct plb_error *err);

/* The first result that is written in the end, and not as it arrives. NULL: there is none. */
const struct plb_result *plb_results_first(const struct plb_results *results);

/* Whether all of them but logs are written as they arrive, as to standard output. */
bool plb_results_stream(const struct plb_results *results);

/* Writes all such results to their paths with `suffix` at the end. One that cannot be written is saved under
 * another name where that can be done, and the sentence tells it. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_results_write(struct plb_results *results, const char *suffix, struct plb_error *err);

/* The same of a run that ends early: its logs alone. */
int plb_results_write_logs(struct plb_results *results, struct plb_error *err);

void plb_results_fini(struct plb_results *results);

#endif
