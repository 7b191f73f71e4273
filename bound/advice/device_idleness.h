#pragma once

#include <cstdint>
#include <vector>

#include "analysis/study/study.h"

namespace xsp::bound {

/// How long the device has nothing to do because the host waited: by row of the joined calls of the CUDA API, ms in a
/// call of the model from when its work ran out, which ended the wait, to the next work. 0 where it went on, or where
/// no more work of that call came; empty where no work of the device was recorded. Of rows that are not `wanted` 0.
std::vector<double> idle_after_waits(const analysis::Study& study, const std::vector<bool>& wanted);

}  // namespace xsp::bound
