/* Lists what the run writes and what it reads, and compares each output with all others. The lists are short,
 * so that comparing every pair costs nothing beside the run. It cannot see what a kernel opens by itself
 * under a name that no option of type PLB_INPUT_FILE has. */
#include "outcome/overwriting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "job/kernel_file.h"
#include "job/kernel_search.h"
#include "journal/files.h"

#define NAME 100 /* bytes of a section, a dot and a key, or of an option */
#define RESULT "a result of the kernel"

/* A file of the run, and what names it. */
struct named {
    char name[NAME];
    const char *path;
    bool result; /* declared by the kernel; mostly an option of the kernel names it, too */
};

struct files {
    struct named *at;
    int n;
    char kernel[PLB_KERNEL_PATH_BYTES];
};

/* section: "" where the name is no key. path: NULL where there is no such file. */
static void add(struct files *files, const char *section, const char *name, const char *path)
{
    struct named file = {.path = path, .result = strcmp(name, RESULT) == 0};
    if (path == NULL)
        return;
    snprintf(file.name, sizeof file.name, "%s%s%s", section, section[0] != '\0' ? "." : "", name);
    files->at = plb_grow(files->at, (size_t)(files->n + 1) * sizeof *files->at);
    files->at[files->n++] = file;
}

/* "-" is standard output in options, and a file in settings. */
static void add_option(struct files *files, const char *name, const char *path)
{
    add(files, "", name, path != NULL && strcmp(path, "-") == 0 ? "/dev/stdout" : path);
}

static void list_outputs(const struct plb_arguments *a, const struct plb_job *job, struct files *outputs)
{
    const struct plb_settings *s = &job->settings;
    add_option(outputs, "--report", a->report);
    add_option(outputs, "--trace", a->trace);
    if (a->pareto != NULL && a->pareto[0] != '\0')
        add_option(outputs, "--pareto", a->pareto);
    for (int i = 0; i < s->n; i++)
        if (s->at[i].option->type == PLB_OUTPUT_FILE)
            add(outputs, s->at[i].section, s->at[i].option->name, s->at[i].text);
    for (int i = 0; i < job->app.results.n; i++)
        add(outputs, "", RESULT, job->app.results.at[i].path);
}

static void list_inputs(const struct plb_arguments *a, const struct plb_job *job, struct files *inputs)
{
    const struct plb_settings *s = &job->settings;
    const struct plb_setting *balancer = plb_settings_get(s, "balance", "balancer");
    const char *cluster = a->replay != NULL ? "--replay" : "--simulate";
    add(inputs, "", "the conf file", s->conf.file);
    plb_kernel_path(job->kernel, inputs->kernel, sizeof inputs->kernel);
    add(inputs, "app", "kernel", inputs->kernel);
    if (balancer->text != NULL && plb_is_object_path(balancer->text))
        add(inputs, "balance", "balancer", balancer->text);
    add(inputs, "", cluster, a->simulate);
    for (int i = 0; i < s->n; i++)
        if (s->at[i].option->type == PLB_INPUT_FILE)
            add(inputs, s->at[i].section, s->at[i].option->name, s->at[i].text);
    for (int i = 0; i < job->app.n_read; i++)
        add(inputs, "", "an input of the kernel", job->app.read[i]);
}

/* --report, --trace and --pareto: two in one pipe or device would be mixed, and no reader could take them. */
static bool is_option(const struct named *file)
{
    return strncmp(file->name, "--", 2) == 0;
}

static bool clash(const struct named *a, const struct named *b)
{
    bool options = is_option(a) && is_option(b);
    bool on_stdout = plb_file_descriptor(a->path) == STDOUT_FILENO
                  && plb_file_descriptor(b->path) == STDOUT_FILENO;
    return (options && (on_stdout || strcmp(a->path, b->path) == 0)) || plb_file_clash(a->path, b->path);
}

/* Two outputs of one name: the second would win. Results of the kernel are compared with each other when room
 * is taken for them (app/results.c); here, one is compared with what is not the kernel's. */
static int check_outputs(const struct files *outputs, const char *kernel, struct plb_error *err)
{
    size_t length = strlen(kernel);
    for (int i = 0; i < outputs->n; i++)
        for (int k = 0; k < i; k++) {
            const struct named *one = &outputs->at[k], *other = &outputs->at[i];
            bool own = one->result || (strncmp(one->name, kernel, length) == 0 && one->name[length] == '.');
            if (!(other->result && own) && clash(one, other))
                return plb_fail(err, PLB_EINPUT, "%s and %s both name %s; name two files", one->name,
                                other->name, other->path);
        }
    return PLB_OK;
}

/* An output that is also read: the run would end well, and the input would be gone. */
static int check_inputs(const struct files *outputs, const struct files *inputs, struct plb_error *err)
{
    for (int i = 0; i < outputs->n; i++)
        for (int k = 0; k < inputs->n; k++)
            if (plb_file_clash(outputs->at[i].path, inputs->at[k].path))
                return plb_fail(err, PLB_EINPUT,
                                "%s names %s, which this run reads (%s: %s) and would overwrite; name "
                                "another file",
                                outputs->at[i].name, outputs->at[i].path, inputs->at[k].name,
                                inputs->at[k].path);
    return PLB_OK;
}

int plb_check_overwriting(const struct plb_arguments *a, const struct plb_job *job, struct plb_error *err)
{
    const char *journal = plb_settings_get(&job->settings, "run", "journal")->text;
    struct files outputs = {.n = 0}, inputs = {.n = 0};
    list_outputs(a, job, &outputs);
    list_inputs(a, job, &inputs);
    int status = check_outputs(&outputs, job->kernel->name, err);
    if (status == PLB_OK)
        status = check_inputs(&outputs, &inputs, err);
    if (journal != NULL)
        for (int i = 0; i < outputs.n && status == PLB_OK; i++)
            if (plb_journal_files_belong(journal, outputs.at[i].path))
                status = plb_fail(err, PLB_EINPUT, "%s names %s, which the journal uses; name another file",
                                  outputs.at[i].name, outputs.at[i].path);
    free(outputs.at);
    free(inputs.at);
    return status;
}
