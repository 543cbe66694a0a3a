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

/* The parameter that a replacement string becomes, in such quotes. */
static void add_parameter(enum command_part part, char quote, struct command_text *script)
{
    char parameter[16];
    const char *form = quote == '"' ? "${%d}" : quote == '\0' ? "\"${%d}\"" : "'\"${%d}\"'";
    snprintf(parameter, sizeof parameter, form, (int)part + 1);
    command_add(script, parameter, strlen(parameter));
}

/* Copies a here-document up to its end, in which a shell takes no quotes. NULL: nothing is replaced in it. */
static const char *copy_document(struct scan *s, const char *c, struct command_text *script)
{
    size_t length;
    for (bool line = true; *c != '\0'; c += length) {
        const char *text = c + (s->tabs && line ? strspn(c, "\t") : 0);
        size_t n = strcspn(text, "\n");
        if (line && n == strlen(s->end) && strncmp(text, s->end, n) == 0)
            break;
        enum command_part part = part_at(c, &length);
        if (part != PARTS && s->literal)
            return NULL;
        if (part != PARTS)
            add_parameter(part, '"', script);
        else
            command_add(script, c, length);
        line = part == PARTS && *c == '\n';
    }
    s->end[0] = '\0';
    return c;
}

const char *command_script(const char *command, struct command_text *script)
{
    struct scan s = {.begins = true, .commands = true};
    size_t length;
    for (const char *c = command; *c != '\0'; c += length) {
        enum command_part part = part_at(c, &length);
        if (part != PARTS) {
            bool arithmetic = s.at[s.n].level == ARITHMETIC || s.at[s.n].level == PARENTHESES;
            add_parameter(part, arithmetic ? '"' : s.at[s.n].quote, script); /* arithmetic takes no quotes */
            s.begins = s.commands = false;
            continue;
        }
        bool document = *c == '\n' && s.end[0] != '\0' && s.at[s.n].quote == '\0';
        length = follow(&s, c);
        command_add(script, c, length);
        const char *end = document ? copy_document(&s, c + 1, script) : c + length;
        if (end == NULL)
            return "nothing can be replaced in a here-document whose end is quoted; leave those quotes out";
        length = (size_t)(end - c);
    }
    return s.at[0].quote == '\0' ? NULL : "a quote does not end";
}

const char *command_other_words(const char *command)
{
    const char *colons = strstr(command, ":::"), *number = command;
    while ((number = strchr(number, '{')) != NULL
           && !(number[1] >= '1' && number[1] <= '9' && number[2] == '}'))
        number++;
    if (colons != NULL)
        return "::: is nothing special here: name the lines with --lines or --range";
    return number != NULL ? "{1} and such are no replacement strings here: {} is the line" : NULL;
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
