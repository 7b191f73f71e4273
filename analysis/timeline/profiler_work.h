#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/model_spans.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Takes what PyTorch's profiler did itself at the end of a recording out of the last step of imported profiles: the
/// step then ends where the profiler began to wait for the device, and the call is in no step. Adds what was taken to
/// the `remarks` of the process, as find_model_spans() does. To be called before Python functions are left out.
///
/// A call that waits for the device is the profiler's when it is the last thing that any thread does in the last step
/// of its process, lies directly in the step (no operator and no Python function but the profiler's own is around it),
/// and no earlier step ends with one: a program that waits at the end of its steps does so in all of them.
void leave_profiler_work(const std::vector<ModelSource>& sources, Parents* parents, Trace* trace,
                         std::vector<std::string>* remarks);

}  // namespace xsp::analysis
