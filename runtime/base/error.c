/* The first failure stays. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int plb_fail(struct plb_error *err, int status, const char *format, ...)
{
    if (err->status != PLB_OK)
        return err->status;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->status = status;
    return status;
}

void plb_append(struct plb_error *err, const char *text, const char *more)
{
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "%s%s", text, more);
}
