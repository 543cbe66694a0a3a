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
    command_part_of((struct command_part){LINE, 0}, line, &text);
    w->n = command_needs_shell(text.at) ? 0 : command_split(text.at, &w->text);
    if (w->n < 1 || !command_find_program(w->text.at, folder, path))
        make_shell(text.at, text.n, path, w);
    free(text.at);
}

/* A word of a program. One that stands for all columns becomes as many. */
static void replace_word(const char *word, const struct command_line *line, struct command_words *w)
{
    struct command_part part;
    bool apart = command_part_at(word, &part) == strlen(word) && word[0] != '\0' && part.column == 0
              && part.kind <= NAME_STEM;
    int columns = apart ? command_columns(line) : 1;
    for (int column = 1; column <= columns; column++, w->n++) {
        if (apart)
            command_part_of((struct command_part){part.kind, column}, line, &w->text);
        else
            command_replace(word, line, false, &w->text);
        command_add(&w->text, "", 1);
    }
}

static void make_script(const struct command_spec *spec, const struct command_form *form,
                        const struct command_line *line, struct command_text *path, struct command_words *w)
{
    const char *script = command_text_of(spec, form->script);
    make_shell(script, strlen(script), path, w);
    add_word(w, "sh", 2);
    for (int i = 0; i < form->n_parts; i++, w->n++) {
        struct command_part part;
        memcpy(&part, command_text_of(spec, form->parts) + (size_t)i * sizeof part, sizeof part);
        command_part_of(part, line, &w->text);
        command_add(&w->text, "", 1);
    }
}

void command_make(const struct command_spec *spec, int which, const struct command_line *line,
                  const char *folder, struct command_text *path, struct command_words *w)
{
    const struct command_form *form = &spec->forms[which];
    const char *word = command_text_of(spec, form->words);
    if (form->kind == LINES) {
        make_line(line, folder, path, w);
    } else if (form->kind == SCRIPT) {
        make_script(spec, form, line, path, w);
    } else {
        for (int i = 0; i < form->n_words; i++, word += strlen(word) + 1)
            replace_word(word, line, w);
        command_find_program(w->text.at, folder, path);
    }
    point(w);
}

void command_make_server(const struct command_spec *spec, int which, const char *folder,
                         struct command_text *path, struct command_words *w)
{
    const struct command_form *form = &spec->forms[which];
    const char *word = command_text_of(spec, form->words), *script = command_text_of(spec, form->script);
    if (form->kind == SCRIPT)
        make_shell(script, strlen(script), path, w);
    for (int i = 0; i < form->n_words && form->kind == WORDS; i++, word += strlen(word) + 1)
        add_word(w, word, strlen(word));
    if (form->kind == WORDS)
        command_find_program(w->text.at, folder, path);
    point(w);
}

void command_words_fini(struct command_words *w)
{
    free(w->text.at);
    free(w->argv);
}

void command_describe(const struct command_spec *spec, int which, const struct command_line *line,
                      struct command_text *text)
{
    const struct command_form *form = &spec->forms[which];
    if (form->kind == LINES || spec->serves)
        command_part_of((struct command_part){LINE, 0}, line, text);
    else
        command_replace(command_text_of(spec, form->command), line, true, text);
}
