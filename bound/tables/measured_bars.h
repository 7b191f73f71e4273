#pragma once

#include <string>

#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// Bars for the page: by type of layer what was measured, the fused bound and that layer by layer, the dearest types
/// first; without a trace the two bounds. `<svg role="img">` with a title; empty where there is nothing to compare,
/// that is neither a trace nor measured groups.
std::string bars_svg(const Bounds& bounds);

}  // namespace xsp::bound
