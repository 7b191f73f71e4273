#pragma once

#include <compare>
#include <cstdint>
#include <unordered_map>

#include "analysis/trace/span_table.h"

namespace xsp::analysis {

/// What an evaluation does, as far as the operators of its framework tell.
enum class Mode : uint8_t { kUnknown, kInference, kTraining };

/// The phases of an evaluation: what the host does, one after another, so that they add up to its interval.
struct EvaluationPhases {
  /// What evaluations of one group have in common.
  struct Kinds {
    Mode mode = Mode::kUnknown;
    bool has_backward = false;  // in their interval; in training otherwise in that of another evaluation
    bool has_optimizer = false;

    auto operator<=>(const Kinds&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 takes <=> for one
  };

  Kinds kinds;
  int64_t forward_ns = 0;
  int64_t backward_ns = 0;
  int64_t optimizer_ns = 0;
};

/// By the model span of the evaluation; none: not known.
using PhasesByModel = std::unordered_map<Row, EvaluationPhases>;

}  // namespace xsp::analysis
