/* Regular expressions of the C library. */
#include "columns.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* What GNU parallel's users write as Perl does, and regcomp knows by another name. */
static void translate(const char *colsep, struct command_text *pattern)
{
    for (const char *c = colsep; *c != '\0'; c++) {
        if (c[0] == '\\' && c[1] == 't')
            command_add(pattern, "\t", 1);
        else if (c[0] == '\\' && c[1] == 'd')
            command_add(pattern, "[0-9]", 5);
        else if (c[0] == '\\' && c[1] != '\0')
            command_add(pattern, c, 2);
        else
            command_add(pattern, c, 1);
        c += c[0] == '\\' && c[1] != '\0';
    }
}

static void add_trimmed(struct command_text *out, const char *text, size_t n)
{
    while (n > 0 && (text[0] == ' ' || text[0] == '\t')) {
        text++;
        n--;
    }
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    command_add(out, text, n);
}

/* Cuts one value. A match of nothing cuts nothing. */
static void split(const regex_t *pattern, const char *text, size_t n, struct command_text *out)
{
    size_t begin = 0;
    for (size_t at = 0; at < n;) {
        regmatch_t match = {(regoff_t)at, (regoff_t)n};
        if (regexec(pattern, text, 1, &match, REG_STARTEND | (at > 0 ? REG_NOTBOL : 0)) != 0)
            break;
        at = (size_t)match.rm_eo;
        if (match.rm_eo == match.rm_so) {
            at++;
            continue;
        }
        add_trimmed(out, text + begin, (size_t)match.rm_so - begin);
        command_add(out, "", 1);
        begin = at;
    }
    add_trimmed(out, text + begin, n - begin);
}

int command_split_columns(struct plb_app *app, struct command_text *text, struct command_place *places,
                          int64_t units)
{
    const char *colsep = plb_app_text(app, "colsep");
    struct command_text pattern = {NULL, 0, 0}, out = {NULL, 0, 0};
    regex_t compiled;
    char why[100];
    if (colsep == NULL)
        return PLB_OK;
    if (colsep[0] == '\0')
        return plb_app_error(app, "command.colsep is empty; name a separator, such as ,");
    translate(colsep, &pattern);
    int wrong = regcomp(&compiled, pattern.at, REG_EXTENDED);
    free(pattern.at);
    if (wrong != 0) {
        regerror(wrong, &compiled, why, sizeof why);
        return plb_app_error(app, "command.colsep = %s: this is not a regular expression: %s", colsep, why);
    }
    for (int64_t u = 0; u < units; u++) {
        size_t begin = out.n, end = (size_t)(places[u].at + places[u].bytes);
        for (size_t at = (size_t)places[u].at, n; at <= end; at += n + 1) { /* of a source */
            const char *next = memchr(text->at + at, '\0', end - at);
            n = (next != NULL ? (size_t)(next - text->at) : end) - at;
            if (at > (size_t)places[u].at)
                command_add(&out, "", 1);
            split(&compiled, text->at + at, n, &out);
        }
        places[u].at = (int64_t)begin;
        places[u].bytes = (int64_t)(out.n - begin);
    }
    regfree(&compiled);
    free(text->at);
    *text = out;
    return PLB_OK;
}

int command_common_columns(const char *text, const struct command_place *places, int64_t units)
{
    int common = 0;
    for (int64_t u = 0; u < units; u++) {
        struct command_line line = command_line_of(text, places, u);
        int n = command_columns(&line);
        if (u > 0 && n != common)
            return 0;
        common = n;
    }
    return common;
}
