#pragma once

#include <string_view>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Kind of the spans that stand for iterations (iterations/iteration_spans.h). It is in no file, for a report makes
/// them: the next number behind the kinds of the format.
inline constexpr Kind kIterationKind = static_cast<Kind>(static_cast<int>(Kind::kRun) + 1);

/// Begin of the names of iterations that are numbered parts of a model (iterations/repeated_blocks.h).
inline constexpr std::string_view kBlockOf = "block of ";

}  // namespace xsp::analysis
