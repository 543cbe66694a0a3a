/* CRASH for each task that may have crashed, and nothing more. */
#include "every_rank/last_words.h"

#include "base/clock.h"
#include "host/crash.h"

/* Tasks that a crash in a thread of the kernel's own may have been. More: a larger frame. Fewer: the innocent
 * are named alone. */
#define MOST 16

/* Seconds that the words may take to go out, behind what is on its way before them. The crash waits for half
 * a second. Larger: the process ends before. Smaller: the words may stay behind. */
#define DELIVERY 0.3

/* Seconds after which the signal should have ended the process, unless it writes a large core or a handler of
 * the kernel's own has stopped it. Larger: such a rank is silent for longer. Smaller: it goes on while it
 * ends. */
#define END 20.0
#define LOOK 1e-3 /* seconds between two looks of MPI meanwhile */

void plb_last_words_begin(const struct plb_rank *r)
{
    plb_crash_listen(r->rank0 == NULL);
}

void plb_last_words_end(void)
{
    plb_crash_listen(false);
}

/* The task is known by its PU and its units: its block and its pass are the node's. */
static void describe(struct plb_rank *r, const struct plb_crash_note *note, struct plb_message *m)
{
    struct plb_slice task = {.pass = r->pass};
    struct plb_range range = {note->first, note->count};
    plb_node_last_task(r->node, note->pu, range, &task);
    m->pu = note->pu;
    m->pass = task.pass;
    m->crash = (struct plb_crashed){
        .range = range, .block = task.block, .audit = task.audit, .signal = note->signal};
}

void plb_last_words_look(struct plb_rank *r)
{
    struct plb_crash_note notes[MOST];
    int n = plb_crash_noted(notes, MOST);
    if (n == 0)
        return;
    for (int i = 0; i < n; i++) {
        struct plb_message *m = plb_outbox_add(&r->out, PLB_CRASH, r->rank, 0, r->pass);
        describe(r, &notes[i], m);
        m->crash.others = n - 1 - i;
        plb_mpi_send(r->mpi, m);
    }
    r->out.n = 0;
    plb_mpi_flush(r->mpi);
    plb_mpi_drain(r->mpi, DELIVERY);
    plb_crash_announced();
    for (double end = plb_now() + END; plb_now() < end; plb_sleep_until(plb_now() + LOOK))
        plb_mpi_progress(r->mpi);
}
