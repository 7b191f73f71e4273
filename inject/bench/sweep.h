#pragma once

#include "inject/bench/options.h"

namespace xsp::bench {

/// Measures what `options` say and prints the tables: the exit code for xsp-bench. Asked to stop by a signal, it
/// reports what was measured and dies by that signal.
int sweep(const Options& options);

}  // namespace xsp::bench
