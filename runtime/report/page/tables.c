/* A word has one meaning, which its heading and the list at the end of the page tell. */
#include "report/page/tables.h"

#include <inttypes.h>
#include <string.h>

#include "report/html.h"
#include "report/quantity.h"
#include "report/summary/cores.h"

static const struct {
    const char *word, *meaning;
} words[] = {
    {"makespan", "The time of the whole run."},
    {"ideal",
     "The run in which all PUs compute from the first moment to the last, each at its rate in this run. "
     "No run with these PUs and rates is shorter."},
    {"bound",
     "The time that a run with these PUs takes where they copy and start tasks as they did, and lose no "
     "time in waits for work."},
    {"parallel efficiency", "The ideal over the makespan: load balance times communication efficiency."},
    {"load balance",
     "The mean time of computing over the longest one, without starts and copies. PUs count "
     "by their rates. It is low where some PUs compute less than others, also where they wait for data."},
    {"communication efficiency",
     "The longest time of computing over the makespan. It is low where no PU computes all the time, for "
     "any reason. It is high where one PU never waits, though others wait for data."},
    {"balancing ratio", "The longest busy time over the shortest one, of PUs that worked."},
    {"idle",
     "The time in which a PU was not busy; in the first lines the mean of PUs, as a part of the makespan."},
    {"busy", "Computing, starting tasks, and waiting for copies."},
    {"task starts", "The time that tasks take beyond their work, as each begins."},
    {"training", "Waits until each PU had a curve."},
    {"imbalance", "Waits at the end of a pass for a PU that was given too much, or more than one task."},
    {"copies not hidden", "Waits for inputs, or until results are sent, during which a PU did not compute."},
    {"master", "Waits while the master solved."},
    {"waits for work", "A PU had nothing to do, while others had some, and the pass was not near its end."},
    {"tail", "Waits at the end of a pass while its last task ran."},
    {"units done twice", "Execution of units that others had done first."},
    {"failures", "The time after PUs failed."},
    {"the rest", "What is left of the run without the losses. How much of it is computing is not known."},
    {"share of the work", "The part of all work that a PU did."},
    {"share of the rates",
     "The PU's rate over that of all PUs, without starts and copies. In the ideal run, a PU does "
     "this part of the work. The rate of a PU that did nothing is a guess by its power."},
    {"given power",
     "The PU's power as it was given, or a guess from its hardware, over that of all PUs. The balancer "
     "static shares by it."},
    {"per second", "Units over the time of executing: with starts of tasks, without copies."},
    {"PU",
     "A processing unit: the threads of a CPU, or one GPU or another accelerator, which executes tasks."},
    {"unit", "The smallest piece of work, which is not divided: a column, a row, a cell. The kernel says "
             "what it is."},
    {"pass",
     "All units are executed once. Jobs with several passes begin the next one when the last has ended."},
    {"rate",
     "The units of average cost that a PU executes in a second. In the losses, without starts and copies."},
    {"balancer", "The rule by which the master shares units among PUs, as sure or static."},
    {"curve", "The time of a PU's tasks by their size, as fitted to tasks that were measured."},
    {"migration", "An idle PU takes units that another one was granted, and has not begun."},
    {"virtual", "A time on the clock of a simulation. No task was executed."},
    {"node", "A rank of MPI, and its PUs. Node 0 has the master and the data."},
    {"task",
     "The units that a PU executes at once. A block is what the master grants: it is cut into tasks."},
    {"solve", "The balancer computes new shares."},
    {"backup", "An idle PU executes units a second time that another one is late with."},
};
#define WORDS ((int)(sizeof words / sizeof *words))

static const char *meaning(const char *word)
{
    for (int i = 0; i < WORDS; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].meaning;
    return "";
}

void plb_page_glossary(FILE *out)
{
    fputs("<section id=\"words\"><details><summary><h2>Words</h2></summary>\n<dl>", out);
    for (int i = 0; i < WORDS; i++)
        fprintf(out, "<dt>%s</dt><dd>%s</dd>\n", words[i].word, words[i].meaning);
    fputs("</dl></details></section>\n", out);
}

void plb_page_cell(const char *text, const char *attributes, FILE *out)
{
    fprintf(out, "<td%s>", attributes);
    plb_html_text(text, out);
    fputs("</td>", out);
}

void plb_page_seconds(double seconds, FILE *out)
{
    char text[PLB_QUANTITY_TEXT];
    plb_page_cell(plb_seconds_print(seconds, text), PLB_PAGE_NUMBER, out);
}

void plb_page_percent(double part, FILE *out)
{
    fprintf(out, "<td class=\"n\">%.1f&nbsp;%%</td>", 100.0 * part);
}

void plb_page_heading(const char *sign, const char *word, FILE *out)
{
    fprintf(out, "<th title=\"%s\">%s%s</th>", meaning(word), sign, word);
}

/* A heading of a column of numbers. */
static void put_column(const char *word, FILE *out)
{
    fprintf(out, "<th class=\"n\" title=\"%s\">%s</th>", meaning(word), word);
}

void plb_page_phases(const struct plb_report *r, FILE *out)
{
    if (r->phases == NULL || r->passes < 2)
        return;
    fputs("<section id=\"phases\"><h2>Passes</h2>\n<div class=\"wide\"><table><thead><tr><th>phase</th>"
          "<th class=\"n\">passes</th><th class=\"n\">time</th><th class=\"n\">mean</th><th "
          "class=\"n\">shortest</th>"
          "<th class=\"n\">longest</th></tr></thead>\n<tbody>",
          out);
    for (int i = 0; i < r->n_phases; i++) {
        const struct plb_report_phase *phase = &r->phases[i];
        fputs("<tr>", out);
        plb_page_cell(phase->phase, "", out);
        fprintf(out, "<td class=\"n\">%d</td>", phase->passes);
        plb_page_seconds(phase->time_s, out);
        plb_page_seconds(phase->passes > 0 ? phase->time_s / phase->passes : 0.0, out);
        plb_page_seconds(phase->shortest_s, out);
        plb_page_seconds(phase->longest_s, out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div></section>\n", out);
}

/* As the charts have it: "1667", "3.4 M". */
static void put_rate(double rate, FILE *out)
{
    static const char *const units[] = {"", "&nbsp;k", "&nbsp;M", "&nbsp;G"};
    int u = 0;
    for (; rate >= (u == 0 ? 9999.5 : 999.95) && u < 3; u++)
        rate /= 1e3;
    fprintf(out, "<td class=\"n\">%.4g%s</td>", rate, units[u]);
}

#define NOTE 60 /* bytes of a note that is made here */

/* Why a PU failed, or did nothing, or was slow. */
static const char *note_of(const struct plb_report *r, const struct plb_report_pu *pu, char text[NOTE])
{
    text[0] = '\0';
    if (plb_lacks_cores(r, pu))
        snprintf(text, NOTE, "had %.0f %% of its core%s", 100.0 * pu->core_share, pu->threads > 1 ? "s" : "");
    return pu->failed != NULL ? pu->failed : pu->unused != NULL ? pu->unused : text;
}

static bool any_note(const struct plb_report *r)
{
    bool any = false;
    char text[NOTE];
    for (int p = 0; p < r->n_pus; p++)
        any = any || note_of(r, &r->pus[p], text)[0] != '\0';
    return any;
}

static void put_pu_headings(const struct plb_report *r, bool notes, FILE *out)
{
    fputs("<section id=\"pus\"><details open><summary><h2>PUs</h2></summary>\n<div "
          "class=\"wide\"><table><thead>"
          "<tr><th>PU</th><th>node</th><th>host</th><th>name</th><th>kind</th><th class=\"n\">",
          out);
    plb_html_text(r->unit, out);
    fputs("</th><th class=\"n\">tasks</th>", out);
    put_column("given power", out);
    put_column("share of the work", out);
    put_column("share of the rates", out);
    put_column("busy", out);
    fputs("<th class=\"n\">of it copies</th>", out);
    put_column("idle", out);
    fprintf(out, "<th class=\"n\" title=\"%s\">", meaning("per second"));
    plb_html_text(r->unit, out);
    fputs(" per second</th>", out);
    fputs(notes ? "<th>note</th>" : "", out);
    fputs("</tr></thead>\n<tbody>", out);
}

void plb_page_pus(const struct plb_report *r, FILE *out)
{
    static const char *const kinds[] = {
        [PLB_CPU] = "cpu", [PLB_GPU] = "gpu", [PLB_ACCELERATOR] = "accelerator"};
    double powers = 0.0;
    char note[NOTE];
    for (int p = 0; p < r->n_pus; p++)
        powers += r->pus[p].power;
    bool notes = any_note(r);
    put_pu_headings(r, notes, out);
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_report_pu *pu = &r->pus[p];
        fprintf(out, "<tr><td>%d</td><td>%d</td>", pu->id, pu->node);
        plb_page_cell(pu->host, "", out);
        plb_page_cell(pu->name, "", out);
        plb_page_cell(kinds[pu->kind], "", out);
        fprintf(out, "<td class=\"n\">%" PRId64 "</td><td class=\"n\">%" PRId64 "</td>", pu->units,
                pu->tasks);
        plb_page_percent(powers > 0.0 ? pu->power / powers : 0.0, out);
        plb_page_percent(pu->work_share, out);
        plb_page_percent(pu->rate_share, out);
        plb_page_seconds(pu->busy_s, out);
        plb_page_seconds(pu->transfer_s, out);
        plb_page_seconds(pu->idle_s, out);
        put_rate(pu->rate, out);
        if (notes)
            plb_page_cell(note_of(r, pu, note), " class=\"note\"", out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div></details></section>\n", out);
}
