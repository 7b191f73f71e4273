#pragma once

#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// What CUPTI tells of itself: errors after which it ends itself, and warnings (cupti_callbacks.h,
/// CUpti_CallbackIdState). Each message is told to the user once.

void enable_state_callbacks(Session& session);

void on_state_callback(uint32_t callback_id, const cupti::StateData& data);

}  // namespace xsp::guest
