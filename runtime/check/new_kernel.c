/* Three files with two words to fill in. */
#include "check/new_kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_NAME 40 /* characters, so that messages have room for it */

/* They are filled in. */
struct words {
    const char *name;
    char include[PATH_MAX + 40];
};

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz",
                      others[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    return name[0] != '\0' && strchr(letters, name[0]) != NULL && strspn(name, others) == strlen(name)
        && strlen(name) <= MOST_NAME;
}

/* Where plb/kernel.h is: beside an installed plbrun, or in the tree in which this one was built. */
static void find_include(char include[PATH_MAX + 40])
{
    static const char *const places[] = {"../include", "runtime/include"};
    char self[PATH_MAX], header[PATH_MAX + 80];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(include, PATH_MAX + 40, "%s/%s", self, places[i]);
        snprintf(header, sizeof header, "%s/plb/kernel.h", include);
        if (access(header, R_OK) == 0)
            return;
    }
    snprintf(include, PATH_MAX + 40, "/usr/local/include");
}

/* Writes a text, in which @NAME@ and @INCLUDE@ are replaced. */
static void fill_in(const char *text, const struct words *words, FILE *out)
{
    const struct {
        const char *mark, *word;
    } marks[] = {{"@NAME@", words->name}, {"@INCLUDE@", words->include}};
    while (*text != '\0') {
        size_t i = 0;
        while (i < 2 && strncmp(text, marks[i].mark, strlen(marks[i].mark)) != 0)
            i++;
        if (i == 2)
            fputc(*text++, out);
        else
            text += fputs(marks[i].word, out) >= 0 ? strlen(marks[i].mark) : 1;
    }
}

static int write_file(const char *file, const unsigned char *text, const struct words *words,
                      struct plb_error *err)
{
    char path[2 * MOST_NAME + 20];
    snprintf(path, sizeof path, "%s/%s", words->name, file);
    FILE *out = fopen(path, "wxe");
    if (out == NULL)
        return plb_fail(err, PLB_EFAILED, "%s cannot be written: %s", path, strerror(errno));
    fill_in((const char *)text, words, out);
    bool failed = ferror(out) != 0;
    failed |= fclose(out) != 0;
    return failed ? plb_fail(err, PLB_EFAILED, "%s cannot be written: %s", path, strerror(errno)) : PLB_OK;
}

int plb_new_kernel(const char *name, FILE *out, struct plb_error *err)
{
    struct words words = {.name = name};
    char source[MOST_NAME + 4];
    static const char *const taken[] = {"app", "balance", "cluster", "run", "energy"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return plb_fail(err, PLB_EINPUT,
                            "--new-kernel %s: this is the name of a section of the conf file; choose another",
                            name);
    if (!is_name(name))
        return plb_fail(err, PLB_EINPUT,
                        "--new-kernel %.60s: a name consists of small letters, digits and _, begins with a "
                        "letter, and has at most %d characters",
                        name, MOST_NAME);
    if (mkdir(name, 0777) != 0)
        return plb_fail(err, errno == EEXIST ? PLB_EINPUT : PLB_EFAILED,
                        "--new-kernel %s: the folder %s cannot be created: %s", name, name, strerror(errno));
    find_include(words.include);
    snprintf(source, sizeof source, "%s.c", name);
    if (write_file(source, plb_new_kernel_kernel, &words, err) != PLB_OK
        || write_file("Makefile", plb_new_kernel_makefile, &words, err) != PLB_OK
        || write_file("app.conf", plb_new_kernel_conf, &words, err) != PLB_OK)
        return err->status;
    fprintf(out,
            "%s/%s.c is a kernel; now:\n"
            "  make -C %s\n"
            "  plbrun --check %s/app.conf\n"
            "  mpirun -np 2 --bind-to none plbrun %s/app.conf\n",
            name, name, name, name, name);
    return PLB_OK;
}
