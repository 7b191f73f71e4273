#pragma once

#include <string>

#include "analysis/status.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Adds the traces of a folder to `trace`: the runs that its index lists, in order of index, else all *.pb by name.
/// What is missing or unreadable of a set is told in Trace::sets; an error means that nothing of the set can be used.
Status load_folder(const std::string& folder, Trace* trace);

}  // namespace xsp::analysis
