/* The list: lines of a file, or numbers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

#define MOST_NUMBERS 100000000 /* of a range: each takes 30 bytes of memory on each rank */

/* Reads a whole file or standard input. */
static int read_all(struct plb_app *app, const char *path, struct command_text *text)
{
    char block[65536];
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
    if (in == NULL)
        return plb_app_error(app, "%s: cannot be read: %s; correct command.lines", path, strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
        command_add(text, block, n);
    bool failed = ferror(in) != 0;
    int reason = errno;
    if (in != stdin)
        fclose(in);
    if (failed)
        return plb_app_error(app, "%s: cannot be read: %s; correct command.lines", path, strerror(reason));
    if (text->at != NULL && !plb_app_flag(app, "null") && memchr(text->at, '\0', text->n) != NULL)
        return plb_app_error(
            app,
            "%s: has a NUL byte, which no argument of a program can have; where one ends each "
            "line, give -0",
            path);
    if (text->at == NULL)
        return plb_app_error(app, "%s: has no line; there is nothing to run", path);
    return PLB_OK;
}

/* The end of each line. */
static char separator_of(const struct plb_app *app)
{
    return plb_app_flag(app, "null") && plb_app_text(app, "lines") != NULL ? '\0' : '\n';
}

static int read_lines(struct plb_app *app, const char *path, struct command_text *text)
{
    char separator = separator_of(app);
    if (read_all(app, path, text) != PLB_OK || text->at == NULL)
        return PLB_EINPUT;
    if (text->at[text->n - 1] != separator)
        command_add(text, &separator, 1);
    return PLB_OK;
}

static int make_range(struct plb_app *app, const char *range, struct command_text *text)
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
    for (long long i = 0; i <= (last - first) / step; i++) /* first + i * step is last at most */
        command_add(text, number, (size_t)snprintf(number, sizeof number, "%lld\n", first + i * step));
    return PLB_OK;
}

/* Finds where the lines are. */
static void find_lines(struct plb_app *app, const struct command_text *text, struct command_input *input)
{
    int64_t units = 0, u = 0;
    char separator = separator_of(app);
    for (size_t i = 0; i < text->n; i++)
        units += text->at[i] == separator;
    input->units = units;
    input->bytes = text->n;
    input->text = plb_app_alloc(app, text->n);
    memcpy(input->text, text->at, text->n);
    input->places = plb_app_alloc_array(app, units, sizeof *input->places);
    for (size_t i = 0, begin = 0; i < text->n; i++)
        if (text->at[i] == separator) {
            input->places[u++] = (struct command_place){(int64_t)begin, (int64_t)(i - begin)};
            begin = i + 1;
        }
}

int command_read_list(struct plb_app *app, struct command_input *input)
{
    const char *lines = plb_app_text(app, "lines"), *range = plb_app_text(app, "range");
    struct command_text text = {NULL, 0, 0};
    int status;
    if (lines != NULL && range != NULL)
        status = plb_app_error(app, "command.lines and command.range both name units; leave one out");
    else if (lines == NULL && range == NULL)
        status = plb_app_error(app, "no units are named; give command.lines = FILE or command.range = 1-100");
    else if (range != NULL && plb_app_text(app, "run") == NULL && plb_app_text(app, "serve") == NULL)
        status = plb_app_error(app, "a number is no command; give command.run, such as ./sim {}");
    else
        status = lines != NULL ? read_lines(app, lines, &text) : make_range(app, range, &text);
    if (status == PLB_OK && text.at != NULL)
        find_lines(app, &text, input);
    free(text.at);
    return status;
}
