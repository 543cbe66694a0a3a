/* The cost of a control message for a rank, and that of the frame around it (transport/frame.h): a stream of
 * frames of 1 to 8 reports from rank 1 to rank 0, through the transport. Prints seconds of a thread for a
 * frame as it is sent and as it is received, and the line through them: so much for a frame, so much more for
 * each message. The least of several batches: noise only adds. Start with mpirun -np 2. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "transport/mpi.h"

#define FRAMES 4 /* on their way at once */
#define ROUNDS 3000
#define BATCHES 15
#define MOST 8 /* messages of a frame */

static void await(struct plb_mpi *mpi, struct plb_message *m)
{
    while (!plb_mpi_receive(mpi, m))
        plb_mpi_progress(mpi);
}

static struct plb_message message(int type, int from)
{
    return (struct plb_message){.type = type,
                                .protocol = PLB_PROTOCOL,
                                .size = (uint16_t)plb_message_size(type),
                                .from = from,
                                .to = 1 - from,
                                .pass = 1};
}

/* Seconds for a frame of so many reports. Rank 0 answers every FRAMES of them with an empty message. */
static double stream(struct plb_mpi *mpi, int rank, int reports)
{
    struct plb_message report = message(PLB_DONE, 1), answer = message(PLB_IDLE, 1), m;
    double busy = 0.0;
    report.done = (struct plb_done){.range = {0, 1}, .slot = PLB_NO_SLOT, .tasks = 1, .execute_s = 1e-3};
    answer.from = 0;
    answer.to = 1;
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0)
            await(mpi, &m);
        double began = plb_now();
        for (int i = 0; i < FRAMES && rank == 1; i++) {
            for (int k = 0; k < reports; k++)
                plb_mpi_send(mpi, &report);
            plb_mpi_flush(mpi);
            plb_mpi_progress(mpi);
        }
        for (int i = 1; i < FRAMES * reports && rank == 0; i++)
            await(mpi, &m);
        busy += plb_now() - began;
        if (rank == 0) {
            plb_mpi_send(mpi, &answer);
            plb_mpi_flush(mpi);
        } else {
            await(mpi, &m);
        }
    }
    return busy / (ROUNDS * FRAMES);
}

static void measure(struct plb_mpi *mpi, double *frame_s)
{
    for (int k = 1; k <= MOST; k++)
        frame_s[k] = INFINITY;
    for (int b = 0; b < BATCHES; b++)
        for (int k = 1; k <= MOST; k++) {
            frame_s[k] = fmin(frame_s[k], stream(mpi, plb_mpi_rank(mpi), k));
            plb_mpi_meet(mpi);
        }
}

static void print(const char *what, const double *frame_s)
{
    double each = (frame_s[MOST] - frame_s[1]) / (MOST - 1);
    printf(
        "%s a frame of 1, 2, 4, %d reports: %.2f, %.2f, %.2f, %.2f us: %.2f us for a frame, %.3f us for each "
        "message\n",
        what, MOST, 1e6 * frame_s[1], 1e6 * frame_s[2], 1e6 * frame_s[4], 1e6 * frame_s[MOST],
        1e6 * (frame_s[1] - each), 1e6 * each);
}

int main(int argc, char **argv)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_mpi *mpi = plb_mpi_open(&argc, &argv, 0, &err);
    double frame_s[MOST + 1];
    measure(mpi, frame_s);
    print(plb_mpi_rank(mpi) == 0 ? "to receive" : "to send   ", frame_s);
    plb_mpi_close(mpi, 10.0);
    return 0;
}
