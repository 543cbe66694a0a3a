/* Parts in the order of their declaration. */
#include "journal/state.h"

#include <string.h>

/* The bytes of an input that may change between passes. */
static size_t bytes_of(const struct plb_app *app, const struct plb_data *d)
{
    return d->mode == PLB_PARTITION ? (size_t)app->units * d->unit_bytes : d->bytes;
}

/* The memory of a pass's begin. Returns how many parts there are. */
static int list_parts(struct plb_pass_state *state, const struct plb_app *app,
                      struct plb_snapshot_part parts[1 + PLB_MAX_DATA + PLB_MAX_KEPT])
{
    int n = 0;
    parts[n++] = (struct plb_snapshot_part){state, sizeof *state};
    for (int i = 0; i < app->n_data; i++)
        if ((state->changed & (int64_t)1 << i) != 0)
            parts[n++] = (struct plb_snapshot_part){app->data[i].data, bytes_of(app, &app->data[i])};
    for (int i = 0; i < app->n_kept; i++)
        parts[n++] = (struct plb_snapshot_part){app->kept[i].data, app->kept[i].bytes};
    return n;
}

bool plb_state_write_pass(const char *path, const struct plb_snapshot *head,
                          const struct plb_pass_state *state, const struct plb_app *app)
{
    struct plb_snapshot_part parts[1 + PLB_MAX_DATA + PLB_MAX_KEPT];
    struct plb_pass_state copy = *state;
    int n = list_parts(&copy, app, parts);
    return plb_snapshot_write(path, head, parts, n);
}

/* Whether the passes before this one, by phase, are all that a run has had, and no other buffer is changed
 * than there can be. */
static bool is_possible(const struct plb_pass_state *state, int pass)
{
    int64_t before = 0;
    for (int i = 0; i < PLB_MAX_PHASES; i++) {
        if (state->passes[i] < 0)
            return false;
        before += state->passes[i];
    }
    return pass > 0 && before == pass - 1 && state->changed >> PLB_MAX_DATA == 0 && state->records >= 0;
}

/* Whether an input can be another one in a later pass: `next` replaces it, or results feed it. */
static bool may_change(const struct plb_app *app, int i)
{
    if (i >= app->n_data)
        return false;
    const struct plb_data *d = &app->data[i];
    return d->mode == PLB_REPLICATE || (d->mode == PLB_PARTITION && plb_files_find(&app->files, d->data) < 0);
}

/* Reads what follows the state. */
static bool read_parts(FILE *f, struct plb_pass_state *state, const struct plb_app *app, size_t bytes)
{
    struct plb_snapshot_part parts[1 + PLB_MAX_DATA + PLB_MAX_KEPT];
    size_t all = 0;
    for (int i = 0; i < PLB_MAX_DATA; i++)
        if ((state->changed & (int64_t)1 << i) != 0 && !may_change(app, i))
            return false;
    int n = list_parts(state, app, parts);
    for (int i = 0; i < n; i++)
        all += parts[i].bytes;
    bool read = all == bytes;
    for (int i = 1; i < n && read; i++)
        read = fread(parts[i].data, 1, parts[i].bytes, f) == parts[i].bytes;
    return read;
}

int plb_state_read_pass(const char *path, uint64_t id, struct plb_app *app, struct plb_pass_state *state,
                        int *pass)
{
    struct plb_snapshot head;
    size_t bytes;
    *pass = 0;
    FILE *f = plb_snapshot_open(path, id, &head, &bytes);
    if (f == NULL)
        return PLB_OK;
    bool read = fread(state, sizeof *state, 1, f) == 1 && is_possible(state, head.pass) && head.phase >= 0
             && head.phase < plb_phase_count(app->kernel) && read_parts(f, state, app, bytes);
    fclose(f);
    if (!read)
        return PLB_EINPUT;
    *pass = head.pass;
    app->coming = head.phase;
    for (int i = 0; i < PLB_MAX_PHASES; i++)
        app->passes[i] = state->passes[i];
    return PLB_OK;
}

size_t plb_state_sums_bytes(const struct plb_dataset *set)
{
    size_t bytes = 0;
    for (int i = 0; i < set->n; i++)
        bytes += set->at[i].mode == PLB_REDUCE ? set->at[i].bytes : 0;
    return bytes;
}

void plb_state_copy_sums(const struct plb_dataset *set, char *copy, bool out)
{
    for (int i = 0; i < set->n; i++) {
        if (set->at[i].mode != PLB_REDUCE)
            continue;
        memcpy(out ? set->host[i] : copy, out ? copy : set->host[i], set->at[i].bytes);
        copy += set->at[i].bytes;
    }
}

bool plb_state_write_sums(const char *path, const struct plb_snapshot *head,
                          const struct plb_rangeset *folded, const char *sums, size_t bytes)
{
    int64_t n = folded->n;
    const struct plb_snapshot_part parts[] = {
        {&n, sizeof n}, {folded->at, (size_t)n * sizeof *folded->at}, {(char *)sums, bytes}};
    return plb_snapshot_write(path, head, parts, 3);
}

/* Reads the units, and then the arrays. */
static bool read_sums(FILE *f, size_t all, int64_t units, struct plb_rangeset *folded, char *sums,
                      size_t bytes)
{
    int64_t n = (int64_t)((all - bytes) / sizeof(struct plb_range)), counted = 0;
    struct plb_range range;
    if (fread(&counted, sizeof counted, 1, f) != 1 || counted != n
        || all != sizeof counted + (size_t)n * sizeof range + bytes)
        return false;
    for (int64_t i = 0; i < n; i++) {
        if (fread(&range, sizeof range, 1, f) != 1 || range.first < 0 || range.count < 1
            || range.first > units - range.count)
            return false;
        plb_rangeset_add(folded, range);
    }
    return fread(sums, 1, bytes, f) == bytes;
}

bool plb_state_read_sums(const char *path, const struct plb_snapshot *of, int64_t units,
                         struct plb_rangeset *folded, char *sums, size_t bytes)
{
    struct plb_snapshot head;
    size_t all;
    FILE *f = plb_snapshot_open(path, of->id, &head, &all);
    plb_rangeset_clear(folded);
    if (f == NULL)
        return false;
    bool read = head.pass == of->pass && all >= sizeof(int64_t) + bytes
             && read_sums(f, all, units, folded, sums, bytes);
    fclose(f);
    if (!read)
        plb_rangeset_clear(folded);
    return read;
}
