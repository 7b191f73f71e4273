#pragma once

#include "inject/cupti/session.h"

namespace xsp::guest {

/// CUPTI's attributes as we need them, before any kind is enabled; and those that are no default as they were.
void set_attributes(const Session& session);
void take_attributes_back(const Session& session);

}  // namespace xsp::guest
