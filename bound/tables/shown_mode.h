#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// The mode that a report speaks of: "fused" where groups were measured, else "layers".
const BoundMode& shown_mode(const Bounds& bounds);

/// "fused", "layer by layer".
std::string_view words_for(const BoundMode& mode);

/// By layer of the model, of the layer of the trace that ran it: its measured time, divided among the layers that it
/// ran by what they take in the shown mode; evenly where one of them has no time. Nothing for layers that do not count
/// (they take nothing) and for those that were not found. Empty without a trace.
std::vector<std::optional<double>> measured_shares(const Bounds& bounds);

}  // namespace xsp::bound
