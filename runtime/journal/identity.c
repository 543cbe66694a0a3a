/* Lines of "name<tab>value". */
#include "journal/identity.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/dataset.h"
#include "app/phase.h"
#include "base/crc32c.h"
#include "base/version.h"
#include "job/kernel_file.h"

#define NOTHING "nothing"

/* A text of several lines in one, so that each line of the identity is a name and its value. */
static void print_text(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        if (*text == '\n' || *text == '\\')
            fprintf(out, "\\%c", *text == '\n' ? 'n' : '\\');
        else
            fputc(*text, out);
}

static void print_kernel(const struct plb_job *job, FILE *out, struct plb_error *err)
{
    struct plb_kernel_identity kernel = {.abi = 0};
    plb_kernel_identity(job->kernel, &kernel, err);
    fprintf(out, "plbrun\t%s\nkernel\t%s\n", PLB_VERSION, job->kernel->name);
    fprintf(out, "the kernel's file\t%016llx\nthe kernel ABI\t%u\n", (unsigned long long)kernel.hash,
            kernel.abi);
    if (job->kernel->phases != NULL)
        for (int i = 0; i < plb_phase_count(job->kernel); i++)
            fprintf(out, "phase %d\t%s\n", i, job->kernel->phases[i].name);
}

/* The checksum and the length of a file. A pipe cannot be read again: the buffers that it went into have
 * checksums of their own. */
static void print_file(const char *name, const char *path, FILE *out, struct plb_error *err)
{
    char buffer[65536];
    uint32_t crc = 0;
    unsigned long long bytes = 0;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        fprintf(out, "file %s\ta pipe or device\n", name);
        return;
    }
    FILE *f = fopen(path, "rbe");
    for (size_t n; f != NULL && (n = fread(buffer, 1, sizeof buffer, f)) > 0; bytes += n)
        crc = plb_crc32c(crc, buffer, n);
    if (f == NULL || ferror(f))
        plb_fail(err, PLB_EFAILED, "%s: can no longer be read", path);
    if (f != NULL)
        fclose(f);
    fprintf(out, "file %s\t%llu bytes %08x\n", name, bytes, crc);
}

static void print_setting(const struct plb_setting *t, FILE *out)
{
    fprintf(out, "%s.%s\t", t->section, t->option->name);
    if (t->option->type != PLB_TEXT && t->text != NULL)
        fprintf(out, "%.17g", t->number);
    else if (t->text != NULL)
        print_text(t->text, out);
    fputc('\n', out);
}

/* The kernel's own settings. Where its results go decides nothing; of an input the contents count. */
static void print_settings(const struct plb_job *job, FILE *out, struct plb_error *err)
{
    const struct plb_settings *s = &job->settings;
    for (int i = 0; i < s->n; i++) {
        const struct plb_setting *t = &s->at[i];
        const char *name = t->option->name;
        if (strcmp(t->section, job->kernel->name) != 0 || t->option->type == PLB_OUTPUT_FILE)
            continue;
        if (t->option->type == PLB_INPUT_FILE && t->text != NULL)
            print_file(name, t->text, out, err);
        else
            print_setting(t, out);
    }
}

static void print_buffers(const struct plb_job *job, FILE *out)
{
    static const char *const modes[] = {
        [PLB_REPLICATE] = "input", [PLB_PARTITION] = "input",      [PLB_PARTITION_INDEXED] = "input",
        [PLB_OUTPUT] = "output",   [PLB_REDUCE] = "reduced array", [PLB_RECORDS] = "records"};
    struct plb_dataset set;
    plb_dataset_describe(&set, &job->app);
    fprintf(out, "the number of %s\t%lld\n", job->kernel->unit, (long long)set.units);
    fprintf(out, "the constant block\t%zu bytes %08x\n", set.args_bytes,
            plb_crc32c(0, set.args, set.args_bytes));
    for (int i = 0; i < set.n; i++) {
        size_t offset, bytes;
        bool given = !plb_data_is_result(&set.at[i]) && set.at[i].mode != PLB_RECORDS;
        plb_dataset_bytes(&set, i, (struct plb_range){0, set.units}, &offset, &bytes);
        fprintf(out, "%s '%s' (%d)\t%zu bytes", modes[set.at[i].mode], set.at[i].name, i, bytes);
        if (given)
            fprintf(out, " %08x", plb_crc32c(0, (char *)set.host[i] + offset, bytes));
        fputc('\n', out);
    }
    for (int i = 0; i < job->app.n_kept; i++)
        fprintf(out, "kept memory (%d)\t%zu bytes\n", i, job->app.kept[i].bytes);
}

char *plb_identity_print(const struct plb_job *job, struct plb_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        plb_fail(err, PLB_EFAILED, "no memory for the head of the journal");
        return NULL;
    }
    print_kernel(job, out, err);
    print_settings(job, out, err);
    print_buffers(job, out);
    fclose(out);
    if (err->status == PLB_OK)
        return text;
    free(text);
    return NULL;
}

/* Cuts the next line off a text. *value: what follows its tab. NULL: there is no line left. */
static char *next_line(char **text, const char **value)
{
    char *line = strsep(text, "\n");
    *value = NOTHING;
    if (line == NULL || line[0] == '\0')
        return NULL;
    char *name = strsep(&line, "\t");
    *value = line != NULL ? line : NOTHING;
    return name;
}

bool plb_identity_same(char *text_a, char *text_b, const char **name, const char **a, const char **b)
{
    for (;;) {
        const char *value_a, *value_b;
        const char *line_a = next_line(&text_a, &value_a), *line_b = next_line(&text_b, &value_b);
        if (line_a == NULL && line_b == NULL)
            return true;
        bool named = line_a != NULL && line_b != NULL && strcmp(line_a, line_b) == 0;
        if (named && strcmp(value_a, value_b) == 0)
            continue;
        *name = line_a != NULL ? line_a : line_b;
        *a = value_a;
        *b = named || line_a == NULL ? value_b : NOTHING;
        return false;
    }
}

void plb_identity_value(const char *text, const char *name, char *value, size_t size)
{
    size_t length = strlen(name);
    value[0] = '\0';
    for (const char *line = text; line != NULL && line[0] != '\0'; line = strchr(line, '\n')) {
        line += line[0] == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == '\t') {
            snprintf(value, size, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
            return;
        }
    }
}
