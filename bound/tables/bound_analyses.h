#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/tables/table.h"
#include "base/status.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

using analysis::Table;

Table layers_table(const BoundSubject& subject);      // B1
Table problems_table(const BoundSubject& subject);    // B1.problems
Table coverage_table(const BoundSubject& subject);    // B2
Table sequential_table(const BoundSubject& subject);  // B3
Table parallel_table(const BoundSubject& subject);    // B4

/// A table of xsp-bound.
struct BoundAnalysis {
  const analysis::TableDefinition* definition;
  Table (*compute)(const BoundSubject& subject);
  bool needs_model = true;  // else a trace fills it by itself
};

/// In the order of reports.
std::span<const BoundAnalysis> bound_analyses();

/// Resolves ids as the user gave them ("B1", "b3", "all"), without repetition. An unknown one is an error.
Status choose_bound_analyses(const std::vector<std::string>& ids, std::vector<const BoundAnalysis*>* chosen);

}  // namespace xsp::bound
