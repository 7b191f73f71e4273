#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inject/bench/decimal.h"
#include "inject/bench/options.h"
#include "inject/bench/set_report.h"
#include "inject/bench/sweep_runs.h"
#include "inject/launch/experiment/run_plan.h"

namespace xsp::bench {

/// The result of one point of a sweep.
struct PointThroughput {
  std::string value;  ///< of the swept parameter
  double per_second = 0;
};

/// Why doubling ends after the last of `points`, as text for the user with the values seen: the paper's rule, a rise of
/// at most 5 % over the point before. Empty: it goes on.
std::string end_by_rule(const std::string& parameter, const std::vector<PointThroughput>& points);

/// Twice `value`; nothing if that is beyond `most` or too large for a Decimal.
std::optional<Decimal> doubled(const Decimal& value, const std::optional<Decimal>& most);

/// Measures the parameter's first value and keeps doubling it until the rule, memory or --max ends it, and prints which
/// did. Returns an error if something else stopped it.
Status run_doubling(const Options& options, const launch::RunPlan& plan, const SetReport& report, SweepRuns* runs);

}  // namespace xsp::bench
