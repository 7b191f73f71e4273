#pragma once

#include "import/nsight_systems/export.h"

namespace xsp::nsight_systems {

/// The machine that was profiled: its devices, when the session began, and of the processes that have events their
/// names and ranks. All of it may be missing. Of the environment only a fixed list of names is taken.
void read_target(Export& exported);

}  // namespace xsp::nsight_systems
