#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/matches.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// What a reader calls a row: its name, kernel, function, layer, model, quantity or type, whichever comes first.
std::string label_of(const Table& table, size_t row);

/// Rows that a selector means: those whose label matches the pattern (* and ?), or with "column=pattern" that column.
std::vector<size_t> select_rows(const Table& table, const std::string& selector);

/// By row of `fresh`: the same row in BASE, kNoPlace if there is none. Layers, models and kernels correspond as the
/// comparison found; otherwise the n-th row of a name matches the n-th of that name.
std::vector<uint32_t> match_rows(const Comparison& comparison, const Table& base, const Table& fresh);

/// By row of `fresh`: the row about it in the comparison table, kNoPlace if there is none.
std::vector<uint32_t> rows_of_comparison(const Comparison& comparison, const Table& compared, const Table& fresh);

}  // namespace xsp::analysis
