/* Checks at the call; between two passes copies, or pointers that change places. */
#include "app/feeds.h"

#include <string.h>

#define ALIGNED 64 /* bytes: entries find parts of a buffer aligned where the buffer is */

static bool exists(const struct plb_app *app, int handle)
{
    return handle >= 0 && handle < app->n_data;
}

static bool has_begun(const struct plb_app *app)
{
    for (int i = 0; i < PLB_MAX_PHASES; i++)
        if (app->passes[i] > 0)
            return true;
    return false;
}

/* Whether setup has named this feed, or `next` before. */
static bool named(const struct plb_app *app, int output, int input)
{
    for (int i = 0; i < app->n_feeds; i++)
        if (app->feeds[i].input == input && app->feeds[i].output == output)
            return true;
    return false;
}

/* Why results of a buffer cannot feed another one; NULL: they can. */
static const char *refusal(const struct plb_app *app, int output, int input)
{
    const struct plb_data *from = exists(app, output) ? &app->data[output] : NULL,
                          *to = exists(app, input) ? &app->data[input] : NULL;
    if (from == NULL || from->mode != PLB_OUTPUT)
        return "the first handle is not that of an OUTPUT";
    if (to == NULL || (to->mode != PLB_PARTITION && to->mode != PLB_REPLICATE))
        return "the second handle is not that of a PARTITION or a REPLICATE";
    if (from->stays && (to->mode != PLB_PARTITION || (has_begun(app) && !named(app, output, input))))
        return "the results stay at their nodes; call plb_app_feed in setup as well, or leave out `stays`";
    if (to->data != NULL && plb_files_find(&app->files, to->data) >= 0)
        return "the input is in a file";
    if (to->mode == PLB_PARTITION)
        return to->unit_bytes == from->unit_bytes ? NULL : "the two have different unit_bytes";
    return to->bytes == (size_t)app->units * from->unit_bytes ? NULL : "the two have different sizes";
}

/* The feed of an input, perhaps a new one; NULL: there are too many. */
static struct plb_feed *feed_of(struct plb_app *app, int input)
{
    for (int i = 0; i < app->n_feeds; i++)
        if (app->feeds[i].input == input)
            return &app->feeds[i];
    return app->n_feeds < PLB_FEEDS ? &app->feeds[app->n_feeds++] : NULL;
}

void plb_app_feed(struct plb_app *app, int output, int input)
{
    const char *why = refusal(app, output, input);
    struct plb_feed *feed = why == NULL ? feed_of(app, input) : NULL;
    if (feed == NULL) {
        plb_app_error(app, "kernel %s: plb_app_feed(%d, %d): %s", app->kernel->name, output, input,
                      why != NULL ? why : "more than 8 inputs are fed");
        return;
    }
    *feed = (struct plb_feed){(int16_t)output, (int16_t)input, has_begun(app)};
}

/* Memory of two buffers changes places, where entries alone see the input, and find both alike. */
static bool swap(struct plb_dataset *set, const struct plb_feed *f)
{
    int in = f->input, out = f->output;
    void *input = set->host[in];
    bool alike = set->shared[in] == set->shared[out]
              && (uintptr_t)input % ALIGNED == (uintptr_t)set->host[out] % ALIGNED;
    if ((set->fed & PLB_BUFFER(in)) == 0 || !alike)
        return false;
    set->host[in] = set->host[out];
    set->host[out] = input;
    return true;
}

/* The contents of two places change places. */
static void exchange(char *a, char *b, size_t bytes)
{
    char piece[4096];
    for (size_t n; bytes > 0; a += n, b += n, bytes -= n) {
        n = bytes < sizeof piece ? bytes : sizeof piece;
        memcpy(piece, a, n);
        memcpy(a, b, n);
        memcpy(b, piece, n);
    }
}

void plb_feeds_put_back(const struct plb_app *app, struct plb_dataset *set)
{
    for (int i = 0; i < app->n_feeds; i++) {
        int in = app->feeds[i].input, out = app->feeds[i].output;
        if (set->host[in] != app->data[out].data || set->host[out] != app->data[in].data)
            continue;
        exchange(set->host[in], set->host[out], (size_t)app->units * app->data[out].unit_bytes);
        swap(set, &app->feeds[i]);
    }
}

int64_t plb_feeds_take(struct plb_app *app, struct plb_dataset *set, struct plb_pass *begin)
{
    int64_t changed = 0;
    begin->n_feeds = 0;
    for (int i = 0; i < app->n_feeds; i++) {
        struct plb_feed *f = &app->feeds[i];
        const struct plb_data *from = &app->data[f->output], *to = &app->data[f->input];
        bool split = to->mode == PLB_PARTITION;
        if (split)
            begin->feeds[begin->n_feeds++] = *f;
        if (f->now && !swap(set, f))
            memcpy(to->data, from->data, (size_t)app->units * from->unit_bytes);
        if (f->now && split)
            changed |= (int64_t)1 << f->input;
        app->replaced[f->input] |= f->now && !split;
        f->now = 0;
    }
    return changed;
}

bool plb_feeds_wait(const struct plb_app *app, int transfers)
{
    return app->n_feeds > 0 && transfers > 0;
}

/* The inputs that an output feeds, as a mask. */
static int64_t fed_by(const struct plb_app *app, int output)
{
    int64_t inputs = 0;
    for (int i = 0; i < app->n_feeds; i++)
        inputs |= app->feeds[i].output == output ? (int64_t)1 << app->feeds[i].input : 0;
    return inputs;
}

int64_t plb_feeds_staying(const struct plb_app *app)
{
    int64_t inputs = 0;
    for (int i = 0; i < app->n_data; i++) {
        const struct plb_data *d = &app->data[i];
        int64_t fed = d->mode == PLB_OUTPUT ? fed_by(app, i) : 0;
        if (d->mode == PLB_RECORDS)
            return 0;
        if (d->mode != PLB_OUTPUT)
            continue;
        if (!d->stays || fed == 0 || (fed & (fed - 1)) != 0 || plb_files_find(&app->files, d->data) >= 0)
            return 0;
        inputs |= fed;
    }
    return inputs;
}

int64_t plb_feeds_outputs(const struct plb_app *app)
{
    int64_t outputs = 0;
    for (int i = 0; i < app->n_feeds; i++)
        outputs |= (int64_t)1 << app->feeds[i].output;
    return outputs;
}

int64_t plb_feeds_inputs(const struct plb_app *app)
{
    int64_t inputs = 0;
    for (int i = 0; i < app->n_feeds; i++)
        inputs |= (int64_t)1 << app->feeds[i].input;
    return inputs;
}
