/* Columns of lines. */
#ifndef COMMAND_COLUMNS_H
#define COMMAND_COLUMNS_H

#include "input.h"

/* Cuts lines into columns where command.colsep matches, with NUL between them and without blanks around
 * them. `text` and `places` become those of the new lines. PLB_OK, or PLB_EINPUT after plb_app_error. */
int command_split_columns(struct plb_app *app, struct command_text *text, struct command_place *places,
                          int64_t units);

/* How many columns all lines have; 0: they differ. */
int command_common_columns(const char *text, const struct command_place *places, int64_t units);

#endif
