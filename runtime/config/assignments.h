/* Settings of the command line, as texts section.key=value in their order. Of several for a key the last one
 * counts. */
#ifndef PLB_CONFIG_ASSIGNMENTS_H
#define PLB_CONFIG_ASSIGNMENTS_H

struct plb_assignments {
    char **at; /* owned */
    int n;
};

/* The last value of a key, such as "run.journal="; NULL: there is none. */
const char *plb_assigned(const struct plb_assignments *assignments, const char *key);

/* Adds the assignment that the two texts make together. */
void plb_assign(struct plb_assignments *assignments, const char *key, const char *value);

/* How many words of a command line come before its arguments for a command: those from the first ::: or
 * :::: on, with + or without. */
int plb_words_before_sources(int argc, char *const *argv);

/* Assigns such arguments, quoted, in one text. */
void plb_assign_sources(struct plb_assignments *assignments, char *const *words, int n);

/* A command is run without a conf file: adds what the user has not said. Its results go where those of the
 * programs would go. A joblog has a journal beside it, by which --resume goes on. */
void plb_assign_command(struct plb_assignments *assignments);

void plb_assignments_fini(struct plb_assignments *assignments);

#endif
