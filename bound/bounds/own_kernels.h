#pragma once

#include <optional>
#include <span>
#include <string>

#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// Of the layers of the trace, with the benchmarks of the runtime's own library alone: `times` by layer, `group_times`
/// by candidate. Nothing without a trace, or where none of its layers has such a benchmark.
std::optional<OwnKernels> own_kernels(const Bounds& bounds, std::string library, std::span<const LayerTime> times,
                                      std::span<const LayerTime> group_times);

}  // namespace xsp::bound
