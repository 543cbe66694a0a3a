/* One write for each line, so that the lines of several ranks do not mix. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void plb_say(const char *format, ...)
{
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "plbrun: %s\n", line);
}
