#pragma once

#include <string>

#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

/// What a head says of its column: its meaning, how it is computed and from what.
std::string about(const ColumnFacts& facts);

}  // namespace xsp::analysis
