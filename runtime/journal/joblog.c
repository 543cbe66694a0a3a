/* Records to lines. */
#include "journal/joblog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "journal/found.h"
#include "journal/identity.h"

/* Facts that the lines need beside their record. */
struct joblog {
    const struct plb_found *found;
    char kernel[80], unit[40];
    const struct plb_record_pu *pus;
    size_t n_pus;
    long long seq;
    FILE *out;
};

/* The unit's name is in the text: "the number of UNITS". */
static void find_names(struct joblog *log)
{
    static const char before[] = "\nthe number of ";
    const char *at = strstr(log->found->job, before);
    plb_identity_value(log->found->job, "kernel", log->kernel, sizeof log->kernel);
    if (at != NULL)
        snprintf(log->unit, sizeof log->unit, "%.*s", (int)strcspn(at + sizeof before - 1, "\t\n"),
                 at + sizeof before - 1);
}

static const char *host_of(const struct joblog *log, int node)
{
    for (size_t p = 0; p < log->n_pus; p++)
        if (log->pus[p].node == node)
            return log->pus[p].host;
    return "?";
}

static void print_done(struct joblog *log, const struct plb_record_pass *pass,
                       const struct plb_record_done *done)
{
    char name[20], phase[80] = "", range[PLB_RANGE_TEXT];
    snprintf(name, sizeof name, "phase %d", pass->phase);
    plb_identity_value(log->found->job, name, phase, sizeof phase);
    fprintf(log->out, "%lld\t%.*s\t%.3f\t%10.3f\t%lld\t%lld\t0\t0\t%s%s%s, pass %d: %s\n", ++log->seq,
            (int)sizeof log->pus->host, host_of(log, done->node), done->start, done->seconds,
            (long long)done->sent, (long long)done->received, log->kernel, phase[0] != '\0' ? " " : "", phase,
            pass->pass, plb_range_print(done->first, done->count, log->unit, range));
}

/* A range that no job has is left out. */
static void print_possible(struct joblog *log, const struct plb_record_pass *pass,
                           const struct plb_record_done *done)
{
    if (done->first >= 0 && done->count > 0 && done->first <= INT64_MAX - done->count)
        print_done(log, pass, done);
}

static void print_record(struct joblog *log, const struct plb_record *record)
{
    struct plb_record_pass pass;
    if (record->type == PLB_RECORD_PUS) {
        log->pus = record->body;
        log->n_pus = record->bytes / sizeof *log->pus;
    }
    const struct plb_record_past *told = record->body;
    if (record->type == PLB_RECORD_PAST)
        for (size_t i = 0; i < record->bytes / sizeof *told; i++)
            print_possible(log, &told[i].of, &told[i].done);
    if (record->type != PLB_RECORD_DONE || record->bytes < sizeof pass)
        return;
    memcpy(&pass, record->body, sizeof pass);
    const struct plb_record_done *done = (const void *)((const char *)record->body + sizeof pass);
    for (size_t i = 0; i < (record->bytes - sizeof pass) / sizeof *done; i++)
        print_possible(log, &pass, &done[i]);
}

int plb_joblog_print(const char *file, FILE *out, struct plb_error *err)
{
    struct plb_found found;
    struct plb_record record;
    struct joblog log = {.found = &found, .unit = "units", .out = out};
    struct plb_journal_files files = {.path = strdup(file), .data = -1, .records = -1, .direct = -1};
    files.fd = open(file, O_RDONLY | O_CLOEXEC);
    if (files.path == NULL || files.fd < 0) {
        plb_fail(err, PLB_EINPUT, "journal %s: cannot be read: %s; correct the name", file, strerror(errno));
        plb_journal_files_close(&files);
        return err->status;
    }
    if (plb_found_read(&found, &files, err) == PLB_OK && found.what == PLB_FOUND_NOTHING)
        plb_fail(err, PLB_EINPUT, "journal %s: it is empty; name the journal of a run that has begun", file);
    if (err->status == PLB_OK) {
        find_names(&log);
        fputs("Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n", out);
        for (size_t at = 0; plb_record_read(found.bytes, found.end, &at, &record);)
            print_record(&log, &record);
    }
    plb_found_fini(&found);
    plb_journal_files_close(&files);
    return err->status;
}
