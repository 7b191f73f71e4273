#pragma once

#include "inject/bench/options.h"

namespace xsp::bench {

/// Measures what `options` ask for, prints the tables and returns the exit code of xsp-bench. If a signal asks it to
/// stop, it reports what was measured and dies by that signal.
int sweep(const Options& options);

}  // namespace xsp::bench
