/* A list of texts that grows. */
#include "config/assignments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define STDIN "/dev/stdin"

const char *plb_assigned(const struct plb_assignments *a, const char *key)
{
    for (int i = a->n - 1; i >= 0; i--)
        if (strncmp(a->at[i], key, strlen(key)) == 0)
            return a->at[i] + strlen(key);
    return NULL;
}

void plb_assign(struct plb_assignments *a, const char *key, const char *value)
{
    size_t bytes = strlen(key) + strlen(value) + 1;
    char *text = plb_grow(NULL, bytes);
    snprintf(text, bytes, "%s%s", key, value);
    a->at = plb_grow(a->at, (size_t)(a->n + 1) * sizeof *a->at);
    a->at[a->n++] = text;
}

static void assume(struct plb_assignments *a, const char *key, const char *value)
{
    if (plb_assigned(a, key) == NULL)
        plb_assign(a, key, value);
}

void plb_assign_command(struct plb_assignments *a)
{
    char *journal = NULL;
    const char *joblog = plb_assigned(a, "command.joblog="), *lines = plb_assigned(a, "command.lines=");
    if (lines != NULL && strcmp(lines, "-") == 0)
        plb_assign(a, "command.lines=", STDIN);
    assume(a, "app.kernel=", "command");
    assume(a, "command.stdout=", "/dev/stdout");
    assume(a, "command.stderr=", "/dev/stderr");
    if (plb_assigned(a, "command.range=") == NULL)
        assume(a, "command.lines=", STDIN);
    if (joblog != NULL && asprintf(&journal, "%s.journal", joblog) > 0)
        assume(a, "run.journal=", journal);
    free(journal);
}

void plb_assignments_fini(struct plb_assignments *a)
{
    for (int i = 0; i < a->n; i++)
        free(a->at[i]);
    free(a->at);
    *a = (struct plb_assignments){0};
}
