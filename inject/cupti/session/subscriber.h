#pragma once

#include "inject/cupti/library/cupti_library.h"
#include "inject/cupti/state/session.h"
#include "inject/guard/fixed_text.h"

namespace xsp::guest {

/// Who has CUPTI's one subscriber, in words: as CUPTI says, or guessed from loaded libraries and the environment.
struct SubscriberHolder {
  FixedText<256> name;
};

/// Makes on_cupti_callback the subscriber. If there is another one (kMultipleSubscribers), `holder` says who.
cupti::Result subscribe(Session& session, NamedSubscribe* named_subscribe, SubscriberHolder* holder);

/// Our subscriber leaves, if there is one.
void leave_subscriber(Session& session);

}  // namespace xsp::guest
