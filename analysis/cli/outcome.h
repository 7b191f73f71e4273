#pragma once

#include <string>
#include <vector>

#include "analysis/cli/inputs.h"
#include "analysis/cli/options.h"
#include "analysis/compare/fail_check.h"
#include "analysis/report/report.h"
#include "base/status.h"

namespace xsp::analysis {

/// What was made of the inputs.
struct Outcome {
  std::string text;  // of standard output or -o; empty where only files are asked for
  Report report;     // not of --diff
  bool has_report = false;
  std::vector<FailCheck> checks;  // by condition of --fail-if
  bool lacks_data = false;
  std::string contradiction;
};

/// Header, findings and tables, made at first use: exports of spans need none of them, and of a long trace they take
/// most of the time.
const Report& report_of(const Options& options, const Inputs& inputs, Outcome* outcome);

/// Checks conditions and makes the text. An error is one of usage: what a --fail-if names is not there.
Status make_outcome(const Options& options, const Inputs& inputs, Outcome* outcome);

}  // namespace xsp::analysis
