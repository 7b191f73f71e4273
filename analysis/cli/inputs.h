#pragma once

#include <vector>

#include "analysis/cli/exit_code.h"
#include "analysis/cli/options.h"
#include "analysis/render/render.h"
#include "analysis/study/analysed_trace.h"

namespace xsp::analysis {

/// What was read: one input, or with --diff BASE and NEW.
struct Inputs {
  AnalysedTrace base;  // of --diff
  AnalysedTrace input;
};

/// Reads all traces and makes everything of them. Not kDone: it was complained about.
ExitCode read_inputs(const Options& options, Inputs* inputs);

/// What a report says about its input.
std::vector<ReportInput> describe_inputs(const Options& options, const Inputs& inputs);

}  // namespace xsp::analysis
