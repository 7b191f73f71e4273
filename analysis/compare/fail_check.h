#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison_tables.h"
#include "analysis/compare/condition.h"
#include "analysis/study/study.h"
#include "base/status.h"

namespace xsp::analysis {

/// What a condition says of the rows of a report.
struct FailCheck {
  std::vector<std::string> holds;    // a line for each row in which it does: values, and what they were in BASE
  std::vector<std::string> unknown;  // and for each that could not be judged: why
};

/// Judges a condition in every row of the table that it names first. References to other tables or rows must select a
/// single row. `comparison` is null without --diff. An error if a column does not exist, or types do not fit.
Status check_condition(const Condition& condition, const Study& study, ComparisonTables* comparison, FailCheck* check);

}  // namespace xsp::analysis
