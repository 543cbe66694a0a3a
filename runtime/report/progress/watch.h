/* A row for each PU while a run goes on: on a terminal, in a log, and as JSON for programs. */
#ifndef PLB_REPORT_PROGRESS_WATCH_H
#define PLB_REPORT_PROGRESS_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PLB_AGAIN " (again)" /* behind the number of a pass that is repeated */

/* A PU, now. Seconds that are not known are NAN. */
struct plb_watched_pu {
    int id, node;
    const char *name;
    bool gone;      /* it is used no more */
    int64_t done;   /* units that it has executed in the run */
    double rate;    /* of them, per second that it worked; 0: none yet */
    int64_t held;   /* units that it holds; 0: it is idle */
    int64_t first;  /* of them */
    int64_t last;   /* of those next to it */
    double seconds; /* since it has last reported, or got units */
    double ends_s;  /* seconds until it has executed them; negative: it should have */
    bool late;      /* by far */
};

struct plb_watched {
    const char *unit;    /* the application's word for units */
    int pass;            /* the kernel's number */
    bool again;          /* it is repeated after a loss */
    int64_t units, done; /* of the pass */
    double seconds;      /* since it began */
    double left_s;       /* until it ends, at the rate so far; NAN: not known */
    const struct plb_watched_pu *pus;
    int n_pus;
};

/* Prints at most `rows` rows of at most `columns` characters: PUs that are gone or late first where there is
 * no room for all. `end` ends each row. Returns how many rows. */
int plb_watch_print(const struct plb_watched *watched, int rows, int columns, const char *end, FILE *out);

/* Prints one line, an object: docs/guide/run.md describes its keys. */
void plb_watch_json(const struct plb_watched *watched, FILE *out);

#endif
