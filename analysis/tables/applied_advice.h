#pragma once

#include <optional>

#include "analysis/concurrency/applied_gain.h"
#include "analysis/tables/swept_curves.h"

namespace xsp::analysis {

/// What a run that followed advice (xsp-run --concurrency apply) shows of it.
struct AppliedAdvice {
  std::optional<AppliedGain> gain;  // nothing: no block with advice ran beside one without
  uint32_t advised = 0;             // threads of the whole model; 0: layers have several numbers
  bool is_switched_off = false;     // it was slower
  std::optional<AdviceVerdict> verdict;
};

/// Nothing for a sweep that applies nothing.
std::optional<AppliedAdvice> applied_advice(const SweptCurves& swept, const Statistic& statistic);

}  // namespace xsp::analysis
