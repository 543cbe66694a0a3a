/* A word has one meaning, which its heading and the list at the end of the page tell. */
#include "report/page/tables.h"

#include <inttypes.h>
#include <string.h>

#include "report/html.h"
#include "report/quantity.h"
#include "report/summary/cores.h"
#include "report/summary/summary.h"

static const struct {
    const char *word, *meaning;
} words[] = {
    {"makespan", "The time of all passes."},
    {"ideal", "The time of a run in which all PUs compute from start to end at their measured rates. No run "
              "with these PUs and rates is shorter."},
    {"bound", "The ideal plus the task starts and copies of this run: the shortest time without waits."},
    {"parallel efficiency", "The ideal over the makespan: load balance times communication efficiency."},
    {"load balance", "The mean computing time of PUs, weighted by their rates, over the longest. It is low "
                     "if some PUs compute less than others, even if they wait for data."},
    {"communication efficiency",
     "The longest computing time of a PU over the makespan. It is low if no PU computes all the time, for "
     "any reason. It is high if one PU never waits, even if others do."},
    {"balancing ratio", "The longest busy time of a PU over the shortest, among PUs that worked."},
    {"idle",
     "The time in which a PU was not busy. In the first lines: the mean of all PUs, over the makespan."},
    {"busy", "Computing, starting tasks, and waiting for copies."},
    {"CPU time",
     "The time of the PU's threads on cores, all threads together. If it is far below busy times threads, "
     "other programs had the cores. Of an emulated PU: the time that its tasks should have taken."},
    {"task starts", "The time of tasks beyond their work, such as a kernel launch."},
    {"training", "Waits until each PU had a curve."},
    {"imbalance", "Waits at the end of a pass for a PU that had been granted too much."},
    {"copies not hidden", "Waits for inputs, or for results to be sent, in which a PU did not compute."},
    {"page locks", "Locking pages of host memory for copies, while a PU did not compute."},
    {"master", "Waits while the master solved for new shares."},
    {"waits for work", "Time in which a PU had nothing to do before the end of a pass was near."},
    {"tail", "Waits at the end of a pass while its last task ran."},
    {"re-execution", "Execution of units whose results another PU delivered first."},
    {"failures", "The time after PUs failed."},
    {"the rest", "The run without the losses. How much of it is computing is unknown."},
    {"share of the work", "The PU's part of all work."},
    {"share of the rates", "The PU's part of the total rate, without starts and copies; in the ideal run, "
                           "its part of the work. For a PU that did nothing, an estimate from its power."},
    {"given power", "The PU's part of the total power, as given or estimated from its hardware. The balancer "
                    "static uses it."},
    {"per second", "Units per second of execution, with task starts, without copies."},
    {"PU", "A processing unit, which executes tasks: the threads of a CPU, a GPU or another accelerator."},
    {"unit", "The smallest piece of work, such as a row, as the kernel defines it."},
    {"pass", "One execution of all units. Some jobs have several passes, one after the other."},
    {"rate",
     "Units of average cost that a PU executes per second. In the losses, without starts and copies."},
    {"balancer", "The rule by which the master distributes units among PUs, such as sure or static."},
    {"curve", "The time of a PU's tasks as a function of their size, fitted to measurements."},
    {"migration", "An idle PU steals units that were granted to another one and have not started."},
    {"virtual", "A time on the clock of a simulation; no task was executed."},
    {"node", "An MPI rank and its PUs. Node 0 has the master and the data."},
    {"task", "Units that a PU executes in one call. Blocks, which the master grants, are cut into tasks."},
    {"solve", "The balancer computes new shares."},
    {"backup", "An idle PU re-executes units that are late on another one."},
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
    fputs("</tbody></table></div>\n", out);
    if (r->passes_again > 0)
        plb_report_say(r, "<p>Passes that were repeated after a loss took a further {again_s}.</p>\n", out);
    fputs("</section>\n", out);
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

/* Whether the time on cores is known of any PU. */
static bool any_cpu_time(const struct plb_report *r)
{
    bool any = false;
    for (int p = 0; p < r->n_pus; p++)
        any = any || r->pus[p].cpu_s > 0.0;
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
    if (any_cpu_time(r))
        put_column("CPU time", out);
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
    bool notes = any_note(r), cpu_times = any_cpu_time(r);
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
        if (cpu_times)
            plb_page_seconds(pu->cpu_s, out);
        plb_page_seconds(pu->idle_s, out);
        put_rate(pu->rate, out);
        if (notes)
            plb_page_cell(note_of(r, pu, note), " class=\"note\"", out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div></details></section>\n", out);
}
