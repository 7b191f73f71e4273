#pragma once

#include "analysis/cli/options.h"
#include "base/status.h"

namespace xsp::analysis {

/// Reads the files that options name beside the traces and that tables are made with: --graph and --curves. --bounds
/// needs the trace first (report/given_bounds.h).
Status read_side_files(Options* options);

/// Checks that no output replaces one of them. `path` is where `what` goes.
Status check_side_files(const Options& options, const std::string& what, const std::string& path);

}  // namespace xsp::analysis
