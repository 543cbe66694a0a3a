/* Rank 0 gives orders; reports go to it; some go from any rank to any other one. */
#include "transport/senders.h"

bool plb_may_say(const struct plb_message *m)
{
    switch ((enum plb_message_type)m->type) {
    case PLB_PASS:
    case PLB_BLOCK:
    case PLB_EMPTY:
    case PLB_BACKUP:
    case PLB_AUDIT:
    case PLB_CHECKSUM:
    case PLB_GATHER:
    case PLB_LEND:
    case PLB_WHERE:
    case PLB_COUNTED:
    case PLB_CANCEL:
    case PLB_RECALL:
    case PLB_REST:
    case PLB_STOP:
    case PLB_TAKEN:
    case PLB_HAND:
    case PLB_DROP:
    case PLB_LEAVE: return m->from == 0;
    case PLB_LOST: return m->from == 0 || m->to == 0;
    case PLB_BEAT:
    case PLB_ARRAYS:
    case PLB_STEAL:
    case PLB_GIFT: return true;
    default: return m->to == 0;
    }
}
