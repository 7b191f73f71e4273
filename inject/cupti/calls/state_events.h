#pragma once

#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// What CUPTI reports of itself: errors after which it shuts itself down, and warnings (cupti_callbacks.h,
/// CUpti_CallbackIdState). The user is told of the first of each.

void enable_state_callbacks(Session& session);

void on_state_callback(uint32_t callback_id, const cupti::StateData& data);

}  // namespace xsp::guest
