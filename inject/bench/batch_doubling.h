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

/// What a point of a sweep gave.
struct PointThroughput {
  std::string value;  ///< of the swept parameter
  double per_second = 0;
};

/// Why a doubling ends after the last of `points`, for the user, with what was seen: the paper's rule, a rise of no
/// more than 5 % over the point before. Empty: it goes on.
std::string end_by_rule(const std::string& parameter, const std::vector<PointThroughput>& points);

/// Twice `value`; nothing beyond `most`, and beyond what a number of ours can be.
std::optional<Decimal> doubled(const Decimal& value, const std::optional<Decimal>& most);

/// Measures the first value of the parameter, and twice as much again and again, until the rule, memory or --max ends
/// it. What ended it is printed. An error is what kept it from going on though none of these had ended it.
Status run_doubling(const Options& options, const launch::RunPlan& plan, const SetReport& report, SweepRuns* runs);

}  // namespace xsp::bench
