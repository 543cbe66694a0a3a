/* Results of any length per unit, results as text, and how a run ends that has done its work and yet has
 * failed: a part of the kernel API (plb/kernel.h, which includes it). */
#ifndef PLB_RECORDS_H
#define PLB_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plb_app;
struct plb_task;

/* Appends bytes to the record of a unit of this task, in a buffer of mode PLB_RECORDS; n = 0: the record may
 * stay empty. A record is what all calls for the unit have appended, in their order. In a later pass the
 * unit's first call begins a new record; a unit without a call keeps the one that it has. A task holds its
 * records in memory until rank 0 has them. Returns 0; or 1 where the task has no such unit, or has reported
 * it (plb_task_report), and then nothing is appended. Any thread of the entry may call it. */
int plb_task_record(const struct plb_task *task, int buffer, int64_t unit, const void *bytes, size_t n);

/* Says in setup that the records of this buffer are a result: the file has `head` (NULL: nothing), and then
 * the records of all units, in their order. Everything else is as with plb_app_save_npy, but for the room,
 * which nobody knows before. The texts are copied. */
void plb_app_save_records(struct plb_app *app, const char *path, int buffer, const char *head);

/* The same of records that tell how the run went. They are also written where it ends early: those of the
 * units that have ended. */
void plb_app_save_log(struct plb_app *app, const char *path, int buffer, const char *head);

/* Says in setup that the job has a result as text. plbrun calls `print` when `finish` has returned PLB_OK, to
 * print all of it to a stream. Everything else is as with plb_app_save_npy, but for the room, which nobody
 * knows before: so `print` is also called for a result that does not verify, and with --keep-partial for one
 * of which units are missing, whose outputs are zero. The path is copied. */
void plb_app_save_text(struct plb_app *app, const char *path,
                       void (*print)(const struct plb_app *app, FILE *out));

/* Says in setup that people or programs wait for records. Records that are saved to an open descriptor, such
 * as /dev/stdout, and without a head, are then written there as they arrive, and not in the end. The records
 * of a unit stand together, in the order of plb_app_save_records. in_order: units stand in their order, so
 * that one waits for all before it. A unit's are written once; where several passes make one, it is the
 * first. So a kernel that may try a unit again appends nothing before its last try. A log (plb_app_save_log)
 * grows as units end, and is in their order in the end. A run that goes on by its
 * journal writes the rest. Other paths are files that are complete or not there, as ever. */
void plb_app_stream_records(struct plb_app *app, bool in_order);

/* Says in setup that files and streams have records in another order than that of the units: first those of
 * unit order[0], then order[1], and so on; a permutation of all units. Borrowed until the run ends. */
void plb_app_order_records(struct plb_app *app, const int64_t *order);

/* Says in `finish` that the run has done its work and yet has failed, as a program that ends with a status:
 * results are written, and then the run ends with status 1 and this sentence. The first one counts. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void plb_app_failed(struct plb_app *app, const char *format, ...);

/* The same, in `next` or in `finish`, where work is left for want of time: a journal stays, so that
 * --resume goes on. Said in `next`, records that wait for others in their order go on waiting. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void plb_app_unfinished(struct plb_app *app, const char *format, ...);

/* Says in `heard` that the run ends early: no new task starts. at_once: tasks that run are cancelled; else
 * they end before. Then the run ends as after its last pass, and is complete; or, where there is a format,
 * with status 1 and this sentence, and may go on later by its journal. The first call counts. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void plb_app_halt(struct plb_app *app, bool at_once, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
