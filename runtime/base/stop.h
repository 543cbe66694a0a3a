/* SIGINT, SIGTERM and SIGHUP: the user, mpirun or a batch system wants the program to end. SIGUSR1: a batch
 * system will end it soon, and the run is to be over before.
 *
 * A run that is served looks at plb_stop_asked and ends in order. At other times, and at another signal
 * half a second later, the program ends at once, and temporary files are removed. The state is the process's,
 * since signals are. */
#ifndef PLB_BASE_STOP_H
#define PLB_BASE_STOP_H

#include <stdbool.h>

/* Takes over the four signals. Writing to a closed pipe, or beyond a limit on files, becomes an error of the
 * write instead of a signal. speaks: this process says so where it ends at once. Main thread, once. */
void plb_stop_prepare(bool speaks);

/* Takes them over again, whatever MPI or its libraries have installed meanwhile. Main thread. */
void plb_stop_take_back(void);

/* This process is a child of the one that has prepared: signals that ask for an end are for the parent. */
void plb_stop_leave_to_parent(void);

/* Whether somebody looks at plb_stop_asked from now on. */
void plb_stop_listen(bool listens);

/* Nobody looks, but the run is over, and the program ends when its outputs are written. A first signal
 * says so, until plb_stop_listen. */
void plb_stop_writes(void);

/* From now on SIGUSR1 is kept for plb_stop_wished; before, it ends the program as other signals do. */
void plb_stop_heed_wishes(void);

/* Whether a SIGUSR1 has come: the run is to end soon. A second one, half a second later while somebody
 * listens, asks for an end as SIGTERM does. */
bool plb_stop_wished(void);

/* The signal that has asked the program to end while it listened; 0: none. */
int plb_stop_asked(void);

/* Its name: "SIGINT". */
const char *plb_stop_name(void);

/* Ends the program at once, as the signal does by itself. */
void plb_stop_now(void);

/* The reason for an end has been told: one that follows at once says nothing more. mpirun ends all ranks by a
 * signal as soon as one fails. */
void plb_stop_is_explained(void);

/* A file that is removed where the program ends before plb_stop_keep: by a signal, a crash (host/crash.h) or
 * exit. Borrowed until then. Thread-safe. */
void plb_stop_remove(const char *path);

/* The file is to be kept, or is removed already. NULL: nothing. Thread-safe. */
void plb_stop_keep(const char *path);

/* Removes these files. A handler of a signal may call it. */
void plb_stop_clean(void);

#endif
