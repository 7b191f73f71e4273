#pragma once

#include "inject/guard/settings.h"

namespace xsp::guest {

/// Whether a call has failed because this process, or the machine, has no descriptor left.
bool is_out_of_descriptors(int error);

/// Leaves word for the collector that this process is not recorded, by a way that takes no descriptor: a link in the
/// folder for profiles. `reason` is one of proto/unrecorded.h. Nothing where there is no such folder.
void leave_unrecorded_note(const Settings& settings, const char* reason);

}  // namespace xsp::guest
