/* The arguments of a program as a shell reads them. Thread-safe. */
#ifndef PLB_CONFIG_COMMAND_LINE_H
#define PLB_CONFIG_COMMAND_LINE_H

/* One text, to be freed by the caller; NULL where memory is short. */
char *plb_command_line(int argc, char *const *argv);

#endif
