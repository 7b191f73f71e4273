#pragma once

#include <string>
#include <vector>

#include "analysis/trace/part_files.h"
#include "analysis/trace/trace.h"
#include "base/status.h"

namespace xsp::analysis {

/// What a folder holds, in the order in which it is loaded: the folder itself where an index lists the runs of a set,
/// else its traces (list_traces). An index that cannot be read is told in Trace::sets.
Status list_folder(const std::string& folder, std::vector<PartFile>* files, Trace* trace);

/// Adds the runs that the index of a set's folder lists to `trace`, in order of index. What is missing or unreadable is
/// told in Trace::sets; an error means that nothing of the set can be used.
Status load_set(const std::string& folder, Trace* trace);

}  // namespace xsp::analysis
