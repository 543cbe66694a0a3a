/* The command, as every rank needs it. */
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "costs.h"
#include "gpu.h"

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"

/* Whether a shell knows a command of plain characters: a program, or one of its own. */
static bool shell_knows(const char *name, const char *folder)
{
    struct command_text text = {NULL, 0, 0};
    if (folder != NULL) {
        command_add(&text, "cd ", 3);
        command_quote(&text, folder, strlen(folder));
        command_add(&text, " && ", 4);
    }
    command_add(&text, "command -v ", 11);
    command_add(&text, name, strlen(name));
    command_add(&text, " >/dev/null 2>&1", 16);
    bool knows = system(text.at) == 0;
    free(text.at);
    return knows;
}

/* Whether the begin of a command can be run, where it is plain. The sentence says what a user would look
 * for. */
static int check_program(struct plb_app *app, const char *option, const char *command, const char *folder)
{
    char name[512];
    size_t n = strspn(command, PLAIN);
    if (n == 0 || n >= sizeof name || strchr(" \t;|&<>\n", command[n]) == NULL)
        return PLB_OK;
    snprintf(name, sizeof name, "%.*s", (int)n, command);
    if (shell_knows(name, folder))
        return PLB_OK;
    return plb_app_error(app, "command.%s: program %s%s%s was not found; correct the command", option, name,
                         strchr(name, '/') == NULL ? " in PATH"
                         : folder != NULL          ? " in "
                                                   : "",
                         strchr(name, '/') != NULL && folder != NULL ? folder : "");
}

/* Puts a text behind the spec. */
static int64_t put(struct command_text *all, const char *bytes, size_t n)
{
    int64_t at = (int64_t)all->n;
    command_add(all, bytes, n);
    return at;
}

/* Words that blanks separate, each with a NUL at its end. */
static int put_env(struct plb_app *app, const char *env, struct command_text *all)
{
    int n = 0;
    for (const char *at = env; at != NULL && *(at += strspn(at, " \t")) != '\0'; n++) {
        size_t length = strcspn(at, " \t");
        const char *equals = memchr(at, '=', length);
        if (equals == NULL || equals == at) {
            plb_app_error(app, "command.env: '%.*s' is not NAME=VALUE", (int)length, at);
            return -1;
        }
        command_add(all, at, length);
        command_add(all, "", 1);
        at += length;
    }
    return n;
}

/* A column that a replacement string names, and that no line has; or 0. */
static int missing_column(const struct command_parts *parts, int columns)
{
    for (int i = 0; i < parts->n && columns > 0; i++)
        if (parts->at[i].column > columns)
            return parts->at[i].column;
    return 0;
}

/* A form of a command that is given. In that of a server nothing is replaced. */
static int put_form(struct plb_app *app, const char *option, const char *folder, struct command_spec *spec,
                    struct command_form *form, const char *command, struct command_text *all)
{
    struct command_text words = {NULL, 0, 0}, script = {NULL, 0, 0}, path = {NULL, 0, 0};
    struct command_parts parts = {NULL, 0};
    const char *wrong = NULL;
    bool found = false;
    if (!command_needs_shell(command)) {
        form->n_words = command_split(command, &words);
        found = form->n_words >= 0
             && ((!spec->serves && command_has_part(words.at))
                 || command_find_program(words.at, folder, &path));
    }
    form->kind = found ? WORDS : SCRIPT;
    if (spec->serves)
        command_add(&script, command, strlen(command));
    else
        wrong = command_script(command, spec->columns, &script, &parts);
    if (found)
        form->words = put(all, words.at, words.n);
    form->script = put(all, script.at, script.n + 1);
    form->parts = put(all, (const char *)parts.at, (size_t)parts.n * sizeof *parts.at);
    form->n_parts = parts.n;
    /* columns that --colsep makes are empty where a line lacks them, as in GNU parallel */
    int missing = plb_app_text(app, "colsep") == NULL ? missing_column(&parts, spec->columns) : 0;
    free(words.at);
    free(script.at);
    free(parts.at);
    free(path.at);
    if (wrong != NULL)
        return plb_app_error(app, "command.%s = %s: %s", option, command, wrong);
    if (missing > 0)
        return plb_app_error(app,
                             "command.%s = %s: {%d} names column %d, and lines have %d; correct the number",
                             option, command, missing, missing, spec->columns);
    return check_program(app, option, command, folder);
}

/* The option of a form, and what it says; NULL: it is not given. */
static const char *given_form(const struct plb_app *app, const struct command_spec *spec, int form,
                              const char **option)
{
    static const char *const options[2][2] = {{"run", "run_gpu"}, {"serve", "serve_gpu"}};
    *option = options[spec->serves][form];
    return plb_app_text(app, *option);
}

static int put_command(struct plb_app *app, int which, const char *folder, struct command_spec *spec,
                       struct command_text *all)
{
    struct command_text command = {NULL, 0, 0};
    struct command_form *form = &spec->forms[which];
    const char *option, *given = given_form(app, spec, which, &option);
    if (given == NULL)
        return PLB_OK;
    given += strspn(given, " \t");
    if (*given == '\0')
        return plb_app_error(app, "command.%s is empty; give a command%s", option,
                             which == ON_CPU && !spec->serves ? ", or leave it out to run the lines" : "");
    command_add(&command, given, strlen(given));
    if (!spec->serves && !command_has_part(given))
        command_add(&command, " {}", 3);
    spec->has[which] = true;
    form->command = put(all, command.at, command.n + 1);
    int status = put_form(app, option, folder, spec, form, command.at, all);
    free(command.at);
    return status;
}

/* All options of servers. */
static int put_server(struct plb_app *app, struct command_spec *spec, struct command_text *all)
{
    const char *end = plb_app_text(app, "answer_end");
    bool runs = plb_app_text(app, "run") != NULL || plb_app_text(app, "run_gpu") != NULL;
    spec->serves = plb_app_text(app, "serve") != NULL || plb_app_text(app, "serve_gpu") != NULL;
    spec->batches = plb_app_flag(app, "serve_batch");
    spec->separator = plb_app_flag(app, "null") ? '\0' : '\n';
    if (!spec->serves && (end != NULL || spec->batches))
        return plb_app_error(app, "command.%s is for servers; name one with command.serve, or leave it out",
                             end != NULL ? "answer_end" : "serve_batch");
    if (spec->serves && runs)
        return plb_app_error(app, "command.run and command.serve exclude each other; leave one out");
    spec->tags = plb_app_flag(app, "tag");
    if (spec->serves && spec->tags)
        return plb_app_error(app,
                             "command.tag works with command.run only; a server can print the line itself");
    if (end != NULL)
        spec->end = put(all, end, strlen(end) + 1);
    return PLB_OK;
}

/* How many programs share a GPU. */
static int read_per_gpu(struct plb_app *app, struct command_spec *spec)
{
    const char *text = plb_app_text(app, "per_gpu");
    char *end;
    long n = strtol(text, &end, 10);
    spec->automatic = strcmp(text, "auto") == 0;
    if (!spec->automatic && (end == text || *end != '\0' || n < 1 || n > 64))
        return plb_app_error(app, "command.per_gpu = %s: expected a number from 1 to 64, or auto", text);
    if (spec->has[ON_GPU])
        plb_app_use_gpus(app, spec->automatic ? COMMAND_MOST_PER_GPU : (int)n);
    else if (plb_app_given(app, "per_gpu"))
        return plb_app_error(app, "command.per_gpu is for programs on GPUs; name one with command.run_gpu");
    return PLB_OK;
}

/* The commands, and their folder and environment. */
static int put_all(struct plb_app *app, struct command_spec *spec, struct command_text *all)
{
    const char *folder = plb_app_text(app, "folder");
    struct stat info;
    if (put_server(app, spec, all) != PLB_OK)
        return PLB_EINPUT;
    if (folder != NULL && (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)))
        return plb_app_error(app, "command.folder = %s: there is no such folder", folder);
    if (folder != NULL)
        spec->folder = put(all, folder, strlen(folder) + 1);
    spec->env = (int64_t)all->n;
    if ((spec->n_env = put_env(app, plb_app_text(app, "env"), all)) < 0)
        return PLB_EINPUT;
    for (int form = ON_CPU; form <= ON_GPU; form++)
        if (put_command(app, form, folder, spec, all) != PLB_OK)
            return PLB_EINPUT;
    if (!spec->has[ON_CPU] && !spec->has[ON_GPU])
        spec->has[ON_CPU] = true; /* each line is a command */
    return read_per_gpu(app, spec);
}

static int make_spec(struct plb_app *app, struct command_input *input)
{
    struct command_spec spec = {.columns = input->columns,
                                .timeout = plb_app_real(app, "timeout"),
                                .grace = plb_app_real(app, "grace"),
                                .start = plb_app_real(app, "start")};
    struct command_text all = {NULL, 0, 0};
    command_add(&all, (const char *)&spec, sizeof spec);
    int status = put_all(app, &spec, &all);
    memcpy(all.at, &spec, sizeof spec);
    input->spec_bytes = all.n + 1;
    input->spec = plb_app_alloc(app, input->spec_bytes);
    memcpy(input->spec, all.at, all.n);
    free(all.at);
    return status;
}

int command_read_input(struct plb_app *app, struct command_input *input)
{
    *input = (struct command_input){0};
    if (command_read_list(app, input) != PLB_OK || make_spec(app, input) != PLB_OK)
        return PLB_EINPUT;
    return command_read_costs(app, input);
}
