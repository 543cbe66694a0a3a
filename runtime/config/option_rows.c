/* The rows, and the help that is made of them. */
#include "config/option_rows.h"

#define HELP_COLUMN 27 /* characters before the meaning of an option in the help */

#define OF(name) offsetof(struct plb_arguments, name)

const struct plb_option_row plb_option_rows[] = {
    {.name = "balancer",
     .value = "NAME",
     .kind = PLB_ROW_SETTING,
     .setting = "balance.balancer=",
     .question = PLB_ASKS_BALANCERS,
     .help = "who decides the block sizes: one that 'help' lists, or the path of a .so"},
    {.name = "verify",
     .kind = PLB_ROW_FLAG,
     .member = OF(verify),
     .help = "compare the result with an independent reference"},
    {.name = "keep-partial",
     .kind = PLB_ROW_FLAG,
     .member = OF(keep_partial),
     .help = "a run that fails or is interrupted leaves what it has done: NAME.partial"},
    {.name = "resume",
     .kind = PLB_ROW_FLAG,
     .member = OF(resume),
     .help = "go on where an earlier run broke, by its journal (run.journal)"},
    {.name = "journal",
     .value = "FILE",
     .kind = PLB_ROW_TEXT,
     .member = OF(journal),
     .help = "print what a journal tells, in the columns of GNU parallel's joblog"},
    {.name = "join",
     .value = "FILE",
     .kind = PLB_ROW_TEXT,
     .member = OF(join),
     .help = "join a running job with the PUs of this host, by its file (run.join)"},
    {.name = "run",
     .value = "COMMAND",
     .kind = PLB_ROW_SETTING,
     .setting = "command.run=",
     .help = "run a program for each line, as GNU parallel: {} {#} {.} {/} {//} {/.}"},
    {.name = "lines",
     .value = "FILE",
     .kind = PLB_ROW_SETTING,
     .setting = "command.lines=",
     .help = "the lines (- for stdin); without --run each line is a command"},
    {.name = "range",
     .value = "FIRST-LAST",
     .kind = PLB_ROW_SETTING,
     .setting = "command.range=",
     .help = "numbers instead of lines; FIRST-LAST:STEP too"},
    {.name = "keep-order",
     .letter = 'k',
     .kind = PLB_ROW_SETTING,
     .setting = "command.keep_order=yes",
     .help = "outputs in the order of the lines, not as they end (also -k)"},
    {.name = "jobs",
     .letter = 'j',
     .value = "N",
     .kind = PLB_ROW_SETTING,
     .setting = "cluster.threads=",
     .help = "programs at a time on each rank; 0 = one per core (also -j)"},
    {.name = "joblog",
     .value = "FILE",
     .kind = PLB_ROW_SETTING,
     .setting = "command.joblog=",
     .help = "when and how each line ran; and FILE.journal, for --resume"},
    {.name = "retries",
     .value = "N",
     .kind = PLB_ROW_SETTING,
     .setting = "command.retries=",
     .help = "run a line that fails up to N times, in all"},
    {.name = "timeout",
     .value = "SECONDS",
     .kind = PLB_ROW_SETTING,
     .setting = "command.timeout=",
     .help = "end a program that takes longer; its line has failed"},
    {.name = "bar",
     .kind = PLB_ROW_FLAG,
     .member = OF(bar),
     .help = "with --run: show progress and a summary on stderr"},
    {.name = "watch",
     .kind = PLB_ROW_FLAG,
     .member = OF(watch),
     .help = "show on stderr what each processing unit does, again and again"},
    {.name = "progress",
     .value = "json",
     .kind = PLB_ROW_PROGRESS,
     .help = "write the same as a line of JSON each second, for programs"},
    {.name = "report",
     .value = "FILE.json",
     .kind = PLB_ROW_TEXT,
     .member = OF(report),
     .question = PLB_ASKS_REPORT_KEYS,
     .schema = PLB_ASKS_REPORT_SCHEMA,
     .help = "write what the run did (- for stdout); 'help' or 'schema' describes it",
     .more_value = "FILE.html",
     .more_help = "the same as a page for any browser: where the time went, and charts"},
    {.name = "trace",
     .value = "FILE.json",
     .kind = PLB_ROW_TEXT,
     .member = OF(trace),
     .help = "write when it did what, for Perfetto (ui.perfetto.dev)",
     .more_value = "FILE.html",
     .more_help = "the same as a chart for any browser, without a network"},
    {.name = "compare",
     .kind = PLB_ROW_QUESTION,
     .question = PLB_ASKS_COMPARISON,
     .help = "say what differs between runs: --compare A.json B.json ..."},
    {.name = "pareto",
     .may_lack = true,
     .kind = PLB_ROW_TEXT,
     .member = OF(pareto),
     .help = "print the front of time and energy, and this run beside it",
     .more_value = "FILE.json",
     .more_help = "the same, and write it; FILE.svg: as a picture"},
    {.name = "simulate",
     .value = "FILE.cluster",
     .kind = PLB_ROW_TEXT,
     .member = OF(simulate),
     .help = "run on the described machines in virtual time, without mpirun"},
    {.name = "replay",
     .value = "FILE.json",
     .kind = PLB_ROW_TEXT,
     .member = OF(replay),
     .help = "the same with the PUs, rates and costs of a run, from its report"},
    {.name = "seed",
     .value = "N",
     .kind = PLB_ROW_SEED,
     .help = "choose the random numbers of a simulation (default 1)"},
    {.name = "show-config",
     .kind = PLB_ROW_FLAG,
     .member = OF(show_config),
     .help = "print every setting and where it comes from"},
    {.name = "show-pus",
     .kind = PLB_ROW_FLAG,
     .member = OF(show_pus),
     .help = "print the processing units; with --dry-run or no app.conf nothing else"},
    {.name = "kernels",
     .kind = PLB_ROW_QUESTION,
     .question = PLB_ASKS_KERNELS,
     .help = "list the kernels that app.kernel may name, and their files"},
    {.name = "profiles",
     .kind = PLB_ROW_QUESTION,
     .question = PLB_ASKS_PROFILES,
     .help = "list what earlier runs measured (balance.profile), and where it is kept"},
    {.name = "dry-run",
     .kind = PLB_ROW_FLAG,
     .member = OF(dry_run),
     .help = "read and check everything, compute nothing"},
    {.name = "quiet", .kind = PLB_ROW_FLAG, .member = OF(quiet), .help = "print mistakes and warnings only"},
    {.name = "log",
     .value = "LEVEL",
     .kind = PLB_ROW_LOG,
     .help = "which lines go to stderr: error, warning (default), info or debug"},
    {.name = "verbose", .kind = PLB_ROW_VERBOSE, .help = "the same as --log info"},
    {.name = "version", .kind = PLB_ROW_QUESTION, .question = PLB_ASKS_VERSION, .help = "print the version"},
    {.name = "help", .kind = PLB_ROW_QUESTION, .question = PLB_ASKS_HELP, .help = "print this"},
};

const size_t plb_option_rows_n = sizeof plb_option_rows / sizeof *plb_option_rows;

static void print_row(const struct plb_option_row *row, const char *value, const char *help, FILE *out)
{
    const char *separator = value == NULL ? "" : row->may_lack ? "=" : " ";
    int used = fprintf(out, "  --%s%s%s", row->name, separator, value != NULL ? value : "");
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
    for (size_t i = 0; i < plb_option_rows_n; i++) {
        print_row(&plb_option_rows[i], plb_option_rows[i].value, plb_option_rows[i].help, out);
        if (plb_option_rows[i].more_value != NULL)
            print_row(&plb_option_rows[i], plb_option_rows[i].more_value, plb_option_rows[i].more_help, out);
    }
    fputs("\n"
          "Settings come from the command line, then PLB_SECTION_KEY variables, then app.conf.\n"
          "PLB_KERNEL_PATH names folders (A:B) where kernels are looked for before the installed ones.\n"
          "Exit status: 0 done, 1 the run failed, 2 usage or configuration, 3 wrong result.\n",
          out);
}
