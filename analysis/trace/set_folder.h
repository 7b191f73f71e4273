#pragma once

#include <string>

#include "analysis/status.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

class OpenRecordings;

/// Adds the traces of a folder to `trace`: the runs that its index lists, in order of index, else all *.pb by name, and
/// of a recording in parts also the part that is being written.
/// What is missing or unreadable of a set is told in Trace::sets; an error means that nothing of the set can be used.
Status load_folder(const std::string& folder, OpenRecordings* recordings, Trace* trace);

}  // namespace xsp::analysis
