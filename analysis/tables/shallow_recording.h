#pragma once

#include <string>
#include <string_view>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// Why there are no events of `level`, where the recording was not to go so deep, and the command that records them:
/// "recorded with --level layer; record kernels with: xsp-run --leveled --level kernel -- COMMAND". Empty where it was.
std::string shallow_recording_note(const Study& study, Level level, std::string_view events);

}  // namespace xsp::analysis
