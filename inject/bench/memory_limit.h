#pragma once

#include <string>
#include <vector>

#include "inject/launch/experiment/planned_run.h"

namespace xsp::bench {

/// Whether a point needs as much memory as one that ran out of it: the same point, or one that differs in `sizes` only,
/// the parameters that memory rises with, and is smaller in none of them.
bool needs_as_much_memory(const launch::Parameters& point, const launch::Parameters& exhausted,
                          const std::vector<std::string>& sizes);

}  // namespace xsp::bench
