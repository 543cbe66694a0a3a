/* The guard of a rank: a process that kills the programs of a rank that has died, with all that they have
 * started. The kernel of the system does so for the programs themselves alone (PR_SET_PDEATHSIG). */
#ifndef COMMAND_GUARD_H
#define COMMAND_GUARD_H

#include <stdatomic.h>
#include <sys/types.h>

/* A place for a program's process group, which the program itself enters; NULL: there is none. The first call
 * starts the guard, where that can be. Any thread may call both. */
_Atomic pid_t *command_guard_take(void);

/* The program has ended. place: NULL is nothing. */
void command_guard_give_back(_Atomic pid_t *place);

#endif
