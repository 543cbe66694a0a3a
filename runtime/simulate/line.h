/* Numbers that wait in a line, first come, first served. A zeroed struct is empty. Not thread-safe. */
#ifndef PLB_SIMULATE_LINE_H
#define PLB_SIMULATE_LINE_H

/* A ring. */
struct plb_line {
    int *at;
    int head, n, capacity;
};

void plb_line_push(struct plb_line *line, int number);
int plb_line_pop(struct plb_line *line); /* not of an empty one */
void plb_line_fini(struct plb_line *line);

#endif
