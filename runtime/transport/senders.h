/* Which rank may send which message. Pure function. */
#ifndef PLB_TRANSPORT_SENDERS_H
#define PLB_TRANSPORT_SENDERS_H

#include "core/message/message.h"

/* Whether a message can come from its sender: some only from rank 0, some only to rank 0. */
bool plb_may_say(const struct plb_message *message);

#endif
