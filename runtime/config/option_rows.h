/* The options of the command line, a row each. */
#ifndef PLB_CONFIG_OPTION_ROWS_H
#define PLB_CONFIG_OPTION_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/arguments.h"

/* An option. */
struct plb_option_row {
    const char *name;
    char letter;       /* as GNU parallel has it; 0: none */
    const char *value; /* what the help calls its value; NULL: it has none */
    bool may_lack;     /* its value stands behind an equals sign, and may be left out */
    enum {
        PLB_ROW_FLAG,
        PLB_ROW_TEXT,
        PLB_ROW_SEED,
        PLB_ROW_SETTING,
        PLB_ROW_JOBS,
        PLB_ROW_LOG,
        PLB_ROW_PROGRESS,
        PLB_ROW_VERBOSE,
        PLB_ROW_QUESTION,
    } kind;
    const char *setting;        /* that it is short for */
    size_t member;              /* of a flag or text */
    enum plb_question question; /* that it asks; or with a value, that the value 'help' asks */
    enum plb_question schema;   /* that the value 'schema' asks, if it asks any */
    const char *help;
    const char *more_value, *more_help; /* a second line of help for another kind of value, or NULL */
};

extern const struct plb_option_row plb_option_rows[];
extern const size_t plb_option_rows_n;

#endif
