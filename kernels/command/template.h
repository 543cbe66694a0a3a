/* A command with replacement strings, as GNU parallel has them, and how it becomes a program's arguments.
 *
 *   {} {line}  the line        {.}  without its extension      {/}  without its folder
 *   {#}        its number      {//} its folder                 {/.} without both
 *
 * A command without characters that only a shell understands is cut into words once, and the program is
 * started with them: nothing in a line can be taken for more than an argument. Any other command becomes a
 * script for /bin/sh. There a replacement string is a parameter of the script in quotes, so that it is one
 * argument. In arithmetic it is a number, and a program such as eval or ssh may take it for code again. All
 * functions are pure. */
#ifndef COMMAND_TEMPLATE_H
#define COMMAND_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The replacement strings, in the order of the script's parameters. */
enum command_part { LINE, NUMBER, STEM, NAME, FOLDER, NAME_STEM, PARTS };

/* A text that grows; zeroed: empty. `at` ends with a NUL, or is NULL. */
struct command_text {
    char *at;
    size_t n, room;
};
void command_add(struct command_text *text, const char *bytes, size_t n);

/* Whether the command has a replacement string. */
bool command_has_part(const char *command);

/* Whether a command needs a shell. */
bool command_needs_shell(const char *command);

/* Appends the words of a command that needs no shell, each with a NUL at its end. Returns how many, or -1
 * where a quote does not end. */
int command_split(const char *command, struct command_text *words);

/* The script of a command that needs a shell. NULL, or why there is none. */
const char *command_script(const char *command, struct command_text *script);

/* A sentence where a command has something that GNU parallel would replace, and this program does not; or
 * NULL. */
const char *command_other_words(const char *command);

/* A part of line number `number`. */
void command_part_of(enum command_part part, const char *line, size_t n, int64_t number,
                     struct command_text *text);

/* Appends a text with its replacement strings replaced; quoted: as a shell would have to be given them. */
void command_replace(const char *text, const char *line, size_t n, int64_t number, bool quoted,
                     struct command_text *out);

#endif
