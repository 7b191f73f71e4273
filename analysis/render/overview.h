#pragma once

#include <string>
#include <vector>

#include "analysis/render/render.h"
#include "analysis/report/report.h"

namespace xsp::analysis {

/// A table of an overview: what it must have a value of to be useful, and the columns that are worth narrow terminals.
struct OverviewTable {
  std::string_view id;
  std::string_view measure;
  std::vector<std::string_view> important;
};

inline constexpr size_t kOverviewTables = 5;
inline constexpr size_t kOverviewRows = 10;

/// The most useful tables of a report, kOverviewTables at most: the first ones that have data of A1 (how fast), L1
/// (what profiling costs), M1 (models side by side), A6 (layer types), A2 (layers), A10 (kernels), A15 (GPU), C2
/// (library functions), C1 (library calls), A7 (memory), A5 (layers by type), Q1.
std::vector<const OverviewTable*> choose_overview(const std::vector<Table>& tables);

/// What xsp-report prints when it is asked for nothing: what was profiled, the findings, the most useful tables, and
/// which others have data.
std::string render_overview(const Report& report, const ReportOptions& options);

}  // namespace xsp::analysis
