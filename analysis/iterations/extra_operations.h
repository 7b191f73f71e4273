#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/iterations/iteration_series.h"
#include "analysis/statistics/periodicity.h"

namespace xsp::analysis {

/// Operations that are not in the pattern, or not as often, in every k-th iteration.
struct RecurringOperations {
  Periodicity when;  // places are iterations
  std::vector<Symbol> symbols;
  std::vector<uint32_t> iterations;  // that have them
};

/// The most regular of them. What follows an iteration up to the next one counts as part of it. Operations that vary at
/// random do not count: with several sets of iterations, each must be that much more significant. Linear in the
/// operations.
std::optional<RecurringOperations> recurring_operations(const DiagnosedLoop& loop);

}  // namespace xsp::analysis
