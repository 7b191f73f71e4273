#pragma once

#include <cstddef>
#include <vector>

#include "analysis/html/packed_data.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// The tables of a page for its scripts, JSON as doc/html.md has it; of each at most `rows` rows.
void write_packed_tables(const std::vector<Table>& tables, size_t rows, PackedData* data);

}  // namespace xsp::analysis
