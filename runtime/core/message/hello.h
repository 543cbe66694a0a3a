/* The body of a HELLO: a node's PU, and the program that it runs. */
#ifndef PLB_CORE_MESSAGE_HELLO_H
#define PLB_CORE_MESSAGE_HELLO_H

#include <stdint.h>

#include "base/kernel_identity.h"
#include "base/name.h"
#include "plb/balancer.h"

/* A node's description of one of its PUs. */
struct plb_pu_info {
    int32_t node, local; /* rank, and number on that node */
    enum plb_pu_kind kind;
    int16_t broken, meter; /* its device could not be opened: it is given nothing; enum plb_pu_meter */
    double power;          /* as given, or a guess from the hardware; only ratios matter */
    double memory;         /* bytes it can hold; infinite where it is the host's */
    double task_bytes; /* of inputs and results in one task, so that its copies hide behind other tasks, or
                          stay in a cache; 0: no wish */
    double start_s;    /* seconds of an empty task, as its device measured: what a task costs at least */
    char name[PLB_NAME], host[PLB_HOST_NAME];
    char cores[24]; /* cores it may use, as a list; "" where that means nothing */
    int32_t threads;
    char model[PLB_NAME];               /* of the hardware; "" in a simulation */
    char id[60];                        /* a GPU's PCI bus id and UUID, else "" */
    double static_watts, dynamic_watts; /* all the time, and besides while it works; NAN: not known */
};

struct plb_hello {
    struct plb_pu_info pu;
    struct plb_kernel_identity build; /* two nodes that differ must not compute together */
    char kernel_file[104];            /* path of the kernel's .so, or its end */
    int32_t pus;                      /* that the node has */
};

#endif
