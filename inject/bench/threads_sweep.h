#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inject/bench/options.h"
#include "inject/bench/set_report.h"
#include "inject/bench/sweep_runs.h"
#include "inject/launch/experiment/run_plan.h"

namespace xsp::bench {

/// What a sweep over numbers of threads tries.
struct ThreadRange {
  uint32_t usable = 1;            ///< cores that the command can use
  uint32_t last = 1;              ///< the largest number: --max, else `usable`
  uint32_t interval = 1;          ///< between probes
  uint32_t own = 1;               ///< the program's own number, which is measured with no variable set
  std::vector<uint32_t> climbed;  ///< in turn, each beside the one before it and the program's own
};
ThreadRange thread_range(const Options& options);

/// What xsp-report must be told besides, to read the set as it was made.
std::vector<std::string> report_choices(const Options& options, const ThreadRange& range);

/// Measures stage by stage until the report says that no layer gets faster, or the last number is reached. Returns an
/// error if something else stopped it.
Status run_threads(const Options& options, const launch::RunPlan& plan, const ThreadRange& range,
                   const SetReport& report, SweepRuns* runs);

/// Whether the curves of E1 have ended; nothing where the text does not tell.
std::optional<bool> have_curves_ended(const std::string& json);

/// The numbers that take turns in a stage: a climbed one, the next one and the program's own.
std::vector<uint32_t> stage_counts(const ThreadRange& range, size_t stage);

}  // namespace xsp::bench
