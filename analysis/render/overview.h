#pragma once

#include <string>
#include <vector>

#include "analysis/render/render.h"
#include "analysis/report/report.h"

namespace xsp::analysis {

inline constexpr size_t kOverviewTables = 5;
inline constexpr size_t kOverviewRows = 10;

/// The most useful tables of a report, kOverviewTables at most: the first that have data in the order of
/// TableDefinition::overview_place.
std::vector<const TableDefinition*> choose_overview(const std::vector<Table>& tables);

/// What xsp-report prints when it is asked for nothing: what was profiled, the findings, the most useful tables, and
/// which others have data.
std::string render_overview(const Report& report, const ReportOptions& options);

}  // namespace xsp::analysis
