/* The words of a program, and where it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"

#define SHELL "/bin/sh"

bool command_find_program(const char *name, const char *folder, struct command_text *path)
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
    if (w->n < 1 || !command_find_program(w->text.at, folder, path))
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
        command_find_program(w->text.at, folder, path);
    }
    point(w);
}

void command_make_server(const struct command_spec *spec, const char *folder, struct command_text *path,
                         struct command_words *w)
{
    const char *word = command_text_of(spec, spec->words), *script = command_text_of(spec, spec->script);
    if (spec->form == SCRIPT)
        make_shell(script, strlen(script), path, w);
    for (int i = 0; i < spec->n_words && spec->form == WORDS; i++, word += strlen(word) + 1)
        add_word(w, word, strlen(word));
    if (spec->form == WORDS)
        command_find_program(w->text.at, folder, path);
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
    if (spec->form == LINES || spec->serves)
        command_add(text, line->text, line->n);
    else
        command_replace(command_text_of(spec, spec->command), line->text, line->n, line->number, true, text);
}
