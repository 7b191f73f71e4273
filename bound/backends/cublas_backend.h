#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/backend.h"

namespace xsp::bound {

/// Where cuBLAS may lie (cuda_files.h).
std::vector<std::string> cublas_files();

/// Matrix products by cublasGemmEx and cublasGemmStridedBatchedEx on the first device, with the algorithm that the
/// library takes for each. An error: what the library or the driver lacks.
Status load_cublas(const std::string& path, std::unique_ptr<Backend>* backend);

}  // namespace xsp::bound
