#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/table.h"
#include "base/status.h"

namespace xsp::analysis {

/// An analysis of the contract; `compute` is null where this version cannot do it yet.
struct Analysis {
  std::string_view id;
  std::string_view title;
  Table (*compute)(const Study& study);
  bool (*has_several)(const Study& study) = nullptr;  // of "all" only where it says so: of a set, of a continuous one
};

/// All analyses in the order of reports.
std::span<const Analysis> analyses();

/// Resolves ids as the user gave them ("A1", "a2", "all"), without repetition. An unknown id is an error that lists
/// the known ones. "all" and an empty list mean all that this version can do.
Status choose_analyses(const std::vector<std::string>& ids, std::vector<const Analysis*>* chosen);

/// The table of an analysis; without rows and with a note where this version cannot do it.
Table run_analysis(const Analysis& analysis, const Study& study);

}  // namespace xsp::analysis
