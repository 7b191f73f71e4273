#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/steps/step_breakdown.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What a host does while a device idles, and for how long.
struct GapCause {
  std::string name;  // of a call of the CUDA API, of a layer, or of an annotation
  int64_t ns = 0;    // added up over the devices that idle
};

/// Each moment of the gaps belongs to the first of these that some thread of the process is in: a call of the CUDA API,
/// a layer, an annotation that is no evaluation. The longest first; moments in none of them are of no cause. Linear in
/// the spans of the trace.
std::vector<GapCause> causes_of_gaps(const Trace& trace, const Evaluations& evaluations,
                                     const std::vector<DeviceGaps>& gaps);

}  // namespace xsp::analysis
