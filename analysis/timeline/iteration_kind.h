#pragma once

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Kind of the spans that stand for iterations (iterations/iteration_spans.h). It is in no file, for a report makes
/// them: the next number behind the kinds of the format.
inline constexpr Kind kIterationKind = static_cast<Kind>(static_cast<int>(Kind::kRun) + 1);

}  // namespace xsp::analysis
