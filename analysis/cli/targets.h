#pragma once

#include "analysis/cli/options.h"
#include "base/status.h"

namespace xsp::analysis {

/// Checks that all outputs go to different places, and none to an input.
Status check_targets(const Options& options);

/// Checks that the output files can be created; called before the traces are read, which may take minutes.
Status check_writable(const Options& options);

}  // namespace xsp::analysis
