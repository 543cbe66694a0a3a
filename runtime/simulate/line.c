#include "simulate/line.h"

#include <stdlib.h>

#include "base/memory.h"

void plb_line_push(struct plb_line *line, int number)
{
    if (line->n == line->capacity) {
        int capacity = line->capacity > 0 ? 2 * line->capacity : 16;
        int *at = plb_alloc((size_t)capacity * sizeof *at);
        for (int i = 0; i < line->n; i++)
            at[i] = line->at[(line->head + i) % line->capacity];
        free(line->at);
        *line = (struct plb_line){at, 0, line->n, capacity};
    }
    line->at[(line->head + line->n++) % line->capacity] = number;
}

int plb_line_pop(struct plb_line *line)
{
    int number = line->at[line->head];
    line->head = (line->head + 1) % line->capacity;
    line->n--;
    return number;
}

void plb_line_fini(struct plb_line *line)
{
    free(line->at);
}
