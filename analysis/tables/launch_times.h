#pragma once

#include <string>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// That layers of ONNX Runtime ran on a device whose kernels are not in the trace, so that their times are those of the
/// launch; empty when none did.
std::string launch_times_note(const Study& study);

}  // namespace xsp::analysis
