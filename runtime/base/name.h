/* How long the names of hosts, PUs and models of hardware may be. */
#ifndef PLB_BASE_NAME_H
#define PLB_BASE_NAME_H

/* Bytes of a host's name, and of the name of a PU or a model, with their ends; longer ones are cut. Larger:
 * HELLO does not travel at once (core/message/message.c). Smaller: names lose their ends, where they differ.
 * Linux allows hosts 64, and a CPU tells its model in 48. */
#define PLB_HOST_NAME 64
#define PLB_NAME 48

#endif
