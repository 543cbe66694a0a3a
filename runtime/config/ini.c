/* Feeds inih line by line, so that every entry has its line and every mistake a sentence. */
#include "config/ini.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/memory.h"

struct reading {
    FILE *stream;
    struct plb_ini *conf;
    struct plb_error *err;
    int line;    /* of the last line read; inih reports its entry before it reads the next */
    char *value; /* in that line; NULL: it has none */
};

#define MARK "\xef\xbb\xbf" /* before the first line, from some editors */

/* Notes a section's header and its line. inih reports keys alone. */
static void keep_section(struct reading *r, const char *line)
{
    size_t length = strcspn(line, "]");
    if (line[0] != '[' || line[length] != ']')
        return;
    struct plb_ini *conf = r->conf;
    conf->sections = plb_grow(conf->sections, (size_t)(conf->n_sections + 1) * sizeof *conf->sections);
    conf->sections[conf->n_sections++] = (struct plb_ini_section){strndup(line + 1, length - 1), r->line};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The characters before a comment among the first `length`: # or ; at the begin or after a blank. */
static size_t before_comment(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((text[i] == '#' || text[i] == ';') && (i == 0 || is_blank(text[i - 1])))
            return i;
    return length;
}

static int wrong(const struct reading *r, const char *what)
{
    return plb_fail(r->err, PLB_EINPUT, "%s:%d: %s", r->conf->file, r->line, what);
}

/* Warns where a comment may be a part of the value: after ;, and after # without a blank. A number has no
 * such parts. */
static void warn_of_cut(const struct reading *r, const char *key, const char *comment)
{
    double unused;
    bool usual = comment[0] == '\0' || (comment[0] == '#' && (is_blank(comment[1]) || comment[1] == '\0'));
    if (!usual && !plb_parse_real(r->value, &unused))
        plb_log(PLB_LOG_WARNING,
                "%s:%d: the value of %.*s ends before the comment '%s'; put the value in quotes if it "
                "goes on, or write '# ' before a comment",
                r->conf->file, r->line, (int)strcspn(key, " \t=:"), key, comment);
}

/* Keeps a value that begins with a quote. */
static int keep_quoted(struct reading *r, const char *text)
{
    const char *end = strchr(text + 1, text[0]);
    if (end == NULL)
        return wrong(r, "the value begins with a quote and does not end with one; add it");
    size_t rest = strspn(end + 1, " \t");
    if (end[1 + rest] != '\0' && (rest == 0 || before_comment(end + 1 + rest, 1) != 0))
        return wrong(
            r, "text follows the quoted value; put all of it in quotes, or a blank and # before a comment");
    r->value = strndup(text + 1, (size_t)(end - text - 1));
    return PLB_OK;
}

/* Keeps the value of a line `key = value`, with `=` or `:` at `sign`. inih would cut it at a ; in quotes. */
static int keep_value(struct reading *r, const char *line, size_t sign)
{
    const char *text = line + sign + 1;
    size_t blanks = strspn(text, " \t");
    if (text[blanks] == '"' || text[blanks] == '\'')
        return keep_quoted(r, text + blanks);
    bool empty = blanks > 0 && before_comment(text + blanks, 1) == 0;
    size_t length = empty ? 0 : before_comment(text + blanks, strlen(text + blanks));
    if (length == 0 && !empty && text[blanks] != '\0') /* "a=#b": no blank before it */
        length = 1 + before_comment(text + 1, strlen(text + 1));
    const char *comment = text + blanks + length;
    while (length > 0 && is_blank(text[blanks + length - 1]))
        length--;
    r->value = strndup(text + blanks, length);
    if (length > 0)
        warn_of_cut(r, line, comment);
    return PLB_OK;
}

/* Takes a line apart for inih, which gets a section, or a key without its value. */
static int take_line(struct reading *r, char *line)
{
    size_t length = strlen(line), sign = strcspn(line, "=:");
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    size_t used = before_comment(line, sign < length ? sign : length);
    free(r->value);
    r->value = NULL;
    if (line[0] != '[' && used == sign && sign < length) {
        if (keep_value(r, line, sign) != PLB_OK)
            return r->err->status;
        used = sign + 1;
    }
    strcpy(line + used, "\n");
    keep_section(r, line);
    return PLB_OK;
}

/* The next line for inih, as fgets gives it, but without indentation, comment and value. */
static char *next_line(char *buffer, int size, void *data)
{
    struct reading *r = data;
    if (fgets(buffer, size, r->stream) == NULL)
        return NULL;
    r->line++;
    size_t length = strlen(buffer);
    if (length + 1 == (size_t)size && buffer[length - 1] != '\n') {
        plb_fail(r->err, PLB_EINPUT,
                 "%s:%d: the line is longer than %d characters; shorten it, with a "
                 "symbolic link for a long path",
                 r->conf->file, r->line, size - 2);
        return NULL;
    }
    size_t skipped = r->line == 1 && strncmp(buffer, MARK, strlen(MARK)) == 0 ? strlen(MARK) : 0;
    skipped += strspn(buffer + skipped, " \t");
    memmove(buffer, buffer + skipped, length - skipped + 1);
    return take_line(r, buffer) == PLB_OK ? buffer : NULL;
}

/* inih reports an entry. */
static int keep(void *data, const char *section, const char *key, const char *value)
{
    struct reading *r = data;
    (void)value;
    struct plb_ini *conf = r->conf;
    conf->at = plb_room(conf->at, conf->n, &conf->capacity, sizeof *conf->at);
    conf->at[conf->n++] = (struct plb_ini_entry){strdup(section), strdup(key), r->value, r->line};
    r->value = NULL;
    return 1;
}

int plb_ini_read(const char *file, struct plb_ini *conf, struct plb_error *err)
{
    *conf = (struct plb_ini){.file = strdup(file)};
    struct reading r = {.stream = fopen(file, "r"), .conf = conf, .err = err};
    if (r.stream == NULL) {
        plb_fail(err, PLB_EINPUT, "%s: %s; name an existing file", file, strerror(errno));
    } else {
        int line = ini_parse_stream(next_line, &r, keep, &r);
        if (line != 0)
            plb_fail(err, PLB_EINPUT,
                     "%s:%d: neither a [section] nor 'key = value'; correct the line, or "
                     "put # before it",
                     file, line);
        else if (ferror(r.stream))
            plb_fail(err, PLB_EINPUT, "%s: %s; name a readable file", file, strerror(errno));
        fclose(r.stream);
    }
    free(r.value);
    if (err->status != PLB_OK)
        plb_ini_fini(conf);
    return err->status;
}

void plb_ini_fini(struct plb_ini *conf)
{
    for (int i = 0; i < conf->n; i++) {
        free(conf->at[i].section);
        free(conf->at[i].key);
        free(conf->at[i].value);
    }
    for (int i = 0; i < conf->n_sections; i++)
        free(conf->sections[i].name);
    free(conf->sections);
    free(conf->at);
    free(conf->file);
    *conf = (struct plb_ini){0};
}

bool plb_parse_real(const char *text, double *value)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(v))
        return false;
    *value = v;
    return true;
}

bool plb_parse_int(const char *text, double *value)
{
    double v;
    if (!plb_parse_real(text, &v) || v != floor(v) || fabs(v) > 9007199254740992.0)
        return false;
    *value = v;
    return true;
}

bool plb_parse_flag(const char *text, double *value)
{
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    for (int i = 0; i < 8; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *value = i % 2;
            return true;
        }
    return false;
}

bool plb_parse_choice(const char *text, const char *choices, double *value)
{
    size_t wanted = strlen(text), length;
    for (int i = 0; *choices != '\0'; i++, choices += length + (choices[length] == '|')) {
        length = strcspn(choices, "|");
        if (length == wanted && strncmp(choices, text, length) == 0) {
            *value = i;
            return true;
        }
    }
    return false;
}
