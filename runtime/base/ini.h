/* INI files as a list of entries, each with the line it stands on. Parsing is inih's; on top of it
 * `#` starts a comment also after a value, and indentation means nothing. */
#ifndef PLB_BASE_INI_H
#define PLB_BASE_INI_H

#include "base/error.h"

struct plb_ini_entry {
    char *section, *key, *value;    /* section: "" before the first; "[node a]" is "node a" */
    int line;
};

struct plb_ini_section {
    char *name;
    int line;
};

struct plb_ini {
    char *file;                 /* as it was named */
    struct plb_ini_section *sections; /* every header, in the file's order, with or without keys */
    int n_sections;
    struct plb_ini_entry *at;  /* in the file's order */
    int n, capacity;
};

/* Reads a file; PLB_EINPUT and a sentence with file and line where it cannot. `conf` is valid, and
 * to be released, on success only. */
int plb_ini_read(const char *file, struct plb_ini *conf, struct plb_error *err);
void plb_ini_fini(struct plb_ini *conf);

/* Numbers and flags as users type them; false where the text is something else. An integer may be
 * written 1e6; yes/no, true/false, on/off and 1/0 are flags. */
int plb_parse_real(const char *text, double *value);
int plb_parse_int(const char *text, double *value);
int plb_parse_flag(const char *text, double *value);

/* The index of a text among choices "one|another"; false where it is none of them. */
int plb_parse_choice(const char *text, const char *choices, double *value);

#endif
