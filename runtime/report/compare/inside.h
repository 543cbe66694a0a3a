/* A comparison, for the files that make, print and write it. */
#ifndef PLB_REPORT_COMPARE_INSIDE_H
#define PLB_REPORT_COMPARE_INSIDE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/fields/fields.h"

#define PLB_SETUPS 26        /* named A to Z */
#define PLB_CELL_TEXT 64     /* bytes of a quantity with its spread */
#define PLB_CHANGED_TEXT 160 /* bytes of one value of what differs by intent; a longer one is cut */

/* One quantity over the repeats of a set-up. */
struct plb_repeats_spread {
    int n; /* repeats that have it; 0: it is unknown */
    double low, median, high;
};

struct plb_setup {
    char name[2];
    const char *status; /* done, or how else its runs ended; borrowed */
    int first;          /* the run that shows what the set-up is */
    int n;              /* its repeats */
};

/* A quantity, of the run or of a PU. */
struct plb_compared {
    const struct plb_report_field *field;
    char of[64];                                /* the PU; empty: the run */
    struct plb_repeats_spread with[PLB_SETUPS]; /* by set-up */
    bool stands_out[PLB_SETUPS]; /* it differs from that of the first set-up by more than chance */
};

/* A setting, or what else makes two set-ups two. */
struct plb_intended {
    char name[80];
    char value[PLB_SETUPS][PLB_CHANGED_TEXT];
};

struct plb_comparison {
    int n_runs, n_setups, n_intended, n_quantities;
    char *const *files;
    json_t **runs;
    int *setup_of; /* by run */
    struct plb_setup setups[PLB_SETUPS];
    struct plb_intended *intended;
    struct plb_compared *quantities; /* of the run, then of PUs */
};

/* The median with its range, such as "1.23 s (1.20 s to 1.31 s)"; "unknown". Returns `text`. */
char *plb_spread_print(const struct plb_compared *quantity, int setup, char text[PLB_CELL_TEXT]);

/* The median beside that of the first set-up, such as "+12.3 %"; empty: none can be told. Returns `text`. */
char *plb_change_print(const struct plb_compared *quantity, int setup, char text[PLB_CELL_TEXT]);

/* The name of a quantity: its key, or that and its PU. Returns `text`. */
char *plb_quantity_name(const struct plb_compared *quantity, char text[PLB_CELL_TEXT]);

/* Whether people want to see it: the makespan, and what stands out or is known in one set-up alone. */
bool plb_worth_showing(const struct plb_comparison *comparison, const struct plb_compared *quantity);

/* The sentence on the makespans of two set-ups; returns `text`. */
char *plb_comparison_verdict(const struct plb_comparison *comparison, int setup, char text[256]);

/* Prints it for people. */
void plb_comparison_print(const struct plb_comparison *comparison, FILE *out);

/* Writes it as JSON, or as a page where the name ends in .html. PLB_OK; or PLB_EFAILED and a sentence, and no
 * file. */
int plb_comparison_write(const struct plb_comparison *comparison, const char *file, struct plb_error *err);

#endif
