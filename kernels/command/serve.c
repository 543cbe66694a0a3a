/* Lines for a server. Each thread has one, which outlasts its tasks.
 *
 * A line on which a server ends, or is too late, has failed, where it was the only one that had no answer.
 * With several of them nobody knows which one it was: they are sent again, one at a time. A thread whose
 * servers have never answered leaves the run, so that a host on which they cannot work takes no lines. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forecast.h"
#include "lines.h"
#include "server.h"

/* Servers of a thread that may end before the first answer of any. More: a host on which they cannot work
 * takes longer to leave. Fewer: lines that end servers, at the begin of the list, may have it leave. */
#define MOST_SILENT 3

/* Seconds without the first answer after which a user hears of it. Larger: who has forgotten to flush waits
 * longer. Smaller: who loads a large model is bothered. */
#define SILENT 30.0

/* A later server may take so many times as long for its first answer as the longest one before. Larger: a
 * line that takes too long is noticed later. Smaller: a host that is busy now is blamed. */
#define STARTS 3.0

/* A thread's server. */
struct own {
    struct command_server server;
    double grace;
    int silent;      /* of its servers that have ended without an answer, before the first answer of any */
    bool answered;   /* one of them has */
    double starting; /* seconds that a first answer has taken at most; 0: not known */
    char host[65];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

/* Says in the end what a user would wonder about. */
static void complain(const struct own *own, const struct command_server *s, int status, int signal)
{
    size_t more = s->from.n - s->taken;
    if (more > 0)
        fprintf(stderr,
                "plbrun: warning: a server on %s wrote %zu bytes beyond its answers, so answers may belong "
                "to the wrong lines; each answer must be one line, or end as --answer-end says\n",
                own->host, more);
    if (signal == SIGTERM || signal == SIGKILL)
        fprintf(stderr,
                "plbrun: warning: a server on %s did not end within --grace after the end of its input, and "
                "was killed\n",
                own->host);
    else if (status != 0 || signal != 0)
        fprintf(stderr, "plbrun: warning: a server on %s ended with %s %d after the end of its input\n",
                own->host, signal != 0 ? "signal" : "status", signal != 0 ? signal : status);
}

/* The thread ends. */
static void end_own(void *memory)
{
    struct own *own = memory;
    struct command_server *s = &own->server;
    struct command_text text = {NULL, 0, 0};
    int status, signal;
    if (s->pid > 0) {
        command_server_end(s, own->grace, &status, &signal);
        command_server_errors(s, &text);
        if (text.n > 0)
            fwrite(text.at, 1, text.n, stderr);
        complain(own, s, status, signal);
        close(s->err);
    }
    free(text.at);
    free(s->to.at);
    free(s->from.at);
    free(own);
}

static void make_key(void)
{
    pthread_key_create(&key, end_own);
}

static struct own *own_of(const struct command_lines *r)
{
    pthread_once(&once, make_key);
    struct own *own = pthread_getspecific(key);
    if (own == NULL && (own = calloc(1, sizeof *own)) != NULL) {
        own->server.separator = r->spec->separator;
        own->server.end = r->spec->end > 0 ? command_text_of(r->spec, r->spec->end) : NULL;
        own->grace = r->spec->grace;
        snprintf(own->host, sizeof own->host, "%s", r->host.at);
        pthread_setspecific(key, own);
    }
    return own;
}

/* ------------------------------------------------------------------------ start */

static bool start(struct command_lines *r, struct own *own)
{
    const char *folder = r->spec->folder > 0 ? command_text_of(r->spec, r->spec->folder) : NULL;
    struct command_words words = {{NULL, 0, 0}, NULL, 0};
    int reason = ENOENT;
    command_make_server(r->spec, r->form, folder, &r->path, &words);
    struct command_child child = {words.argv, r->env, r->path.at, folder, 0.0, &r->progress};
    bool started = r->path.n > 0 && command_server_start(&own->server, &child, &reason);
    if (!started)
        r->failed = plb_task_leave(r->task, "the server %s cannot be started: %s", words.argv[0],
                                   strerror(reason));
    command_words_fini(&words);
    return started;
}

/* ------------------------------------------------------------------------ lines */

/* Lines of the task that were sent together. */
struct sent {
    const int64_t *units; /* of the task, from 0 */
    int64_t n;
    double at, before; /* when they were sent, or the last answer came: since 1970, and on our clock */
};

static void keep_errors(struct command_lines *r, struct own *own, int64_t number, bool wanted)
{
    struct command_text text = {NULL, 0, 0};
    command_server_errors(&own->server, &text);
    if (wanted && text.n > 0)
        plb_task_record(r->task, ERR, number - 1, text.at, text.n);
    free(text.at);
}

static void send_lines(struct command_lines *r, struct own *own, struct sent *sent)
{
    struct command_text text = {NULL, 0, 0};
    char count[24];
    if (r->spec->batches) {
        int n = snprintf(count, sizeof count, "%lld%c", (long long)sent->n, own->server.separator);
        command_server_send(&own->server, count, (size_t)n);
    }
    for (int64_t k = 0; k < sent->n; k++) {
        struct command_line line = command_line_at(r, sent->units[k]);
        text.n = 0;
        command_part_of((struct command_part){LINE, 0}, &line, &text);
        command_add(&text, &own->server.separator, 1);
        command_server_send(&own->server, text.at, text.n);
    }
    free(text.at);
    sent->at = command_time();
    sent->before = command_seconds();
}

/* last: the line is not sent again. */
static void finish_line(struct command_lines *r, struct sent *sent, int64_t unit, struct command_end *end,
                        int64_t received, bool last)
{
    struct command_line line = command_line_at(r, unit);
    struct command_outcome *outcomes = r->task->data[OUTCOME];
    double now = command_seconds();
    end->began = sent->at;
    end->took = now - sent->before;
    sent->at += end->took;
    sent->before = now;
    if (last)
        command_log(r, &line, end, (int64_t)line.n + 1, received);
    outcomes[unit] = (struct command_outcome){.exit = end->exit, .signal = end->signal, .where = r->where};
    command_progress_ended(&r->progress, unit + 1);
}

/* Waits for the answer to the first line of `sent` that has none. Says once in a process that the first
 * answer of all takes long, since there is a usual cause. */
static enum command_heard hear(struct command_lines *r, struct own *own, int64_t unit, double most,
                               const char **answer, size_t *n)
{
    static atomic_bool said;
    if (own->answered || atomic_load(&said) || (most > 0.0 && most < SILENT))
        return command_server_answer(&own->server, most, &r->progress, answer, n);
    enum command_heard heard = command_server_answer(&own->server, SILENT, &r->progress, answer, n);
    if (heard != COMMAND_LATE)
        return heard;
    if (!atomic_exchange(&said, true))
        fprintf(stderr,
                "plbrun: warning: the server on %s has not answered line %lld for %.0f s; it must read line "
                "by line and flush each answer\n",
                own->host, (long long)command_line_at(r, unit).number, SILENT);
    return command_server_answer(&own->server, most > 0.0 ? most - SILENT + COMMAND_LOOK : 0.0, &r->progress,
                                 answer, n);
}

/* Waits for answers. Returns how many have come; *heard: why not all. */
static int64_t take_answers(struct command_lines *r, struct own *own, struct sent *sent,
                            enum command_heard *heard)
{
    const char *answer;
    size_t n;
    for (int64_t k = 0; k < sent->n; k++) {
        double most = r->spec->timeout * (double)(sent->n - k);
        if (most > 0.0 && own->server.answers == 0)
            most += own->answered ? STARTS * own->starting + COMMAND_TERM : r->spec->start;
        *heard = hear(r, own, sent->units[k], most, &answer, &n);
        if (*heard != COMMAND_ANSWER)
            return k;
        int64_t unit = sent->units[k], number = r->task->first + unit;
        own->answered = true;
        if (own->server.answers == 1 && command_seconds() - sent->before > own->starting)
            own->starting = command_seconds() - sent->before;
        plb_task_record(r->task, OUT, number, answer, n);
        keep_errors(r, own, number + 1, true);
        struct command_end end = {.exit = 0};
        finish_line(r, sent, unit, &end, (int64_t)n, true);
        if (own->server.answers > 1) { /* the first one has loaded */
            struct command_line line = command_line_at(r, unit);
            command_note(r->form, *(const double *)r->task->data[COSTS] >= 0.0, r->spec->seconds,
                         command_cost(r, &line), end.took);
        }
    }
    return sent->n;
}

/* The last part of what a server has written to its standard error, without its newlines. */
static void last_words(const struct command_text *text, char words[80])
{
    size_t n = text->n;
    while (n > 0 && text->at[n - 1] == '\n')
        n--;
    size_t begin = n;
    while (begin > 0 && text->at[begin - 1] != '\n')
        begin--;
    snprintf(words, 80, "%.*s", (int)(n - begin), text->at != NULL ? text->at + begin : "");
}

/* The server has ended, or is to be ended. Of lines without an answer, a single one has failed. */
static void lose(struct command_lines *r, struct own *own, struct sent *left, enum command_heard heard)
{
    const uint8_t *todo = (const uint8_t *)r->task->data[TODO] + r->task->first;
    struct command_text text = {NULL, 0, 0};
    struct command_end end = {.exit = 0};
    char words[80];
    command_server_end(&own->server, heard == COMMAND_CANCELLED ? -1.0 : 0.0, &end.exit, &end.signal);
    if (heard == COMMAND_LATE)
        end.exit = -1;
    else if (end.exit == 0 && end.signal == 0) /* it should not have ended */
        end.exit = 1;
    command_server_errors(&own->server, &text);
    close(own->server.err);
    own->silent += !own->answered;
    last_words(&text, words);
    if (heard != COMMAND_CANCELLED && left->n == 1) {
        bool last = (todo[left->units[0]] & LAST) != 0;
        int64_t unit = left->units[0];
        if (last && text.n > 0)
            plb_task_record(r->task, ERR, r->task->first + unit, text.at, text.n);
        finish_line(r, left, unit, &end, 0, last);
    }
    free(text.at);
    if (own->silent == MOST_SILENT && heard != COMMAND_CANCELLED)
        r->failed = plb_task_leave(r->task, "%d servers ended without an answer, %s %d%s%s", MOST_SILENT,
                                   end.signal != 0 ? "signal" : "status",
                                   end.signal != 0 ? end.signal : end.exit, words[0] != '\0' ? ": " : "",
                                   words);
}

static void refuse_chatter(struct command_lines *r, const struct own *own, int64_t unit)
{
    const struct command_server *s = &own->server;
    int n = (int)strcspn(s->from.at + s->taken, "\n");
    r->failed = plb_task_error(
        r->task,
        "before line %lld was sent, its server had written '%.*s': each answer is one line, "
        "or ends as --answer-end says",
        (long long)command_line_at(r, unit).number, n < 60 ? n : 60, s->from.at + s->taken);
}

bool command_serve_lines(struct command_lines *r, const int64_t *units, int64_t n)
{
    struct own *own = own_of(r);
    enum command_heard heard = COMMAND_ANSWER;
    int64_t alone = 0; /* lines before this one are sent alone */
    if (own == NULL)
        r->failed = plb_task_error(r->task, "no memory for a server");
    for (int64_t at = 0; at < n && units[at] < r->progress.count && r->failed == 0
                         && command_progress_goes_on(&r->progress);) {
        struct sent sent = {units + at, r->spec->batches && at >= alone ? n - at : 1, 0.0, 0.0};
        if (own->server.pid <= 0 && !start(r, own))
            break;
        if (command_server_chatters(&own->server)) {
            refuse_chatter(r, own, units[at]);
            break;
        }
        send_lines(r, own, &sent);
        /* Those that are sent alone have been with a server that ended: elsewhere that would not be known. */
        command_progress_begun(&r->progress, at < alone ? 0 : units[at + sent.n - 1] + 1);
        int64_t answered = take_answers(r, own, &sent, &heard);
        at += answered;
        if (answered == sent.n)
            continue;
        struct sent left = {units + at, sent.n - answered, sent.at, sent.before};
        lose(r, own, &left, heard);
        alone = left.n > 1 ? at + left.n : alone;
        at += left.n == 1;
    }
    return heard != COMMAND_CANCELLED;
}
