#pragma once

#include "import/nsight_systems/export.h"

namespace xsp::nsight_systems {

/// The machine that was profiled: its devices, when the session began, and the names and ranks of the processes that
/// have events. Any of it may be missing. From the environment only a fixed list of names is taken.
void read_target(Export& exported);

}  // namespace xsp::nsight_systems
