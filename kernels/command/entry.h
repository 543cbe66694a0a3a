/* The entry of the kernel. */
#ifndef COMMAND_ENTRY_H
#define COMMAND_ENTRY_H

struct plb_task;

int command_entry(const struct plb_task *task);

#endif
