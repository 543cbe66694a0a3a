/* Options: the conf keys that a kernel or a balancer understands.
 *
 * A kernel's options are the keys of the conf section with the kernel's name. A balancer's options are keys
 * of [balance]. plbrun checks type and bounds, suggests the nearest name for an unknown key, and shows every
 * value with its origin (--show-config). So no author parses text. Plain data in static storage. */
#ifndef PLB_OPTION_H
#define PLB_OPTION_H

enum plb_option_type {
    PLB_INT,         /* a whole number; 1e6 and 4096 are both accepted */
    PLB_REAL,        /* a finite real number */
    PLB_FLAG,        /* yes or no; also true/false, on/off, 1/0 */
    PLB_TEXT,        /* any text; with `choices`, one of them */
    PLB_INPUT_FILE,  /* a file that can be read; a relative path in a conf file begins at that file */
    PLB_OUTPUT_FILE, /* a file to write, in a folder that can be written; relative paths as above */
    PLB_DURATION,    /* a time: 90s, 30m, 2h, 1d or 1:30:00; a bare number counts seconds */
};

struct plb_option {
    const char *name; /* NULL ends a table */
    enum plb_option_type type;
    const char *fallback; /* the default value; NULL: not set by default */
    double min, max;      /* inclusive bounds of numbers, and of times in seconds; both 0: no bounds */
    const char *choices;  /* PLB_TEXT: "one|another", at most 31 of them; NULL: any text */
    const char *help;     /* one line, no full stop; names the unit, if the value has one */
};

#endif
