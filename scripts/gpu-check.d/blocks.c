/* blocks: what a PU did by a trace, a line per block in the order they were started: its number, when its
 * first task began, in seconds, its units, and the seconds of its tasks, executing and all in all. With
 * --tasks a line per task. Tasks that others took of a block are not this PU's.
 *
 *     blocks [--tasks] trace.json PU */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    json_int_t block, units;
    double start, execute, all;
};

static double seconds(const json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key)) * 1e-6;
}

/* A task is a transfer, where there was one, and then its execution: both name its block and first unit. */
static size_t read_lines(const json_t *events, json_int_t pu, int by_task, struct line *lines)
{
    size_t n = 0, i;
    const json_t *event;
    json_array_foreach(events, i, event)
    {
        const char *name = json_string_value(json_object_get(event, "name"));
        const json_t *args = json_object_get(event, "args"), *block = json_object_get(args, "block");
        int task = name != NULL && strcmp(name, "task") == 0,
            transfer = name != NULL && strcmp(name, "transfer") == 0;
        if (block == NULL || json_integer_value(json_object_get(event, "tid")) != pu || (!task && !transfer))
            continue;
        size_t at = by_task ? n : 0; /* a task is a line of its own; its transfer, just before, is left out */
        while (at < n && lines[at].block != json_integer_value(block))
            at++;
        if (by_task && transfer)
            continue;
        if (at == n)
            lines[n++] = (struct line){.block = json_integer_value(block), .start = seconds(event, "ts")};
        lines[at].units += task ? json_integer_value(json_object_get(args, "count")) : 0;
        lines[at].execute += task ? seconds(event, "dur") : 0.0;
        lines[at].all += seconds(event, "dur");
    }
    return n;
}

int main(int argc, char **argv)
{
    int by_task = argc > 1 && strcmp(argv[1], "--tasks") == 0;
    json_error_t error;
    if (argc != 3 + by_task) {
        fprintf(stderr, "usage: blocks [--tasks] trace.json PU\n");
        return 2;
    }
    json_t *trace = json_load_file(argv[1 + by_task], 0, &error);
    if (trace == NULL) {
        fprintf(stderr, "blocks: %s:%d: %s\n", argv[1 + by_task], error.line, error.text);
        return 1;
    }
    const json_t *events = json_object_get(trace, "traceEvents");
    struct line *lines = calloc(json_array_size(events) + 1, sizeof *lines);
    size_t n = lines != NULL ? read_lines(events, strtol(argv[2 + by_task], NULL, 10), by_task, lines) : 0;
    for (size_t i = 0; i < n; i++)
        printf("%lld %.6f %lld %.6f %.6f\n", (long long)lines[i].block, lines[i].start,
               (long long)lines[i].units, lines[i].execute, lines[i].all);
    free(lines);
    json_decref(trace);
    return 0;
}
