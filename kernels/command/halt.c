/* Comparisons, and a byte for each line. */
#include "halt.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 3 /* lines from which on a part of all counts */

static bool read_value(const char *text, struct command_halt *halt)
{
    char *end;
    halt->value = strtod(text, &end);
    halt->percent = *end == '%';
    return end != text && *text != '-' && end[halt->percent] == '\0' && halt->value > 0.0
        && (!halt->percent || halt->value <= 100.0);
}

bool command_halt_read(const char *text, struct command_halt *halt)
{
    static const char *const whys[] = {[ON_FAIL] = "fail=", [ON_SUCCESS] = "success=", [ON_DONE] = "done="};
    const char *why = strchr(text, ',');
    size_t when = why != NULL ? (size_t)(why - text) : strlen(text);
    *halt = (struct command_halt){.why = ON_FAIL, .value = 1.0};
    if (strcmp(text, "never") == 0 || strcmp(text, "0") == 0)
        return true;
    halt->wanted = true;
    halt->at_once = strcmp(text, "2") == 0 || (when == 3 && strncmp(text, "now", 3) == 0);
    if (strcmp(text, "1") == 0 || strcmp(text, "2") == 0)
        return true;
    if (why == NULL || !(halt->at_once || (when == 4 && strncmp(text, "soon", 4) == 0)))
        return false;
    for (int i = ON_FAIL; i <= ON_DONE; i++) {
        size_t n = strlen(whys[i]);
        if (strncmp(why + 1, whys[i], n) != 0)
            continue;
        halt->why = i;
        return read_value(why + 1 + n, halt);
    }
    return false;
}

bool command_halt_now(const struct command_halt *halt, int64_t lines, int64_t failed, int64_t succeeded)
{
    int64_t n = halt->why == ON_FAIL ? failed : halt->why == ON_SUCCESS ? succeeded : failed + succeeded;
    if (!halt->wanted)
        return false;
    return halt->percent ? n >= LEAST && (double)n >= 0.01 * halt->value * (double)lines
                         : (double)n >= halt->value;
}

/* -------------------------------------------------------------------- this process */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint8_t *line; /* ENDED: it is counted; LEFT: it was not begun */
    int64_t lines, failed, succeeded;
    bool halted;
} here;
enum { ENDED = 1, LEFT };

void command_halt_ended(const struct command_halt *halt, int64_t lines, int64_t line, bool failed)
{
    if (!halt->wanted)
        return;
    pthread_mutex_lock(&lock);
    if (here.line == NULL && (here.line = calloc((size_t)lines, sizeof *here.line)) != NULL)
        here.lines = lines;
    if (here.line != NULL && line < here.lines && here.line[line] != ENDED) {
        here.line[line] = ENDED;
        here.failed += failed;
        here.succeeded += !failed;
        here.halted = command_halt_now(halt, lines, here.failed, here.succeeded);
    }
    pthread_mutex_unlock(&lock);
}

bool command_halt_leaves(int64_t line)
{
    bool leaves = false;
    pthread_mutex_lock(&lock);
    if (here.halted && here.line[line] == 0) {
        here.line[line] = LEFT;
        leaves = true;
    } else if (here.halted && here.line[line] == LEFT) {
        here.failed = here.succeeded = 0;
        here.halted = false;
    }
    pthread_mutex_unlock(&lock);
    return leaves;
}
