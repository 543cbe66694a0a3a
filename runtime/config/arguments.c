/* One row per option; getopt's table and the help are made from the rows. */
#include "config/arguments.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/memory.h"
#include "base/nearest.h"

#define HELP_COLUMN 27 /* characters before the meaning of an option in the help */

/* An option. */
struct row {
    const char *name;
    char letter;       /* as GNU parallel has it; 0: none */
    const char *value; /* what the help calls its value; NULL: it has none */
    enum { FLAG, TEXT, SEED, SETTING, LOG, VERBOSE, QUESTION } kind;
    const char *setting;        /* that it is short for */
    size_t member;              /* of a flag or text */
    enum plb_question question; /* that it asks; or with a value, that the value 'help' asks */
    enum plb_question schema;   /* that the value 'schema' asks, if it asks any */
    const char *help;
    const char *more_value, *more_help; /* a second line of help for another kind of value, or NULL */
};

/* Characters that a shell takes as they are. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%"

#define OF(name) offsetof(struct plb_arguments, name)
#define ROWS (sizeof rows / sizeof *rows)
#define FIRST_CODE 256 /* what getopt returns for row 0; smaller codes are those of characters */

static const struct row rows[] = {
    {.name = "balancer",
     .value = "NAME",
     .kind = SETTING,
     .setting = "balance.balancer=",
     .question = PLB_ASKS_BALANCERS,
     .help = "who decides the block sizes: one that 'help' lists, or the path of a .so"},
    {.name = "verify",
     .kind = FLAG,
     .member = OF(verify),
     .help = "compare the result with an independent reference"},
    {.name = "keep-partial",
     .kind = FLAG,
     .member = OF(keep_partial),
     .help = "a run that fails or is interrupted leaves what it has done: NAME.partial"},
    {.name = "resume",
     .kind = FLAG,
     .member = OF(resume),
     .help = "go on where an earlier run broke, by its journal (run.journal)"},
    {.name = "journal",
     .value = "FILE",
     .kind = TEXT,
     .member = OF(journal),
     .help = "print what a journal tells, in the columns of GNU parallel's joblog"},
    {.name = "join",
     .value = "FILE",
     .kind = TEXT,
     .member = OF(join),
     .help = "join a running job with the PUs of this host, by its file (run.join)"},
    {.name = "run",
     .value = "COMMAND",
     .kind = SETTING,
     .setting = "command.run=",
     .help = "run a program for each line, as GNU parallel: {} {#} {.} {/} {//} {/.}"},
    {.name = "lines",
     .value = "FILE",
     .kind = SETTING,
     .setting = "command.lines=",
     .help = "the lines (- for stdin); without --run each line is a command"},
    {.name = "range",
     .value = "FIRST-LAST",
     .kind = SETTING,
     .setting = "command.range=",
     .help = "numbers instead of lines; FIRST-LAST:STEP too"},
    {.name = "keep-order",
     .letter = 'k',
     .kind = SETTING,
     .setting = "command.keep_order=yes",
     .help = "outputs in the order of the lines, not as they end (also -k)"},
    {.name = "jobs",
     .letter = 'j',
     .value = "N",
     .kind = SETTING,
     .setting = "cluster.threads=",
     .help = "programs at a time on each rank; 0 = one per core (also -j)"},
    {.name = "joblog",
     .value = "FILE",
     .kind = SETTING,
     .setting = "command.joblog=",
     .help = "when and how each line ran; and FILE.journal, for --resume"},
    {.name = "retries",
     .value = "N",
     .kind = SETTING,
     .setting = "command.retries=",
     .help = "run a line that fails up to N times, in all"},
    {.name = "timeout",
     .value = "SECONDS",
     .kind = SETTING,
     .setting = "command.timeout=",
     .help = "end a program that takes longer; its line has failed"},
    {.name = "bar",
     .kind = FLAG,
     .member = OF(bar),
     .help = "with --run: show progress and a summary on stderr"},
    {.name = "report",
     .value = "FILE.json",
     .kind = TEXT,
     .member = OF(report),
     .question = PLB_ASKS_REPORT_KEYS,
     .schema = PLB_ASKS_REPORT_SCHEMA,
     .help = "write what the run did (- for stdout); 'help' or 'schema' describes it",
     .more_value = "FILE.html",
     .more_help = "the same as a page for any browser: where the time went, and charts"},
    {.name = "trace",
     .value = "FILE.json",
     .kind = TEXT,
     .member = OF(trace),
     .help = "write when it did what, for Perfetto (ui.perfetto.dev)",
     .more_value = "FILE.html",
     .more_help = "the same as a chart for any browser, without a network"},
    {.name = "simulate",
     .value = "FILE.cluster",
     .kind = TEXT,
     .member = OF(simulate),
     .help = "run on the described machines in virtual time, without mpirun"},
    {.name = "replay",
     .value = "FILE.json",
     .kind = TEXT,
     .member = OF(replay),
     .help = "the same with the PUs, rates and costs of a run, from its report"},
    {.name = "seed",
     .value = "N",
     .kind = SEED,
     .help = "choose the random numbers of a simulation (default 1)"},
    {.name = "show-config",
     .kind = FLAG,
     .member = OF(show_config),
     .help = "print every setting and where it comes from"},
    {.name = "show-pus",
     .kind = FLAG,
     .member = OF(show_pus),
     .help = "print the processing units; with --dry-run or no app.conf nothing else"},
    {.name = "kernels",
     .kind = QUESTION,
     .question = PLB_ASKS_KERNELS,
     .help = "list the kernels that app.kernel may name, and their files"},
    {.name = "profiles",
     .kind = QUESTION,
     .question = PLB_ASKS_PROFILES,
     .help = "list what earlier runs measured (balance.profile), and where it is kept"},
    {.name = "dry-run",
     .kind = FLAG,
     .member = OF(dry_run),
     .help = "read and check everything, compute nothing"},
    {.name = "quiet", .kind = FLAG, .member = OF(quiet), .help = "print mistakes and warnings only"},
    {.name = "log",
     .value = "LEVEL",
     .kind = LOG,
     .help = "which lines go to stderr: error, warning (default), info or debug"},
    {.name = "verbose", .kind = VERBOSE, .help = "the same as --log info"},
    {.name = "version", .kind = QUESTION, .question = PLB_ASKS_VERSION, .help = "print the version"},
    {.name = "help", .kind = QUESTION, .question = PLB_ASKS_HELP, .help = "print this"},
};

static void print_row(const char *name, const char *value, const char *help, FILE *out)
{
    int used = fprintf(out, "  --%s%s%s", name, value != NULL ? " " : "", value != NULL ? value : "");
    fprintf(out, "%*s%s\n", used < HELP_COLUMN ? HELP_COLUMN - used : 1, "", help);
}

void plb_arguments_help(FILE *out)
{
    fputs("usage: mpirun -np N plbrun [options] app.conf [section.key=value ...]\n"
          "       mpirun -np N plbrun [options] --run 'COMMAND {}' --lines FILE [section.key=value ...]\n"
          "\n"
          "Runs a data-parallel kernel on all processing units of N ranks. Each gets as much work as it can\n"
          "finish in the same time as the others.\n"
          "\n",
          out);
    for (size_t i = 0; i < ROWS; i++) {
        print_row(rows[i].name, rows[i].value, rows[i].help, out);
        if (rows[i].more_value != NULL)
            print_row(rows[i].name, rows[i].more_value, rows[i].more_help, out);
    }
    fputs("\n"
          "Settings come from the command line, then PLB_SECTION_KEY variables, then app.conf.\n"
          "PLB_KERNEL_PATH names folders (A:B) where kernels are looked for before the installed ones.\n"
          "Exit status: 0 done, 1 the run failed, 2 usage or configuration, 3 wrong result.\n",
          out);
}

static int take_seed(struct plb_arguments *a, const char *value, struct plb_error *err)
{
    double seed;
    if (!plb_parse_int(value, &seed) || seed < 0.0)
        return plb_fail(err, PLB_EINPUT, "--seed %s: expected a whole number, 0 or more", value);
    a->seed = (uint64_t)seed;
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

/* Takes one option; `value` is NULL where it has none. */
static int take(struct plb_arguments *a, const struct row *row, const char *value, struct plb_error *err)
{
    enum plb_question asks = PLB_ASKS_NOTHING;
    if (row->value == NULL || strcmp(value, "help") == 0)
        asks = row->question;
    else if (strcmp(value, "schema") == 0)
        asks = row->schema;
    a->question = asks > a->question ? asks : a->question;
    void *member = (char *)a + row->member;
    switch (row->kind) {
    case FLAG: *(bool *)member = true; break;
    case TEXT: *(const char **)member = value; break;
    case SEED: return take_seed(a, value, err);
    case SETTING: plb_assign(&a->settings, row->setting, value != NULL ? value : ""); break;
    case LOG: return take_log(a, value, err);
    case VERBOSE: a->log = a->log > PLB_LOG_INFO ? a->log : PLB_LOG_INFO; break;
    case QUESTION: break;
    }
    return PLB_OK;
}

/* The argument in which getopt found a wrong option. Of short options in one word it names the letter, not
 * the word. */
static const char *wrong_argument(int argc, char *const *argv)
{
    for (int i = optind - 1; i <= optind && i < argc && optopt != 0; i++)
        if (argv[i][0] == '-' && argv[i][1] != '-' && strchr(argv[i], optopt) != NULL)
            return argv[i];
    return argv[optind - 1];
}

static int refuse(const char *given, bool lacks_value, struct plb_error *err)
{
    const char *names[ROWS + 1] = {NULL};
    char bare[64];
    if (lacks_value)
        return plb_fail(err, PLB_EINPUT, "%s needs a value; see --help", given);
    for (size_t i = 0; i < ROWS; i++)
        names[i] = rows[i].name;
    snprintf(bare, sizeof bare, "%s", given + strspn(given, "-"));
    bare[strcspn(bare, "=")] = '\0';
    const char *near = plb_nearest(bare, names);
    if (near != NULL)
        return plb_fail(err, PLB_EINPUT, "unknown option %s; did you mean --%s?", given, near);
    return plb_fail(err, PLB_EINPUT, "unknown option %s; see --help", given);
}

/* The option that getopt has found; NULL: none. */
static const struct row *row_of(int found)
{
    for (size_t i = 0; i < ROWS; i++)
        if (found == FIRST_CODE + (int)i || (rows[i].letter != 0 && found == rows[i].letter))
            return &rows[i];
    return NULL;
}

static int read_options(struct plb_arguments *a, int argc, char **argv, struct plb_error *err)
{
    struct option options[ROWS + 1] = {{NULL, 0, NULL, 0}};
    char letters[2 * ROWS + 2] = ":", *end = letters + 1;
    for (size_t i = 0; i < ROWS; i++) {
        bool needs = rows[i].value != NULL;
        options[i] = (struct option){rows[i].name, needs ? required_argument : no_argument, NULL,
                                     FIRST_CODE + (int)i};
        if (rows[i].letter != 0)
            end += sprintf(end, needs ? "%c:" : "%c", rows[i].letter);
    }
    opterr = 0;
    optind = 0; /* glibc's getopt begins anew, whoever used it before */
    for (int found; (found = getopt_long(argc, argv, letters, options, NULL)) != -1;) {
        const struct row *row = row_of(found);
        int status = row != NULL ? take(a, row, optarg, err)
                                 : refuse(wrong_argument(argc, argv), found == ':', err);
        if (status != PLB_OK)
            return status;
    }
    return PLB_OK;
}

/* One word, in quotes where a shell would take it for another or for several. */
static void put_word(FILE *out, const char *word)
{
    if (word[0] != '\0' && word[strspn(word, PLAIN)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

static char *command_line(int argc, char *const *argv)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < argc && out != NULL; i++) {
        if (i > 0)
            fputc(' ', out);
        put_word(out, argv[i]);
    }
    if (out != NULL)
        fclose(out);
    return text;
}

/* Both options name what is simulated. */
static int choose_simulated(struct plb_arguments *a, struct plb_error *err)
{
    if (a->simulate != NULL && a->replay != NULL)
        return plb_fail(
            err, PLB_EINPUT,
            "--simulate %s and --replay %s: only one of them can be simulated; leave out the other",
            a->simulate, a->replay);
    if (a->replay != NULL)
        a->simulate = a->replay;
    return PLB_OK;
}

static void assume_command(struct plb_arguments *a)
{
    plb_assign_command(&a->settings);
    a->runs = true;
    a->quiet |= !a->bar; /* standard output is the programs' */
}

/* The words behind the options: the conf file, which a command needs not, and settings. */
static int read_words(struct plb_arguments *a, int argc, char **argv, struct plb_error *err)
{
    bool command = plb_assigned(&a->settings, "command.") != NULL;
    for (int i = optind; i < argc; i++) {
        bool setting = strchr(argv[i], '=') != NULL;
        if (a->conf == NULL && !(command && setting))
            a->conf = argv[i];
        else if (setting)
            plb_assign(&a->settings, "", argv[i]);
        else
            return plb_fail(err, PLB_EINPUT,
                            "'%s' is neither the conf file (that is %s) nor "
                            "section.key=value; see --help",
                            argv[i], a->conf);
    }
    if (a->conf != NULL && strchr(a->conf, '=') != NULL && strchr(a->conf, '/') == NULL)
        return plb_fail(err, PLB_EINPUT, "the conf file comes before '%s'; see --help", a->conf);
    if (command && a->conf == NULL)
        assume_command(a);
    else if (a->bar)
        return plb_fail(err, PLB_EINPUT, "--bar is for --run; a job with a conf file shows progress anyway");
    return PLB_OK;
}

int plb_arguments_read(struct plb_arguments *a, int argc, char **argv, struct plb_error *err)
{
    *a = (struct plb_arguments){.seed = 1, .log = PLB_LOG_WARNING, .command = command_line(argc, argv)};
    int status = read_options(a, argc, argv, err);
    if (a->journal != NULL && a->question == PLB_ASKS_NOTHING)
        a->question = PLB_ASKS_JOURNAL;
    if (status != PLB_OK || (status = choose_simulated(a, err)) != PLB_OK)
        return status;
    if (read_words(a, argc, argv, err) != PLB_OK)
        return err->status;
    if (a->join != NULL && a->conf != NULL)
        return plb_fail(
            err, PLB_EINPUT,
            "--join %s: the running job tells its settings; leave %s out, with all that follows it", a->join,
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
