#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/backend.h"

namespace xsp::bound {

/// Where a BLAS may lie: names for the dynamic linker, and files of the user's Python (NumPy's and SciPy's OpenBLAS,
/// MKL inside PyTorch's libtorch_cpu.so).
std::vector<std::string> blas_files();

/// Matrix products through OpenBLAS, MKL or BLIS. Leaves `backend` null without an error where the file can be loaded
/// but holds none of them.
Status load_blas(const std::string& path, std::unique_ptr<Backend>* backend);

}  // namespace xsp::bound
