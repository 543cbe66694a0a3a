/* The list of profiles on disk, for --profiles. */
#ifndef PLB_PROFILE_LISTING_H
#define PLB_PROFILE_LISTING_H

#include <stdio.h>

#include "base/error.h"

/* Prints the folder and a line per file. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_profiles_list(FILE *out, struct plb_error *err);

#endif
