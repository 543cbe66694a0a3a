/* Profiles as files: what a kernel took on a kind of processing unit, kept from run to run.
 *
 * There is one file per key, NAME.profile. It is an INI file that people can read, with the key, a line per
 * size measured, and a checksum. The key says what the kernel is, with the contents of its shared object, and
 * all that makes the PU what it is. The host is not in it, so that PUs of the same model share a file
 * wherever they are.
 *
 * A file is written whole or not at all. A file that is not what was written is renamed to
 * NAME.profile.damaged, and never believed. Thread-safe as far as the files are. */
#ifndef PLB_PROFILE_PROFILE_FILE_H
#define PLB_PROFILE_PROFILE_FILE_H

#include <stddef.h>

#include "base/error.h"
#include "base/name.h"
#include "profile/pool.h"

#define PLB_PROFILE_NAME 160 /* bytes of a file's name, with its end */

/* Texts without control characters, '#' and ';', and without spaces at their ends (plb_profile_clean). */
struct plb_profile_key {
    char kernel[64];   /* with the phase, where there are several */
    char build[17];    /* hash of the shared object, as 16 hexadecimal digits */
    char pu[PLB_NAME]; /* name */
    char kind[24];     /* "cpu", "emulated gpu", "simulated cpu" */
    int threads;
    char model[128]; /* the hardware, and what an emulation or simulation makes of it */
};

/* Writes $XDG_CACHE_HOME/plbrun/profiles, else $HOME/.cache/plbrun/profiles, into `folder`. False where
 * neither is an absolute path that fits. */
bool plb_profile_folder(char *folder, size_t size);

/* Makes the folder, for its owner alone, with those above it. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_profile_make_folder(const char *folder, struct plb_error *err);

/* Makes a text fit for a key. */
void plb_profile_clean(char *text);

/* Writes the name that the file of a key has in the folder. */
void plb_profile_name(const struct plb_profile_key *key, char name[PLB_PROFILE_NAME]);

/* Reads the profile of a key. Where there is no file: PLB_OK and no sample. Where the file cannot be read or
 * believed: no sample, PLB_EINPUT and a sentence. A damaged file (cut, changed, or of another key) has then
 * been set aside. */
int plb_profile_load(const char *folder, const struct plb_profile_key *key, struct plb_profile *profile,
                     struct plb_error *err);

/* Reads a file for a listing, and changes nothing. NULL, or in a few words what is wrong with the file. */
const char *plb_profile_examine(const char *path, struct plb_profile_key *key, struct plb_profile *profile);

/* Writes the file of a key. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_profile_save(const char *folder, const struct plb_profile_key *key, const struct plb_profile *profile,
                     struct plb_error *err);

#endif
