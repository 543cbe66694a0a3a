/* Files that benches write. */
#ifndef BENCH_CSV_H
#define BENCH_CSV_H

#include <stdio.h>
#include <stdlib.h>

/* FOLDER/NAME with a first line; ends the bench where it cannot be made. */
static inline FILE *create_csv(const char *folder, const char *name, const char *header)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    fprintf(f, "%s\n", header);
    return f;
}

#endif
