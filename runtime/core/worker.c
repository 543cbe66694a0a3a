/* The worker: queues in, reports out. */
#include "core/worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "plb/kernel.h"

#define NOBODY (-1)
#define EFFICIENT 0.8       /* of a PU's best rate: a smaller task that is below asks for larger ones */
#define LARGER 4.0          /* times the best task before: one that is so large tells most */
#define MUCH_SLOWER 0.1     /* a PU that is takes half its share, and comes again: too much would last long */
#define SMOOTHING 0.3       /* weight of the latest task in a PU's rate */
#define UNKNOWN_ASKED 3     /* nodes that no hint named and that are asked all the same, per hint */

/* One PU of the node. */
struct pu {
    struct plb_queue queue;
    int merging;                /* its latest report that may grow, or -1 */
    bool hungry;                /* found nothing when it last asked */
    bool served;                /* has been granted a block: the master refuses some, for lack of memory */
    double power, rate;         /* as given; work per second as measured, 0 = not yet */
    double best, best_size;     /* its best rate, and the work of the task that had it */
    int64_t least;              /* units below which its rate suffers, by its curve */
    int64_t learned;            /* the same as its tasks suggest, which may also be their rows' doing */
};

/* Another node, as far as this one knows. */
struct other {
    double left;                /* work it had, when last heard of; 0: nothing, or not heard of */
    bool dry;                   /* has refused since the last hint about it */
};

struct plb_worker {
    int node, n_pus, pass;
    struct pu *pus;
    const struct plb_cost_map *map;
    struct plb_outbox reports;
    struct plb_migration migration;
    struct other *others;
    int n_nodes;
    bool empty;                 /* the master has nothing more to grant */
    int asked, unknown_asked;   /* asked: the node whose answer is awaited, or NOBODY */
    double asked_at;
    uint64_t draws;
};

struct plb_worker *plb_worker_new(int node, int n_pus)
{
    struct plb_worker *w = plb_alloc(sizeof *w);
    w->node = node;
    w->n_pus = n_pus;
    w->pus = plb_alloc((size_t)n_pus * sizeof *w->pus);
    plb_worker_pass(w, 0, NULL);
    return w;
}

void plb_worker_free(struct plb_worker *w)
{
    if (w == NULL)
        return;
    for (int pu = 0; pu < w->n_pus; pu++)
        plb_queue_fini(&w->pus[pu].queue);
    plb_outbox_fini(&w->reports);
    free(w->others);
    free(w->pus);
    free(w);
}

void plb_worker_migrate(struct plb_worker *w, const struct plb_migration *migration, int n_nodes,
                        const double *powers)
{
    w->migration = *migration;
    w->n_nodes = n_nodes;
    w->others = plb_alloc((size_t)n_nodes * sizeof *w->others);
    for (int pu = 0; pu < w->n_pus; pu++)
        w->pus[pu].power = powers[pu];
}

void plb_worker_pass(struct plb_worker *w, int pass, const struct plb_cost_map *map)
{
    w->pass = pass;
    w->map = map;
    w->reports.n = 0;
    w->empty = false;
    w->asked = NOBODY;
    for (int pu = 0; pu < w->n_pus; pu++) {
        plb_queue_clear(&w->pus[pu].queue);
        w->pus[pu].merging = -1;
        w->pus[pu].hungry = false;
        w->pus[pu].least = w->pus[pu].learned = 0;
        w->pus[pu].rate = w->pus[pu].best = w->pus[pu].best_size = 0.0; /* the kernel may be another one */
    }
}

void plb_worker_block(struct plb_worker *w, const struct plb_message *m)
{
    if (m->pass != w->pass || m->pu < 0 || m->pu >= w->n_pus || m->range.count <= 0)
        return;
    int64_t grain = m->grain > 0 ? m->grain : m->range.count;
    w->pus[m->pu].served = true;
    plb_queue_push(&w->pus[m->pu].queue, (struct plb_queue_entry){m->range, m->block, grain});
}

/* ---------------------------------------------------------------- migration */

/* How fast a PU is: as measured, or as given where it has done nothing yet or Li's powers are wanted. The
 * second pointer becomes the power. */
static double rates(const struct plb_worker *w, double *power)
{
    double rate = 0.0;
    bool measured = !w->migration.by_power;
    *power = 0.0;
    for (int pu = 0; pu < w->n_pus; pu++) {
        *power += w->pus[pu].power;
        rate += w->pus[pu].rate;
        measured = measured && w->pus[pu].rate > 0.0;
    }
    return measured ? rate : 0.0;
}

static void push_gifts(struct plb_worker *w, int pu, const struct plb_gift *gifts, int n)
{
    for (int i = n - 1; i >= 0; i--) /* they were cut off the back */
        plb_queue_push(&w->pus[pu].queue, (struct plb_queue_entry){gifts[i].range, gifts[i].block, gifts[i].grain});
}

/* The PU of this node with most queued work. */
static int fullest(const struct plb_worker *w, double *work)
{
    int best = 0;
    *work = 0.0;
    for (int pu = 0; pu < w->n_pus; pu++) {
        double queued = plb_queue_work(&w->pus[pu].queue, w->map);
        if (queued > *work) {
            *work = queued;
            best = pu;
        }
    }
    return best;
}

/* Moves work by pointer from the fullest queue of the node to that of a PU which has none. */
static bool take_from_neighbour(struct plb_worker *w, int pu)
{
    struct plb_gift gifts[PLB_GIFTS];
    double queued;
    struct pu *own = &w->pus[pu], *other = &w->pus[fullest(w, &queued)];
    bool measured = own->rate > 0.0 && other->rate > 0.0 && !w->migration.by_power;
    if (!w->migration.by_power && own->rate == 0.0 && other->rate > 0.0)
        return false; /* its first task will tell how slow it is; its power may be far from true */
    if (measured && (double)own->least / PLB_STARTS / own->rate > queued / other->rate)
        return false; /* the other is through with all of it before this one has started */
    double x = queued > 0.0 ? plb_migration_share(queued, measured ? own->rate : own->power, measured ? other->rate : other->power) : 0.0;
    if (measured && own->rate < MUCH_SLOWER * other->rate && x > 1.0)
        x = 0.5 * x > 1.0 ? 0.5 * x : 1.0;
    if (x <= 0.0)
        return false;
    int n = plb_queue_cut(&other->queue, w->map, x, gifts, PLB_GIFTS);
    push_gifts(w, pu, gifts, n);
    return n > 0;
}

bool plb_worker_shares(const struct plb_worker *w)
{
    return w->empty;
}

void plb_worker_stop(struct plb_worker *w)
{
    w->empty = false;
}

void plb_worker_empty(struct plb_worker *w, const struct plb_message *m)
{
    if (m->pass != w->pass || !w->migration.on)
        return;
    w->empty = true;
    w->unknown_asked = 0;
    for (int pu = 0; pu < w->n_pus && pu < PLB_LEAST; pu++)
        w->pus[pu].least = m->least[pu];
    for (int i = 0; i < w->n_nodes; i++) /* what is not named has less than what is */
        w->others[i].left = 0.0;
    for (int i = 0; i < m->n_victims; i++)
        w->others[m->victims[i]] = (struct other){m->amounts[i], false};
}

/* Work queued on the whole node. */
static double queued_work(const struct plb_worker *w)
{
    double sum = 0.0;
    for (int pu = 0; pu < w->n_pus; pu++)
        sum += plb_queue_work(&w->pus[pu].queue, w->map);
    return sum;
}

void plb_worker_steal(struct plb_worker *w, const struct plb_message *m, struct plb_outbox *out)
{
    struct plb_gift gifts[PLB_GIFTS];
    int n = 0;
    if (m->pass == w->pass && w->migration.on) {
        double own_power, own_rate = rates(w, &own_power), queued = queued_work(w), one;
        bool measured = own_rate > 0.0 && m->rate > 0.0;
        double x = plb_migration_share(queued, measured ? m->rate : m->power, measured ? own_rate : own_power);
        while (x > 0.0 && x >= w->migration.threshold && n < PLB_GIFTS && queued_work(w) > 0.0) {
            struct plb_queue *q = &w->pus[fullest(w, &one)].queue;
            int more = plb_queue_cut(q, w->map, x, gifts + n, PLB_GIFTS - n);
            for (int i = n; i < n + more; i++)
                x -= plb_cost_work(w->map, gifts[i].range.first, gifts[i].range.count);
            n += more;
        }
    }
    for (int copy = 0; copy < (n > 0 ? 2 : 1); copy++) {
        struct plb_message *a = plb_outbox_add(out, copy == 0 ? PLB_GIFT : PLB_MOVED, copy == 0 ? m->from : 0);
        a->from = w->node;
        a->pass = m->pass;
        a->thief = m->from;
        a->n_gifts = n;
        a->left = m->pass == w->pass ? queued_work(w) : 0.0;
        for (int i = 0; i < n; i++)
            a->gifts[i] = gifts[i];
    }
}

void plb_worker_gift(struct plb_worker *w, const struct plb_message *m)
{
    int pu = 0;
    if (m->pass != w->pass || w->others == NULL)
        return;
    if (m->from == w->asked)
        w->asked = NOBODY;
    w->others[m->from] = (struct other){m->left, m->n_gifts == 0};
    while (pu + 1 < w->n_pus && !w->pus[pu].hungry)
        pu++;
    while (pu > 0 && !w->pus[pu].served) /* nobody is hungry any more: whoever may execute it */
        pu--;
    push_gifts(w, pu, m->gifts, m->n_gifts);
}

/* Whom to ask next, or NOBODY. */
static int next_victim(struct plb_worker *w)
{
    int best = NOBODY, candidates = 0;
    for (int i = 0; i < w->n_nodes; i++) {
        const struct other *o = &w->others[i];
        if (i == w->node || o->dry)
            continue;
        candidates++;
        bool better = best == NOBODY;
        if (w->migration.victim == PLB_MOST_REMAINING)
            better = o->left > 0.0 && (best == NOBODY || o->left > w->others[best].left);
        else if (w->migration.victim == PLB_RANDOM)
            better = plb_random_bits(w->migration.seed + (uint64_t)w->node, w->draws++) % (uint64_t)candidates == 0;
        best = better ? i : best;
    }
    if (best != NOBODY || w->migration.victim != PLB_MOST_REMAINING || candidates == 0 || w->unknown_asked >= UNKNOWN_ASKED)
        return best;
    /* The hint is used up: some that it did not name. */
    w->unknown_asked++;
    int skip = (int)(plb_random_bits(w->migration.seed + (uint64_t)w->node, w->draws++) % (uint64_t)candidates);
    for (int i = 0; i < w->n_nodes; i++)
        if (i != w->node && !w->others[i].dry && skip-- == 0)
            return i;
    return NOBODY;
}

/* Adds a STEAL where the node has nothing left and a PU waits. */
static bool ask_others(struct plb_worker *w, double now, struct plb_outbox *out)
{
    bool hungry = false, idle = w->empty && w->n_nodes > 1;
    for (int pu = 0; pu < w->n_pus && idle; pu++) {
        idle = w->pus[pu].queue.n == 0;
        hungry = hungry || w->pus[pu].hungry;
    }
    if (!idle || !hungry)
        return false;
    if (w->asked != NOBODY && now - w->asked_at < PLB_PATIENCE)
        return true;
    if (w->asked != NOBODY)
        w->others[w->asked].dry = true; /* its answer is welcome all the same */
    w->asked = next_victim(w);
    if (w->asked == NOBODY)
        return false;
    struct plb_message *m = plb_outbox_add(out, PLB_STEAL, w->asked);
    m->from = w->node;
    m->pass = w->pass;
    m->rate = rates(w, &m->power);
    w->asked_at = now;
    return true;
}

/* -------------------------------------------------------------- tasks, reports */

/* A task from a queue that others may take from. What was learned gives way to the queue's end. */
static bool take_part(struct plb_worker *w, struct pu *own, struct plb_slice *piece)
{
    int64_t third = plb_queue_units(&own->queue) / 3, learned = own->learned < third ? own->learned : third;
    return plb_queue_take_part(&own->queue, w->map, own->least, own->least > learned ? own->least : learned, piece);
}

bool plb_worker_take(struct plb_worker *w, int pu, struct plb_slice *piece)
{
    struct pu *own = &w->pus[pu];
    bool got = w->empty ? take_part(w, own, piece) : plb_queue_take(&own->queue, piece);
    if (!got && w->empty && own->served && take_from_neighbour(w, pu))
        got = take_part(w, own, piece);
    own->hungry = !got && own->served;
    return got;
}

static struct plb_message *report(struct plb_worker *w, enum plb_message_type type, int pu,
                                  const struct plb_slice *piece)
{
    struct plb_message *m = plb_outbox_add(&w->reports, type, 0);
    m->from = w->node;
    m->pu = pu;
    m->pass = w->pass;
    m->range = piece->range;
    m->block = piece->block;
    return m;
}

/* What a task tells of a PU: its rate, and whether tasks of this size are too small for it. */
static void learn(struct pu *pu, double work, int64_t units, double seconds)
{
    if (!(seconds > 0.0) || !isfinite(seconds))
        return;
    double rate = work / seconds;
    /* A task that is small beside others tells of starting costs, not of what the PU does with a queue. */
    double weight = work > LARGER * pu->best_size ? 1.0 : SMOOTHING * (work < pu->best_size ? work / pu->best_size : 1.0);
    pu->rate = pu->rate > 0.0 ? (1.0 - weight) * pu->rate + weight * rate : rate;
    if (rate > pu->best) {
        pu->best = rate;
        pu->best_size = work;
    } else if (rate < EFFICIENT * pu->best && work < pu->best_size && 2 * units > pu->learned) {
        pu->learned = 2 * units;
    }
}

bool plb_worker_done(struct plb_worker *w, int pu, const struct plb_slice *piece, double execute_s,
                     double transfer_s, int slot)
{
    struct pu *own = &w->pus[pu];
    struct plb_message *m = own->merging >= 0 ? &w->reports.at[own->merging] : NULL;
    bool grows = m != NULL && slot == PLB_NO_SLOT && m->block == piece->block
              && m->range.first + m->range.count == piece->range.first;
    if (grows) {
        m->range.count += piece->range.count;
    } else {
        m = report(w, PLB_DONE, pu, piece);
        m->slot = slot;
        own->merging = slot == PLB_NO_SLOT ? w->reports.n - 1 : -1;
    }
    if (w->migration.on && w->map != NULL)
        learn(own, plb_cost_work(w->map, piece->range.first, piece->range.count), piece->range.count, execute_s + transfer_s);
    m->tasks++;
    m->execute_s += execute_s;
    m->transfer_s += transfer_s;
    return slot != PLB_NO_SLOT || own->queue.n == 0 || own->queue.at[own->queue.head].block != piece->block;
}

void plb_worker_fail(struct plb_worker *w, int pu, const struct plb_slice *piece, int status, const char *text)
{
    struct plb_message *m = report(w, PLB_FAIL, pu, piece);
    m->status = status;
    snprintf(m->text, sizeof m->text, "%s", text);
}

bool plb_worker_collect(struct plb_worker *w, double now, struct plb_outbox *out)
{
    for (int i = 0; i < w->reports.n; i++)
        *plb_outbox_add(out, (enum plb_message_type)w->reports.at[i].type, 0) = w->reports.at[i];
    w->reports.n = 0;
    for (int pu = 0; pu < w->n_pus; pu++)
        w->pus[pu].merging = -1;
    return ask_others(w, now, out);
}
