/* One row per format. */
#include "report/trace/trace_file.h"

#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "report/trace/gantt.h"
#include "report/trace/perfetto.h"

static const struct format {
    const char *ending;
    void (*print)(const struct plb_trace *trace, const struct plb_report *report, FILE *out);
} formats[] = {
    {".html", plb_gantt_print},
    {".json", plb_perfetto_print},
    {"", plb_perfetto_print},
};

static const struct format *format_of(const char *file)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(plb_path_ending(file), formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

bool plb_trace_has_format(const char *file)
{
    return format_of(file) != NULL;
}

int plb_trace_write(const struct plb_trace *trace, const struct plb_report *report, const char *file,
                    struct plb_error *err)
{
    const struct format *format = format_of(file);
    struct plb_file f;
    if (format == NULL)
        return plb_fail(err, PLB_EFAILED, "%s: no format of a trace has this ending", file);
    if (plb_file_create(&f, file, err) != PLB_OK)
        return err->status;
    format->print(trace, report, f.stream);
    return plb_file_commit(&f, err);
}
