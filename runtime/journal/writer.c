/* The thread that writes. A batch is written in the order that journal.h promises. Where that fails, the
 * journal is what it was before, and the run goes on without it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/path.h"
#include "journal/identity.h"
#include "journal/inside.h"

/* Empties FILE, and writes its head. */
static bool write_head(struct plb_journal *j)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_record_job job = {.magic = {0}};
    char *identity = plb_identity_print(j->job, &err);
    if (identity == NULL) {
        plb_log(PLB_LOG_WARNING, "%s", err.text);
        errno = EIO;
        return false;
    }
    memcpy(job.magic, PLB_RECORD_MAGIC, sizeof job.magic);
    bool written = plb_journal_files_begin(&j->files);
    job.id = j->files.id;
    written = written
           && plb_record_append(j->files.fd, PLB_RECORD_JOB, &job, sizeof job, identity, strlen(identity));
    if (!written) {
        free(identity);
        return false;
    }
    plb_path_sync_folder(j->files.path);
    j->identity = identity;
    return true;
}

static bool write_begin(struct plb_journal *j, struct plb_batch *b)
{
    struct plb_record_pass pass = {b->of.pass, b->of.phase};
    b->of.id = j->files.id;
    if (j->identity == NULL && !write_head(j))
        return false;
    b->of.id = j->files.id;
    if (!j->told_pus
        && !plb_record_append(j->files.fd, PLB_RECORD_PUS, j->pus, (size_t)j->n_pus * sizeof *j->pus, "", 0))
        return false;
    j->told_pus = true;
    if (j->unmarked && !plb_journal_files_mark_data(&j->files))
        return false;
    j->unmarked = false;
    if (!b->begins)
        return true;
    if (j->files.records >= 0 && fdatasync(j->files.records) != 0) /* nothing makes those of earlier passes */
        return false;
    return plb_state_write_pass(j->files.pass_path, &b->of, &b->state, &j->job->app)
        && plb_record_append(j->files.fd, PLB_RECORD_DONE, &pass, sizeof pass, "", 0) && plb_writer_tell(j, b)
        && fdatasync(j->files.fd) == 0;
}

bool plb_writer_tell(const struct plb_journal *j, const struct plb_batch *b)
{
    return b->n_told == 0
        || plb_record_append(j->files.fd, PLB_RECORD_PAST, b->told, (size_t)b->n_told * sizeof *b->told, "",
                             0);
}

/* Appends the results of a batch. */
static bool append(const struct plb_journal *j, const struct plb_batch *b)
{
    struct plb_record_pass pass = {b->of.pass, b->of.phase};
    return b->n == 0
        || (plb_record_append(j->files.fd, PLB_RECORD_DONE, &pass, sizeof pass, b->done,
                              (size_t)b->n * sizeof *b->done)
            && fdatasync(j->files.fd) == 0);
}

static void end_reading(struct plb_journal *j)
{
    pthread_mutex_lock(&j->lock);
    j->reading = false;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
}

static bool write_batch(struct plb_journal *j, struct plb_batch *b)
{
    bool written = write_begin(j, b) && plb_journal_files_write(&j->files, &j->set, &b->units);
    double began = plb_thread_seconds();
    for (int i = 0; i < b->n; i++)
        b->done[i].sum = plb_journal_files_sum(&j->set,
                                               (struct plb_range){b->done[i].first, b->done[i].count});
    j->sums_s += plb_thread_seconds() - began;
    int reason = errno;
    end_reading(j);
    errno = reason;
    if (written && j->files.data >= 0 && b->n > 0)
        written = fdatasync(j->files.data) == 0;
    if (written && j->files.records >= 0 && b->n > 0) /* rank 0 has written them when it accepted them */
        written = fdatasync(j->files.records) == 0;
    if (written && j->sums_bytes > 0 && b->n > 0)
        written = plb_state_write_sums(j->files.sums_path, &b->of, &b->folded, b->sums, j->sums_bytes);
    return written && append(j, b);
}

static void empty(struct plb_batch *b)
{
    b->n = b->n_told = 0;
    b->begins = false;
    plb_rangeset_clear(&b->units);
}

static void *write_batches(void *journal)
{
    struct plb_journal *j = journal;
    pthread_mutex_lock(&j->lock);
    for (;;) {
        while (!j->handed && !j->ends)
            pthread_cond_wait(&j->changed, &j->lock);
        if (!j->handed)
            break;
        pthread_mutex_unlock(&j->lock);
        bool written = write_batch(j, &j->batch);
        if (!written)
            plb_log(PLB_LOG_WARNING,
                    "journal %s: cannot be written: %s; the run continues, but --resume can only start from "
                    "where the journal ends",
                    j->files.path, strerror(errno));
        empty(&j->batch);
        pthread_mutex_lock(&j->lock);
        j->broken = j->broken || !written;
        j->handed = false;
        pthread_cond_broadcast(&j->changed);
    }
    pthread_mutex_unlock(&j->lock);
    plb_log(PLB_LOG_DEBUG, "journal %s: its thread took %.3f s of CPU time, of which checksums took %.3f s",
            j->files.path, plb_thread_seconds(), j->sums_s);
    return NULL;
}

void plb_writer_start(struct plb_journal *j)
{
    sigset_t all, before;
    if (j->started)
        return;
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->changed, NULL);
    sigfillset(&all); /* signals are the communication thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    j->started = pthread_create(&j->thread, NULL, write_batches, j) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!j->started)
        plb_log(PLB_LOG_WARNING,
                "journal %s: its thread cannot be started; the run continues without a journal",
                j->files.path);
}

void plb_writer_hand_over(struct plb_journal *j)
{
    struct plb_batch batch = j->batch;
    j->batch = j->next;
    j->next = batch;
    plb_rangeset_clear(&j->batch.folded);
    for (int i = 0; i < j->folded.n; i++)
        plb_rangeset_add(&j->batch.folded, j->folded.at[i]);
    if (j->sums_bytes > 0 && j->batch.sums == NULL)
        j->batch.sums = plb_alloc(j->sums_bytes);
    plb_state_copy_sums(&j->set, j->batch.sums, false);
    j->next.of = j->batch.of;
    j->next.state = j->batch.state;
    pthread_mutex_lock(&j->lock);
    j->handed = j->reading = true;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
}

/* Reads a member under the lock. */
static bool look(struct plb_journal *j, const bool *member)
{
    if (!j->started)
        return false;
    pthread_mutex_lock(&j->lock);
    bool value = *member;
    pthread_mutex_unlock(&j->lock);
    return value;
}

bool plb_writer_is_busy(struct plb_journal *j)
{
    return look(j, &j->handed);
}

bool plb_writer_reads(struct plb_journal *j)
{
    return look(j, &j->reading);
}

bool plb_writer_is_broken(struct plb_journal *j)
{
    return !j->started || look(j, &j->broken);
}

void plb_writer_wait(struct plb_journal *j, bool all)
{
    if (!j->started)
        return;
    pthread_mutex_lock(&j->lock);
    while (j->reading || (all && j->handed))
        pthread_cond_wait(&j->changed, &j->lock);
    pthread_mutex_unlock(&j->lock);
}

void plb_writer_stop(struct plb_journal *j)
{
    if (!j->started)
        return;
    pthread_mutex_lock(&j->lock);
    j->ends = true;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    pthread_join(j->thread, NULL);
    pthread_mutex_destroy(&j->lock);
    pthread_cond_destroy(&j->changed);
    j->started = false;
}
