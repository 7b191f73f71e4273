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
  Report report;     // not with --diff
  bool has_report = false;
  std::vector<FailCheck> checks;  // by condition of --fail-if
  bool lacks_data = false;
  std::string contradiction;
};

/// Header, findings and tables, computed at first use: span exports do not need them, and on long traces they take most
/// of the time.
const Report& report_of(const Options& options, const Inputs& inputs, Outcome* outcome);

/// Checks conditions and makes the text. Errors are usage errors: a --fail-if names something that does not exist.
Status make_outcome(const Options& options, const Inputs& inputs, Outcome* outcome);

}  // namespace xsp::analysis
