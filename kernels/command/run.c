/* A program for each line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forecast.h"
#include "gpu.h"
#include "lines.h"

/* Bytes of a program's output that are read at a time. Larger: more of the stack. Smaller: more calls. */
#define BLOCK 65536

/* Appends bytes to a record, with the line before each of theirs. *begins: the next byte begins one. */
static void record_tagged(struct command_lines *r, int buffer, const struct command_line *line,
                          const char *bytes, size_t n, bool *begins)
{
    struct command_text text = {NULL, 0, 0};
    for (const char *at = bytes, *end = bytes + n; at < end;) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        next = next != NULL ? next + 1 : end;
        if (*begins) {
            command_part_of((struct command_part){LINE, 0}, line, &text);
            command_add(&text, "\t", 1);
        }
        command_add(&text, at, (size_t)(next - at));
        *begins = next[-1] == '\n';
        at = next;
    }
    plb_task_record(r->task, buffer, line->unit, text.at, text.n);
    free(text.at);
}

/* Keeps what a program has written to a file as a part of a record; wanted: else it is not kept. Returns how
 * many bytes it has. */
static int64_t keep(struct command_lines *r, int buffer, const struct command_line *line, int fd, bool wanted)
{
    char block[BLOCK];
    bool begins = true;
    int64_t unit = line->unit, size = fd >= 0 ? (int64_t)lseek(fd, 0, SEEK_END) : 0, at = 0;
    if (wanted)
        plb_task_record(r->task, buffer, unit, NULL, 0);
    while (wanted && at < size) {
        ssize_t n = pread(fd, block, sizeof block, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        if (r->spec->tags)
            record_tagged(r, buffer, line, block, (size_t)n, &begins);
        else
            plb_task_record(r->task, buffer, unit, block, (size_t)n);
        at += n;
    }
    bool lost = wanted && at != size;
    if (lost || size < 0)
        r->failed = plb_task_error(r->task, "the output of line %lld cannot be read: %s",
                                   (long long)line->number, strerror(errno));
    if (fd >= 0)
        close(fd);
    return size;
}

/* Runs the program of a line, on a GPU that many share when its turn has come. False: it was not started,
 * since nobody wants it, or this slot is not needed. */
static bool run_program(struct command_lines *r, const struct command_line *line,
                        const struct command_child *child, struct command_end *end)
{
    bool automatic = r->form == ON_GPU && r->spec->automatic, again = true, leaves = !r->ran;
    while (again) {
        if (automatic && !command_gpu_enter(&r->progress, &leaves))
            break;
        command_run(child, end);
        again = automatic
             && command_gpu_leave(r->task, command_cost(r, line), end->took,
                                  end->exit != 0 || end->signal != 0)
             && !end->cancelled;
        if (again) {
            close(end->out);
            close(end->err);
        }
    }
    r->ran |= !again;
    if (again && leaves)
        r->failed = plb_task_retire(r->task);
    return !again;
}

bool command_run_line(struct command_lines *r, const struct command_line *line, bool last,
                      struct command_outcome *outcome)
{
    struct command_words words = {{NULL, 0, 0}, NULL, 0};
    struct command_end end = {.out = -1, .err = -1, .exit = 127, .reason = ENOENT};
    const struct command_spec *spec = r->spec;
    const char *folder = spec->folder > 0 ? command_text_of(spec, spec->folder) : NULL;
    command_make(spec, r->form, line, folder, &r->path, &words);
    snprintf(r->sequence, sizeof r->sequence, "PARALLEL_SEQ=%lld", (long long)line->number);
    struct command_child child = {words.argv, r->env, r->path.at, folder, spec->timeout, &r->progress};
    if (r->path.n > 0 && !run_program(r, line, &child, &end)) {
        command_words_fini(&words);
        return false;
    }
    if (!end.cancelled && end.exit >= 0 && end.reason == 0)
        command_note(r->form, *(const double *)r->task->data[COSTS] >= 0.0, spec->seconds,
                     command_cost(r, line), end.took);
    last |= end.exit == 0 && end.signal == 0;
    int64_t unit = line->unit, bytes = keep(r, OUT, line, end.out, last);
    keep(r, ERR, line, end.err, last);
    if (end.reason != 0 && last) {
        char text[400];
        int n = snprintf(text, sizeof text, "plbrun: line %lld on %.64s: %.100s: %.100s\n",
                         (long long)line->number, r->host.at, words.argv[0], strerror(end.reason));
        plb_task_record(r->task, ERR, unit, text, (size_t)n);
    }
    if (last) /* it has ended */
        command_log(r, line, &end, 0, bytes);
    if (!end.cancelled)
        *outcome = (struct command_outcome){.exit = end.exit, .signal = end.signal, .where = r->where};
    command_words_fini(&words);
    return !end.cancelled;
}
