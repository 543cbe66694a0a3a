/* A program for each line. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lines.h"

/* Bytes of a program's output that are read at a time. Larger: more of the stack. Smaller: more calls. */
#define BLOCK 65536

/* Keeps what a program has written to a file as a part of a record; wanted: else it is not kept. Returns how
 * many bytes it has. */
static int64_t keep(struct command_lines *r, int buffer, int64_t unit, int fd, bool wanted)
{
    char block[BLOCK];
    int64_t size = fd >= 0 ? (int64_t)lseek(fd, 0, SEEK_END) : 0, at = 0;
    if (wanted)
        plb_task_record(r->task, buffer, unit, NULL, 0);
    while (wanted && at < size) {
        ssize_t n = pread(fd, block, sizeof block, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        plb_task_record(r->task, buffer, unit, block, (size_t)n);
        at += n;
    }
    bool lost = wanted && at != size;
    if (lost || size < 0)
        r->failed = plb_task_error(r->task, "what line %lld has written cannot be read: %s",
                                   (long long)unit + 1, strerror(errno));
    if (fd >= 0)
        close(fd);
    return size;
}

bool command_run_line(struct command_lines *r, const struct command_line *line, bool last,
                      struct command_outcome *outcome)
{
    struct command_words words = {{NULL, 0, 0}, NULL, 0};
    struct command_end end = {.out = -1, .err = -1, .exit = 127, .reason = ENOENT};
    const struct command_spec *spec = r->spec;
    const char *folder = spec->folder > 0 ? command_text_of(spec, spec->folder) : NULL;
    command_make(spec, line, folder, &r->path, &words);
    snprintf(r->sequence, sizeof r->sequence, "PARALLEL_SEQ=%lld", (long long)line->number);
    struct command_child child = {words.argv, r->env, r->path.at, folder, spec->timeout, r->task};
    if (r->path.n > 0)
        command_run(&child, &end);
    last |= end.exit == 0 && end.signal == 0;
    int64_t unit = line->number - 1, bytes = keep(r, OUT, unit, end.out, last);
    keep(r, ERR, unit, end.err, last);
    if (end.reason != 0 && last) {
        char text[400];
        int n = snprintf(text, sizeof text, "plbrun: line %lld on %.64s: %.100s: %.100s\n",
                         (long long)line->number, r->host.at, words.argv[0], strerror(end.reason));
        plb_task_record(r->task, ERR, unit, text, (size_t)n);
    }
    if (last) /* it has ended */
        command_log(r, line, &end, 0, bytes);
    *outcome = (struct command_outcome){end.exit, end.signal, r->where};
    command_words_fini(&words);
    return !end.cancelled;
}
