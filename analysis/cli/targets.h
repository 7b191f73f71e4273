#pragma once

#include "analysis/cli/options.h"
#include "base/status.h"

namespace xsp::analysis {

/// Whether what is written goes to different places, and to no input.
Status check_targets(const Options& options);

/// Whether files can be made where they are asked for; before the traces are read, which may take minutes.
Status check_writable(const Options& options);

}  // namespace xsp::analysis
