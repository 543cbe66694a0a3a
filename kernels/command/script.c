/* Scripts for /bin/sh: the command is scanned, character by character, with an eye on quotes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "template.h"

#define DEEPEST 32 /* commands in commands. Deeper ones share the quotes of the last */

/* A scan of a script: what it stands in, the quotes there, and whether a word may be a command. */
enum level { COMMANDS, BACKQUOTES, ARITHMETIC, PARENTHESES }; /* the last two: of arithmetic */

struct scan {
    struct {
        enum level level;
        char quote;
        int cases; /* that have no esac yet: a bracket in them closes a pattern */
    } at[DEEPEST];
    int n;                 /* of the innermost; those too deep count as it */
    bool begins, commands; /* a word may begin here; it may be a command */
    char end[64];          /* of a here-document that begins with the next line; "": none does */
    bool literal, tabs;    /* nothing in it is replaced; its end may stand behind tabs */
};

static void enter(struct scan *s, enum level level)
{
    s->n += s->n + 1 < DEEPEST;
    s->at[s->n].level = level;
    s->at[s->n].quote = '\0';
    s->at[s->n].cases = 0;
    s->begins = s->commands = true;
}

static void leave(struct scan *s)
{
    s->n -= s->n > 0;
    s->begins = s->commands = false;
}

/* Notes the end of a here-document. Returns the length of what names it; 0 where there is none. */
static size_t begin_document(struct scan *s, const char *c)
{
    size_t n = 0, length = 2;
    if (strncmp(c, "<<", 2) != 0 || c[2] == '<')
        return 0;
    s->literal = false;
    s->tabs = c[length] == '-';
    length += s->tabs;
    length += strspn(c + length, " \t");
    for (; c[length] != '\0' && strchr(" \t\n;|&<>()", c[length]) == NULL; length++)
        if (strchr("'\"\\", c[length]) != NULL)
            s->literal = true;
        else if (n + 1 < sizeof s->end)
            s->end[n++] = c[length];
    s->end[n] = '\0';
    return length;
}

static bool is_word(const char *c, const char *word)
{
    size_t n = strlen(word);
    return strncmp(c, word, n) == 0 && (c[n] == '\0' || strchr(" \t\n;|&()", c[n]) != NULL);
}

/* A word begins at c, outside of quotes. Returns its length where it is one of the shell's own; else 0. */
static size_t own_word(struct scan *s, const char *c)
{
    static const char *const before[] = {"then", "do", "else", "elif", "if", "while", "until", "!", "{"};
    if (s->at[s->n].cases > 0 && is_word(c, "esac")) {
        s->at[s->n].cases--;
        return 4;
    }
    if (s->commands && is_word(c, "case")) {
        s->at[s->n].cases++;
        return 4;
    }
    for (size_t i = 0; i < sizeof before / sizeof *before && s->commands; i++)
        if (is_word(c, before[i]))
            return strlen(before[i]);
    return 0;
}

/* Outside of quotes and arithmetic: comments, here-documents and words. 0: it is none of these. */
static size_t follow_word(struct scan *s, const char *c)
{
    size_t length = begin_document(s, c);
    if (length == 0 && s->begins && *c == '#')
        length = strcspn(c, "\n");
    else if (length == 0 && s->begins && (length = own_word(s, c)) > 0)
        s->begins = false; /* a command may still follow */
    else if (length > 0)
        s->begins = s->commands = false;
    return length;
}

static void follow_mark(struct scan *s, char c)
{
    bool blank = c == ' ' || c == '\t', ends = strchr(";|&\n", c) != NULL;
    s->commands = ends || (blank && s->commands);
    s->begins = blank || ends;
}

/* Follows the script over what stands at c, which is no replacement string. Returns its length. */
static size_t follow(struct scan *s, const char *c)
{
    enum level level = s->at[s->n].level;
    char *quote = &s->at[s->n].quote;
    bool arithmetic = level == ARITHMETIC || level == PARENTHESES, bare = *quote == '\0';
    if (*c == '\\' && *quote != '\'' && c[1] != '\0')
        return s->begins = s->commands = false, 2;
    if (*quote != '\'' && strncmp(c, "$((", 3) == 0)
        return enter(s, ARITHMETIC), 3;
    if (*quote != '\'' && strncmp(c, "$(", 2) == 0)
        return enter(s, COMMANDS), 2;
    if (*c == '`' && level == BACKQUOTES && bare)
        return leave(s), 1;
    if (*c == '`' && *quote != '\'')
        return enter(s, BACKQUOTES), 1;
    if (bare && *c == '(')
        return enter(s, arithmetic ? PARENTHESES : COMMANDS), 1;
    if (bare && *c == ')' && s->at[s->n].cases == 0 && s->n > 0)
        return leave(s), level == ARITHMETIC && c[1] == ')' ? 2 : 1;
    size_t length = bare && !arithmetic ? follow_word(s, c) : 0;
    if (length > 0)
        return length;
    if (bare && *c == ')') /* of a pattern: commands follow */
        return s->begins = s->commands = true, 1;
    follow_mark(s, *quote == '\0' ? *c : 'x');
    if (bare && (*c == '\'' || *c == '"') && !arithmetic)
        *quote = *c;
    else if (!bare && *c == *quote)
        *quote = '\0';
    return 1;
}

/* A script on its way. */
struct writing {
    struct command_text *script;
    struct command_parts *parts;
    int columns; /* of all lines; 0: they differ */
};

/* The number of the parameter that a replacement string becomes. */
static int number_of(struct command_parts *parts, struct command_part part)
{
    for (int i = 0; i < parts->n; i++)
        if (parts->at[i].kind == part.kind && parts->at[i].column == part.column)
            return i + 1;
    parts->at = realloc(parts->at, (size_t)(parts->n + 1) * sizeof *parts->at);
    if (parts->at == NULL)
        abort(); /* a few bytes */
    parts->at[parts->n++] = part;
    return parts->n;
}

/* The parameter that a replacement string becomes, in such quotes. Outside of quotes each column is one. */
static void add_parameter(struct writing *w, struct command_part part, char quote)
{
    char parameter[32];
    const char *form = quote == '"' ? "${%d}" : quote == '\0' ? "\"${%d}\"" : "'\"${%d}\"'";
    bool apart = quote == '\0' && part.kind <= NAME_STEM && part.column == 0 && w->columns > 1;
    for (int column = apart ? 1 : part.column; column <= (apart ? w->columns : part.column); column++) {
        int n = snprintf(parameter, sizeof parameter, form,
                         number_of(w->parts, (struct command_part){part.kind, column}));
        if (apart && column > 1)
            command_add(w->script, " ", 1);
        command_add(w->script, parameter, (size_t)n);
    }
}

/* Copies a here-document up to its end, in which a shell takes no quotes. NULL: nothing is replaced in it. */
static const char *copy_document(struct scan *s, const char *c, struct writing *w)
{
    size_t length;
    for (bool line = true; *c != '\0'; c += length) {
        const char *text = c + (s->tabs && line ? strspn(c, "\t") : 0);
        size_t n = strcspn(text, "\n");
        if (line && n == strlen(s->end) && strncmp(text, s->end, n) == 0)
            break;
        struct command_part part;
        length = command_part_at(c, &part);
        bool replaced = length > 0;
        if (replaced && s->literal)
            return NULL;
        if (replaced)
            add_parameter(w, part, '"');
        else
            command_add(w->script, c, length = 1);
        line = !replaced && *c == '\n';
    }
    s->end[0] = '\0';
    return c;
}

const char *command_script(const char *command, int columns, struct command_text *script,
                           struct command_parts *parts)
{
    struct scan s = {.begins = true, .commands = true};
    struct writing w = {script, parts, columns};
    struct command_part part;
    size_t length;
    for (const char *c = command; *c != '\0'; c += length) {
        if ((length = command_part_at(c, &part)) > 0) {
            bool arithmetic = s.at[s.n].level == ARITHMETIC || s.at[s.n].level == PARENTHESES;
            add_parameter(&w, part, arithmetic ? '"' : s.at[s.n].quote); /* arithmetic takes no quotes */
            s.begins = s.commands = false;
            continue;
        }
        bool document = *c == '\n' && s.end[0] != '\0' && s.at[s.n].quote == '\0';
        length = follow(&s, c);
        command_add(script, c, length);
        const char *end = document ? copy_document(&s, c + 1, &w) : c + length;
        if (end == NULL)
            return "{} cannot be replaced in a here-document with a quoted delimiter; remove these quotes";
        length = (size_t)(end - c);
    }
    return s.at[0].quote == '\0' ? NULL : "a quote is not closed";
}
