/* Feeds inih line by line, so that every entry has its line and every mistake a sentence. */
#include "base/ini.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

struct reading {
    FILE *stream;
    struct plb_ini *conf;
    struct plb_error *err;
    int line; /* of the last line read; inih reports its entry before it reads the next */
};

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

/* The next line for inih, as fgets gives it, but without indentation and comment. */
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
    size_t indent = strspn(buffer, " \t");
    memmove(buffer, buffer + indent, length - indent + 1);
    for (char *c = buffer; *c != '\0'; c++)
        if (*c == '#' && (c == buffer || c[-1] == ' ' || c[-1] == '\t')) {
            strcpy(c, "\n");
            break;
        }
    keep_section(r, buffer);
    return buffer;
}

/* inih reports an entry. */
static int keep(void *data, const char *section, const char *key, const char *value)
{
    struct reading *r = data;
    struct plb_ini *conf = r->conf;
    if (conf->n == conf->capacity) {
        conf->capacity = conf->capacity > 0 ? 2 * conf->capacity : 32;
        conf->at = plb_grow(conf->at, (size_t)conf->capacity * sizeof *conf->at);
    }
    conf->at[conf->n++] = (struct plb_ini_entry){strdup(section), strdup(key), strdup(value), r->line};
    return 1;
}

int plb_ini_read(const char *file, struct plb_ini *conf, struct plb_error *err)
{
    *conf = (struct plb_ini){.file = strdup(file)};
    struct reading r = {.stream = fopen(file, "r"), .conf = conf, .err = err};
    if (r.stream == NULL) {
        plb_fail(err, PLB_EINPUT, "%s: %s; name an existing file", file, strerror(errno));
    } else {
        int wrong = ini_parse_stream(next_line, &r, keep, &r);
        if (wrong != 0)
            plb_fail(err, PLB_EINPUT,
                     "%s:%d: neither a [section] nor 'key = value'; correct the line, or "
                     "put # before it",
                     file, wrong);
        else if (ferror(r.stream))
            plb_fail(err, PLB_EINPUT, "%s: %s; name a readable file", file, strerror(errno));
        fclose(r.stream);
    }
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
