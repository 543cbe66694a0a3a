/* The words that the user has typed after `plbrun`. */
#ifndef PLB_CONFIG_ARGUMENTS_H
#define PLB_CONFIG_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"
#include "config/assignments.h"

/* Questions that a user may have instead of a run. Of several, the last in this order is answered. */
enum plb_question {
    PLB_ASKS_NOTHING,
    PLB_ASKS_NEW_KERNEL,
    PLB_ASKS_JOURNAL,
    PLB_ASKS_COMPARISON,
    PLB_ASKS_PROFILES,
    PLB_ASKS_KERNELS,
    PLB_ASKS_REPORT_KEYS,
    PLB_ASKS_REPORT_SCHEMA,
    PLB_ASKS_BALANCERS,
    PLB_ASKS_VERSION,
    PLB_ASKS_HELP,
};

/* Names are those of argv; NULL where the user gave none. */
struct plb_arguments {
    enum plb_question question; /* where it is not PLB_ASKS_NOTHING, or `show_pus`, `conf` may be NULL */
    const char *conf;
    struct plb_assignments settings;
    char *command;        /* all of argv, as a shell reads it; owned */
    const char *simulate; /* a .cluster file, or the report of a run to simulate again */
    const char *replay;   /* the same as `simulate` where it must be a report, else NULL */
    const char *report, *trace;
    const char *pareto;     /* the file of the front; "": it is printed alone */
    const char *journal;    /* to be printed */
    const char *new_kernel; /* the name of one to be written */
    char *const *compared;  /* reports, where a comparison is asked for */
    int n_compared;
    const char *join; /* the file of a running job that this process joins; then there is no conf file */
    uint64_t seed;
    bool check; /* nothing is run: the kernel is tried */
    bool verify, keep_partial, resume, resume_failed, dry_run, show_config, show_pus, quiet, bar;
    bool watch, progress_json; /* how progress is shown; neither: a line for all */
    bool runs;                 /* a command, without a conf file: `conf` is NULL */
    bool brief;                /* of such a run a terminal gets one line in the end */
    enum plb_log_level log;
};

/* Reads the arguments of main(), and puts the options first in argv. One thread at a time may call
 * it (getopt). PLB_OK; or PLB_EINPUT and a sentence. To be released in both cases. */
int plb_arguments_read(struct plb_arguments *arguments, int argc, char **argv, struct plb_error *err);
void plb_arguments_fini(struct plb_arguments *arguments);

/* Prints the text of --help. */
void plb_arguments_help(FILE *out);

#endif
