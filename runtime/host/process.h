/* Other processes of this machine, by their numbers. A number is used again when its process has ended, so a
 * process is told by its number and the time of its start. Thread-safe. */
#ifndef PLB_HOST_PROCESS_H
#define PLB_HOST_PROCESS_H

/* The time at which a process has started, in the system's ticks; 0: it cannot be seen. */
long long plb_process_started(int pid);

/* Its state as /proc says it: 'R', 'S', 'T' ...; '?': it cannot be seen. */
char plb_process_state(int pid);

/* A pidfd of the process with this number and start; the caller closes it. Negative: it has ended, or this
 * system cannot do it. */
int plb_process_open(int pid, long long started);

#endif
