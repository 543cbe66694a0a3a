/* Where paths lead. Thread-safe; results are released with free(). */
#ifndef PLB_BASE_PATH_H
#define PLB_BASE_PATH_H

/* The folder of a path, "." where it names none. */
char *plb_path_folder(const char *path);

/* The ending of a file's name, from its last dot on; "" where the last part of the path has none, or begins
 * with it. Borrowed from the path. */
const char *plb_path_ending(const char *path);

/* Where a path leads through symbolic links, whether a file is there or not. It ends at a name of an open
 * descriptor. NULL: the links have no end. */
char *plb_path_target(const char *path);

/* Syncs the folder of a file, so that its name is on disk, too, where the file system can do that. Keeps
 * errno. */
void plb_path_sync_folder(const char *path);

/* The open descriptor of this process that a path names: "/dev/stdout", "/dev/fd/3", "/proc/self/fd/3"; else
 * -1. */
int plb_path_descriptor(const char *path);

#endif
