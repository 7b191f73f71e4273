#pragma once

#include <string_view>

#include "analysis/work/device_peaks.h"
#include "base/status.h"

namespace xsp::analysis {

/// "15.7T" for every type, or "f16:125T,f32:15.7T": a type without "-tensor" means the ordinary pipes and the matrix
/// units, "f16-tensor:125T" only those. Decimal suffixes (k, M, G, T, P).
Status parse_peak_flops(std::string_view text, PeakOptions* options);

/// "900G", bytes per second; decimal suffixes.
Status parse_memory_bandwidth(std::string_view text, PeakOptions* options);

}  // namespace xsp::analysis
