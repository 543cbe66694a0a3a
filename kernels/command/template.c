/* Replacement strings, and the words of a command. */
#include "template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters that mean something to a shell outside of quotes, and in double quotes. */
#define SHELL "|&;<>()$`\\*?[]~!{}\n\r^"
#define IN_DOUBLE "$`\\!"

#define MOST_COLUMNS 9999 /* that a command can name */

void command_add(struct command_text *t, const char *bytes, size_t n)
{
    if (t->at == NULL || t->n + n + 1 > t->room) {
        t->room = 2 * (t->n + n + 1);
        t->at = realloc(t->at, t->room);
        if (t->at == NULL)
            abort(); /* a few kilobytes */
    }
    if (n > 0)
        memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = '\0';
}

/* The words in braces, but for a number at their begin. */
static const struct {
    const char *name;
    enum command_kind kind;
    bool alone; /* no number stands before it */
} names[] = {{"", LINE, false},   {"line", LINE, true},  {".", STEM, false},
             {"/", NAME, false},  {"//", FOLDER, false}, {"/.", NAME_STEM, false},
             {"#", NUMBER, true}, {"%", SLOT, true},     {"gpu", GPU, true}};

size_t command_part_at(const char *text, struct command_part *part)
{
    size_t digits = text[0] == '{' ? strspn(text + 1, "0123456789") : 0;
    int column = digits > 0 ? (int)strtol(text + 1, NULL, 10) : 0;
    const char *rest = text + 1 + digits;
    if (text[0] != '{' || digits > 4 || (digits > 0 && (column == 0 || column > MOST_COLUMNS)))
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i].name);
        if (strncmp(rest, names[i].name, n) != 0 || rest[n] != '}' || (names[i].alone && digits > 0))
            continue;
        *part = (struct command_part){names[i].kind, column};
        return digits + n + 2;
    }
    return 0;
}

bool command_has_part(const char *command)
{
    struct command_part part;
    for (; *command != '\0'; command++)
        if (command_part_at(command, &part) > 0 && part.kind != GPU)
            return true;
    return false;
}

bool command_needs_shell(const char *command)
{
    char quote = '\0';
    bool begins = true, first = true; /* a word; the first one */
    struct command_part part;
    size_t length;
    for (const char *c = command; *c != '\0'; c += length) {
        if ((length = command_part_at(c, &part)) > 0) {
            begins = false;
            continue;
        }
        length = 1;
        if (quote == '\0' && (*c == '\'' || *c == '"'))
            quote = *c;
        else if (*c == quote)
            quote = '\0';
        else if ((quote == '\0'
                  && (strchr(SHELL, *c) != NULL || (*c == '#' && begins) || (*c == '=' && first)))
                 || (quote == '"' && strchr(IN_DOUBLE, *c) != NULL))
            return true;
        bool blank = quote == '\0' && (*c == ' ' || *c == '\t');
        first &= !blank || begins;
        begins = blank;
    }
    return false;
}

int command_split(const char *command, struct command_text *words)
{
    char quote = '\0';
    bool inside = false;
    int n = 0;
    for (const char *c = command; *c != '\0'; c++) {
        if (quote == '\0' && (*c == ' ' || *c == '\t')) {
            if (inside)
                command_add(words, "", 1);
            inside = false;
            continue;
        }
        n += !inside;
        inside = true;
        if (quote == '\0' && (*c == '\'' || *c == '"'))
            quote = *c;
        else if (*c == quote)
            quote = '\0';
        else
            command_add(words, c, 1);
    }
    if (inside)
        command_add(words, "", 1);
    return quote == '\0' ? n : -1;
}

/* The length of a name without its extension, which may be all of it, as in GNU parallel. */
static size_t stem_of(const char *line, size_t n, size_t name)
{
    for (size_t i = n; i > name; i--)
        if (line[i - 1] == '.')
            return i - 1;
    return n;
}

/* The folder of a name, as dirname prints it. */
static void add_folder(const char *line, size_t n, struct command_text *text)
{
    while (n > 1 && line[n - 1] == '/')
        n--;
    while (n > 0 && line[n - 1] != '/')
        n--;
    bool named = n > 0;
    while (n > 1 && line[n - 1] == '/')
        n--;
    command_add(text, named ? line : ".", named ? n : 1);
}

/* A part of a column. */
static void add_column(enum command_kind kind, const char *line, size_t n, struct command_text *text)
{
    size_t name = n;
    while (name > 0 && line[name - 1] != '/')
        name--;
    size_t stem = stem_of(line, n, name);
    switch (kind) {
    case STEM: command_add(text, line, stem); break;
    case NAME: command_add(text, line + name, n - name); break;
    case FOLDER: add_folder(line, n, text); break;
    case NAME_STEM: command_add(text, line + name, stem - name); break;
    default: command_add(text, line, n); break;
    }
}

/* The column that begins at a byte of the line. */
static size_t length_at(const struct command_line *line, size_t at)
{
    const char *end = memchr(line->text + at, '\0', line->n - at);
    return end != NULL ? (size_t)(end - line->text) - at : line->n - at;
}

int command_columns(const struct command_line *line)
{
    int n = 1;
    for (size_t i = 0; i < line->n; i++)
        n += line->text[i] == '\0';
    return n;
}

static void add_number(long long number, struct command_text *text)
{
    char digits[24];
    command_add(text, digits, (size_t)snprintf(digits, sizeof digits, "%lld", number));
}

void command_quote(struct command_text *out, const char *bytes, size_t n)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    size_t same = 0;
    while (same < n && bytes[same] != '\0' && strchr(plain, bytes[same]) != NULL)
        same++;
    if (n > 0 && same == n) {
        command_add(out, bytes, n);
        return;
    }
    command_add(out, "'", 1);
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == '\'')
            command_add(out, "'\"'\"'", 5);
        else
            command_add(out, bytes + i, 1);
    command_add(out, "'", 1);
}

/* A part of a line; quoted: each column for itself. */
static void add_part(struct command_part part, const struct command_line *line, bool quoted,
                     struct command_text *text)
{
    struct command_text value = {NULL, 0, 0};
    int column = 1;
    if (part.kind == NUMBER)
        add_number((long long)line->number, text);
    else if (part.kind == SLOT)
        add_number(line->slot, text);
    else if (part.kind == GPU && line->gpu != NULL)
        command_add(text, line->gpu, strlen(line->gpu));
    for (size_t at = 0, n; part.kind <= NAME_STEM && at <= line->n; at += n + 1, column++) {
        n = length_at(line, at);
        if (part.column != 0 && part.column != column)
            continue;
        if (part.column == 0 && column > 1)
            command_add(text, " ", 1);
        value.n = 0;
        add_column(part.kind, line->text + at, n, quoted ? &value : text);
        if (quoted)
            command_quote(text, value.at != NULL ? value.at : "", value.n);
    }
    free(value.at);
}

void command_part_of(struct command_part part, const struct command_line *line, struct command_text *text)
{
    add_part(part, line, false, text);
}

void command_replace(const char *text, const struct command_line *line, bool quoted, struct command_text *out)
{
    struct command_part part;
    size_t length;
    for (const char *c = text; *c != '\0'; c += length)
        if ((length = command_part_at(c, &part)) > 0)
            add_part(part, line, quoted, out);
        else
            command_add(out, c, length = 1);
}
