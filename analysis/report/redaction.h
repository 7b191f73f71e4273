#pragma once

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Removes from a loaded trace what tells whose it is (--redact): command lines, environments, host names, pids, and
/// the folders of every path, also in names and notes. Everything made of the trace afterwards lacks them too.
void redact(Trace* trace);

}  // namespace xsp::analysis
