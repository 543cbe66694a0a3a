/* Options by getopt, whose table is made from the rows; then the words behind them. */
#include "config/arguments.h"

#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "config/command_line.h"
#include "config/file_kind.h"
#include "config/ini.h"
#include "config/nearest.h"
#include "config/option_rows.h"

#define FIRST_CODE 256 /* what getopt returns for row 0; smaller codes are those of characters */
#define MOST_ROWS 64   /* more than there are, for arrays */

static int take_seed(struct plb_arguments *a, const char *value, struct plb_error *err)
{
    double seed;
    if (!plb_parse_int(value, &seed) || seed < 0.0)
        return plb_fail(err, PLB_EINPUT, "--seed %s: expected a whole number, 0 or more", value);
    a->seed = (uint64_t)seed;
    return PLB_OK;
}

/* `cluster.threads` = 0 means a program per core; somebody who types 0 here may mean none, or no limit. */
static int take_jobs(struct plb_arguments *a, const struct plb_option_row *row, const char *value,
                     struct plb_error *err)
{
    double jobs;
    if (plb_parse_int(value, &jobs) && jobs < 1.0)
        return plb_fail(err, PLB_EINPUT,
                        "--jobs %s: expected 1 or more; without --jobs there is one program per core", value);
    plb_assign(&a->settings, row->setting, value);
    return PLB_OK;
}

static int take_log(struct plb_arguments *a, const char *value, struct plb_error *err)
{
    double level;
    if (!plb_parse_choice(value, PLB_LOG_CHOICES, &level))
        return plb_fail(err, PLB_EINPUT, "--log %s: expected one of %s", value, PLB_LOG_CHOICES);
    a->log = (enum plb_log_level)level;
    return PLB_OK;
}

static int take_progress(struct plb_arguments *a, const char *value, struct plb_error *err)
{
    assert(value != NULL); /* getopt refuses the option without */
    if (strcmp(value, "json") != 0)
        return plb_fail(err, PLB_EINPUT, "--progress %s: expected json; for people there is --watch", value);
    a->progress_json = true;
    return PLB_OK;
}

/* A second value would replace the first one silently: a report that somebody waits for. */
static int take_text(const char **member, const char *name, const char *value, struct plb_error *err)
{
    bool given = *member != NULL && (*member)[0] != '\0';
    if (given && value != NULL && strcmp(*member, value) != 0)
        return plb_fail(err, PLB_EINPUT, "--%s is given twice, as %s and as %s; leave one out", name, *member,
                        value);
    *member = value;
    return PLB_OK;
}

/* Who forgets a file's name has the next option taken for it. */
static int refuse_file(const struct plb_option_row *row, const char *value, struct plb_error *err)
{
    return plb_fail(err, PLB_EINPUT, "--%s needs a file, and %s is an option", row->name, value);
}

static bool names_file(const struct plb_option_row *row)
{
    return row->value != NULL && strncmp(row->value, "FILE", strlen("FILE")) == 0;
}

/* Takes one option; `value` is NULL where it has none. */
static int take(struct plb_arguments *a, const struct plb_option_row *row, const char *value,
                struct plb_error *err)
{
    enum plb_question asks = PLB_ASKS_NOTHING;
    if (row->may_lack && value == NULL)
        value = "";
    if (names_file(row) && strncmp(value, "--", 2) == 0)
        return refuse_file(row, value, err);
    if (value == NULL || strcmp(value, "help") == 0)
        asks = row->question;
    else if (strcmp(value, "schema") == 0)
        asks = row->schema;
    a->question = asks > a->question ? asks : a->question;
    void *member = (char *)a + row->member;
    switch (row->kind) {
    case PLB_ROW_FLAG: *(bool *)member = true; break;
    case PLB_ROW_TEXT: return take_text(member, row->name, value, err);
    case PLB_ROW_SEED: return take_seed(a, value, err);
    case PLB_ROW_SETTING: plb_assign(&a->settings, row->setting, value != NULL ? value : ""); break;
    case PLB_ROW_JOBS: return take_jobs(a, row, value, err);
    case PLB_ROW_LOG: return take_log(a, value, err);
    case PLB_ROW_PROGRESS: return take_progress(a, value, err);
    case PLB_ROW_VERBOSE: a->log = a->log > PLB_LOG_INFO ? a->log : PLB_LOG_INFO; break;
    case PLB_ROW_QUESTION: break;
    }
    return PLB_OK;
}

/* The argument in which getopt found a wrong option. Of short options in one word it names the letter, not
 * the word. */
static const char *wrong_argument(int argc, char *const *argv)
{
    if (optopt != 0)
        for (int i = optind - 1; i <= optind && i < argc; i++)
            if (argv[i][0] == '-' && argv[i][1] != '-' && strchr(argv[i], optopt) != NULL)
                return argv[i];
    return argv[optind - 1];
}

/* Options that belong before plbrun. */
static const char *const of_mpirun[] = {"n",    "np",       "oversubscribe", "bind-to",
                                        "host", "hostfile", "mca",           "allow-run-as-root"};

static int refuse(const char *given, bool lacks_value, struct plb_error *err)
{
    const char *names[MOST_ROWS + 1] = {NULL};
    char bare[64];
    if (lacks_value)
        return plb_fail(err, PLB_EINPUT, "%s needs a value; see --help", given);
    for (size_t i = 0; i < plb_option_rows_n; i++)
        names[i] = plb_option_rows[i].name;
    snprintf(bare, sizeof bare, "%s", given + strspn(given, "-"));
    bare[strcspn(bare, "=")] = '\0';
    for (size_t i = 0; i < sizeof of_mpirun / sizeof *of_mpirun; i++)
        if (strcmp(bare, of_mpirun[i]) == 0)
            return plb_fail(err, PLB_EINPUT,
                            "unknown option %s; it belongs to mpirun: mpirun -np N plbrun app.conf", given);
    const char *near = plb_nearest(bare, names);
    if (near != NULL)
        return plb_fail(err, PLB_EINPUT, "unknown option %s; did you mean --%s?", given, near);
    return plb_fail(err, PLB_EINPUT, "unknown option %s; see --help", given);
}

/* The option that getopt has found; NULL: none. */
static const struct plb_option_row *row_of(int found)
{
    for (size_t i = 0; i < plb_option_rows_n; i++)
        if (found == FIRST_CODE + (int)i
            || (plb_option_rows[i].letter != 0 && found == plb_option_rows[i].letter))
            return &plb_option_rows[i];
    return NULL;
}

static int read_options(struct plb_arguments *a, int argc, char **argv, struct plb_error *err)
{
    struct option options[MOST_ROWS + 1] = {{NULL, 0, NULL, 0}};
    char letters[2 * MOST_ROWS + 2] = ":", *end = letters + 1;
    for (size_t i = 0; i < plb_option_rows_n; i++) {
        bool needs = plb_option_rows[i].value != NULL;
        int takes = needs ? required_argument : plb_option_rows[i].may_lack ? optional_argument : no_argument;
        options[i] = (struct option){plb_option_rows[i].name, takes, NULL, FIRST_CODE + (int)i};
        if (plb_option_rows[i].letter != 0)
            end += sprintf(end, needs ? "%c:" : "%c", plb_option_rows[i].letter);
    }
    opterr = 0;
    optind = 0; /* glibc's getopt begins anew, whoever used it before */
    for (int found; (found = getopt_long(argc, argv, letters, options, NULL)) != -1;) {
        const struct plb_option_row *row = row_of(found);
        int status = row != NULL ? take(a, row, optarg, err)
                                 : refuse(wrong_argument(argc, argv), found == ':', err);
        if (status != PLB_OK)
            return status;
    }
    return PLB_OK;
}

/* Both options name what is simulated. */
static int choose_simulated(struct plb_arguments *a, struct plb_error *err)
{
    if (a->simulate != NULL && a->replay != NULL)
        return plb_fail(err, PLB_EINPUT, "--simulate %s and --replay %s exclude each other; leave one out",
                        a->simulate, a->replay);
    if (a->replay != NULL)
        a->simulate = a->replay;
    return PLB_OK;
}

static void assume_command(struct plb_arguments *a)
{
    plb_assign_command(&a->settings);
    a->runs = true;
    a->brief = !a->quiet && !a->bar;
    a->quiet |= !a->bar; /* standard output is the programs' */
}

/* Whether what stands in the place of the conf file is a setting. */
static bool lacks_conf(const struct plb_arguments *a)
{
    return a->conf != NULL && strchr(a->conf, '=') != NULL && strchr(a->conf, '/') == NULL;
}

/* A file of another kind in the place of the conf file. */
static int refuse_kernel(const char *file, struct plb_error *err)
{
    if (plb_is_source(file))
        return plb_fail(err, PLB_EINPUT,
                        "%s is source code and no conf file; compile it, and name the .so under [app] in a "
                        "conf file",
                        file);
    return plb_fail(err, PLB_EINPUT,
                    "%s is a kernel and no conf file; write 'kernel = %s' under [app] in a conf file, and "
                    "run plbrun with that",
                    file, file);
}

static int refuse_conf(const struct plb_arguments *a, struct plb_error *err)
{
    return plb_fail(err, PLB_EINPUT, "the conf file must come before '%s'; see --help", a->conf);
}

/* A word that is no setting. Behind --pareto the first one may be meant for its file. */
static int refuse_word(const struct plb_arguments *a, const char *word, struct plb_error *err)
{
    if (lacks_conf(a))
        return refuse_conf(a, err);
    const char *dot = strrchr(a->conf, '.');
    bool meant = dot != NULL && (strcmp(dot, ".svg") == 0 || strcmp(dot, ".json") == 0);
    if (a->pareto != NULL && meant)
        return plb_fail(err, PLB_EINPUT,
                        "'%s' is one word too many; to write the front to a file, use --pareto=%s", word,
                        a->conf);
    return plb_fail(err, PLB_EINPUT, "'%s' is neither the conf file (%s) nor section.key=value; see --help",
                    word, a->conf);
}

/* The words behind the options: the conf file, which a command needs not, and settings. */
static int read_words(struct plb_arguments *a, int argc, char **argv, struct plb_error *err)
{
    if (a->question == PLB_ASKS_COMPARISON) {
        a->compared = argv + optind;
        a->n_compared = argc - optind;
        return PLB_OK;
    }
    bool command = plb_assigned(&a->settings, "command.") != NULL;
    for (int i = optind; i < argc; i++) {
        bool setting = strchr(argv[i], '=') != NULL;
        if (a->conf == NULL && !(command && setting))
            a->conf = argv[i];
        else if (setting)
            plb_assign(&a->settings, "", argv[i]);
        else
            return refuse_word(a, argv[i], err);
    }
    if (lacks_conf(a))
        return refuse_conf(a, err);
    if (a->conf != NULL && (plb_is_source(a->conf) || plb_is_kernel_file(a->conf)))
        return refuse_kernel(a->conf, err);
    if (command && a->conf == NULL)
        assume_command(a);
    else if (a->bar)
        return plb_fail(err, PLB_EINPUT, "--bar is for --run; a job with a conf file shows progress anyway");
    return PLB_OK;
}

int plb_arguments_read(struct plb_arguments *a, int argc, char **argv, struct plb_error *err)
{
    *a = (struct plb_arguments){.seed = 1, .log = PLB_LOG_WARNING, .command = plb_command_line(argc, argv)};
    int words = plb_words_before_sources(argc, argv);
    int status = read_options(a, words, argv, err);
    if (words < argc)
        plb_assign_sources(&a->settings, argv + words, argc - words);
    if (a->journal != NULL && a->question == PLB_ASKS_NOTHING)
        a->question = PLB_ASKS_JOURNAL;
    if (a->new_kernel != NULL && a->question == PLB_ASKS_NOTHING)
        a->question = PLB_ASKS_NEW_KERNEL;
    if (status != PLB_OK || (status = choose_simulated(a, err)) != PLB_OK)
        return status;
    if (read_words(a, words, argv, err) != PLB_OK)
        return err->status;
    if (a->join != NULL && a->conf != NULL)
        return plb_fail(
            err, PLB_EINPUT,
            "--join %s: the running job has its settings already; leave out %s and all that follows", a->join,
            a->conf);
    if (a->join != NULL && a->question == PLB_ASKS_NOTHING)
        return PLB_OK;
    if (a->conf == NULL && !a->runs && a->question == PLB_ASKS_NOTHING
        && (!a->show_pus || a->simulate != NULL))
        return plb_fail(err, PLB_EINPUT, "no conf file is named: mpirun -np N plbrun app.conf; see --help");
    return PLB_OK;
}

void plb_arguments_fini(struct plb_arguments *a)
{
    plb_assignments_fini(&a->settings);
    free(a->command);
    *a = (struct plb_arguments){0};
}
