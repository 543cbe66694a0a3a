/* Profiles on disk: what a kernel took on a kind of processing unit, kept from run to run.
 *
 * One file per key, NAME.profile: an INI file for people with the key, a line per size measured and a
 * checksum. The key is the kernel, the contents of its shared object, and all that makes the PU what
 * it is; not the host, so that PUs of the same model share a file wherever they are. A file is
 * written whole or not at all; one that is not what was written is renamed to NAME.profile.damaged
 * and never believed. Thread-safe as far as the files are. */
#ifndef PLB_PROFILE_PROFILE_FILE_H
#define PLB_PROFILE_PROFILE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "plb/balancer.h"

#define PLB_PROFILE_ROWS 32
#define PLB_PROFILE_NAME 160    /* room for a file's name */
#define PLB_PROFILE_SPREAD 1.5  /* largest over smallest size: below, a profile has no shape */

/* Texts without control characters, '#' and ';', and without spaces at their ends (plb_profile_clean). */
struct plb_profile_key {
    char kernel[64];
    char build[17];             /* hash of the shared object, as 16 hexadecimal digits */
    char pu[32];                /* name */
    char kind[24];              /* "cpu", "emulated gpu", "simulated cpu" */
    int threads;
    char model[128];            /* the hardware, and what an emulation or simulation makes of it */
};

/* By size. In a sample, `work` is the kernel's cost of a task, whatever the input it was measured on;
 * time is 0. */
struct plb_profile {
    int n;
    struct plb_sample at[PLB_PROFILE_ROWS];
};

/* $XDG_CACHE_HOME/plbrun/profiles, else $HOME/.cache/plbrun/profiles, into `folder`; false where
 * neither is an absolute path that fits. */
bool plb_profile_folder(char *folder, size_t size);

/* Makes the folder, for its owner alone, with those above it. PLB_EFAILED and a sentence. */
int plb_profile_make_folder(const char *folder, struct plb_error *err);

/* Makes a text fit for a key. */
void plb_profile_clean(char *text);

/* Hashes a file's contents; false where it cannot be read. */
bool plb_profile_build(const char *file, char build[17]);

/* The file's name in the folder. */
void plb_profile_name(const struct plb_profile_key *key, char name[PLB_PROFILE_NAME]);

/* Reads the profile of a key; no file is PLB_OK and no sample. Otherwise no sample, a status and a
 * sentence; what is damaged (cut, changed, of another key) has then been set aside. */
int plb_profile_load(const char *folder, const struct plb_profile_key *key, struct plb_profile *profile,
                     struct plb_error *err);

/* Reads a file for a listing: NULL, or in a few words what is wrong with it. Changes nothing. */
const char *plb_profile_examine(const char *path, struct plb_profile_key *key, struct plb_profile *profile);

int plb_profile_save(const char *folder, const struct plb_profile_key *key, const struct plb_profile *profile,
                     struct plb_error *err);

/* Chooses what is kept of any number of samples: the sizes are divided into classes, equal on a
 * logarithmic scale, and each gives the one of median speed. The first `old` samples come from an
 * earlier profile: they stand only in classes that have nothing newer. Samples that are not finite
 * and positive are left out. */
void plb_profile_pool(const struct plb_sample *samples, int n, int old, struct plb_profile *profile);

/* Whether the sizes differ enough for a profile. */
bool plb_profile_spreads(const struct plb_profile *profile);

#endif
