/* Numbers digit by digit, since a signal handler may call few functions. */
#include "host/crash_line.h"

#include <string.h>
#include <unistd.h>

#include "base/units.h"

static void add_part(struct plb_crash_line *line, const char *text, size_t length)
{
    size_t room = sizeof line->at - 1 - line->n; /* one for the newline */
    length = length < room ? length : room;
    memcpy(line->at + line->n, text, length);
    line->n += length;
}

void plb_crash_add(struct plb_crash_line *line, const char *text)
{
    add_part(line, text, strlen(text));
}

void plb_crash_add_number(struct plb_crash_line *line, int64_t number)
{
    char digits[24];
    char *at = digits + sizeof digits - 1;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    *at = '\0';
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        *--at = '-';
    plb_crash_add(line, at);
}

void plb_crash_add_title(struct plb_crash_line *line, const struct plb_crash_call *c)
{
    plb_crash_add(line, "kernel ");
    plb_crash_add(line, c->kernel);
    if (c->pu >= 0 && strcmp(c->entry, c->kernel) != 0) {
        plb_crash_add(line, ", phase ");
        plb_crash_add(line, c->entry);
        plb_crash_add(line, ",");
    }
}

void plb_crash_add_kernel(struct plb_crash_line *line, const struct plb_crash_call *c, const char *signal)
{
    plb_crash_add_title(line, c);
    plb_crash_add(line, signal != NULL ? " crashed (" : " called exit()");
    plb_crash_add(line, signal != NULL ? signal : "");
    plb_crash_add(line, signal != NULL ? ")" : "");
    if (c->pu < 0) {
        plb_crash_add(line, " in its function ");
        plb_crash_add(line, c->entry);
    }
}

void plb_crash_add_range(struct plb_crash_line *line, const struct plb_crash_call *c)
{
    plb_crash_add(line, " on its PU ");
    plb_crash_add_number(line, c->pu);
    plb_crash_add(line, " in ");
    if (c->count == 1) {
        const char *ending;
        int length = plb_units_singular(c->unit, &ending);
        add_part(line, c->unit, (size_t)length);
        plb_crash_add(line, ending);
    } else {
        plb_crash_add(line, c->unit);
    }
    plb_crash_add(line, " ");
    plb_crash_add_number(line, c->first);
    if (c->count == 1)
        return;
    plb_crash_add(line, " to ");
    plb_crash_add_number(line, c->first + c->count - 1);
}

void plb_crash_write(struct plb_crash_line *line)
{
    line->at[line->n++] = '\n';
    ssize_t written = write(STDERR_FILENO, line->at, line->n);
    (void)written; /* there is nobody to tell */
}
