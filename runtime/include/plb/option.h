/* Options: how kernels and balancers name the conf keys they understand.
 *
 * A kernel's options are the keys of the conf section named after it, a balancer's are keys of
 * [balance]. plbrun checks type and bounds, suggests the nearest name for a key it does not know
 * and shows every value with its origin (--show-config), so no author parses text. */
#ifndef PLB_OPTION_H
#define PLB_OPTION_H

enum plb_option_type {
    PLB_INT,    /* whole number; 1e6 and 4096 are both accepted */
    PLB_REAL,   /* finite real number */
    PLB_FLAG,   /* yes | no (also true/false, on/off, 1/0) */
    PLB_TEXT,   /* any text; with `choices`, one of them */
    PLB_INPUT_FILE,  /* a file that exists and can be read; relative to the conf file that names it */
    PLB_OUTPUT_FILE, /* a file to be written; its folder exists and can be written */
};

struct plb_option {
    const char *name;          /* NULL ends a table */
    enum plb_option_type type;
    const char *fallback;      /* the value when the user gives none; NULL = not set */
    double min, max;           /* inclusive bounds of PLB_INT and PLB_REAL; both 0 = unbounded */
    const char *choices;       /* PLB_TEXT: "one|another", or NULL for any text */
    const char *help;          /* one line, no full stop; units where there are any */
};

#endif
