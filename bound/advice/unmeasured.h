#pragma once

#include <string_view>

#include "bound/bounds/layer_times.h"

namespace xsp::bound {

/// What to do about benchmarks that nobody made yet.
inline constexpr std::string_view kNotMeasuredText = "not measured: run it without --no-run or --time-limit";

/// Whether there is no time because nothing was ever run for it; else libraries refused it, or failed.
inline bool is_unmeasured(const LayerTime& time) { return !time.bound_ms && time.reason == "not measured"; }

}  // namespace xsp::bound
