#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/table.h"
#include "base/status.h"

namespace xsp::analysis {

/// The tables of all analyses in the order of reports.
std::span<const TableDefinition* const> analyses();

/// Those and the parts that they have.
std::span<const TableDefinition* const> table_definitions();

/// The definition of a table ("A2") or of a part ("D2.states"), or null.
const TableDefinition* table_definition(std::string_view id);

/// The same for a table that is there: also for one that another program than xsp-report makes, with a definition of
/// its own. `id` names it as above.
const TableDefinition* definition_of(std::string_view id, const Table& table);

/// A column of that table or part, or null.
const ColumnDefinition* column_definition(std::string_view table, std::string_view column);

/// Resolves ids as the user gave them ("A1", "a2", "all"), without repetition. An unknown id is an error that lists
/// the known ones. "all" and an empty list mean all.
Status choose_analyses(const std::vector<std::string>& ids, std::vector<const TableDefinition*>* chosen);

}  // namespace xsp::analysis
