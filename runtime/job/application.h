/* The running application: what the functions of plb/kernel.h work on, and what they declared. */
#ifndef PLB_JOB_APPLICATION_H
#define PLB_JOB_APPLICATION_H

#include "base/error.h"
#include "core/cost.h"
#include "plb/kernel.h"
#include "job/phase.h"
#include "config/settings.h"

#define PLB_MAX_DATA 32
#define PLB_MAX_ARGS 4096

struct plb_app {
    const struct plb_kernel *kernel;
    const struct plb_settings *settings;
    bool simulated;
    int64_t units;
    int n_data;
    struct plb_data data[PLB_MAX_DATA];
    bool replaced[PLB_MAX_DATA];
    unsigned char args[PLB_MAX_ARGS];
    size_t args_bytes;
    int coming;                 /* the phase of the next pass */
    int running;                /* of the pass that runs, or of the last one */
    int passes[PLB_MAX_PHASES]; /* begun, by phase */
    void *state;
    void **memory;              /* from plb_app_alloc and the readers */
    int n_memory;
    struct plb_error err;
};

/* Runs the kernel's setup and checks what it declared. PLB_OK, or app->err says why not. */
int plb_app_setup(struct plb_app *app, const struct plb_kernel *kernel,
                  const struct plb_settings *settings, bool simulated);
void plb_app_fini(struct plb_app *app);

/* The work of the units by the `cost` of a phase. */
int plb_app_cost_map(struct plb_app *app, int phase, struct plb_cost_map *map);

/* A pass begins: counts it and returns its phase. */
int plb_app_begin_pass(struct plb_app *app);

/* Bytes of one unit on average: partitioned inputs, outputs; and of all that is replicated. */
double plb_app_unit_bytes(const struct plb_app *app, bool inputs, bool outputs);
double plb_app_replicated_bytes(const struct plb_app *app);

#endif
