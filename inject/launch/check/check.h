#pragma once

#include "inject/launch/options/options.h"

namespace xsp::launch {

/// `xsp-run --check`: looks at this machine and one Python, runs nothing of the user's, and prints a table on stdout.
/// Returns 0, or with --strict 125 if something that is needed is missing.
int run_check(const Options& options);

}  // namespace xsp::launch
