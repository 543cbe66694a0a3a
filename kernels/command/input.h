/* The lines and the command: read on rank 0, used by every rank. */
#ifndef COMMAND_INPUT_H
#define COMMAND_INPUT_H

#include "child.h"
#include "plb/kernel.h"
#include "template.h"

enum { TEXT, PLACES, SPEC, TODO, WHERE, OUTCOME, OUT, ERR, LOG }; /* handles */

/* Where a line is in the text. */
struct command_place {
    int64_t at, bytes;
};

struct command_line {
    const char *text;
    size_t n;
    int64_t number; /* from 1 */
};

/* How a line ended: exit status as in a joblog, and signal; and in which process of the run. */
struct command_outcome {
    int32_t exit, signal;
    uint32_t where;
};

/* The command. Texts follow it, and a text is where it begins from here; 0: there is none. */
struct command_spec {
    enum { WORDS, SCRIPT, LINES } form; /* words of a program; a script; each line is a command */
    bool serves, batches;               /* the command is a server; lines come to it in batches */
    char separator;                     /* of lines and answers of a server */
    int32_t n_words, n_env;
    double timeout, grace, start; /* seconds */
    int64_t words, script, command, folder, env, end;
};

struct command_input {
    int64_t units;
    char *text;
    size_t bytes;
    struct command_place *places;
    struct command_spec *spec;
    size_t spec_bytes;
};

/* Reads the list alone. */
int command_read_list(struct plb_app *app, struct command_input *input);

/* Reads the options and the list, and checks that the command can be started here. PLB_OK, or PLB_EINPUT
 * after plb_app_error. */
int command_read_input(struct plb_app *app, struct command_input *input);

static inline const char *command_text_of(const struct command_spec *spec, int64_t at)
{
    return (const char *)spec + at;
}

static inline struct command_line command_line_of(const char *text, const struct command_place *places,
                                                  int64_t unit)
{
    return (struct command_line){text + places[unit].at, (size_t)places[unit].bytes, unit + 1};
}

/* The words of a line's program. */
struct command_words {
    struct command_text text;
    char **argv;
    int n;
};

/* Makes them, and finds the program: *path is empty where there is none. The path of the last line's program
 * may be in it. */
void command_make(const struct command_spec *spec, const struct command_line *line, const char *folder,
                  struct command_text *path, struct command_words *words);
void command_make_server(const struct command_spec *spec, const char *folder, struct command_text *path,
                         struct command_words *words);
void command_words_fini(struct command_words *words);

/* Finds a program as a shell would, for a process in this folder. False: there is none. */
bool command_find_program(const char *name, const char *folder, struct command_text *path);

/* Appends the command of a line, as a shell would have to be given it. */
void command_describe(const struct command_spec *spec, const struct command_line *line,
                      struct command_text *text);

#endif
