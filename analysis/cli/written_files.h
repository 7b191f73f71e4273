#pragma once

#include "analysis/cli/inputs.h"
#include "analysis/cli/options.h"
#include "analysis/cli/outcome.h"
#include "base/status.h"

namespace xsp::analysis {

/// Writes the page and the exports. `broken_pipe`: the reader of standard output went away, which is not worth a
/// message.
Status write_files(const Options& options, const Inputs& inputs, Outcome* outcome, bool* broken_pipe);

}  // namespace xsp::analysis
