/* The list: lines of a file, numbers, or arguments. Several sources give all combinations of theirs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "input.h"

#define MOST_NUMBERS 100000000 /* of a range, and combinations: each takes 30 bytes of memory on each rank */

/* Values, each with `separator` at its end. */
struct source {
    struct command_text text;
    char separator;
    bool linked; /* its values go with those of the source before it, one by one */
};

struct sources {
    struct source *at;
    int n;
};

/* Reads a whole file or standard input. */
static int read_all(struct plb_app *app, const char *path, struct command_text *text)
{
    char block[65536];
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
    if (in == NULL)
        return plb_app_error(app, "%s: cannot be read: %s; correct the name of the list", path,
                             strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
        command_add(text, block, n);
    bool failed = ferror(in) != 0;
    int reason = errno;
    if (in != stdin)
        fclose(in);
    if (failed)
        return plb_app_error(app, "%s: cannot be read: %s; correct the name of the list", path,
                             strerror(reason));
    if (text->at != NULL && !plb_app_flag(app, "null") && memchr(text->at, '\0', text->n) != NULL)
        return plb_app_error(
            app, "%s: contains a NUL byte, which an argument cannot contain; if NUL ends each line, use -0",
            path);
    if (text->at == NULL)
        return plb_app_error(app, "%s: has no lines; there is nothing to run", path);
    return PLB_OK;
}

static int read_lines(struct plb_app *app, const char *path, struct source *source)
{
    source->separator = plb_app_flag(app, "null") ? '\0' : '\n';
    if (read_all(app, path, &source->text) != PLB_OK)
        return PLB_EINPUT;
    if (source->text.at[source->text.n - 1] != source->separator)
        command_add(&source->text, &source->separator, 1);
    return PLB_OK;
}

static int make_range(struct plb_app *app, const char *range, struct source *source)
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
    source->separator = '\n';
    for (long long i = 0; i <= (last - first) / step; i++) /* first + i * step is last at most */
        command_add(&source->text, number,
                    (size_t)snprintf(number, sizeof number, "%lld\n", first + i * step));
    return PLB_OK;
}

/* ------------------------------------------------------------------- arguments */

/* Whether a word begins a source in a list of arguments. */
static bool begins(const char *word, bool *files, bool *linked)
{
    size_t colons = strspn(word, ":");
    *files = colons == 4;
    *linked = word[colons] == '+';
    return (colons == 3 || colons == 4) && word[colons + *linked] == '\0';
}

static struct source *add_source(struct sources *s, bool linked)
{
    s->at = realloc(s->at, (size_t)(s->n + 1) * sizeof *s->at);
    if (s->at == NULL)
        abort(); /* a few bytes */
    s->at[s->n] = (struct source){.separator = '\0', .linked = linked && s->n > 0};
    return &s->at[s->n++];
}

/* Each file is a source of its own, as in GNU parallel. */
static int read_arguments(struct plb_app *app, const char *arguments, struct sources *s)
{
    struct command_text words = {NULL, 0, 0};
    int n = command_split(arguments, &words), status = n < 0 ? PLB_EINPUT : PLB_OK;
    bool files = false, linked = false, of_files, of_linked;
    const char *word = words.at;
    if (n < 0)
        plb_app_error(app, "command.arguments = %.200s: a quote does not end", arguments);
    for (int i = 0; i < n && status == PLB_OK; i++, word += strlen(word) + 1) {
        bool begin = begins(word, &of_files, &of_linked);
        if (begin) {
            files = of_files;
            linked = of_linked;
        }
        if ((begin || i == 0) && !files)
            add_source(s, linked);
        if (begin)
            continue;
        if (files)
            status = read_lines(app, word, add_source(s, linked));
        else
            command_add(&s->at[s->n - 1].text, word, strlen(word) + 1);
    }
    free(words.at);
    for (int i = 0; i < s->n && status == PLB_OK; i++)
        if (s->at[i].text.n == 0)
            status = plb_app_error(app, "no argument follows a :::; there is nothing to run");
    if (status == PLB_OK && s->n == 0)
        status = plb_app_error(app, "command.arguments is empty; there is nothing to run");
    return status;
}

/* --------------------------------------------------------------------- combining */

/* The values of a source, by number. */
static int64_t find_values(const struct source *s, struct command_place **values)
{
    int64_t n = 0, v = 0;
    for (size_t i = 0; i < s->text.n; i++)
        n += s->text.at[i] == s->separator;
    *values = malloc((size_t)(n > 0 ? n : 1) * sizeof **values);
    for (size_t i = 0, begin = 0; i < s->text.n && *values != NULL; i++)
        if (s->text.at[i] == s->separator) {
            (*values)[v++] = (struct command_place){(int64_t)begin, (int64_t)(i - begin), 0};
            begin = i + 1;
        }
    return *values != NULL ? n : 0;
}

/* Lets linked sources count as one, with as many values as the shortest; returns all combinations, or -1:
 * too many. */
static int64_t count(const struct sources *s, int64_t *values)
{
    int64_t all = 1;
    for (int i = s->n - 1; i >= 0; i--) {
        if (i > 0 && s->at[i].linked && values[i] < values[i - 1])
            values[i - 1] = values[i];
        if (s->at[i].linked)
            continue;
        for (int k = i + 1; k < s->n && s->at[k].linked; k++)
            values[k] = values[i];
        all = all < 0 || (all > 0 && values[i] > MOST_NUMBERS / all) ? -1 : all * values[i];
    }
    return all;
}

/* Writes the line with number u: the last source changes first. */
static void combine(const struct sources *s, struct command_place *const *places, const int64_t *values,
                    int64_t u, struct command_text *out)
{
    int64_t rest[64] = {0}, left = u;
    for (int i = s->n - 1; i >= 0; i--)
        if (!s->at[i].linked) {
            for (int k = i; k == i || (k < s->n && s->at[k].linked); k++)
                rest[k] = left % values[i];
            left /= values[i];
        }
    for (int i = 0; i < s->n; i++) {
        struct command_place at = places[i][rest[i]];
        if (i > 0)
            command_add(out, "", 1);
        command_add(out, s->at[i].text.at + at.at, (size_t)at.bytes);
    }
}

#define MOST_SOURCES 64

/* Makes the lines, with NUL between their columns. */
static int make_lines(struct plb_app *app, const struct sources *s, struct command_text *out,
                      struct command_place **places, int64_t *units)
{
    struct command_place *of[MOST_SOURCES] = {NULL};
    int64_t values[MOST_SOURCES];
    for (int i = 0; i < MOST_SOURCES; i++)
        values[i] = 1;
    if (s->n > MOST_SOURCES)
        return plb_app_error(app, "there are %d lists of arguments, but at most %d can be combined", s->n,
                             MOST_SOURCES);
    for (int i = 0; i < s->n; i++)
        values[i] = find_values(&s->at[i], &of[i]);
    *units = count(s, values);
    *places = *units > 0 ? malloc((size_t)*units * sizeof **places) : NULL;
    for (int64_t u = 0; u < *units && *places != NULL; u++) {
        size_t begin = out->n;
        combine(s, of, values, u, out);
        (*places)[u] = (struct command_place){(int64_t)begin, (int64_t)(out->n - begin), u + 1};
    }
    for (int i = 0; i < s->n; i++)
        free(of[i]);
    if (*places != NULL)
        return PLB_OK;
    return plb_app_error(app, "there are more than %d combinations; make the lists shorter", MOST_NUMBERS);
}

/* Makes one line of so many, which become its columns. Returns how many lines there are then. */
static int64_t join(struct command_text *text, struct command_place *places, int64_t units, int64_t each)
{
    struct command_text out = {NULL, 0, 0};
    int64_t n = 0;
    if (each == 1)
        return units;
    for (int64_t u = 0; u < units; u++) {
        size_t begin = out.n;
        if (u % each != 0)
            command_add(&out, "", 1);
        command_add(&out, text->at + places[u].at, (size_t)places[u].bytes);
        if (u % each == 0)
            places[n++].at = (int64_t)begin;
        places[n - 1].number = n;
        places[n - 1].bytes = (int64_t)out.n - places[n - 1].at;
    }
    free(text->at);
    *text = out;
    return n;
}

static int read_sources(struct plb_app *app, struct sources *s)
{
    const char *lines = plb_app_text(app, "lines"), *range = plb_app_text(app, "range");
    const char *arguments = plb_app_text(app, "arguments");
    static const char *const forms[] = {"run", "run_gpu", "serve", "serve_gpu"};
    bool command = false;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        command |= plb_app_text(app, forms[i]) != NULL;
    if ((lines != NULL) + (range != NULL) + (arguments != NULL) > 1)
        return plb_app_error(app, "%s both list the units; leave one out",
                             lines == NULL   ? "command.range and command.arguments (:::)"
                             : range == NULL ? "command.lines and command.arguments (:::)"
                                             : "command.lines and command.range");
    if (lines != NULL)
        return read_lines(app, lines, add_source(s, false));
    if (arguments != NULL)
        return read_arguments(app, arguments, s);
    if (range == NULL)
        return plb_app_error(app, "no lines are given; set command.lines = FILE or command.range = 1-100");
    if (!command)
        return plb_app_error(app, "a number is not a command; set command.run, such as ./sim {}");
    return make_range(app, range, add_source(s, false));
}

int command_read_list(struct plb_app *app, struct command_input *input)
{
    struct sources sources = {NULL, 0};
    struct command_text text = {NULL, 0, 0};
    struct command_place *places = NULL;
    int status = read_sources(app, &sources);
    if (status == PLB_OK)
        status = make_lines(app, &sources, &text, &places, &input->units);
    for (int i = 0; i < sources.n; i++)
        free(sources.at[i].text.at);
    free(sources.at);
    if (status == PLB_OK)
        input->units = join(&text, places, input->units, plb_app_int(app, "max_args"));
    if (status == PLB_OK)
        status = command_split_columns(app, &text, places, input->units);
    if (status == PLB_OK) {
        input->bytes = text.n + 1;
        input->text = plb_app_alloc(app, input->bytes);
        memcpy(input->text, text.at != NULL ? text.at : "", text.n);
        input->places = plb_app_alloc_array(app, input->units, sizeof *input->places);
        if (places != NULL)
            memcpy(input->places, places, (size_t)input->units * sizeof *places);
        input->columns = command_common_columns(text.at, places, input->units);
    }
    free(text.at);
    free(places);
    return status;
}
