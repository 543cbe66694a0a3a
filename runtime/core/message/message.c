/* The table of messages, and their form. */
#include "core/message/message.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A message of up to 512 bytes travels without a handshake on all transports of Open MPI that we know. */
static_assert(sizeof(struct plb_message) <= 512, "a message is too large to be sent at once");

#define BODY offsetof(struct plb_message, hello)

static const struct {
    const char *name;
    size_t body;
    struct plb_route route;
} types[PLB_MESSAGE_TYPES] = {
    [PLB_HELLO] = {"HELLO", sizeof(struct plb_hello), {PLB_UP, PLB_TO_RANK0, PLB_ANY_TIME}},
    [PLB_PASS] = {"PASS", sizeof(struct plb_pass), {PLB_DOWN, PLB_TO_RANK, PLB_ANY_TIME}},
    [PLB_HERE] = {"HERE", 0, {PLB_UP, PLB_TO_RANK0, PLB_IN_RUN}},
    [PLB_LACK] = {"LACK", sizeof(struct plb_lack), {PLB_UP, PLB_TO_RANK0, PLB_IN_RUN}},
    [PLB_BLOCK] = {"BLOCK", sizeof(struct plb_block), {PLB_DOWN, PLB_TO_WORKER, PLB_IN_PASS}},
    [PLB_FETCH] = {"FETCH", sizeof(struct plb_fetch), {PLB_UP_DOWN, PLB_TO_FETCH, PLB_IN_RUN}},
    [PLB_FROM] = {"FROM", sizeof(struct plb_sources), {PLB_UP_DOWN, PLB_TO_FETCH, PLB_IN_RUN}},
    [PLB_COUNTED] = {"COUNTED", sizeof(struct plb_counted), {PLB_DOWN, PLB_TO_TRANSFERS, PLB_IN_RUN}},
    [PLB_DONE] = {"DONE", sizeof(struct plb_done), {PLB_UP, PLB_TO_RANK0, PLB_IN_RUN}},
    [PLB_FAIL] = {"FAIL", sizeof(struct plb_failure), {PLB_UP, PLB_TO_RANK0, PLB_IN_RUN}},
    [PLB_CRASH] = {"CRASH", sizeof(struct plb_crashed), {PLB_UP, PLB_TO_RANK0, PLB_IN_RUN}},
    [PLB_EMPTY] = {"EMPTY", sizeof(struct plb_empty), {PLB_DOWN, PLB_TO_WORKER, PLB_IN_PASS}},
    [PLB_STEAL] = {"STEAL", sizeof(struct plb_steal), {PLB_ACROSS, PLB_TO_WORKER, PLB_IN_RUN}},
    [PLB_GIFT] = {"GIFT", sizeof(struct plb_gifts), {PLB_ACROSS, PLB_TO_WORKER, PLB_IN_PASS}},
    [PLB_MOVED] = {"MOVED", sizeof(struct plb_gifts), {PLB_UP, PLB_TO_RANK0, PLB_IN_RUN}},
    [PLB_IDLE] = {"IDLE", 0, {PLB_UP, PLB_TO_RANK0, PLB_IN_RUN}},
    [PLB_BACKUP] = {"BACKUP", sizeof(struct plb_block), {PLB_DOWN, PLB_TO_WORKER, PLB_IN_PASS}},
    [PLB_AUDIT] = {"AUDIT", sizeof(struct plb_block), {PLB_DOWN, PLB_TO_WORKER, PLB_IN_PASS}},
    [PLB_CANCEL] = {"CANCEL", sizeof(struct plb_cancel), {PLB_DOWN, PLB_TO_WORKER, PLB_IN_PASS}},
    [PLB_RECALL] = {"RECALL", sizeof(struct plb_recall), {PLB_DOWN, PLB_TO_WORKER, PLB_IN_PASS}},
    [PLB_REST] = {"REST", 0, {PLB_DOWN, PLB_TO_RANK, PLB_ANY_TIME}},
    [PLB_RESTED] = {"RESTED", 0, {PLB_UP, PLB_TO_RANK0, PLB_IN_RUN}},
    [PLB_BEAT] = {"BEAT", sizeof(struct plb_beat), {PLB_ACROSS, PLB_TO_LIFE, PLB_ANY_TIME}},
    [PLB_LOST] = {"LOST", sizeof(struct plb_lost), {PLB_UP_DOWN, PLB_TO_LIFE, PLB_ANY_TIME}},
    [PLB_STOP] = {"STOP", sizeof(struct plb_stop), {PLB_DOWN, PLB_TO_RANK, PLB_ANY_TIME}},
    [PLB_JOULES] = {"JOULES", sizeof(struct plb_joules), {PLB_UP, PLB_TO_RANK, PLB_ANY_TIME}},
    [PLB_WINDOW] = {"WINDOW", sizeof(struct plb_window), {PLB_UP, PLB_TO_RANK0, PLB_IN_RUN}},
    [PLB_BYE] = {"BYE", sizeof(struct plb_bye), {PLB_UP, PLB_TO_RANK, PLB_ANY_TIME}},
    [PLB_LEAVE] = {"LEAVE", sizeof(struct plb_leave), {PLB_DOWN, PLB_TO_LIFE, PLB_ANY_TIME}},
    [PLB_TAKEN] = {"TAKEN", sizeof(struct plb_fold), {PLB_DOWN, PLB_TO_TRANSFERS, PLB_IN_RUN}},
    [PLB_HAND] = {"HAND", sizeof(struct plb_fold), {PLB_DOWN, PLB_TO_TRANSFERS, PLB_IN_RUN}},
    [PLB_ARRAYS] = {"ARRAYS", 0, {PLB_ACROSS, PLB_TO_TRANSFERS, PLB_IN_RUN}},
    [PLB_DROP] = {"DROP", sizeof(struct plb_fold), {PLB_DOWN, PLB_TO_TRANSFERS, PLB_IN_RUN}},
    [PLB_FOLDED] = {"FOLDED", sizeof(struct plb_fold), {PLB_UP, PLB_TO_RANK0, PLB_IN_RUN}},
};

static bool exists(int type)
{
    return type > 0 && type < PLB_MESSAGE_TYPES;
}

size_t plb_message_size(int type)
{
    return exists(type) ? BODY + types[type].body : 0;
}

const char *plb_message_name(int type)
{
    return exists(type) ? types[type].name : "?";
}

const struct plb_route *plb_message_route(int type)
{
    return &types[exists(type) ? type : 0].route;
}

bool plb_message_allowed(const struct plb_message *m)
{
    switch (plb_message_route(m->type)->way) {
    case PLB_DOWN: return m->from == 0;
    case PLB_UP: return m->to == 0;
    case PLB_UP_DOWN: return m->from == 0 || m->to == 0;
    case PLB_ACROSS: return true;
    default: return false;
    }
}

static bool sound(struct plb_range range)
{
    return range.first >= 0 && range.count > 0 && range.count <= INT64_MAX - range.first;
}

static bool possible(double seconds_or_work)
{
    return isfinite(seconds_or_work) && seconds_or_work >= 0.0;
}

static bool possible_watts(double watts)
{
    return isnan(watts) || possible(watts);
}

static bool ended(const char *text, size_t bytes)
{
    return memchr(text, '\0', bytes) != NULL;
}

static const char *check_hello(const struct plb_hello *hello, int from)
{
    const struct plb_pu_info *pu = &hello->pu;
    if (pu->node != from || pu->local < 0 || (unsigned)pu->kind > PLB_ACCELERATOR || pu->threads < 0
        || pu->meter < 0)
        return "an impossible PU";
    if (!possible(pu->power) || !(pu->memory >= 0.0) || !possible(pu->task_bytes))
        return "a PU of impossible power or memory";
    if (!possible_watts(pu->static_watts) || !possible_watts(pu->dynamic_watts))
        return "impossible watts of a PU";
    if (!possible(pu->start_s))
        return "an impossible time of an empty task";
    if (pu->broken < 0 || pu->broken > 1)
        return "an impossible state of a PU";
    bool texts_end = ended(pu->name, sizeof pu->name) && ended(pu->host, sizeof pu->host)
                  && ended(pu->cores, sizeof pu->cores) && ended(pu->model, sizeof pu->model)
                  && ended(pu->id, sizeof pu->id) && ended(hello->build.version, sizeof hello->build.version)
                  && ended(hello->kernel_file, sizeof hello->kernel_file);
    return texts_end ? NULL : "a text without an end";
}

static const char *check_pass(const struct plb_pass *begin, int n_nodes)
{
    if (begin->phase < 0)
        return "an impossible phase";
    if (!(begin->stands_s >= 0.0 && isfinite(begin->stands_s)))
        return "an impossible time";
    if (begin->stays < 0 || begin->packet < 0 || (begin->parts & ~begin->replaced) != 0)
        return "impossible buffers";
    if (begin->n_feeds < 0 || begin->n_feeds > PLB_FEEDS)
        return "an impossible number of inputs that are fed";
    for (int i = 0; i < begin->n_feeds; i++) {
        const struct plb_feed *f = &begin->feeds[i];
        if (f->output < 0 || f->output > 62 || f->input < 0 || f->input > 62 || f->now < 0 || f->now > 1)
            return "an input that is fed by an impossible buffer";
    }
    if (begin->folds < 0 || begin->folds > 1 || begin->again < 0 || begin->again > 1)
        return "an impossible kind of pass";
    bool right = begin->along >= 0 && begin->along <= 1 && begin->before >= 0 && begin->before < n_nodes
              && begin->after >= 0 && begin->after < n_nodes;
    return right ? NULL : "a chain of ranks that do not belong to this run";
}

static const char *check_block(const struct plb_block *block)
{
    bool right = sound(block->range) && block->id >= 0 && block->grain > 0 && block->least >= 0
              && possible(block->share) && block->alone >= 0 && block->alone <= 1;
    return right ? NULL : "an impossible block";
}

static const char *check_gifts(const struct plb_gifts *gifts, int n_nodes)
{
    if (gifts->n < 0 || gifts->n > PLB_GIFTS)
        return "an impossible number of gifts";
    if (gifts->thief < 0 || gifts->thief >= n_nodes)
        return "a thief that is not a rank of this run";
    if (!possible(gifts->left) || !possible(gifts->rate))
        return "an impossible amount of work left, or rate";
    for (int i = 0; i < gifts->n; i++)
        if (!sound(gifts->at[i].range) || gifts->at[i].block < 0 || gifts->at[i].hop < 1
            || gifts->at[i].hop > PLB_HOPS)
            return "an impossible gift";
    return NULL;
}

static const char *check_empty(const struct plb_empty *empty, int n_nodes)
{
    if (empty->n_victims < 0 || empty->n_victims > PLB_VICTIMS)
        return "an impossible number of victims";
    for (int i = 0; i < empty->n_victims; i++) {
        if (empty->victims[i] < 0 || empty->victims[i] >= n_nodes)
            return "an impossible victim";
        if (!possible(empty->amounts[i]) || !possible(empty->rates[i]))
            return "a victim of impossible work or rate";
    }
    for (int i = 0; i < PLB_LEAST; i++)
        if (empty->least[i] < 0 || !possible(empty->sure[i]))
            return "an impossible least task, or sure work";
    return NULL;
}

/* A task has a unit or more. */
static const char *check_done(const struct plb_done *done)
{
    bool right = sound(done->range) && done->block >= 0 && done->slot >= PLB_NO_SLOT && done->tasks > 0
              && done->tasks <= done->range.count && done->buffers >= 0 && done->records >= 0
              && done->folds >= 0 && done->folds <= 1 && (done->folds == 0 || done->slot >= 0)
              && done->so_far.copied_in >= 0 && done->so_far.copied_out >= 0;
    return right ? NULL : "an impossible report";
}

static const char *check_fetch(const struct plb_fetch *fetch, int n_nodes)
{
    bool right = sound(fetch->range) && fetch->slot >= 0 && fetch->buffers >= 0 && fetch->to >= 0
              && fetch->to < n_nodes && fetch->halo >= 0 && fetch->halo <= 1 && fetch->again >= 0
              && fetch->again <= 1;
    return right ? NULL : "impossible units, or a rank that does not belong to this run";
}

static const char *check_from(const struct plb_sources *from, int n_nodes)
{
    if (from->slot < 0 || from->n < 0 || from->n > PLB_SOURCES || from->last < 0 || from->last > 1)
        return "an impossible slot or number of parts";
    for (int i = 0; i < from->n; i++) {
        const struct plb_source *part = &from->at[i];
        if (!sound(part->range) || part->node < 0 || part->node >= n_nodes || part->buffers < 0)
            return "an impossible part";
    }
    return NULL;
}

static const char *check_counted(const struct plb_counted *counted)
{
    if (counted->n < 1 || counted->n > PLB_COUNTED_RANGES)
        return "an impossible number of ranges";
    for (int i = 0; i < counted->n; i++)
        if (!sound(counted->at[i]))
            return "an impossible range";
    return NULL;
}

static const char *check_cancel(const struct plb_cancel *cancel)
{
    if (!sound(cancel->range))
        return "an impossible range";
    return cancel->why < 0 || cancel->why > PLB_PUT_ASIDE ? "an impossible reason" : NULL;
}

static const char *check_recall(const struct plb_recall *recall, int n_nodes)
{
    if (!possible(recall->work) || recall->thief_pu < 0 || (unsigned)recall->turn > PLB_WORKS)
        return "an impossible amount of work or PU";
    return recall->thief >= 0 && recall->thief < n_nodes ? NULL : "a thief that is not a rank of this run";
}

static const char *check_beat(const struct plb_beat *beat, int n_nodes)
{
    bool right = beat->about >= 0 && beat->about < n_nodes && beat->quiet >= 0 && beat->quiet <= 1;
    return right ? NULL : "a rank that is not part of this run";
}

static const char *check_crash(const struct plb_crashed *crash)
{
    bool right = sound(crash->range) && crash->block >= 0 && crash->signal >= 0 && crash->alive >= 0
              && crash->alive <= 1 && crash->others >= 0;
    return right ? NULL : "an impossible crash";
}

static const char *check_fold(const struct plb_fold *fold, int n_nodes)
{
    bool right = fold->slot >= 0 && fold->node >= 0 && fold->node < n_nodes && fold->results >= 0
              && fold->counts >= 0 && fold->counts <= 1;
    return right ? NULL : "an impossible slot, node or number of results";
}

static const char *check_bye(const struct plb_bye *bye)
{
    bool right = bye->messages >= 0 && bye->bytes >= 0 && bye->received >= 0 && bye->trace_bytes >= 0
              && possible(bye->slowest_answer_s);
    for (int p = 0; p < PLB_LEAST; p++)
        right = right && bye->copied_out[p] >= 0;
    return right ? NULL : "an impossible count";
}

static const char *check_joules(const struct plb_joules *j)
{
    bool right = ended(j->domain, sizeof j->domain) && ended(j->meter, sizeof j->meter)
              && ended(j->why, sizeof j->why) && j->of >= 0 && j->state >= 0 && j->mirrors >= 0
              && j->mirrors <= 1 && possible(j->resolution) && possible(j->joules) && possible(j->seconds)
              && possible(j->integral);
    return right ? NULL : "an impossible energy";
}

static const char *check_window(const struct plb_window *w)
{
    if (w->number < 0 || !possible(w->seconds) || !possible_watts(w->joules))
        return "an impossible window";
    if (w->n < 0 || w->n > PLB_WINDOW_PUS)
        return "an impossible number of PUs";
    for (int i = 0; i < w->n; i++)
        if (!possible((double)w->at[i].busy_s) || !possible_watts((double)w->at[i].joules))
            return "impossible seconds or joules of a PU";
    return NULL;
}

static const char *check_lost(const struct plb_lost *lost, int n_nodes)
{
    bool right = lost->rank >= 0 && lost->rank < n_nodes && lost->ends >= 0 && lost->ends <= 1;
    return right ? NULL : "a lost rank that does not belong to this run";
}

static const char *check_body(const struct plb_message *m, int n_nodes)
{
    switch ((enum plb_message_type)m->type) {
    case PLB_PASS: return check_pass(&m->begin, n_nodes);
    case PLB_LACK: return m->lack.piece >= 0 ? NULL : "an impossible piece";
    case PLB_BLOCK:
    case PLB_BACKUP:
    case PLB_AUDIT: return check_block(&m->block);
    case PLB_CANCEL: return check_cancel(&m->cancel);
    case PLB_RECALL: return check_recall(&m->recall, n_nodes);
    case PLB_FETCH: return check_fetch(&m->fetch, n_nodes);
    case PLB_FROM: return check_from(&m->sources, n_nodes);
    case PLB_COUNTED: return check_counted(&m->counted);
    case PLB_DONE: /* times are what a device measured: the master makes nothing of those that cannot be */
        return check_done(&m->done);
    case PLB_FAIL:
        return sound(m->fail.range) && sound(m->fail.among) && m->fail.block >= 0
                    && ended(m->fail.text, sizeof m->fail.text) && ended(m->fail.why, sizeof m->fail.why)
                 ? NULL
                 : "an impossible failure";
    case PLB_CRASH: return check_crash(&m->crash);
    case PLB_EMPTY: return check_empty(&m->empty, n_nodes);
    case PLB_STEAL:
        return possible(m->steal.rate) && possible(m->steal.power) && possible(m->steal.best)
                 ? NULL
                 : "an impossible rate or power";
    case PLB_GIFT:
    case PLB_MOVED: return check_gifts(&m->gifts, n_nodes);
    case PLB_BEAT: return check_beat(&m->beat, n_nodes);
    case PLB_LOST: return check_lost(&m->lost, n_nodes);
    case PLB_JOULES: return check_joules(&m->joules);
    case PLB_TAKEN:
    case PLB_HAND:
    case PLB_DROP:
    case PLB_FOLDED: return check_fold(&m->fold, n_nodes);
    case PLB_WINDOW: return check_window(&m->window);
    case PLB_BYE: return check_bye(&m->bye);
    case PLB_HELLO: return check_hello(&m->hello, m->from);
    default: return NULL;
    }
}

const char *plb_message_check(const struct plb_message *m, size_t bytes, int n_nodes)
{
    if (bytes < BODY)
        return "too short for a message";
    if (m->protocol != PLB_PROTOCOL)
        return "of another version of the protocol";
    if (!exists(m->type))
        return "of a type that does not exist";
    if (m->size != bytes || bytes != plb_message_size(m->type))
        return "of a size that its type does not have";
    if (m->from < 0 || m->from >= n_nodes || m->to < 0 || m->to >= n_nodes)
        return "from or to a rank that does not belong to this run";
    if (m->pu < 0 || m->pass < 0)
        return "of an impossible PU or pass";
    return check_body(m, n_nodes);
}

bool plb_gifts_within(const struct plb_gifts *gifts, int64_t units)
{
    for (int i = 0; i < gifts->n; i++)
        if (gifts->at[i].range.first + gifts->at[i].range.count > units)
            return false;
    return true;
}
