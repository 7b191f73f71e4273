#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/backend.h"

namespace xsp::bound {

/// Where cuBLASLt may lie (cuda_files.h).
std::vector<std::string> cublaslt_files();

/// Matrix products by cublasLtMatmul on the first device, with what its epilogues compute on them: each algorithm that
/// the library's heuristics name. An error: what the library or the driver lacks.
Status load_cublaslt(const std::string& path, std::unique_ptr<Backend>* backend);

}  // namespace xsp::bound
