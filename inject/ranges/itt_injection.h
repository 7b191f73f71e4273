#pragma once

#include "inject/ranges/itt_abi.h"

namespace xsp::guest {

/// What the exported __itt_api_init does: puts our functions into the list of one copy of ittnotify (each library that
/// uses it has its own), and "not wanted" in place of all others. Does not wake the guest: libraries come here when
/// they are loaded.
void attach_itt(itt::Global* global);

}  // namespace xsp::guest
