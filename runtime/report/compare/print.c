/* A comparison as text: set-ups, what differs by intent, then the quantities that stand out. */
#include <math.h>
#include <string.h>

#include "report/compare/inside.h"
#include "report/quantity.h"

#define COLUMN 30  /* characters of a column */
#define CHANGED 42 /* of one with changes */
/* Relative changes up to this one are not shown. Larger: small ones go unseen. Smaller: the table is long. */
#define LITTLE 0.01

static char *print_number(const struct plb_report_field *field, double number, char text[PLB_QUANTITY_TEXT])
{
    switch (field->unit) {
    case PLB_UNIT_SECONDS: return plb_seconds_print(number, text);
    case PLB_UNIT_BYTES: return plb_bytes_print(number, text);
    case PLB_UNIT_JOULES: return plb_joules_print(number, text);
    case PLB_UNIT_PERCENT: snprintf(text, PLB_QUANTITY_TEXT, "%.1f %%", number); return text;
    case PLB_UNIT_FRACTION: snprintf(text, PLB_QUANTITY_TEXT, "%.1f %%", 100.0 * number); return text;
    case PLB_UNIT_RATIO: snprintf(text, PLB_QUANTITY_TEXT, "%.2f", number); return text;
    case PLB_UNIT_COUNT:
    case PLB_UNIT_OF_APP: snprintf(text, PLB_QUANTITY_TEXT, "%.8g", number); return text;
    default: snprintf(text, PLB_QUANTITY_TEXT, "%.4g", number); return text;
    }
}

char *plb_spread_print(const struct plb_compared *q, int setup, char text[PLB_CELL_TEXT])
{
    const struct plb_repeats_spread *s = &q->with[setup];
    char low[PLB_QUANTITY_TEXT], median[PLB_QUANTITY_TEXT], high[PLB_QUANTITY_TEXT];
    print_number(q->field, s->low, low);
    print_number(q->field, s->median, median);
    print_number(q->field, s->high, high);
    if (s->n == 0)
        snprintf(text, PLB_CELL_TEXT, "unknown");
    else if (s->n == 1 || strcmp(low, high) == 0)
        snprintf(text, PLB_CELL_TEXT, "%s", median);
    else
        snprintf(text, PLB_CELL_TEXT, "%s (%s to %s)", median, low, high);
    return text;
}

/* The relative change of the medians; NAN where none can be told. */
static double change(const struct plb_compared *q, int setup)
{
    const struct plb_repeats_spread *a = &q->with[0], *b = &q->with[setup];
    return a->n > 0 && b->n > 0 && a->median > 0.0 ? b->median / a->median - 1.0 : (double)NAN;
}

char *plb_change_print(const struct plb_compared *q, int setup, char text[PLB_CELL_TEXT])
{
    double by = setup > 0 ? change(q, setup) : (double)NAN;
    text[0] = '\0';
    if (isfinite(by) && by < 1.0)
        snprintf(text, PLB_CELL_TEXT, "%+.1f %%%s", 100.0 * by, q->stands_out[setup] ? " *" : "");
    else if (isfinite(by))
        snprintf(text, PLB_CELL_TEXT, "%.3g times%s", 1.0 + by, q->stands_out[setup] ? " *" : "");
    else if (q->stands_out[setup])
        snprintf(text, PLB_CELL_TEXT, "*");
    return text;
}

char *plb_quantity_name(const struct plb_compared *q, char text[PLB_CELL_TEXT])
{
    snprintf(text, PLB_CELL_TEXT, "%s%s%.40s", q->field->key, q->of[0] != '\0' ? " of " : "", q->of);
    return text;
}

/* Whether a set-up's values are worth a look beside those of the first one. */
static bool differs(const struct plb_comparison *c, const struct plb_compared *q, int s)
{
    const struct plb_repeats_spread *a = &q->with[0], *b = &q->with[s];
    bool once = c->setups[0].n == 1 || c->setups[s].n == 1;
    if (s == 0)
        return c->n_setups == 1 && a->low < a->high;
    if ((a->n == 0) != (b->n == 0))
        return true;
    return (q->stands_out[s] || (once && a->n > 0)) && !(fabs(b->median - a->median) <= LITTLE * a->median);
}

bool plb_worth_showing(const struct plb_comparison *c, const struct plb_compared *q)
{
    bool shows = strcmp(q->field->key, "makespan_s") == 0;
    for (int s = 0; s < c->n_setups; s++)
        shows |= differs(c, q, s);
    return shows;
}

/* NULL: no run has one. */
static const struct plb_compared *makespan_of(const struct plb_comparison *c)
{
    for (int i = 0; i < c->n_quantities; i++)
        if (strcmp(c->quantities[i].field->key, "makespan_s") == 0)
            return &c->quantities[i];
    return NULL;
}

static bool ended_well(const struct plb_setup *setup)
{
    return setup->status[0] == '\0' || strcmp(setup->status, "done") == 0;
}

char *plb_comparison_verdict(const struct plb_comparison *c, int setup, char text[256])
{
    const struct plb_compared *q = makespan_of(c);
    const char *name = c->setups[setup].name, *first = c->setups[0].name;
    int unwell = !ended_well(&c->setups[0]) ? 0 : setup;
    double by = q != NULL ? change(q, setup) : (double)NAN;
    const char *way = by > 0.0 ? "more" : "less";
    if (!ended_well(&c->setups[unwell]))
        snprintf(text, 256, "%s did not end well (status: %s), so its makespan cannot be compared with %s.",
                 c->setups[unwell].name, c->setups[unwell].status, unwell == 0 ? name : first);
    else if (q == NULL || !isfinite(by))
        snprintf(text, 256, "The makespans of %s and %s cannot be compared.", first, name);
    else if (c->setups[0].n == 1 || c->setups[setup].n == 1)
        snprintf(text, 256, "%s takes %.1f %% %s time than %s. %s, so this may be chance: repeat it.", name,
                 100.0 * fabs(by), way, first,
                 c->setups[0].n == c->setups[setup].n ? "Each ran once" : "One of them ran once");
    else if (q->stands_out[setup])
        snprintf(text, 256, "%s takes %.1f %% %s time than %s: in each of its %d runs it took %s.", name,
                 100.0 * fabs(by), way, first, c->setups[setup].n, way);
    else
        snprintf(text, 256, "%s takes %.1f %% %s time than %s, but their ranges overlap: this may be chance.",
                 name, 100.0 * fabs(by), way, first);
    return text;
}

static void print_setups(const struct plb_comparison *c, FILE *out)
{
    for (int s = 0; s < c->n_setups; s++) {
        fprintf(out, "%s: %d run%s:", c->setups[s].name, c->setups[s].n, c->setups[s].n == 1 ? "" : "s");
        for (int r = 0; r < c->n_runs; r++)
            if (c->setup_of[r] == s)
                fprintf(out, " %s", c->files[r]);
        fputc('\n', out);
    }
    if (c->n_intended > 0)
        fputs("\nThey differ in\n", out);
    for (int i = 0; i < c->n_intended; i++) {
        fprintf(out, "  %-*s", COLUMN, c->intended[i].name);
        for (int s = 0; s < c->n_setups; s++)
            fprintf(out, " %s: %s%s", c->setups[s].name, c->intended[i].value[s],
                    s + 1 < c->n_setups ? "," : "\n");
    }
}

static void print_quantity(const struct plb_comparison *c, const struct plb_compared *q, FILE *out)
{
    char text[PLB_CELL_TEXT];
    int used = fprintf(out, "%s", plb_quantity_name(q, text)), at = COLUMN;
    for (int s = 0; s < c->n_setups; s++) {
        used += fprintf(out, "%*s%s", used < at ? at - used : 2, "", plb_spread_print(q, s, text));
        if (s > 0 && plb_change_print(q, s, text)[0] != '\0')
            used += fprintf(out, ", %s", text);
        at += s > 0 ? CHANGED : COLUMN;
    }
    fputc('\n', out);
}

void plb_comparison_print(const struct plb_comparison *c, FILE *out)
{
    char text[256];
    bool stars = false;
    print_setups(c, out);
    fprintf(out, "\n%*s", COLUMN, "");
    for (int s = 0; s < c->n_setups; s++)
        fprintf(out, "%-*s", s + 1 == c->n_setups ? 0 : s > 0 ? CHANGED : COLUMN, c->setups[s].name);
    fputc('\n', out);
    for (int i = 0; i < c->n_quantities; i++)
        if (plb_worth_showing(c, &c->quantities[i])) {
            print_quantity(c, &c->quantities[i], out);
            for (int s = 0; s < c->n_setups; s++)
                stars |= c->quantities[i].stands_out[s];
        }
    if (stars)
        fprintf(out, "* the ranges of %s and of this set-up do not overlap\n", c->setups[0].name);
    if (c->n_setups > 1)
        fputc('\n', out);
    for (int s = 1; s < c->n_setups; s++)
        fprintf(out, "%s\n", plb_comparison_verdict(c, s, text));
}
