/* Small files of sysfs. */
#ifndef PLB_METER_READ_FILE_H
#define PLB_METER_READ_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line of folder/name, without its newline. False where there is none. */
bool plb_meter_line(const char *folder, const char *name, char *line, size_t size);

/* The number at the begin of an open file, as it is now. False where there is none. */
bool plb_meter_number(int fd, uint64_t *number);

#endif
