/* The running application: what its kernel has declared, and where it is in its passes. On rank 0 alone. The
 * kernel changes it through the functions of plb/kernel.h (kernel_calls.c). Not thread-safe. */
#ifndef PLB_APP_APPLICATION_H
#define PLB_APP_APPLICATION_H

#include "app/files.h"
#include "app/parts.h"
#include "app/phase.h"
#include "app/results.h"
#include "base/error.h"
#include "config/settings.h"
#include "core/message/message.h"
#include "core/work/cost.h"
#include "plb/kernel.h"

#define PLB_MAX_DATA 32   /* buffers of an application; a mask of them fits an int64_t */
#define PLB_MAX_KEPT 32   /* memory that the kernel keeps from pass to pass */
#define PLB_MAX_ARGS 4096 /* bytes of the constant block; larger data is declared as replicated */

/* Memory in which the kernel keeps something from pass to pass. */
struct plb_kept {
    void *data;
    size_t bytes;
};

/* Memory that the application owns. */
struct plb_owned {
    void *data;
    size_t bytes; /* of pages of its own; 0: it came from malloc */
    int fd;       /* of the file that has these pages; -1: none */
    bool huge;    /* the file's pages are */
};

struct plb_record_store;

struct plb_app {
    const struct plb_kernel *kernel;
    const struct plb_settings *settings;
    bool simulated, dry_run, resumes;
    bool shares;    /* plb_app_alloc gives memory that is shared with child processes */
    bool host_maps; /* plb_app_alloc gives large memory in files, for other ranks of this host */
    int64_t units;
    const int64_t *order; /* of units in files of records; NULL: ascending */
    const double *costs;  /* of units; NULL: as the kernel's functions say */
    int programs;         /* for each GPU of a host, if the kernel starts programs there; else 0 */
    double until;         /* plb_now() when no task goes on; infinite: nobody limits the time */
    int64_t multiple;     /* units in which tasks are best counted; 0: not said */
    int64_t chunk;        /* units of a chunk (app/chunks.h); 0: there are none */
    int n_data;
    struct plb_data data[PLB_MAX_DATA];
    bool replaced[PLB_MAX_DATA];      /* since the last pass */
    struct plb_parts parts;           /* that have changed since then, also of replaced ones */
    struct plb_feed feeds[PLB_FEEDS]; /* that the kernel has named (app/feeds.h); now: since the last pass */
    int n_feeds;
    bool gathers; /* the results of the coming pass are wanted on rank 0 when it has ended */
    struct plb_kept kept[PLB_MAX_KEPT];
    int n_kept;
    unsigned char args[PLB_MAX_ARGS];
    size_t args_bytes;
    int coming;                 /* the phase of the next pass */
    int running;                /* the phase of the pass that runs, or of the last one */
    int passes[PLB_MAX_PHASES]; /* passes begun, by phase */
    void *state;                /* the kernel's own */
    struct plb_results results; /* declared; nothing of them is written in a simulation */
    struct plb_files files;     /* that are the memory of buffers */
    char **read;                /* paths of the files that the kernel has had read; owned */
    int n_read;
    struct plb_owned *memory; /* from plb_app_alloc and the readers */
    int n_memory;
    enum { PLB_IN_THE_END, PLB_AS_THEY_COME, PLB_IN_ORDER } streams; /* records (plb_app_stream_records) */
    struct plb_record_store *records; /* NULL: no buffer has records, or none are made */
    struct plb_error err;             /* the first mistake that the kernel or a check has described */
    struct plb_error failed;          /* a run that has done its work fails for this reason */
    bool unfinished;                  /* there, since the time was not enough */
    struct {
        bool asked, at_once;
        struct plb_error why; /* PLB_OK: the run ends well */
    } halt;                   /* the run ends early (plb_app_halt) */
};

/* The purpose that an application is set up for. */
struct plb_app_mode {
    bool simulated, dry_run, resumes;
    bool shares;    /* child processes execute tasks */
    bool host_maps; /* other ranks of this host map its memory */
    double left_s;  /* until no task goes on; infinite: nobody limits the time */
};

/* Runs the kernel's setup and checks what it declared. Returns PLB_OK;
 * or another status, and app->err has the sentence. Kernel and settings are borrowed until fini. */
int plb_app_setup(struct plb_app *app, const struct plb_kernel *kernel, const struct plb_settings *settings,
                  struct plb_app_mode mode);

/* Whether memory is the application's, or a result's file, and shared with child processes. */
bool plb_app_shares(const struct plb_app *app, const void *data);

/* Makes the application the owner of memory from malloc, which it returns. */
void *plb_app_own(struct plb_app *app, void *memory);

/* The application's memory at this address that is in a file; NULL: there is none. */
const struct plb_owned *plb_app_mapped(const struct plb_app *app, const void *data);

/* Frees the application's memory. */
void plb_app_fini(struct plb_app *app);

/* Asks the kernel for the cost of the units in a phase. PLB_OK; or another status, and app->err has the
 * sentence. The caller releases the map. */
int plb_app_cost_map(struct plb_app *app, int phase, struct plb_cost_map *map);

/* Whether a function that the kernel calls was given the name of a file. plb_app_text gives NULL where the
 * user has named none, and that is a mistake of the kernel. */
bool plb_app_has_path(struct plb_app *app, const char *path, const char *function);

/* The same of a function that reads the file: it is noted, so that no output overwrites it. */
bool plb_app_reads(struct plb_app *app, const char *path, const char *function);

/* Which replicated buffers have changed since the last call: bit i is buffer i. `parts` gets those of which
 * only parts have. */
int64_t plb_app_take_replaced(struct plb_app *app, struct plb_parts *parts);

/* Begins a pass: counts it, and returns its phase. */
int plb_app_begin_pass(struct plb_app *app);

/* Bytes of partitioned inputs of one unit, on average. */
double plb_app_unit_bytes(const struct plb_app *app);

#endif
