/* The lines and the command: read on rank 0, used by every rank. */
#ifndef COMMAND_INPUT_H
#define COMMAND_INPUT_H

#include "child.h"
#include "halt.h"
#include "plb/kernel.h"
#include "template.h"

enum { TEXT, PLACES, SPEC, TODO, WHERE, COSTS, OUTCOME, OUT, ERR, LOG }; /* handles */
enum { ON_CPU, ON_GPU };                                                 /* forms of the command */

/* Where a line is in the text, and which one of the list it is, from 1. Units are in the order of their
 * costs, where these are told. */
struct command_place {
    int64_t at, bytes, number;
};

/* How a line ended: exit status as in a joblog, and signal; and in which process of the run, and form of the
 * command. */
struct command_outcome {
    int32_t exit, signal;
    uint32_t where;
    float left, chance, expected; /* exit is NO_TIME: the seconds that were left; the probability that it
                                     would have ended in them; the seconds that it would have taken */
};

/* The command. Texts follow it, and a text is where it begins from here; 0: there is none. */
struct command_form {
    enum { LINES, WORDS, SCRIPT } kind; /* each line is a command; words of a program; a script */
    int32_t n_words, n_parts;
    int64_t words, script, parts, command;
};

struct command_spec {
    struct command_form forms[2]; /* on CPUs, and on GPUs */
    bool has[2];                  /* which of them there are */
    bool serves, batches;         /* the command is a server; lines come to it in batches */
    bool tags;                    /* each line of output has its line before */
    bool automatic;               /* how many programs a GPU has at a time is found out */
    bool seconds;                 /* costs are seconds, of an earlier run */
    struct command_halt halt;     /* for the lines of a process alone */
    char separator;               /* of lines and answers of a server */
    int32_t n_env, columns;       /* columns: of all lines; 0: they differ */
    double timeout, grace, start; /* seconds */
    int64_t folder, env, end;
};

struct command_input {
    int64_t units;
    char *text;
    size_t bytes;
    struct command_place *places;
    int columns;    /* of all lines; 0: they differ */
    double *costs;  /* of units, in any measure; NULL: nobody knows them */
    int64_t *order; /* the units in the order of their lines; NULL: it is theirs */
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
    return (struct command_line){
        text + places[unit].at, (size_t)places[unit].bytes, places[unit].number, unit, 1, NULL};
}

/* The words of a line's program. */
struct command_words {
    struct command_text text;
    char **argv;
    int n;
};

/* Makes them, and finds the program: *path is empty where there is none. The path of the last line's program
 * may be in it. */
void command_make(const struct command_spec *spec, int which, const struct command_line *line,
                  const char *folder, struct command_text *path, struct command_words *w);
void command_make_server(const struct command_spec *spec, int which, const char *folder,
                         struct command_text *path, struct command_words *w);
void command_words_fini(struct command_words *words);

/* Finds a program as a shell would, for a process in this folder. False: there is none. */
bool command_find_program(const char *name, const char *folder, struct command_text *path);

/* Appends the command of a line, as a shell would have to be given it. */
void command_describe(const struct command_spec *spec, int which, const struct command_line *line,
                      struct command_text *text);

#endif
