#include "meter/read_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool plb_meter_line(const char *folder, const char *name, char *line, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    bool read = file != NULL && fgets(line, (int)size, file) != NULL;
    if (read)
        line[strcspn(line, "\n")] = '\0';
    if (file != NULL)
        fclose(file);
    return read;
}

bool plb_meter_number(int fd, uint64_t *number)
{
    char text[32], *end;
    ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (n <= 0)
        return false;
    text[n] = '\0';
    errno = 0;
    *number = strtoull(text, &end, 10);
    return end != text && errno == 0 && text[0] != '-';
}
