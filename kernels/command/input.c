/* The list, the command, and the program of a line. */
#include "input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHELL "/bin/sh"
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"
#define MOST_NUMBERS 100000000 /* of a range: each takes 30 bytes of memory on each rank */

/* ------------------------------------------------------------------------ list */

/* Reads a whole file or standard input. */
static int read_all(struct plb_app *app, const char *path, struct command_text *text)
{
    char block[65536];
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
    if (in == NULL)
        return plb_app_error(app, "%s: cannot be read: %s; correct command.lines", path, strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
        command_add(text, block, n);
    bool failed = ferror(in) != 0;
    int reason = errno;
    if (in != stdin)
        fclose(in);
    if (failed)
        return plb_app_error(app, "%s: cannot be read: %s; correct command.lines", path, strerror(reason));
    if (text->at != NULL && memchr(text->at, '\0', text->n) != NULL)
        return plb_app_error(app, "%s: has a NUL byte, which no argument of a program can have", path);
    if (text->at == NULL)
        return plb_app_error(app, "%s: has no line; there is nothing to run", path);
    return PLB_OK;
}

static int read_lines(struct plb_app *app, const char *path, struct command_text *text)
{
    if (read_all(app, path, text) != PLB_OK || text->at == NULL)
        return PLB_EINPUT;
    if (text->at[text->n - 1] != '\n')
        command_add(text, "\n", 1);
    return PLB_OK;
}

static int make_range(struct plb_app *app, const char *range, struct command_text *text)
{
    long long first, last, step = 1;
    char number[24], rest;
    int n = sscanf(range, "%lld-%lld:%lld%c", &first, &last, &step, &rest);
    bool right = n == 3 || (n == 2 && sscanf(range, "%lld-%lld%c", &first, &last, &rest) == 2);
    if (!right || step < 1 || first < -MOST_NUMBERS || last > 1000000000000000 || first > last)
        return plb_app_error(
            app,
            "command.range = %s: expected FIRST-LAST or FIRST-LAST:STEP, such as 1-100, with "
            "FIRST at most LAST",
            range);
    if ((last - first) / step >= MOST_NUMBERS)
        return plb_app_error(app, "command.range = %s: has more than %d numbers; make it shorter", range,
                             MOST_NUMBERS);
    for (long long i = 0; i <= (last - first) / step; i++) /* first + i * step is last at most */
        command_add(text, number, (size_t)snprintf(number, sizeof number, "%lld\n", first + i * step));
    return PLB_OK;
}

/* Finds where the lines are. */
static void find_lines(struct plb_app *app, const struct command_text *text, struct command_input *input)
{
    int64_t units = 0, u = 0;
    for (size_t i = 0; i < text->n; i++)
        units += text->at[i] == '\n';
    input->units = units;
    input->bytes = text->n;
    input->text = plb_app_alloc(app, text->n);
    memcpy(input->text, text->at, text->n);
    input->places = plb_app_alloc_array(app, units, sizeof *input->places);
    for (size_t i = 0, begin = 0; i < text->n; i++)
        if (text->at[i] == '\n') {
            input->places[u++] = (struct command_place){(int64_t)begin, (int64_t)(i - begin)};
            begin = i + 1;
        }
}

static int read_list(struct plb_app *app, struct command_input *input)
{
    const char *lines = plb_app_text(app, "lines"), *range = plb_app_text(app, "range");
    struct command_text text = {NULL, 0, 0};
    int status;
    if (lines != NULL && range != NULL)
        status = plb_app_error(app, "command.lines and command.range both name units; leave one out");
    else if (lines == NULL && range == NULL)
        status = plb_app_error(app, "no units are named; give command.lines = FILE or command.range = 1-100");
    else if (range != NULL && plb_app_text(app, "run") == NULL)
        status = plb_app_error(app, "a number is no command; give command.run, such as ./sim {}");
    else
        status = lines != NULL ? read_lines(app, lines, &text) : make_range(app, range, &text);
    if (status == PLB_OK && text.at != NULL)
        find_lines(app, &text, input);
    free(text.at);
    return status;
}

/* --------------------------------------------------------------------- command */

/* Finds a program as a shell would, for a process in this folder. False: there is none. */
static bool find_program(const char *name, const char *folder, struct command_text *path)
{
    const char *folders = getenv("PATH");
    size_t length = strlen(name);
    if (strchr(name, '/') != NULL) {
        path->n = 0;
        command_add(path, name, length);
        return true;
    }
    if (path->n > length && path->at[path->n - length - 1] == '/'
        && strcmp(path->at + path->n - length, name) == 0)
        return true;
    for (const char *f = folders != NULL ? folders : "/usr/bin:/bin"; *name != '\0' && *f != '\0';) {
        size_t n = strcspn(f, ":");
        struct stat info;
        path->n = 0;
        if (n == 0 || f[0] != '/')
            command_add(path, folder != NULL ? folder : ".", folder != NULL ? strlen(folder) : 1);
        if (n > 0 && f[0] != '/')
            command_add(path, "/", 1);
        command_add(path, f, n);
        command_add(path, "/", 1);
        command_add(path, name, length);
        if (access(path->at, X_OK) == 0 && stat(path->at, &info) == 0 && S_ISREG(info.st_mode))
            return true;
        f += n + (f[n] == ':');
    }
    path->n = 0;
    return false;
}

/* Whether a shell knows a command of plain characters: a program, or one of its own. */
static bool shell_knows(const char *name, const char *folder)
{
    struct command_text text = {NULL, 0, 0};
    if (folder != NULL) {
        struct command_text where = {NULL, 0, 0};
        command_add(&text, "cd ", 3);
        command_replace("{}", folder, strlen(folder), 0, true, &where);
        command_add(&text, where.at, where.n);
        command_add(&text, " && ", 4);
        free(where.at);
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
static int check_program(struct plb_app *app, const char *command, const char *folder)
{
    char name[512];
    size_t n = strspn(command, PLAIN);
    if (n == 0 || n >= sizeof name || strchr(" \t;|&<>\n", command[n]) == NULL)
        return PLB_OK;
    snprintf(name, sizeof name, "%.*s", (int)n, command);
    if (shell_knows(name, folder))
        return PLB_OK;
    return plb_app_error(app, "command.run: there is no program %s%s%s; correct the command", name,
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

/* The forms of a command that is given. */
static int put_command(struct plb_app *app, const char *command, const char *folder,
                       struct command_spec *spec, struct command_text *all)
{
    struct command_text words = {NULL, 0, 0}, script = {NULL, 0, 0}, path = {NULL, 0, 0};
    const char *wrong = NULL, *other = command_other_words(command);
    bool found = false;
    if (!command_needs_shell(command)) {
        spec->n_words = command_split(command, &words);
        found = spec->n_words >= 0 && (command_has_part(words.at) || find_program(words.at, folder, &path));
    }
    spec->form = found ? WORDS : SCRIPT;
    wrong = command_script(command, &script);
    if (found)
        spec->words = put(all, words.at, words.n);
    spec->script = put(all, script.at, script.n + 1);
    free(words.at);
    free(script.at);
    free(path.at);
    if (other != NULL)
        fprintf(stderr, "plbrun: warning: command.run = %s: %s\n", command, other);
    return wrong == NULL ? check_program(app, command, folder)
                         : plb_app_error(app, "command.run = %s: %s", command, wrong);
}

static int make_spec(struct plb_app *app, struct command_input *input)
{
    const char *run = plb_app_text(app, "run"), *folder = plb_app_text(app, "folder"),
               *env = plb_app_text(app, "env");
    struct command_spec spec = {.form = LINES, .timeout = plb_app_real(app, "timeout")};
    struct command_text all = {NULL, 0, 0}, command = {NULL, 0, 0};
    struct stat info;
    int status = PLB_OK;
    command_add(&all, (const char *)&spec, sizeof spec);
    if (folder != NULL && (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)))
        status = plb_app_error(app, "command.folder = %s: there is no such folder", folder);
    if (folder != NULL)
        spec.folder = put(&all, folder, strlen(folder) + 1);
    spec.env = (int64_t)all.n;
    if (status == PLB_OK && (spec.n_env = put_env(app, env, &all)) < 0)
        status = PLB_EINPUT;
    if (run != NULL && run[strspn(run, " \t")] == '\0' && status == PLB_OK)
        status = plb_app_error(app, "command.run is empty; give a command, or leave it out to run the lines");
    if (run != NULL && status == PLB_OK) {
        command_add(&command, run + strspn(run, " \t"), strlen(run + strspn(run, " \t")));
        if (!command_has_part(run))
            command_add(&command, " {}", 3);
        spec.command = put(&all, command.at, command.n + 1);
        status = put_command(app, command.at, folder, &spec, &all);
    }
    memcpy(all.at, &spec, sizeof spec);
    input->spec_bytes = all.n + 1;
    input->spec = plb_app_alloc(app, input->spec_bytes);
    memcpy(input->spec, all.at, all.n);
    free(all.at);
    free(command.at);
    return status;
}

int command_read_input(struct plb_app *app, struct command_input *input)
{
    *input = (struct command_input){0};
    return read_list(app, input) == PLB_OK ? make_spec(app, input) : PLB_EINPUT;
}

/* ------------------------------------------------------------------------ words */

/* The words behind each other become arguments. */
static void point(struct command_words *w)
{
    char *at = w->text.at;
    w->argv = calloc((size_t)w->n + 1, sizeof *w->argv);
    for (int i = 0; i < w->n && w->argv != NULL; i++, at += strlen(at) + 1)
        w->argv[i] = at;
}

static void add_word(struct command_words *w, const char *bytes, size_t n)
{
    command_add(&w->text, bytes, n);
    command_add(&w->text, "", 1);
    w->n++;
}

/* The words of a shell that runs this text. */
static void make_shell(const char *script, size_t n, struct command_text *path, struct command_words *w)
{
    path->n = w->text.n = 0;
    w->n = 0;
    command_add(path, SHELL, strlen(SHELL));
    add_word(w, SHELL, strlen(SHELL));
    add_word(w, "-c", 2);
    add_word(w, script, n);
}

/* A line that is a command. A shell is started where it is needed, or knows what PATH does not. */
static void make_line(const struct command_line *line, const char *folder, struct command_text *path,
                      struct command_words *w)
{
    struct command_text text = {NULL, 0, 0};
    command_add(&text, line->text, line->n);
    w->n = command_needs_shell(text.at) ? 0 : command_split(text.at, &w->text);
    if (w->n < 1 || !find_program(w->text.at, folder, path))
        make_shell(line->text, line->n, path, w);
    free(text.at);
}

void command_make(const struct command_spec *spec, const struct command_line *line, const char *folder,
                  struct command_text *path, struct command_words *w)
{
    const char *word = command_text_of(spec, spec->words);
    if (spec->form == LINES) {
        make_line(line, folder, path, w);
    } else if (spec->form == SCRIPT) {
        const char *script = command_text_of(spec, spec->script);
        make_shell(script, strlen(script), path, w);
        add_word(w, "sh", 2);
        for (int part = 0; part < PARTS; part++, w->n++) {
            command_part_of((enum command_part)part, line->text, line->n, line->number, &w->text);
            command_add(&w->text, "", 1);
        }
    } else {
        for (int i = 0; i < spec->n_words; i++, word += strlen(word) + 1, w->n++) {
            command_replace(word, line->text, line->n, line->number, false, &w->text);
            command_add(&w->text, "", 1);
        }
        find_program(w->text.at, folder, path);
    }
    point(w);
}

void command_words_fini(struct command_words *w)
{
    free(w->text.at);
    free(w->argv);
}

void command_describe(const struct command_spec *spec, const struct command_line *line,
                      struct command_text *text)
{
    if (spec->form == LINES)
        command_add(text, line->text, line->n);
    else
        command_replace(command_text_of(spec, spec->command), line->text, line->n, line->number, true, text);
}
