/* Reserved addresses, and sets of units. */
#include "node/memory/mirror.h"

#include <stdlib.h>

#include "base/memory.h"

#define NONE (-1)

/* Results that become inputs. */
struct fed {
    int pass, since;          /* the one that runs; the first one with these inputs */
    int from[PLB_MAX_DATA];   /* by input: the output that feeds it, or NONE */
    char *next[PLB_MAX_DATA]; /* by input: the place of its results; NULL: none */
    struct plb_rangeset
        given; /* units whose place of results a task has in this pass, or an older one still */
    struct plb_rangeset made; /* units whose results are there, and were reported */
    struct plb_rangeset
        twice; /* units of several tasks of this pass: the result that is elsewhere may count */
    struct plb_rangeset last; /* the same of the last pass: now they are in the place of the input */
    struct plb_rangeset held; /* units in whose places a task of an older pass may read or write */
    struct plb_rangeset
        owned[PLB_MAX_DATA];  /* by input: units whose input is a result of this rank that counted */
    int64_t now;              /* mask of the inputs that were fed last */
    struct plb_rangeset sent; /* units whose results, now in the place of the input, are still sent */
};

struct plb_mirror {
    const struct plb_dataset *set;
    int64_t buffers; /* mask of those that have a place */
    char *at[PLB_MAX_DATA];
    size_t bytes[PLB_MAX_DATA];   /* of the whole buffer */
    bool shared, short_of_room;   /* since the pass began, a task found none */
    struct plb_page_locks *locks; /* of its pages; or NULL */
    double room;                  /* bytes */
    int64_t before, after;        /* units of the widest halo */
    struct plb_rangeset taken;    /* units that room was taken for */
    struct plb_rangeset here;     /* of these, those whose inputs have arrived */
    struct plb_rangeset coming;   /* units that are being pulled */
    struct plb_rangeset used;     /* units of tasks since the pass began */
    struct plb_rangeset left;     /* units whose places are used no more */
    struct fed fed;
};

int64_t plb_mirror_buffers(const struct plb_mirror *m)
{
    return m != NULL ? m->buffers : 0;
}

struct plb_mirror *plb_mirror_new(const struct plb_dataset *set, double most, bool shared,
                                  struct plb_page_locks *locks)
{
    int64_t buffers = plb_dataset_pulled(set);
    bool there = true;
    size_t offset;
    if (buffers == 0 || !(most > 0.0))
        return NULL;
    struct plb_mirror *m = plb_alloc(sizeof *m);
    *m = (struct plb_mirror){.set = set, .buffers = buffers, .shared = shared, .locks = locks, .room = most};
    for (int i = 0; i < PLB_MAX_DATA; i++)
        m->fed.from[i] = NONE;
    for (int i = 0; i < set->n; i++) {
        if ((buffers & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(set, i, (struct plb_range){0, set->units}, &offset, &m->bytes[i]);
        m->bytes[i] += offset; /* offsets may begin above 0 */
        m->before = set->at[i].before > m->before ? set->at[i].before : m->before;
        m->after = set->at[i].after > m->after ? set->at[i].after : m->after;
        m->at[i] = plb_reserve(m->bytes[i], shared);
        m->fed.next[i] = (set->fed & PLB_BUFFER(i)) != 0 ? plb_reserve(m->bytes[i], shared) : NULL;
        there = there && m->at[i] != NULL;
    }
    if (there)
        return m;
    plb_mirror_free(m);
    return NULL;
}

void plb_mirror_free(struct plb_mirror *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        plb_shared_free(m->at[i], m->bytes[i]);
        plb_shared_free(m->fed.next[i], m->bytes[i]);
        plb_rangeset_fini(&m->fed.owned[i]);
    }
    plb_rangeset_fini(&m->fed.given);
    plb_rangeset_fini(&m->fed.made);
    plb_rangeset_fini(&m->fed.twice);
    plb_rangeset_fini(&m->fed.last);
    plb_rangeset_fini(&m->fed.held);
    plb_rangeset_fini(&m->fed.sent);
    plb_rangeset_fini(&m->taken);
    plb_rangeset_fini(&m->here);
    plb_rangeset_fini(&m->coming);
    plb_rangeset_fini(&m->used);
    plb_rangeset_fini(&m->left);
    free(m);
}

static double bytes_of(const struct plb_mirror *m, const struct plb_rangeset *units)
{
    double sum = 0.0;
    for (int i = 0; i < m->set->n; i++)
        if ((m->buffers & PLB_BUFFER(i)) != 0)
            for (int k = 0; k < units->n; k++) {
                size_t offset, bytes;
                plb_dataset_bytes(m->set, i, units->at[k], &offset, &bytes);
                sum += (m->fed.next[i] != NULL ? 2.0 : 1.0) * (double)bytes;
            }
    return sum;
}

/* The units that a task reads. */
static struct plb_range read_by(const struct plb_mirror *m, struct plb_range task)
{
    return plb_range_around(task, m->before, m->after, m->set->units);
}

bool plb_mirror_has(const struct plb_mirror *m, struct plb_range task)
{
    return plb_rangeset_has(&m->here, read_by(m, task));
}

bool plb_mirror_pulls(const struct plb_mirror *m, struct plb_range task)
{
    return plb_rangeset_overlaps(&m->coming, read_by(m, task));
}

/* The smallest range of all units that neither are here nor come. Of a halo before and one behind units that
 * are here, the first one: the other is pulled when that has come. */
static struct plb_range lacking(const struct plb_mirror *m, struct plb_range units)
{
    struct plb_rangeset lacks = {0};
    struct plb_range all = {units.first, 0};
    plb_rangeset_missing(&m->here, units, &lacks);
    plb_rangeset_remove_all(&lacks, &m->coming);
    if (lacks.n > 0)
        all = plb_range_hull(lacks.at[0], lacks.at[lacks.n - 1]);
    if (m->before + m->after > 0 && lacks.units < all.count / 2)
        all = lacks.at[0];
    plb_rangeset_fini(&lacks);
    return all;
}

/* Takes room for units. False: there is none. */
static bool take_room(struct plb_mirror *m, struct plb_range units)
{
    struct plb_rangeset more = {0};
    plb_rangeset_missing(&m->taken, units, &more);
    double needed = bytes_of(m, &more);
    plb_rangeset_fini(&more);
    if (needed > m->room) {
        m->short_of_room = true;
        return false;
    }
    m->room -= needed;
    plb_rangeset_add(&m->taken, units);
    return true;
}

bool plb_mirror_take(struct plb_mirror *m, struct plb_range task, struct plb_range *pulled)
{
    struct plb_range units = read_by(m, task), lacks = lacking(m, units);
    bool waits = m->before + m->after > 0;
    plb_rangeset_add(&m->used, units);
    if (plb_rangeset_overlaps(&m->coming, waits ? lacks : units) || plb_rangeset_overlaps(&m->fed.held, units)
        || plb_rangeset_overlaps(&m->left, units) || plb_rangeset_overlaps(&m->fed.sent, lacks)
        || !take_room(m, units))
        return false;
    *pulled = lacks;
    plb_rangeset_add(&m->coming, *pulled);
    return true;
}

bool plb_mirror_expect(struct plb_mirror *m, int pass, struct plb_range units)
{
    if (!plb_mirror_wants(m->fed.pass, pass, &m->here, &m->coming, units)
        || plb_rangeset_overlaps(&m->fed.held, units) || plb_rangeset_overlaps(&m->left, units)
        || plb_rangeset_overlaps(&m->fed.sent, units) || !take_room(m, units))
        return false;
    plb_rangeset_add(&m->used, units);
    plb_rangeset_add(&m->coming, units);
    return true;
}

void *plb_mirror_place(const struct plb_mirror *m, int buffer, int64_t first)
{
    size_t offset, bytes;
    plb_dataset_bytes(m->set, buffer, (struct plb_range){first, 0}, &offset, &bytes);
    return m->at[buffer] + offset;
}

void plb_mirror_arrived(struct plb_mirror *m, struct plb_range pulled, bool here)
{
    plb_rangeset_remove(&m->coming, pulled);
    if (here)
        plb_rangeset_add(&m->here, pulled);
}

void plb_mirror_leave(struct plb_mirror *m, struct plb_range pulled)
{
    plb_rangeset_add(&m->left, pulled);
}

static void drop(struct plb_mirror *m, struct plb_range range)
{
    size_t offset, bytes;
    for (int i = 0; i < m->set->n; i++) {
        if ((m->buffers & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(m->set, i, range, &offset, &bytes);
        plb_page_drop(m->locks, m->at[i] + offset, bytes, m->shared);
        if (m->fed.next[i] != NULL)
            plb_page_drop(m->locks, m->fed.next[i] + offset, bytes, m->shared);
    }
    plb_rangeset_remove(&m->here, range);
    plb_rangeset_remove(&m->taken, range);
}

void plb_mirror_begin_pass(struct plb_mirror *m, const struct plb_rangeset *busy)
{
    struct plb_rangeset unused = {0};
    for (int i = 0; i < busy->n; i++)
        plb_rangeset_add(&m->used, read_by(m, busy->at[i]));
    if (m->short_of_room)
        for (int i = 0; i < m->taken.n; i++)
            plb_rangeset_missing(&m->used, m->taken.at[i], &unused);
    for (int i = 0; i < m->set->n; i++) /* nobody else may have these */
        plb_rangeset_remove_all(&unused, &m->fed.owned[i]);
    m->room += bytes_of(m, &unused);
    for (int i = 0; i < unused.n; i++)
        drop(m, unused.at[i]);
    plb_rangeset_fini(&unused);
    plb_rangeset_clear(&m->used);
    m->short_of_room = false;
}

/* --------------------------------------------------- results that become inputs */

int64_t plb_mirror_outputs(const struct plb_mirror *m)
{
    int64_t outputs = 0;
    for (int i = 0; i < m->set->n; i++)
        outputs |= m->fed.next[i] != NULL && m->fed.from[i] != NONE ? PLB_BUFFER(m->fed.from[i]) : 0;
    return outputs;
}

void *plb_mirror_result(const struct plb_mirror *m, int output, int64_t first)
{
    int i = 0;
    while (m->fed.next[i] == NULL || m->fed.from[i] != output)
        i++;
    return m->fed.next[i] + (size_t)first * m->set->at[i].unit_bytes;
}

/* The output feeds the input from now on, in a second place. The core knows nothing of modes and sizes, so
 * the message may be wrong. */
static void learn(struct plb_mirror *m, int output, int input)
{
    const struct plb_dataset *set = m->set;
    if (input >= set->n || output >= set->n || (plb_dataset_sent(set) & PLB_BUFFER(output)) == 0
        || (m->buffers & PLB_BUFFER(input)) == 0 || set->at[input].mode != PLB_PARTITION
        || set->at[output].unit_bytes != set->at[input].unit_bytes
        || (plb_mirror_outputs(m) & PLB_BUFFER(output)) != 0) /* one place for the results of one output */
        return;
    double before = bytes_of(m, &m->taken);
    if (m->fed.next[input] == NULL)
        m->fed.next[input] = plb_reserve(m->bytes[input], m->shared);
    m->room -= bytes_of(m, &m->taken) - before;
    m->fed.from[input] = output;
}

/* Inputs and the results that feed them change places. False: some input is fed by results that are not
 * here. */
static bool change_places(struct plb_mirror *m, const struct plb_pass *begin)
{
    bool here = true;
    for (int i = 0; i < begin->n_feeds; i++) {
        const struct plb_feed *f = &begin->feeds[i];
        if (!f->now || f->input >= m->set->n)
            continue;
        char *results = m->fed.from[f->input] == f->output ? m->fed.next[f->input] : NULL;
        here = here && results != NULL;
        if (results == NULL)
            continue;
        m->fed.next[f->input] = m->at[f->input];
        m->at[f->input] = results;
    }
    return here;
}

/* Inputs have changed: only what counts of this rank's own results is here. */
static void renew(struct plb_mirror *m, const struct plb_pass *begin, const struct plb_mirror_tasks *tasks)
{
    struct fed *f = &m->fed;
    f->since = f->pass;
    if (change_places(m, begin))
        plb_rangeset_add_all(&f->last, &f->made);
    plb_rangeset_remove_all(&f->last, &f->twice);
    for (int i = 0; i < m->set->n; i++)
        if ((f->now & PLB_BUFFER(i)) != 0)
            plb_rangeset_clear(&f->owned[i]);
    plb_rangeset_clear(&m->here);
    plb_rangeset_clear(&m->coming);
    for (int i = 0; i < tasks->read.n; i++)
        plb_rangeset_add(&f->held, read_by(m, tasks->read.at[i]));
    plb_rangeset_add_all(&f->sent, &tasks->sent);
}

void plb_mirror_feed(struct plb_mirror *m, int pass, const struct plb_pass *begin,
                     const struct plb_mirror_tasks *tasks)
{
    struct fed *f = &m->fed;
    int64_t now = 0;
    f->pass = pass;
    for (int i = 0; i < begin->n_feeds; i++)
        now |= begin->feeds[i].now && begin->feeds[i].input < m->set->n ? PLB_BUFFER(begin->feeds[i].input)
                                                                        : 0;
    plb_rangeset_clear(&f->last);
    plb_rangeset_clear(&f->held);
    plb_rangeset_clear(&f->sent);
    if (now != 0)
        f->now = now;
    if (now != 0)
        renew(m, begin, tasks);
    plb_rangeset_clear(&f->made);
    plb_rangeset_clear(&f->twice);
    plb_rangeset_clear(&f->given);
    plb_rangeset_add_all(&f->given, &tasks->read);
    plb_rangeset_add_all(&f->given, now != 0 ? &tasks->sent_on : &tasks->sent);
    for (int i = 0; i < begin->n_feeds; i++)
        learn(m, begin->feeds[i].output, begin->feeds[i].input);
}

int plb_mirror_since(const struct plb_mirror *m)
{
    return m->fed.since;
}

bool plb_mirror_give(struct plb_mirror *m, struct plb_range task)
{
    const bool first = !plb_rangeset_overlaps(&m->fed.given, task);
    if (plb_mirror_outputs(m) == 0)
        return false;
    if (first)
        plb_rangeset_add(&m->fed.given, task);
    else if (m->set->fed == 0) /* else its results go to rank 0, and COUNTED is about those that stay here */
        plb_rangeset_add(&m->fed.twice, task);
    return first;
}

void plb_mirror_prepare(struct plb_mirror *m, struct plb_range units)
{
    if (!take_room(m, units))
        return;
    for (int i = 0; i < m->set->n; i++) {
        size_t offset, bytes;
        if (m->fed.next[i] == NULL)
            continue;
        plb_dataset_bytes(m->set, i, read_by(m, units), &offset, &bytes);
        plb_touch(m->at[i] + offset, bytes);
        plb_touch(m->fed.next[i] + offset, bytes);
    }
}

void plb_mirror_reported(struct plb_mirror *m, int pass, struct plb_range task)
{
    if (pass == m->fed.pass)
        plb_rangeset_add(&m->fed.made, task);
}

bool plb_mirror_made(const struct plb_mirror *m, int pass, struct plb_range range)
{
    return pass == m->fed.pass && plb_rangeset_has(&m->fed.made, range);
}

void plb_mirror_counted(struct plb_mirror *m, const struct plb_message *counted)
{
    struct plb_rangeset mine = {0};
    if (m == NULL || counted->pass != m->fed.pass)
        return;
    for (int i = 0; i < counted->counted.n; i++) {
        struct plb_range r = counted->counted.at[i];
        if (plb_range_end(r) > m->set->units)
            continue;
        for (int k = 0; k < m->set->n; k++)
            if ((m->fed.now & PLB_BUFFER(k)) != 0)
                plb_rangeset_add_common(&m->fed.owned[k], r, &m->fed.last);
        plb_rangeset_clear(&mine);
        plb_rangeset_add(&mine, r);
        plb_rangeset_remove_all(&mine, &m->coming);
        plb_rangeset_remove_all(&mine, &m->fed.held);
        for (int k = 0; k < mine.n; k++)
            plb_rangeset_add_common(&m->here, mine.at[k], &m->fed.last);
    }
    plb_rangeset_fini(&mine);
}
