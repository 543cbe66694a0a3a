/* A call in a thread of its own, which has ended when this returns. Functions of a kernel are called so: the
 * main thread forks, and a child can use OpenMP only if the thread that has forked it never did. */
#ifndef PLB_CHECK_ASIDE_H
#define PLB_CHECK_ASIDE_H

void plb_aside(void (*call)(void *context), void *context);

#endif
