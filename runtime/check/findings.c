/* Sentences on stderr, where mistakes are told. */
#include "check/findings.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "app/application.h"
#include "base/log.h"

static_assert(PLB_MAX_DATA < 33, "each buffer has a place");

void plb_found(struct plb_findings *findings, enum plb_finding what, int buffer, const char *format, ...)
{
    char text[1000];
    va_list values;
    if (findings->seen[what][buffer + 1])
        return;
    findings->seen[what][buffer + 1] = true;
    findings->n++;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    plb_log(PLB_LOG_ERROR, "kernel %s: %s", findings->kernel, text);
}
