#pragma once

#include <optional>
#include <vector>

#include "analysis/cli/exit_code.h"
#include "analysis/cli/options.h"
#include "analysis/render/render.h"
#include "analysis/report/given_bounds.h"
#include "analysis/study/analysed_trace.h"

namespace xsp::analysis {

/// What was read: one input, or BASE and NEW with --diff.
struct Inputs {
  AnalysedTrace base;  // of --diff
  AnalysedTrace input;
  std::optional<GivenBounds> bounds;  // --bounds
};

/// Reads and analyses all traces. If not kDone, the error has already been printed.
ExitCode read_inputs(const Options& options, Inputs* inputs);

/// What a report says about its input.
std::vector<ReportInput> describe_inputs(const Options& options, const Inputs& inputs);

}  // namespace xsp::analysis
