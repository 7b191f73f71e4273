#pragma once

#include "import/nsight_systems/export.h"

namespace xsp::nsight_systems {

/// NVTX_EVENTS: push and pop, start and end, marks. A started range that ends on another thread goes to a separate
/// thread (number 0), so that nothing is nested in it.
void read_ranges(Export& exported);

/// CUDNN_EVENTS, CUBLAS_EVENTS and the like: calls of compute libraries.
void read_library_calls(Export& exported);

/// CUPTI_ACTIVITY_KIND_RUNTIME: calls of the CUDA runtime and of the driver.
Status read_api_calls(Export& exported);

}  // namespace xsp::nsight_systems
