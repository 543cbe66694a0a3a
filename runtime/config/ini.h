/* INI files as lists of entries, each with its line. The parser is inih. Beyond it, `#` and `;` start a
 * comment after a blank, a value may be quoted, with " or ', and indentation means nothing. A warning tells
 * of a comment that may be a part of the value. Thread-safe. */
#ifndef PLB_CONFIG_INI_H
#define PLB_CONFIG_INI_H

#include <stdbool.h>

#include "base/error.h"

struct plb_ini_entry {
    char *section; /* "node a" for [node a]; "" before the first section */
    char *key, *value;
    int line;
};

struct plb_ini_section {
    char *name;
    int line;
};

struct plb_ini {
    char *file;                       /* as it was named */
    struct plb_ini_section *sections; /* every header in the file's order, with keys or without */
    int n_sections;
    struct plb_ini_entry *at; /* in the file's order */
    int n, capacity;
};

/* Reads a file. PLB_OK, and the caller releases `conf`; or PLB_EINPUT and a sentence with file and line, and
 * there is nothing to release. */
int plb_ini_read(const char *file, struct plb_ini *conf, struct plb_error *err);
void plb_ini_fini(struct plb_ini *conf);

/* Numbers and flags as users type them. True with *value set; or false, where the text is something else. A
 * whole number may be written 1e6. yes/no, true/false, on/off and 1/0 are flags, and become 1 or 0. */
bool plb_parse_real(const char *text, double *value);
bool plb_parse_int(const char *text, double *value);
bool plb_parse_flag(const char *text, double *value);

/* The index of a text among choices "one|another", from 0; false where it is none of them. */
bool plb_parse_choice(const char *text, const char *choices, double *value);

#endif
