#pragma once

#include <string>

#include "analysis/tables/column_reference.h"

namespace xsp::analysis {

/// What a head says of its column: its meaning, how it is computed and from what.
std::string about(const ColumnReference& reference);

}  // namespace xsp::analysis
