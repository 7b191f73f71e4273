#pragma once

#include "inject/cupti/range_abi.h"

namespace xsp::guest {

/// The functions of a loaded libcupti. False where it has not all of them: it is older than CUDA 12.6.
bool find_range_functions(void* library, cupti::RangeFunctions* functions);

}  // namespace xsp::guest
