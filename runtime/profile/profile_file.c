/* Profiles as files.
 *
 * A file is believed when its last line is the checksum of all before it, its format is known, its name is
 * that of its key, and every number is one that a measurement can give. All bytes are checked before the text
 * is parsed, so the parser sees only what was once written. The checksum guards against accidents, not
 * against malice: a person who can write there can run plbrun too. */
#include "profile/profile_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/ini.h"
#include "base/file.h"
#include "base/hash.h"
#include "model/fit.h"

#define FORMAT 1
#define LONGEST 16384 /* bytes of a file; plbrun writes a quarter of it at most */
#define KEY_TEXT 512  /* bytes of a key as text */

bool plb_profile_folder(char *folder, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (cache != NULL && cache[0] == '/') /* a relative one is to be ignored (XDG base directories) */
        length = snprintf(folder, size, "%s/plbrun/profiles", cache);
    else if (home != NULL && home[0] == '/')
        length = snprintf(folder, size, "%s/.cache/plbrun/profiles", home);
    return length > 0 && (size_t)length < size && length < PATH_MAX - PLB_PROFILE_NAME - 16;
}

int plb_profile_make_folder(const char *folder, struct plb_error *err)
{
    char path[PATH_MAX];
    struct stat info;
    snprintf(path, sizeof path, "%s", folder);
    for (char *c = path + 1;; c++) {
        char was = *c;
        if (was != '/' && was != '\0')
            continue;
        *c = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return plb_fail(err, PLB_EFAILED, "%s cannot be created: %s", path, strerror(errno));
        if (was == '\0')
            break;
        *c = was;
    }
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || access(folder, W_OK | X_OK) != 0)
        return plb_fail(err, PLB_EFAILED, "%s is not a folder that can be written", folder);
    return PLB_OK;
}

void plb_profile_clean(char *text)
{
    size_t length = strlen(text), indent = strspn(text, " ");
    memmove(text, text + indent, length - indent + 1);
    for (char *c = text; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c) || strchr("#;\"'", *c) != NULL)
            *c = '_';
    for (length = strlen(text); length > 0 && text[length - 1] == ' '; length--)
        text[length - 1] = '\0';
}

/* Prints the key as it stands in the file. This text is also hashed and compared. */
static void key_print(const struct plb_profile_key *key, char text[KEY_TEXT])
{
    snprintf(text, KEY_TEXT, "kernel = %s\nbuild = %s\npu = %s\nkind = %s\nthreads = %d\nmodel = %s\n",
             key->kernel, key->build, key->pu, key->kind, key->threads, key->model);
}

/* Appends the characters that are fit for a file's name; a run of others becomes one '-'. */
static void append_safe(char name[PLB_PROFILE_NAME], const char *text)
{
    size_t n = strlen(name);
    for (; *text != '\0' && n < PLB_PROFILE_NAME - 1; text++) {
        bool safe = isalnum((unsigned char)*text) || *text == '_' || (*text == '.' && n > 0);
        if (safe)
            name[n++] = *text;
        else if (n > 0 && name[n - 1] != '-')
            name[n++] = '-';
    }
    while (n > 0 && name[n - 1] == '-')
        n--;
    name[n] = '\0';
}

void plb_profile_name(const struct plb_profile_key *key, char name[PLB_PROFILE_NAME])
{
    char text[KEY_TEXT], end[32];
    key_print(key, text);
    name[0] = '\0';
    append_safe(name, key->kernel);
    strcat(name, "-");
    append_safe(name, key->pu);
    snprintf(end, sizeof end, "-%012" PRIx64 ".profile", plb_hash(PLB_HASH_BEGIN, text, strlen(text)) >> 16);
    size_t room = PLB_PROFILE_NAME - sizeof end, n = strlen(name);
    snprintf(name + (n < room ? n : room), sizeof end, "%s", end);
}

/* -------------------------------------------------------------------- read */

/* Reads the whole file into `text`, which ends in a 0. NULL, or in a few words why not. */
static const char *read_text(const char *path, char text[LONGEST + 1], size_t *length)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return "it cannot be opened";
    bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    ssize_t n = 0;
    for (*length = 0; regular && *length < LONGEST; *length += (size_t)n)
        if ((n = read(fd, text + *length, LONGEST - *length)) <= 0)
            break;
    close(fd);
    text[*length] = '\0';
    if (!regular)
        return "it is not a regular file";
    return n < 0 ? "it cannot be read" : *length == LONGEST ? "it is too long" : NULL;
}

static size_t checksum_line(const char *text, size_t length, char line[40])
{
    int n = snprintf(line, 40, "checksum = %016" PRIx64 "\n", plb_hash(PLB_HASH_BEGIN, text, length));
    return n > 0 ? (size_t)n : 0;
}

static const char *check_text(const char *text, size_t length)
{
    char line[40];
    size_t end = checksum_line(text, 0, line), before = length > end ? length - end : 0;
    if (before == 0 || strlen(text) != length || strncmp(text + before, line, 11) != 0)
        return "it has no checksum at its end, so it was truncated";
    checksum_line(text, before, line);
    return strcmp(text + before, line) == 0 ? NULL : "its checksum is wrong";
}

static bool take_key(struct plb_profile_key *key, const char *name, const char *value)
{
    struct {
        const char *name;
        char *text;
        size_t size;
    } const texts[] = {
        {"kernel", key->kernel, sizeof key->kernel},
        {"build", key->build, sizeof key->build},
        {"pu", key->pu, sizeof key->pu},
        {"kind", key->kind, sizeof key->kind},
        {"model", key->model, sizeof key->model},
    };
    for (int i = 0; i < 5; i++)
        if (strcmp(texts[i].name, name) == 0)
            return (size_t)snprintf(texts[i].text, texts[i].size, "%s", value) < texts[i].size;
    double number;
    if (strcmp(name, "threads") != 0 || !plb_parse_int(value, &number) || number < 0.0 || number > INT_MAX)
        return false;
    key->threads = (int)number;
    return true;
}

static bool positive(double number)
{
    return isfinite(number) && number > 0.0;
}

static bool take_sample(struct plb_profile *profile, const char *value)
{
    struct plb_sample s = {.block_end = true};
    int used = 0;
    if (profile->n == PLB_PROFILE_ROWS)
        return false;
    if (sscanf(value, "%lf %lf %lf %" SCNd64 "%n", &s.work, &s.execute_s, &s.transfer_s, &s.tasks, &used)
        != 4)
        return false;
    bool possible = positive(s.work) && positive(s.execute_s) && isfinite(s.transfer_s)
                 && s.transfer_s >= 0.0;
    if (value[used] != '\0' || !possible || s.tasks < 1)
        return false;
    profile->at[profile->n++] = s;
    return true;
}

static const char *take_entries(const struct plb_ini *conf, struct plb_profile_key *key,
                                struct plb_profile *profile)
{
    double format = 0.0;
    for (int i = 0; i < conf->n; i++) {
        const struct plb_ini_entry *e = &conf->at[i];
        if (strcmp(e->section, "samples") == 0 && !take_sample(profile, e->value))
            return "a sample in it is not four numbers, finite and positive";
        if (strcmp(e->section, "profile") == 0 && strcmp(e->key, "format") == 0
            && !plb_parse_int(e->value, &format))
            return "its format is not a number";
        if (strcmp(e->section, "profile") == 0 && strcmp(e->key, "format") != 0
            && !take_key(key, e->key, e->value))
            return "it has an unknown key";
    }
    if (format != FORMAT)
        return "it has the format of another version of plbrun";
    return profile->n == 0 ? "there is no sample in it" : NULL;
}

const char *plb_profile_examine(const char *path, struct plb_profile_key *key, struct plb_profile *profile)
{
    char text[LONGEST + 1], name[PLB_PROFILE_NAME];
    struct plb_error err = {.status = PLB_OK};
    struct plb_ini conf;
    size_t length;
    *key = (struct plb_profile_key){.threads = 0};
    *profile = (struct plb_profile){0};
    const char *wrong = read_text(path, text, &length), *slash = strrchr(path, '/');
    if (wrong == NULL)
        wrong = check_text(text, length);
    if (wrong == NULL && plb_ini_read(path, &conf, &err) != PLB_OK)
        wrong = "it has an unknown line";
    if (wrong != NULL)
        return wrong;
    wrong = take_entries(&conf, key, profile);
    plb_ini_fini(&conf);
    plb_profile_name(key, name);
    if (wrong == NULL && strcmp(name, slash != NULL ? slash + 1 : path) != 0)
        wrong = "it belongs to another PU, kernel or machine than its name says";
    if (wrong != NULL)
        profile->n = 0;
    return wrong;
}

int plb_profile_load(const char *folder, const struct plb_profile_key *key, struct plb_profile *profile,
                     struct plb_error *err)
{
    char path[PATH_MAX], aside[PATH_MAX + 16], name[PLB_PROFILE_NAME], wanted[KEY_TEXT], found[KEY_TEXT];
    struct plb_profile_key own;
    *profile = (struct plb_profile){0};
    plb_profile_name(key, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (access(path, R_OK) != 0)
        return errno == ENOENT ? PLB_OK
                               : plb_fail(err, PLB_EINPUT,
                                          "the profile %s cannot be read: %s; the run continues without it",
                                          path, strerror(errno));
    const char *wrong = plb_profile_examine(path, &own, profile);
    key_print(key, wanted);
    key_print(&own, found);
    if (wrong == NULL && strcmp(wanted, found) != 0)
        wrong = "it belongs to another PU, kernel or machine than its name says";
    if (wrong == NULL)
        return PLB_OK;
    profile->n = 0;
    snprintf(aside, sizeof aside, "%s.damaged", path);
    if (rename(path, aside) == 0)
        return plb_fail(
            err, PLB_EINPUT,
            "the profile %s is damaged: %s; it was renamed to %s.damaged, and the run continues without it",
            path, wrong, name);
    return plb_fail(err, PLB_EINPUT,
                    "the profile %s is damaged: %s; it cannot be renamed (%s), so delete it; the run "
                    "continues without it",
                    path, wrong, strerror(errno));
}

/* ------------------------------------------------------------------- write */

static char *profile_print(const struct plb_profile_key *key, const struct plb_profile *profile, size_t *size)
{
    char head[KEY_TEXT], curve[200], line[40], *text = NULL;
    struct plb_model model;
    FILE *out = open_memstream(&text, size);
    if (out == NULL)
        return NULL;
    key_print(key, head);
    fprintf(out,
            "# Task times of a kernel on a PU, written by plbrun and read with [balance] profile = read or "
            "on.\n# This file may be deleted, but not edited.\n[profile]\nformat = %d\n%s\n",
            FORMAT, head);
    if (plb_fit_samples(profile->at, profile->n, 0.0, &model))
        fprintf(out, "# seconds for x of cost: %s\n", plb_curve_print(&model.execute, curve, sizeof curve));
    fprintf(out, "# of one task: cost, seconds executing, seconds transferring; how many tasks\n[samples]\n");
    for (int i = 0; i < profile->n; i++)
        fprintf(out, "task = %.9g %.9g %.9g %" PRId64 "\n", profile->at[i].work, profile->at[i].execute_s,
                profile->at[i].transfer_s, profile->at[i].tasks);
    fprintf(out, "\n[end]\n");
    fflush(out);
    checksum_line(text, *size, line);
    fputs(line, out);
    bool whole = !ferror(out);
    if (fclose(out) == 0 && whole)
        return text;
    free(text);
    return NULL;
}

int plb_profile_save(const char *folder, const struct plb_profile_key *key, const struct plb_profile *profile,
                     struct plb_error *err)
{
    char path[PATH_MAX], name[PLB_PROFILE_NAME];
    struct plb_file f;
    size_t size;
    char *text = profile_print(key, profile, &size);
    if (text == NULL)
        return plb_fail(err, PLB_EFAILED, "no memory for the profile of %s on %s", key->kernel, key->pu);
    plb_profile_name(key, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (plb_file_create(&f, path, err) == PLB_OK) {
        fwrite(text, 1, size, f.stream);
        plb_file_commit(&f, err);
    }
    free(text);
    return err->status;
}
