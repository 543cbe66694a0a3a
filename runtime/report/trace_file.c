/* One row per format. The first whose ending fits is taken. */
#include "report/trace_file.h"

#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "report/gantt.h"
#include "report/perfetto.h"

static const struct format {
    const char *ending;
    void (*print)(const struct plb_trace *trace, const struct plb_report *report, FILE *out);
} formats[] = {
    {".html", plb_gantt_print}, {"", plb_perfetto_print}, /* fits every name */
};

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), last = strlen(ending);
    return last == 0 || (length > last && strcmp(name + length - last, ending) == 0);
}

int plb_trace_write(const struct plb_trace *trace, const struct plb_report *report, const char *file,
                    struct plb_error *err)
{
    const struct format *format = formats;
    struct plb_file f;
    while (!ends_in(file, format->ending))
        format++;
    if (plb_file_create(&f, file, err) != PLB_OK)
        return err->status;
    format->print(trace, report, f.stream);
    return plb_file_commit(&f, err);
}
