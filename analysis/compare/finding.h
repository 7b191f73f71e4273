#pragma once

#include <string>

#include "analysis/compare/comparison_tables.h"

namespace xsp::analysis {

/// The answer in a line, with what explains most of it: "Net: NEW is 4.2 % slower than BASE (48.1 → 50.1 ms,
/// significant): 3 layers account for 80 % of the difference: conv1 +1.2 ms, …".
std::string finding_of(ComparisonTables& tables);

}  // namespace xsp::analysis
