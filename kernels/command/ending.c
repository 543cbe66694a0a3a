/* Sentences. */
#include "ending.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forecast.h"

#define NAMED 8 /* lines that a sentence names; of more it tells how many */

/* The form that rank 0 shows, where there are two. */
static int form_of(const struct state *s)
{
    return s->spec->has[ON_CPU] ? ON_CPU : ON_GPU;
}

/* Describes a line in a form. Which GPU it had, or will have, is not known here. */
static void describe(const struct state *s, int form, struct command_line *line, struct command_text *text)
{
    line->gpu = form == ON_GPU ? "{gpu}" : NULL;
    command_describe(s->spec, form, line, text);
}

void command_describe_failure(const struct state *s, int64_t unit, const struct command_outcome *last,
                              char text[FAILURE])
{
    struct command_line line = command_line_of(s->text, s->places, unit);
    struct command_text command = {NULL, 0, 0};
    const char *server = s->spec->serves ? "its server ended with " : "";
    int form = s->spec->has[last->where & 1u] ? (int)(last->where & 1u) : form_of(s);
    char how[80];
    describe(s, form, &line, &command);
    for (char *c = command.at; c != NULL && *c != '\0'; c++) /* one line, whatever it has */
        *c = *c == '\n' ? ' ' : *c;
    if (last->exit < 0)
        snprintf(how, sizeof how, "it exceeded its time limit (command.timeout)");
    else if (last->signal != 0)
        snprintf(how, sizeof how, "%ssignal %d (%s)", server, last->signal, strsignal(last->signal));
    else
        snprintf(how, sizeof how, "%sexit status %d", server, last->exit);
    snprintf(text, FAILURE, "line %lld: %.200s: %s", (long long)line.number,
             command.at != NULL ? command.at : "", how);
    free(command.at);
}

/* The unit of a line, from 0. */
static int64_t unit_of(const struct state *s, int64_t line)
{
    return s->order != NULL ? s->order[line] : line;
}

void command_print_all(const struct state *s)
{
    struct command_text text = {NULL, 0, 0};
    for (int64_t i = 0; i < s->units; i++) {
        struct command_line line = command_line_of(s->text, s->places, unit_of(s, i));
        text.n = 0;
        describe(s, form_of(s), &line, &text);
        puts(text.at != NULL ? text.at : "");
    }
    free(text.at);
}

/* ------------------------------------------------------------------- lines and times */

/* Lines that do not end in time. */
struct late {
    int64_t n, named[NAMED];
    double shortest, longest, left, chance;
};

static void add_late(struct late *l, int64_t number, double expected, double left, double chance)
{
    if (l->n < NAMED)
        l->named[l->n] = number;
    l->shortest = l->n == 0 ? expected : fmin(l->shortest, expected);
    l->longest = fmax(l->longest, expected);
    l->left = fmax(l->left, left);
    l->chance = fmax(l->chance, chance);
    l->n++;
}

static void add_time(double seconds, struct command_text *text)
{
    char time[40];
    int n = seconds < 100.0  ? snprintf(time, sizeof time, "%.3g s", seconds)
          : seconds < 6000.0 ? snprintf(time, sizeof time, "%.0f min", seconds / 60.0)
                             : snprintf(time, sizeof time, "%.1f h", seconds / 3600.0);
    command_add(text, time, (size_t)n);
}

/* "lines 812, 977: 40 min each, 25 min left" */
static void describe_late(const struct late *l, struct command_text *text)
{
    char part[60];
    command_add(text, l->n == 1 ? "line" : "lines", l->n == 1 ? 4 : 5);
    for (int i = 0; i < l->n && i < NAMED; i++)
        command_add(text, part,
                    (size_t)snprintf(part, sizeof part, "%s %lld", i > 0 ? "," : "", (long long)l->named[i]));
    if (l->n > NAMED)
        command_add(text, part,
                    (size_t)snprintf(part, sizeof part, " and %lld more", (long long)(l->n - NAMED)));
    command_add(text, ": ", 2);
    if (l->shortest < 0.9 * l->longest) {
        add_time(l->shortest, text);
        command_add(text, " to ", 4);
    }
    add_time(l->longest, text);
    command_add(text, l->n == 1 ? ", " : " each, ", l->n == 1 ? 2 : 7);
    add_time(l->left, text);
    command_add(text, " left", 5);
    if (l->chance >= 0.001)
        command_add(text, part,
                    (size_t)snprintf(part, sizeof part, " (a probability of %.2g%s)", l->chance,
                                     l->n == 1 ? "" : " at most"));
}

void command_forecast(const struct plb_app *app, const struct state *s)
{
    const struct command_ratios ratios = {.told = true, .known = true};
    double left = plb_app_time_left(app);
    struct late late = {0};
    struct command_text text = {NULL, 0, 0};
    bool known = s->spec->seconds && isfinite(left) && !plb_app_resumes(app);
    for (int64_t i = 0; i < s->units && known; i++) {
        double cost = s->costs[unit_of(s, i)], chance = command_chance(&ratios, left / cost);
        if (chance < COMMAND_LEAST_CHANCE)
            add_late(&late, i + 1, cost, left, chance);
    }
    if (late.n > 0) {
        describe_late(&late, &text);
        fprintf(stderr, "plbrun: warning: %lld of %lld lines would not end in time: %s\n", (long long)late.n,
                (long long)s->units, text.at);
    }
    free(text.at);
}

const struct command_outcome *command_last_of(const struct state *s, int64_t unit)
{
    const struct command_outcome *now = &s->now[unit];
    bool ended = s->todo[unit] != NOTHING && now->where != 0 && has_run(now);
    return ended ? now : &s->past[unit].last;
}

int command_tell(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    if (s->why[0] != '\0') { /* the last tasks ended with the run */
        plb_app_unfinished(app, "%s", s->why);
        return PLB_OK;
    }
    if (s->halted && s->halt.why == ON_SUCCESS) /* it is what the user has waited for */
        return PLB_OK;
    struct command_text text = {NULL, 0, 0};
    struct late late = {0};
    int64_t failed = 0, again = 0;
    char how[FAILURE], counts[100];
    for (int64_t i = 0; i < s->units; i++) {
        int64_t unit = unit_of(s, i);
        const struct command_outcome *last = s->halted ? command_last_of(s, unit) : &s->past[unit].last;
        if (has_failed(last) && failed++ == 0)
            command_describe_failure(s, unit, last, how);
        again += has_failed(last) && s->past[unit].late;
        if (last->exit == NO_TIME)
            add_late(&late, i + 1, (double)last->expected, (double)last->left, (double)last->chance);
    }
    if (failed > 0) {
        int n = snprintf(counts, sizeof counts, "%lld of %lld lines failed, the first is ", (long long)failed,
                         (long long)s->units);
        command_add(&text, counts, (size_t)n);
        command_add(&text, how, strlen(how));
    }
    if (again > 0) {
        int n = snprintf(counts, sizeof counts, "; %lld of them %s not retried, because no time was left",
                         (long long)again, again == 1 ? "was" : "were");
        command_add(&text, counts, (size_t)n);
    }
    if (late.n > 0) {
        int n = snprintf(
            counts, sizeof counts,
            "%s%lld of %lld lines %s not started, because no time was left: ", failed > 0 ? "; and " : "",
            (long long)late.n, (long long)s->units, late.n == 1 ? "was" : "were");
        command_add(&text, counts, (size_t)n);
        describe_late(&late, &text);
    }
    if (late.n > 0 || again > 0)
        plb_app_unfinished(app, "%s", text.at);
    else if (failed > 0)
        plb_app_failed(app, "%s", text.at);
    free(text.at);
    return PLB_OK;
}
