/* A command with replacement strings, as GNU parallel has them, and how it becomes a program's arguments.
 *
 *   {} {line}  the line        {.}  without its extension      {/}  without its folder
 *   {#}        its number      {//} its folder                 {/.} without both
 *   {1} {2.}   the same of a column of the line
 *   {%}        the slot        {gpu} the GPU of the slot
 *
 * A command without characters that only a shell understands is cut into words once, and the program is
 * started with them: nothing in a line can be taken for more than an argument. Any other command becomes a
 * script for /bin/sh (script.c). There a replacement string is a parameter of the script in quotes, so that
 * it is one argument. In arithmetic it is a number, and a program such as eval or ssh may take it for code
 * again. All functions are pure. */
#ifndef COMMAND_TEMPLATE_H
#define COMMAND_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum command_kind { LINE, STEM, NAME, FOLDER, NAME_STEM, NUMBER, SLOT, GPU, KINDS };

/* A replacement string. The kinds up to NAME_STEM are of a column, from 1; 0: of all columns, each for
 * itself, with a blank between. */
struct command_part {
    enum command_kind kind;
    int column;
};

/* A line, and where it runs. */
struct command_line {
    const char *text; /* columns, with NUL between */
    size_t n;
    int64_t number;  /* from 1, in the list */
    int64_t unit;    /* of the job */
    int slot;        /* from 1 */
    const char *gpu; /* NULL: none */
};

/* A text that grows; zeroed: empty. `at` ends with a NUL, or is NULL. */
struct command_text {
    char *at;
    size_t n, room;
};
void command_add(struct command_text *text, const char *bytes, size_t n);

/* The replacement string at the begin of a text: its length; 0: there is none. */
size_t command_part_at(const char *text, struct command_part *part);

/* Whether the command has a replacement string other than {gpu}: else the line comes last. */
bool command_has_part(const char *command);

/* Whether a command needs a shell. */
bool command_needs_shell(const char *command);

/* Appends the words of a command that needs no shell, each with a NUL at its end. Returns how many, or -1
 * where a quote does not end. */
int command_split(const char *command, struct command_text *words);

/* The replacement strings of a script, in the order of its parameters. */
struct command_parts {
    struct command_part *at; /* to be freed */
    int n;
};

/* The script of a command that needs a shell, for lines that all have so many columns; 0: they differ.
 * NULL, or why there is none. */
const char *command_script(const char *command, int columns, struct command_text *script,
                           struct command_parts *parts);

/* How many columns a line has. */
int command_columns(const struct command_line *line);

/* Appends a part of a line. */
void command_part_of(struct command_part part, const struct command_line *line, struct command_text *text);

/* Appends a text with its replacement strings replaced; quoted: as a shell would have to be given them. */
void command_replace(const char *text, const struct command_line *line, bool quoted,
                     struct command_text *out);

/* Appends a text as a shell must be given it to be one word. */
void command_quote(struct command_text *out, const char *bytes, size_t n);

#endif
