/* Scanning commands, character by character, with an eye on quotes. */
#include "template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[][2] = {
    [LINE] = {"{}", "{line}"}, [NUMBER] = {"{#}"},  [STEM] = {"{.}"},
    [NAME] = {"{/}"},          [FOLDER] = {"{//}"}, [NAME_STEM] = {"{/.}"},
};

/* Characters that mean something to a shell outside of quotes, and in double quotes. */
#define SHELL "|&;<>()$`\\*?[]~!{}\n\r^"
#define DEEPEST 32 /* commands in commands. Deeper ones share the quotes of the last */

#define IN_DOUBLE "$`\\!"

void command_add(struct command_text *t, const char *bytes, size_t n)
{
    if (t->n + n + 1 > t->room) {
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

/* The replacement string at the begin of a text, and its length; PARTS: there is none. */
static enum command_part part_at(const char *text, size_t *length)
{
    for (int part = 0; part < PARTS && text[0] == '{'; part++)
        for (int i = 0; i < 2 && names[part][i] != NULL; i++) {
            *length = strlen(names[part][i]);
            if (strncmp(text, names[part][i], *length) == 0)
                return (enum command_part)part;
        }
    *length = 1;
    return PARTS;
}

bool command_has_part(const char *command)
{
    size_t length;
    for (; *command != '\0'; command++)
        if (part_at(command, &length) != PARTS)
            return true;
    return false;
}

bool command_needs_shell(const char *command)
{
    char quote = '\0';
    bool begins = true, first = true; /* a word; the first one */
    size_t length;
    for (const char *c = command; *c != '\0'; c += length) {
        bool part = part_at(c, &length) != PARTS;
        if (part) {
            begins = false;
            continue;
        }
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

/* Where a scan of a script is: quotes, within commands and arithmetic that stand in each other. */
struct nest {
    struct {
        char quote;
        bool arithmetic;
    } at[DEEPEST];
    int n; /* of the innermost; those too deep count as it */
};

static void enter(struct nest *nest, bool arithmetic)
{
    nest->n += nest->n + 1 < DEEPEST;
    nest->at[nest->n].quote = '\0';
    nest->at[nest->n].arithmetic = arithmetic;
}

/* Follows the script over what stands at c, which is no replacement string. Returns its length. */
static size_t follow(struct nest *nest, const char *c)
{
    char *quote = &nest->at[nest->n].quote;
    bool arithmetic = nest->at[nest->n].arithmetic;
    if (*c == '\\' && *quote != '\'' && c[1] != '\0')
        return 2;
    if (*quote != '\'' && strncmp(c, "$((", 3) == 0)
        return enter(nest, true), 3;
    if (*quote != '\'' && strncmp(c, "$(", 2) == 0)
        return enter(nest, false), 2;
    if (*quote == '\0' && *c == '(')
        return enter(nest, false), 1;
    if (*quote == '\0' && *c == ')' && nest->n > 0) {
        nest->n--;
        return arithmetic && c[1] == ')' ? 2 : 1;
    }
    if (*quote == '\0' && (*c == '\'' || *c == '"'))
        *quote = *c;
    else if (*c == *quote)
        *quote = '\0';
    return 1;
}

bool command_script(const char *command, struct command_text *script)
{
    struct nest nest = {.n = 0};
    char parameter[16];
    size_t length;
    for (const char *c = command; *c != '\0'; c += length) {
        enum command_part part = part_at(c, &length);
        if (part == PARTS) {
            length = follow(&nest, c);
            command_add(script, c, length);
            continue;
        }
        char quote = nest.at[nest.n].quote;
        bool bare = quote == '"' || nest.at[nest.n].arithmetic; /* no shell takes quotes in arithmetic */
        const char *form = bare ? "${%d}" : quote == '\0' ? "\"${%d}\"" : "'\"${%d}\"'";
        snprintf(parameter, sizeof parameter, form, (int)part + 1);
        command_add(script, parameter, strlen(parameter));
    }
    return nest.at[0].quote == '\0';
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

void command_part_of(enum command_part part, const char *line, size_t n, int64_t number,
                     struct command_text *text)
{
    char digits[24];
    size_t name = n;
    while (name > 0 && line[name - 1] != '/')
        name--;
    size_t stem = stem_of(line, n, name);
    switch (part) {
    case LINE: command_add(text, line, n); break;
    case NUMBER:
        command_add(text, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)number));
        break;
    case STEM: command_add(text, line, stem); break;
    case NAME: command_add(text, line + name, n - name); break;
    case FOLDER: add_folder(line, n, text); break;
    case NAME_STEM: command_add(text, line + name, stem - name); break;
    case PARTS: break;
    }
}

/* Appends a text as a shell must be given it to be one word, and as GNU parallel writes it. */
static void add_quoted(struct command_text *out, const char *bytes, size_t n)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    size_t same = 0;
    while (same < n && strchr(plain, bytes[same]) != NULL)
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

void command_replace(const char *text, const char *line, size_t n, int64_t number, bool quoted,
                     struct command_text *out)
{
    size_t length;
    for (const char *c = text; *c != '\0'; c += length) {
        enum command_part part = part_at(c, &length);
        struct command_text value = {NULL, 0, 0};
        if (part == PARTS) {
            command_add(out, c, length);
            continue;
        }
        if (!quoted) {
            command_part_of(part, line, n, number, out);
            continue;
        }
        command_part_of(part, line, n, number, &value);
        add_quoted(out, value.at != NULL ? value.at : "", value.n);
        free(value.at);
    }
}
