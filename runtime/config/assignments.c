/* A list of texts that grows. */
#include "config/assignments.h"

#include <stdbool.h>
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

/* Whether a word says that arguments for a command follow. */
static bool begins_source(const char *word)
{
    size_t colons = strspn(word, ":");
    const char *rest = word + colons;
    return (colons == 3 || colons == 4) && strcmp(rest, rest[0] == '+' ? "+" : "") == 0;
}

int plb_words_before_sources(int argc, char *const *argv)
{
    int n = 1;
    while (n < argc && !begins_source(argv[n]))
        n++;
    return n < argc ? n : argc;
}

void plb_assign_sources(struct plb_assignments *a, char *const *words, int n)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL)
        for (int i = 0; i < n; i++) {
            fputs(i > 0 ? " '" : "'", out);
            for (const char *c = words[i]; *c != '\0'; c++)
                fputs(*c == '\'' ? "'\"'\"'" : (const char[]){*c, '\0'}, out);
            fputc('\'', out);
        }
    if (out != NULL && fclose(out) == 0)
        plb_assign(a, "command.arguments=", text);
    free(text);
}

void plb_assign_command(struct plb_assignments *a)
{
    char *journal = NULL;
    const char *joblog = plb_assigned(a, "command.joblog="), *lines = plb_assigned(a, "command.lines=");
    if (lines != NULL && strcmp(lines, "-") == 0)
        plb_assign(a, "command.lines=", STDIN);
    assume(a, "app.kernel=", "command");
    bool gpus = plb_assigned(a, "command.run_gpu=") != NULL || plb_assigned(a, "command.serve_gpu=") != NULL;
    if (gpus && plb_assigned(a, "command.run=") == NULL && plb_assigned(a, "command.serve=") == NULL)
        assume(a, "cluster.pus=", "gpu");
    assume(a, "command.stdout=", "/dev/stdout");
    assume(a, "command.stderr=", "/dev/stderr");
    if (plb_assigned(a, "command.range=") == NULL && plb_assigned(a, "command.arguments=") == NULL)
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
